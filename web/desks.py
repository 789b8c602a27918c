"""The desks: what each is told (public news, print jobs), its key, its health, its paper."""

import hmac
import json
import logging
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.cues import SOUNDS, counting, cue
from referee.game import News, each_alone
from referee.match import Told
from referee.moves import Seat, Side
from referee.papers import join_slips, score_sheet
from referee.restating import CORRECTED
from referee.sheets import Block, to_wire
from referee.words import Words, words
from web.address import join_path, named_url
from web.caller import Caller
from web.dates import spoken
from web.door import MINUTE, hashed, new_token, same, slow_down
from web.house import House
from web.refusals import Refusal
from web.retries import Retry, answer_kept, first_answer, job_kept
from web.store import changes as kept
from web.store.changes import Job
from web.table import LiveTable
from web.tickets import Tickets
from web.watchers import Watcher, event, from_thread
from web.wifi import network
from web.written import written

log = logging.getLogger("referee")

MOST_WAITING = 100  # jobs at one desk
ABOUT = ("seat", "by", "side")  # the fields of a piece of news that name the seat or side it is about


class Desks:
    """Every desk of this house. A desk serves the newest table opened at it."""

    def __init__(self, house: House, data: Path, base: Callable[[], str]) -> None:
        self.house = house
        self.base = base
        self.health: dict[str, dict[str, Any]] = {}
        self.faults: dict[str, str] = {}  # what the virtual printer of a desk pretends, for trying things out
        self._keys = {desk: _key(data / f"desk-{desk}.key") for desk in house.desks}
        self.tickets = Tickets(_key(data / "tickets.key"))
        self._watchers: dict[str, dict[Watcher, set[int]]] = defaultdict(dict)  # and the jobs they know of
        self._clerk = ThreadPoolExecutor(1, thread_name_prefix="clerk")  # hands out the papers, one by one
        house.at_change.append(self._changed)

    def check(self, desk: str) -> None:
        if desk not in self._keys:
            raise Refusal("unknown-desk")

    def holds_key(self, token: str | None) -> bool:
        return token is not None and any(same(token, hashed(key)) for key in self._keys.values())

    def check_key(self, desk: str, caller: Caller) -> None:
        """Refuse whoever is not this desk itself, with its key."""
        self.check(desk)
        if caller.token is None:
            raise Refusal("no-token")
        if not self.holds_key(caller.token):
            self.house.door.failures.check(caller.address)
            raise self.house.failed(caller, "bad-token")

    def seal(self, text: str) -> str:
        """A mark that only this house can make: nobody guesses it, and it outlives a restart."""
        key = self._keys[self.house.settings.desk.name]
        return hmac.digest(key.encode(), text.encode(), "sha256").hex()

    def screen_key(self, desk: str) -> str:
        """What opens the desk's own screen. Made from the desk's key, which it does not tell."""
        return hashed(f"screen {self._keys[desk]}")

    def is_screen(self, desk: str, way: str) -> bool:
        """Whether this is what opens the desk's own screen."""
        return desk in self._keys and secrets.compare_digest(way.encode(), self.screen_key(desk).encode())

    def table_at(self, desk: str) -> LiveTable | None:
        return self.house.readable(self.house.store.table_at(desk))

    def is_connected(self, desk: str) -> bool:
        """Whether a desk process listens (screens that only show the virtual desk do not count)."""
        return bool(self._trusted(desk))

    def status(self, desk: str) -> str:
        """What the status lamp of a desk tells, as far as we know; nothing where no desk listens."""
        if not self.is_connected(desk):
            return ""
        told = self.health.get(desk)
        if not told:
            return "starting"
        return "ready" if all(device["ok"] for device in told.values()) else "trouble"

    # ---- streams

    async def watch(self, desk: str, watcher: Watcher) -> None:
        """Let a desk in: the table as it stands, then the jobs that wait; never an old cue."""
        if watcher.trusted:
            await self._void_slips(desk)
        shown = () if watcher.trusted else self.house.store.waiting_jobs(desk)
        async with self.house.opening:  # so that this is the newest table
            table = await self.house.fetch_readable(self.house.store.table_at(desk))
            watcher.push(b"".join(self._first_words(desk, table, watcher)))
            self._watchers[desk][watcher] = {job.job for job in shown}
            if watcher.trusted:
                self.house.printing.add(desk)
        if watcher.is_screen:
            self._tell_of_screen(desk)
        self._clerk.submit(self._hand_out, desk)

    def _first_words(self, desk: str, table: LiveTable | None, watcher: Watcher) -> Iterator[bytes]:
        yield self._view(table)
        yield event("sound", json.dumps({"sound": self.sound(desk)}))
        if watcher.trusted:
            yield self._screen(desk)
        if watcher.trusted and (fault := self.faults.get(desk)):
            yield event("fault", json.dumps({"fault": fault}))

    def sound(self, desk: str) -> str:
        """How loud the desk is to be: `loud`, `quiet` or `off`."""
        return self.house.store.sound(desk) or SOUNDS[0]

    async def choose_sound(self, desk: str, sound: str) -> None:
        await self.house.commit([kept.sound_chosen(desk, sound)])
        told = event("sound", json.dumps({"sound": sound}))
        from_thread(self._watchers[desk], told)

    def choose_fault(self, desk: str, fault: str) -> None:
        """Let the virtual printer pretend to be out of paper, or gone; real ones take no notice."""
        self.faults[desk] = fault
        told = event("fault", json.dumps({"fault": fault}))
        from_thread(self._trusted(desk), told)

    def hear(self, desk: str, health: dict[str, Any]) -> None:
        """How the devices of a desk are; screens that show it are told when that changes."""
        if self.health.get(desk) != health:
            self.health[desk] = health
            self._tell_screens(desk)

    def _tell_screens(self, desk: str) -> None:
        table = self.table_at(desk)
        screens = [watcher for watcher in self._watchers[desk].copy() if not watcher.trusted]
        screens += [watcher for watcher in table.pages.copy() if watcher.seat is None] if table else []
        from_thread(screens, event("desk", json.dumps({"desk": desk})))

    def leave(self, desk: str, watcher: Watcher) -> None:
        self._watchers[desk].pop(watcher, None)
        if watcher.is_screen:
            self._tell_of_screen(desk)
        if not self.is_connected(desk) and self.health.pop(desk, {}):
            self._tell_screens(desk)

    def _screen(self, desk: str) -> bytes:
        """Whether the desk's own screen is on, where a new table can be joined without a slip of paper."""
        shown = any(watcher.is_screen for watcher in self._watchers[desk].copy())
        return event("screen", json.dumps({"shown": shown}))

    def _tell_of_screen(self, desk: str) -> None:
        from_thread(self._trusted(desk), self._screen(desk))

    def _trusted(self, desk: str) -> list[Watcher]:
        """The streams of the desk itself."""
        return [watcher for watcher in self._watchers[desk].copy() if watcher.trusted]

    def _changed(self, table: LiveTable, told: tuple[Told, ...]) -> None:
        """Pass on what happened. In the loop, so nothing here reads, draws or waits."""
        desk = table.row.desk
        if desk is None or not self._watchers[desk]:
            return
        if self.house.at_desk.get(desk) == table.code:
            post = b"".join([self._view(table), *_news(table, told)])
            for watcher in self._watchers[desk]:
                watcher.push(post)
        if any(item.news.kind == CORRECTED for item in told):
            self._clerk.submit(self._hand_out_anew, table.code)
        if table.match.outcome:
            self._clerk.submit(self._hand_out, desk)

    def _view(self, table: LiveTable | None) -> bytes:
        if table is None:
            return event("view", "null")
        return table.view_event(None, table.match.options["language"])

    # ---- print jobs

    async def print(self, table: LiveTable, what: str, token: str = "", retry: Retry | None = None) -> int:
        """Put a paper of this table in the queue of its desk; it waits there until it is printed.

        Asked for again while it waits, it is the same one.
        """
        desk = table.row.desk or self.house.settings.desk.name
        scope = hashed(token)
        async with table.lock:
            if before := first_answer(self.house.store, scope, retry):
                return int(before["job"])
            if what == "sheet" and not table.match.outcome:
                raise Refusal("not-over")
            if what == "join" and not table.free_keys():
                raise Refusal("seat-taken")
            waiting = self.house.store.waiting_jobs(desk)
            queued = (job.job for job in waiting if (job.code, job.what) == (table.code, what))
            if number := next(queued, None):
                await self.house.commit(answer_kept(scope, retry, {"job": number}))
                return number
            self._check_paper(table.code, len(waiting))
            added = kept.job_added(desk, table.code, what, self.house.now())
            number = await self.house.commit([added, *job_kept(scope, retry)])
        self._clerk.submit(self._hand_out, desk)
        return number

    def _check_paper(self, code: str, waiting: int) -> None:
        """Nobody empties the roll, or leaves a day's work for a desk that is away."""
        self.house.door.papers.check(code)
        if waiting >= MOST_WAITING:
            raise slow_down(MINUTE)
        self.house.door.papers.count(code)

    async def _void_slips(self, desk: str) -> None:
        """Nobody wants the join slips of tables where every seat is taken by now."""
        waiting = self.house.store.waiting_jobs(desk)
        void = [job for job in waiting if job.what == "join" and await self._is_full(job.code)]
        if void:
            await self.house.commit([kept.job_changed(job.job, "void", "") for job in void])

    async def _is_full(self, code: str) -> bool:
        table = await self.house.fetch_readable(code)
        return table is not None and not table.free_keys()

    def job(self, desk: str, number: int) -> Job:
        """The job of this number at this desk."""
        self.check(desk)
        job = self.house.store.job(desk, number)
        if job is None:
            raise Refusal("unknown-job")
        return job

    async def answered(self, job: Job, state: str, reason: str) -> None:
        """The desk says a job is printed, or why it is not yet."""
        if job.state != "waiting":
            return
        if state == "failed":
            state = "given_up" if reason == "unreadable" else "waiting"
        await self.house.commit([kept.job_changed(job.job, state, reason)])
        told = replace(job, state=state, reason=reason)
        self._clerk.submit(self._send_to_screens, told)  # after whatever the clerk has to say of it

    def paper(self, job: Job) -> tuple[Block, ...]:
        """What stands on the paper of a job now: written afresh, never kept, for it may carry keys."""
        table = self.house.readable(job.code)
        if table is None:
            return ()
        spoken_here = words(table.match.options["language"])
        if job.what == "sheet":  # which is on disk a moment before the game is over here
            return self.sheet(table, spoken_here) if table.match.outcome else ()
        links = {seat: self.join_url(table.code, seat, key) for seat, key in table.free_keys().items()}
        wifi = network(self.house.settings.wifi)
        return tuple(join_slips(table.seen(), spoken_here, links, named_url(self.base()), wifi))

    def finished(self, table: LiveTable) -> str:
        row = self.house.store.table(table.code)
        return (row and row.finished) or self.house.now()

    def sheet(self, table: LiveTable, said: Words) -> tuple[Block, ...]:
        """The score sheet of a finished game."""
        when = spoken(self.finished(table), said.language)
        return tuple(score_sheet(table.seen(), said, when, is_demo=table.row.is_demo))

    def join_url(self, code: str, seat: str, key: str) -> str:
        return self.base() + join_path(code, seat, key)

    def _hand_out(self, desk: str) -> None:
        """Tell each who listens of the jobs that wait and that it does not know of. The clerk alone does
        this: each comes once and in its turn, whoever asks for one meanwhile, and no table waits for it."""
        try:
            waiting = self.house.store.waiting_jobs(desk)
            for watcher, known in self._watchers[desk].copy().items():
                made = {job.job: self._made(watcher, job) for job in waiting if job.job not in known}
                if post := b"".join(made.values()):
                    from_thread((watcher,), post)  # as one: the queue has room, however many wait
                known.update(number for number, told in made.items() if told)
        except Exception:
            log.exception("the papers of desk %s could not be handed out", desk)

    def _hand_out_anew(self, code: str) -> None:
        """A correction changes what stands on a sheet that is not printed yet, or withdraws it: the desk gets
        the job again, with nothing on it where it is withdrawn."""
        for job in self.house.store.unprinted_sheets(code):
            blocks = self.paper(job) if job.state == "waiting" else ()
            told = {"job": job.job, "what": job.what, "table": job.code, "blocks": to_wire(blocks)}
            again = event("job", json.dumps(told))
            known = self._watchers[job.desk].copy().items()
            from_thread([watcher for watcher, jobs in known if watcher.trusted and job.job in jobs], again)

    def _send_to_screens(self, job: Job) -> None:
        for watcher in self._watchers[job.desk].copy():
            if not watcher.trusted:
                from_thread((watcher,), self._job_for(watcher, job))

    def _made(self, watcher: Watcher, job: Job) -> bytes:
        """A job for this watcher. A paper that cannot be written is tried again next time, and holds up no
        other."""
        try:
            return self._job_for(watcher, job)
        except Exception:
            log.exception("the paper of job %s, table %s, cannot be written", job.job, job.code)
            return b""

    def _job_for(self, watcher: Watcher, job: Job) -> bytes:
        """A job as this watcher may know it: only the desk itself gets what stands on the paper, if anything
        does yet."""
        told: dict[str, Any] = {"job": job.job, "what": job.what, "table": job.code}
        if not watcher.trusted:
            return event("job", json.dumps({**told, "state": job.state, "reason": job.reason}))
        blocks = self.paper(job)
        return event("job", json.dumps({**told, "blocks": to_wire(blocks)})) if blocks else b""


def _news(table: LiveTable, told: Sequence[Told]) -> list[bytes]:
    """News for the desk: with the keys of their cues and the numbers of the seats they are about."""
    names, renderer = table.match.names, table.renderer(table.match.options["language"])
    voice = renderer.voice(table.match.game, names)
    sides = {**each_alone(tuple(names)), **voice.sides()}
    lamps = {seat: number for number, seat in enumerate(names, 1)}
    return [
        event("news", written({**item, **_cued(table, each.news, sides, lamps)}))
        for each, item in zip(told, renderer.news(voice, told), strict=True)
    ]


def _cued(
    table: LiveTable, news: News, sides: dict[Side, tuple[Seat, ...]], lamps: dict[Seat, int]
) -> dict[str, Any]:
    """What the desk is told beyond what all are: whose news it is, its cue, and the lamps it is about."""
    key = table.match.game.key(news)
    sign = cue(key)
    about = (news.fields.get(name) for name in ABOUT)
    seats = next((sides[side] for side in about if side in sides), ())
    counted = {}
    if sign and sign.counts:
        seats = tuple(news.fields[sign.counts])
        patterns, tune = counting(list(news.fields[sign.counts].values()))
        counted = {"counted": {"patterns": patterns, "tune": tune}}
    return {"table": table.code, "key": key, "seat_lamps": [lamps[seat] for seat in seats], **counted}


def _key(path: Path) -> str:
    """A key, in a file that only its owner can read; made the first time."""
    path.touch(mode=0o600)
    if not path.read_text().strip():
        path.write_text(new_token())
    return path.read_text().strip()
