"""Desks: their streams (public news, print jobs), keys, health and print queue."""

import hmac
import json
import logging
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.core.match import NewsEntry
from referee.core.questions import HOST
from referee.core.restatements import CORRECTED
from referee.presentation.cues import SOUNDS
from referee.presentation.papers import join_slips, score_sheet
from referee.presentation.sheets import Block, to_wire
from referee.presentation.words import Words, words
from web.output.address import join_path, named_url, table_join_path
from web.output.dates import date_and_time
from web.output.wifi import network
from web.security.caller import Caller
from web.security.rate_limit import MINUTE, slow_down
from web.security.tokens import hashed, matches_hash, new_token
from web.service.desk_events import desk_news
from web.service.idempotency import IdempotencyKey, answer_stored, job_answer_stored, stored_answer
from web.service.live_table import LiveTable
from web.service.tables import TableService
from web.store import statements
from web.store.statements import JobRow
from web.streams.subscribers import Subscriber, event, from_thread
from web.wire.errors import ApiError

log = logging.getLogger("referee")

MOST_WAITING = 100  # print jobs that may wait at one desk


class Desks:
    """All desks. A desk serves the newest table opened at it."""

    def __init__(self, service: TableService, data: Path, base: Callable[[], str]) -> None:
        self.service = service
        self.base = base
        self.health: dict[str, dict[str, Any]] = {}
        self.last_seen: dict[str, str] = {}  # when the process of each desk went away, since the start
        self.faults: dict[str, str] = {}  # simulated faults of a desk's virtual printer, for trials
        self._keys = {desk: _load_key(data / f"desk-{desk}.key") for desk in service.desks}
        # By desk: each subscriber, and the numbers of the print jobs it was sent.
        self._subscribers: dict[str, dict[Subscriber, set[int]]] = defaultdict(dict)
        self._job_sender = ThreadPoolExecutor(1, thread_name_prefix="print-jobs")  # sends print jobs in order
        self._sending = set[str]()  # desks whose jobs are about to be sent
        service.on_change.append(self._changed)

    def check(self, desk: str) -> None:
        if desk not in self._keys:
            raise ApiError("unknown-desk")

    def holds_key(self, desk: str, token: str | None) -> bool:
        """Whether this is the key of this very desk."""
        key = self._keys.get(desk)
        return token is not None and key is not None and matches_hash(token, hashed(key))

    def of_table(self, table: LiveTable) -> str:
        """The desk that prints the papers of a table."""
        return table.row.desk or self.service.settings.desk.name

    def check_key(self, desk: str, caller: Caller) -> None:
        """Refuse a caller without the key of a desk; rate-limits guesses."""
        self.check(desk)
        if caller.token is None:
            raise ApiError("no-token")
        self.service.guesses.check_key(caller, self.holds_key(desk, caller.token), "bad-token")

    def sign(self, text: str) -> str:
        """An HMAC that only this server can make; it stays valid after a restart."""
        key = self._keys[self.service.settings.desk.name]
        return hmac.digest(key.encode(), text.encode(), "sha256").hex()

    def screen_key(self, desk: str) -> str:
        """The key in the URL of the desk's own screen. A hash of the desk's key, which it does not
        reveal."""
        return hashed(f"screen {self._keys[desk]}")

    def is_screen(self, desk: str, key: str) -> bool:
        """Whether this is the key of the desk's own screen."""
        return desk in self._keys and secrets.compare_digest(key.encode(), self.screen_key(desk).encode())

    def table_at(self, desk: str) -> LiveTable | None:
        return self.service.readable(self.service.store.table_at(desk))

    def is_connected(self, desk: str) -> bool:
        """Whether a desk process is connected. Pages of the virtual desk do not count."""
        return bool(self._trusted(desk))

    def status(self, desk: str) -> str:
        """What the status lamp of a desk shows, as far as the server knows; empty if no desk is connected."""
        if not self.is_connected(desk):
            return ""
        told = self.health.get(desk)
        if not told:
            return "starting"
        return "ready" if all(device["ok"] for device in told.values()) else "trouble"

    # ---- streams

    async def watch(self, desk: str, subscriber: Subscriber) -> None:
        """Subscribe a desk: it gets the current view, then the waiting jobs. It never gets cues of old
        news."""
        if subscriber.trusted:
            await self._void_join_slips(desk)
        shown = () if subscriber.trusted else self.service.store.waiting_jobs(desk)
        async with self.service.opening:  # so that no newer table is opened meanwhile
            table = await self.service.fetch_readable(self.service.store.table_at(desk))
            subscriber.push(b"".join(self._initial_events(desk, table, subscriber)))
            self._subscribers[desk][subscriber] = {job.job for job in shown}
            if subscriber.trusted:
                self.service.printing.add(desk)
        if subscriber.is_screen:
            self._notify_desk_of_screen(desk)
        self._send_jobs_soon(desk)

    def _initial_events(self, desk: str, table: LiveTable | None, subscriber: Subscriber) -> Iterator[bytes]:
        yield self._view(table)
        yield event("sound", json.dumps({"sound": self.sound(desk)}))
        if subscriber.trusted:
            yield self._screen_event(desk)
        if subscriber.trusted and (fault := self.faults.get(desk)):
            yield event("fault", json.dumps({"fault": fault}))

    def sound(self, desk: str) -> str:
        """The volume of a desk: `loud`, `quiet` or `off`."""
        return self.service.store.sound(desk) or SOUNDS[0]

    async def choose_sound(self, desk: str, sound: str) -> None:
        await self.service.commit([statements.sound_chosen(desk, sound)])
        told = event("sound", json.dumps({"sound": sound}))
        from_thread(self._subscribers[desk], told)

    def choose_fault(self, desk: str, fault: str) -> None:
        """Simulate a fault of the virtual printer: no paper, or no printer. Real printers ignore it."""
        self.faults[desk] = fault
        told = event("fault", json.dumps({"fault": fault}))
        from_thread(self._trusted(desk), told)

    def report_health(self, desk: str, health: dict[str, Any]) -> None:
        """Store the health of a desk's devices; notify screens that show it if it changed."""
        if self.health.get(desk) != health:
            self.health[desk] = health
            self._notify_screens(desk)

    def _notify_screens(self, desk: str) -> None:
        table = self.table_at(desk)
        screens = [subscriber for subscriber in self._subscribers[desk].copy() if not subscriber.trusted]
        screens += (
            [subscriber for subscriber in table.pages.copy() if subscriber.seat is None] if table else []
        )
        from_thread(screens, event("desk", json.dumps({"desk": desk})))

    def leave(self, desk: str, subscriber: Subscriber) -> None:
        self._subscribers[desk].pop(subscriber, None)
        if subscriber.trusted:
            self.last_seen[desk] = self.service.now()
        if subscriber.is_screen:
            self._notify_desk_of_screen(desk)
        if not self.is_connected(desk) and self.health.pop(desk, {}):
            self._notify_screens(desk)

    def _screen_event(self, desk: str) -> bytes:
        """The event that says whether the desk's own screen is open. It shows seat keys, so no slips are
        needed."""
        shown = any(subscriber.is_screen for subscriber in self._subscribers[desk].copy())
        return event("screen", json.dumps({"shown": shown}))

    def _notify_desk_of_screen(self, desk: str) -> None:
        from_thread(self._trusted(desk), self._screen_event(desk))

    def _trusted(self, desk: str) -> list[Subscriber]:
        """The streams of the desk process itself."""
        return [subscriber for subscriber in self._subscribers[desk].copy() if subscriber.trusted]

    def _changed(self, table: LiveTable, told: tuple[NewsEntry, ...]) -> None:
        """Send a change to the desk's subscribers. Runs in the loop, so it must not read the disk, draw paper
        or block."""
        desk = table.row.desk
        if desk is None or not self._subscribers[desk]:
            return
        if self.service.at_desk.get(desk) == table.code:
            events = b"".join([self._view(table), *desk_news(table, told)])
            for subscriber in self._subscribers[desk]:
                subscriber.push(events)
        if any(item.news.kind == CORRECTED for item in told):
            self._job_sender.submit(self._resend_sheets, table.code)
        if table.match.outcome:
            self._send_jobs_soon(desk)

    def _view(self, table: LiveTable | None) -> bytes:
        if table is None:
            return event("view", "null")
        return table.view_event(None, table.match.options["language"])

    # ---- print jobs

    async def print(
        self, table: LiveTable, what: str, token: str = "", retry: IdempotencyKey | None = None
    ) -> int:
        """Queue a print job of this table at its desk; it waits until it is printed. Returns its number.

        While the job waits, the same request returns the same job. Join slips have a reissued key only if the
        holder of this token asked for it.
        """
        desk, scope = self.of_table(table), hashed(token)
        holder = HOST if table.is_host(token) else table.seat_of(token)
        async with table.lock:
            if before := stored_answer(self.service.store, scope, retry):
                return int(before["job"])
            if what == "sheet" and not table.match.outcome:
                raise ApiError("not-over")
            if what == "join" and not table.free_keys(holder):
                raise ApiError("seat-taken")
            asker = holder if what == "join" and holder and table.handed_keys(holder) else None
            waiting = self.service.store.waiting_jobs(desk)
            wanted = table.code, what, asker
            queued = (job.job for job in waiting if (job.code, job.what, job.asker) == wanted)
            if number := next(queued, None):
                await self.service.commit(answer_stored(scope, retry, {"job": number}))
                return number
            self._check_print_limits(table.code, len(waiting))
            added = statements.job_added(desk, table.code, what, self.service.now(), asker)
            number = await self.service.commit([added, *job_answer_stored(scope, retry)])
        self._send_jobs_soon(desk)
        return number

    def _check_print_limits(self, code: str, waiting: int) -> None:
        """Rate-limit print jobs, and limit how many may wait for a desk."""
        self.service.rate_limits.print_jobs.check(code)
        if waiting >= MOST_WAITING:
            raise slow_down(MINUTE)
        self.service.rate_limits.print_jobs.count(code)

    async def _void_join_slips(self, desk: str) -> None:
        """Cancel waiting join slips without a key: every seat they were for is taken."""
        waiting = self.service.store.waiting_jobs(desk)
        void = [job for job in waiting if job.what == "join" and await self._is_void(job)]
        if void:
            await self.service.commit([statements.job_changed(job.job, "void", "") for job in void])

    async def _is_void(self, slips: JobRow) -> bool:
        table = await self.service.fetch_readable(slips.code)
        return table is not None and not table.free_keys(slips.asker)

    def job(self, desk: str, number: int) -> JobRow:
        """The job of this number at this desk."""
        self.check(desk)
        job = self.service.store.job(desk, number)
        if job is None:
            raise ApiError("unknown-job")
        return job

    async def answered(self, job: JobRow, state: str, reason: str) -> None:
        """Store a desk's report: the job is printed, or why it is not."""
        if job.state != "waiting":
            return
        if state == "failed":
            state = "given_up" if reason in ("unreadable", "unsure") else "waiting"
        await self.service.commit([statements.job_changed(job.job, state, reason)])
        told = replace(job, state=state, reason=reason)
        self._job_sender.submit(self._send_to_screens, told)  # behind earlier events about this job

    def paper(self, job: JobRow) -> tuple[Block, ...]:
        """The content of a print job, rendered from the current state. It is never stored, as it may contain
        keys."""
        table = self.service.readable(job.code)
        if table is None:
            return ()
        here = words(table.match.options["language"])
        if job.what == "sheet":  # the job is on disk a moment before the match in memory is over
            return self.sheet(table, here) if table.match.outcome else ()
        keys = table.free_keys(job.asker)
        links = {seat: self.join_url(table.code, seat, key) for seat, key in keys.items()}
        wifi = network(self.service.settings.wifi)
        return tuple(join_slips(table.seen(), here, links, named_url(self.base()), wifi))

    def finished(self, table: LiveTable) -> str:
        row = self.service.store.table(table.code)
        return (row and row.finished) or self.service.now()

    def sheet(self, table: LiveTable, texts: Words) -> tuple[Block, ...]:
        """The score sheet of a finished game."""
        when = date_and_time(self.finished(table), texts.language)
        return tuple(score_sheet(table.seen(), texts, when, is_demo=table.row.is_demo))

    def join_url(self, code: str, seat: str, key: str) -> str:
        return self.base() + join_path(code, seat, key)

    def table_join_url(self, code: str, key: str) -> str:
        return self.base() + table_join_path(code, key)

    def _send_jobs_soon(self, desk: str) -> None:
        """Have the print-jobs thread send the waiting jobs, unless it is about to. Called in the loop."""
        if desk not in self._sending:
            self._sending.add(desk)
            self._job_sender.submit(self._send_jobs, desk)

    def _send_jobs(self, desk: str) -> None:
        """Send each subscriber the waiting jobs it was not sent yet. Runs only in the print-jobs thread, so
        each job is sent once and in order, and no table waits for it."""
        self._sending.discard(desk)  # first: what comes from now on is sent next time
        try:
            waiting = self.service.store.waiting_jobs(desk)
            for subscriber, known in self._subscribers[desk].copy().items():
                made = {
                    job.job: self._job_event_or_empty(subscriber, job)
                    for job in waiting
                    if job.job not in known
                }
                if events := b"".join(made.values()):
                    from_thread((subscriber,), events)  # as one event: any number of jobs fits into the queue
                known.update(number for number, told in made.items() if told)
        except Exception:
            log.exception("the print jobs of desk %s could not be sent", desk)

    def _resend_sheets(self, code: str) -> None:
        """After a correction, send the unprinted sheets of a table to the desk again; a withdrawn one is sent
        empty."""
        for job in self.service.store.unprinted_sheets(code):
            blocks = self.paper(job) if job.state == "waiting" else ()
            told = {"job": job.job, "what": job.what, "table": job.code, "blocks": to_wire(blocks)}
            again = event("job", json.dumps(told))
            known = self._subscribers[job.desk].copy().items()
            from_thread(
                [subscriber for subscriber, jobs in known if subscriber.trusted and job.job in jobs], again
            )

    def _send_to_screens(self, job: JobRow) -> None:
        for subscriber in self._subscribers[job.desk].copy():
            if not subscriber.trusted:
                from_thread((subscriber,), self._job_event(subscriber, job))

    def _job_event_or_empty(self, subscriber: Subscriber, job: JobRow) -> bytes:
        """The event of a job, or nothing if it cannot be rendered; then it is retried next time, and other
        jobs are not delayed."""
        try:
            return self._job_event(subscriber, job)
        except Exception:
            log.exception("print job %s of table %s cannot be rendered", job.job, job.code)
            return b""

    def _job_event(self, subscriber: Subscriber, job: JobRow) -> bytes:
        """The event of a job for this subscriber. Only the desk itself gets the content, and nothing while
        the job is empty."""
        told: dict[str, Any] = {"job": job.job, "what": job.what, "table": job.code}
        if not subscriber.trusted:
            return event("job", json.dumps({**told, "state": job.state, "reason": job.reason}))
        blocks = self.paper(job)
        return event("job", json.dumps({**told, "blocks": to_wire(blocks)})) if blocks else b""


def _load_key(path: Path) -> str:
    """Read a key from its file, readable by the owner only; create it the first time."""
    path.touch(mode=0o600)
    if not path.read_text().strip():
        path.write_text(new_token())
    return path.read_text().strip()
