"""The house: all tables, opened, joined and played; each change on disk before anyone hears of it.

The event loop owns the tables: every change of one runs in the loop, under that table's lock, and everybody
is told before the lock is released. Threads (Flask, bots) hand their changes to the loop with `House.wait`.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Collection, Coroutine, Iterable
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from referee.aids import Deductions
from referee.game import Say
from referee.games import GAMES
from referee.match import Match, Told, open_match, reopen_match
from referee.moves import Move, Seat
from referee.options import BadOption
from referee.pieces import Pieces, at_once
from referee.questions import HOST
from referee.record import DeskTaken, Entry, Joined, Moved, read
from referee.refused import Refused
from referee.settings import Limits, Settings
from referee.views import outcome_from
from web import room
from web.aside import Aside
from web.at_hand import AtHand
from web.bodies import Wish, fields_of, move_in, text_in
from web.caller import Caller
from web.clock import Clock
from web.door import Door, clean_name, derived_token, hashed, new_code, new_key, new_token, same
from web.opening import Opened, bots_in, bots_sit, opening
from web.records import Records
from web.refusals import Refusal
from web.retries import Retry, answer_kept, first_answer
from web.steps import Step, answer_to, step
from web.store import NotSaved, Store
from web.store import changes as kept
from web.store.changes import SeatRow
from web.table import LiveTable

log = logging.getLogger("referee")

LONG = 500  # entries of a table from which on questions are worked out in a thread

T = TypeVar("T")
Make = Callable[[LiveTable, Seat], Entry]  # reads what is entered, and refuses what may not be
Writes = Callable[[LiveTable, Any, Match, list[kept.Change]], Coroutine[Any, Any, None]]


class House:
    """All tables of this referee."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        door: Door | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.store = store
        self._clock = clock
        self.settings = settings
        self.wall = Clock()
        self.door = door or Door(settings.limits)
        self.at_change: list[Callable[[LiveTable, tuple[Told, ...]], None]] = []  # desks and bots listen here
        self.at_reading: list[Callable[[LiveTable], None]] = []  # told when a table is read from its journal
        self.at_presence: list[Callable[[LiveTable], None]] = []  # told when it changes who is at a table
        self.printing = set[str]()  # desks that have come since we started: their sheets print by themselves
        self.at_desk = {desk: store.table_at(desk) for desk in self.desks}  # the newest opened at each
        self.aside = Aside()
        self.deductions = Deductions()
        self.records = Records(store, self.aside)
        self.tables = AtHand(self.aside, self._read)
        self.opening = asyncio.Lock()  # one at a time, so that each knows whom it follows at its desk
        self.loop: asyncio.AbstractEventLoop | None = None  # that owns the tables, once it runs

    def wait(self, change: Coroutine[Any, Any, T]) -> T:
        """Run a change in the loop, for a thread that waits until it is done."""
        assert self.loop is not None, "the loop does not run yet"
        return asyncio.run_coroutine_threadsafe(change, self.loop).result()

    def now(self) -> str:
        """The date of what is written now, for people to read."""
        return self.wall.now().isoformat(timespec="seconds")

    @property
    def desks(self) -> Collection[str]:
        return (self.settings.desk.name,)

    # ---- finding a table and who calls

    def find(self, code: str, caller: Caller, trusted: bool = False) -> LiveTable:
        """The table of this code; rate-limits the guessing of codes."""
        return self._allowed(self.table(code), caller, trusted)

    async def found(self, code: str, caller: Caller, trusted: bool = False) -> LiveTable:
        """The same in the loop, which goes on while a table is read."""
        return self._allowed(await self.fetch(code), caller, trusted)

    async def fetch(self, code: str) -> LiveTable | None:
        """The table of this code, read in a thread unless it is in memory."""
        return self.at_hand(code) or await asyncio.wrap_future(self.reading(code))

    async def fetch_readable(self, code: str | None) -> LiveTable | None:
        """The same, for whoever goes on without a table that cannot be read."""
        try:
            return await self.fetch(code) if code else None
        except Refusal:
            return None

    def _allowed(self, table: LiveTable | None, caller: Caller, trusted: bool) -> LiveTable:
        if table and (trusted or table.seat_of(caller.token) or table.is_host(caller.token)):
            return table
        self.door.failures.check(caller.address)
        if table is None:
            raise self.failed(caller, "unknown-table")
        return table

    def fits(self, code: str, seat: Seat, key: Any) -> bool:
        """Whether this is the seat's key. Nobody guesses one, so whoever has it is never slowed down."""
        table = self.table(code)
        row = table.seats.get(seat) if table else None
        return row is not None and isinstance(key, str) and same(key, row.key_hash)

    def table(self, code: str) -> LiveTable | None:
        """The table of this code. A thread that calls this waits until it is read; the loop asks for
        `at_hand` first, and awaits `reading`."""
        return self.tables.table(code)

    def at_hand(self, code: str) -> LiveTable | None:
        """The table, if it is in memory."""
        return self.tables.keep(code)

    def reading(self, code: str) -> Future[LiveTable | None]:
        """The table once it is read, aside from all others."""
        return self.tables.reading(code)

    def readable(self, code: str | None) -> LiveTable | None:
        """The table of this code, for whoever goes on without one that cannot be read."""
        try:
            return self.table(code) if code else None
        except Refusal:
            return None

    async def reread(self, code: str) -> None:
        """Have a table that is at hand say what its journal says now."""
        self.records.drop(code)
        table = await asyncio.to_thread(self.tables.settled, code)
        if table is None:
            return
        async with table.lock:
            fresh = await asyncio.to_thread(at_once, self._read(code))
            if fresh:
                table.row, table.match, table.before = fresh.row, fresh.match, fresh.before
            self.changed(table, ())

    def drop(self, code: str) -> None:
        """A table that is in the store no more: nobody finds it, and who watched it is sent away."""
        self.records.drop(code)
        table = self.tables.drop(code)
        self.at_desk = {desk: self.store.table_at(desk) for desk in self.at_desk}
        for watcher in table.everyone() if table else ():
            watcher.stop()

    def _read(self, code: str) -> Pieces[LiveTable | None]:
        """A table as its journal tells it."""
        row = self.store.table(code)
        if row is None:
            return None
        try:
            match = reopen_match(code, GAMES[row.game], row.rules, row.options, row.seed)
            for line in self.store.journal(code):
                match = match.after(read(line))
                yield
        except Exception as error:  # a game that is gone, a journal that does not replay: this table alone
            log.exception("table %s cannot be read", code)
            raise Refusal("broken") from error
        if row.outcome and row.rules != match.game.rules:
            shown = row.outcome["debrief"] is not None  # not where a game was abandoned without showing
            match = replace(match, ended=outcome_from(row.outcome), shown=shown)
        table = LiveTable(row, self.store.seats(code), match, self._clock)
        table.at_presence = self._present
        table.before = self.store.before(code)
        asking = self.tables.get(table.before) if table.before and not match.made else None
        table.asked_before = asking is not None and asking.match.question is not None
        for listen in self.at_reading:
            listen(table)
        return table

    def seat(self, table: LiveTable, caller: Caller) -> Seat:
        """The seat this caller holds."""
        if caller.token is None:
            raise Refusal("no-token")
        seat = table.seat_of(caller.token)
        if seat:
            table.called(seat)
            return seat
        if table.is_host(caller.token):
            raise Refusal("not-allowed")
        raise self.failed(caller, "bad-token")

    def failed(self, caller: Caller, code: str) -> Refusal:
        """The refusal of somebody who was wrong, which the door remembers."""
        self.door.failures.count(caller.address)
        return Refusal(code)

    def check_guess(self, caller: Caller, is_right: bool, code: str) -> None:
        """Refuse who is wrong, and for a while who has been wrong too often, though it be right now."""
        self.door.failures.check(caller.address)
        if not is_right:
            raise self.failed(caller, code)

    # ---- opening and joining

    async def open(
        self, wish: Wish, caller: Caller, trusted: bool = False, retry: Retry | None = None
    ) -> Opened:
        """Open a table; whoever asks again with the same token and Idempotency-Key is told of the same."""
        if wish.game not in GAMES:
            raise Refusal("unknown-game")
        if wish.desk is not None and wish.desk not in self.desks:
            raise Refusal("unknown-desk")
        if not trusted:
            self.door.tables.check(caller.address)
        scope = str(caller.token)
        async with self.opening:
            before = first_answer(self.store, hashed(scope), retry)
            if retry and before:
                return await self._opened_before(before["table"], scope, retry)
            opened = await self._open(wish, scope, retry)
        if not trusted:
            self.door.tables.count(caller.address)
        if table := await self.fetch(opened.code):
            await self.tell(table)
        return opened

    async def _open(self, wish: Wish, scope: str, retry: Retry | None) -> Opened:
        code, seed = self.free_code(), secrets.token_hex(32)
        try:
            match = open_match(code, GAMES[wish.game], wish.options, seed)
        except BadOption as bad:
            raise bad_option(wish.game, bad.name, bad.why) from bad
        bots = bots_in(wish, match)
        host = derived_token(seed, scope, retry.key) if retry else new_token()
        opened = Opened(code, host, {seat: new_key() for seat in match.seats if seat not in bots})
        at, answered = self.now(), answer_kept(hashed(scope), retry, {"table": code})
        sitting = bots_sit(match, bots, at)
        await self.begin(code, [*opening(opened, match, wish.desk, at), *sitting, *answered], wish.desk)
        return opened

    async def _opened_before(self, code: str, scope: str, retry: Retry) -> Opened:
        """The table that this Idempotency-Key opened, with the keys of the seats that are still free."""
        table = await self.fetch(code)
        if table is None:
            raise Refusal("unknown-table")
        return Opened(code, derived_token(table.row.seed, scope, retry.key), table.free_keys())

    def check_pin(self, caller: Caller, pin: str | None) -> None:
        """With a host pin in the settings, only who knows it may do what is the host's to do."""
        wanted = self.settings.server.host_pin
        if not wanted:
            return
        is_right = secrets.compare_digest((pin or "").encode(), wanted.encode())
        self.door.failures.guess(caller.address, is_right)
        if not is_right:
            raise Refusal("bad-pin")

    def free_code(self) -> str:
        code = new_code()
        while self.store.table(code):
            code = new_code()
        return code

    async def begin(self, code: str, opening: list[kept.Change], desk: str | None) -> None:
        """Keep a new table. The one that loses its desk to it is told, if it still plays."""
        opening = [*opening, kept.old_answers_dropped()]
        before = await self.fetch_readable(self.store.table_at(desk)) if desk else None
        async with before.lock if before else nullcontext():
            taken = self._desk_taken(before, opening) if before and not before.match.outcome else None
            await self.commit(taken.changes if taken else opening)
            if desk:
                self.at_desk[desk] = code  # before the other is told: its news is no longer the desk's
            if before and taken:
                self._stands(before, taken)

    def _desk_taken(self, table: LiveTable, opening: list[kept.Change]) -> Step:
        after = table.match.after(DeskTaken())
        return step(table, DeskTaken(), after, self.now(), self.printing, opening)

    async def join(self, code: str, seat: Seat, body: Any, caller: Caller, retry: Retry | None = None) -> str:
        """Take a seat with its key; the answer is the token that holds it from now on."""
        await self.fetch(code)
        table = self.find(code, caller, trusted=self.fits(code, seat, _key_in(body)))
        if seat not in table.seats:
            raise Refusal("unknown-seat")
        async with table.lock:
            row = table.seats[seat]
            key, name = self._key_and_name(row, body, caller)
            sat = first_answer(self.store, hashed(key), retry) is not None
            token = derived_token(row.salt, key, retry.key) if retry else new_token()
            if sat and row.token == hashed(token):
                return token
            if row.token:
                raise Refusal("seat-taken")
            taken = replace(row, key=None, token=hashed(token), asker=None)
            more = [kept.seat_taken(code, taken), *answer_kept(hashed(key), retry, {})]
            entry = Joined(seat, name)
            await self.append(table, entry, table.match.after(entry), more, taken)
            return token

    def _key_and_name(self, row: SeatRow, body: Any, caller: Caller) -> tuple[str, str]:
        """The key and the name in a body; the key must be that of the seat."""
        key = _key_in(body)
        if isinstance(key, str) and not same(key, row.key_hash):
            raise self.failed(caller, "bad-key")
        fields = fields_of(body, ("key", "name"))
        return text_in(fields, "key"), clean_name(text_in(fields, "name"))

    # ---- playing

    async def move(
        self, code: str, body: Any, caller: Caller, language: str, retry: Retry | None = None
    ) -> dict[str, Any]:
        """Make the move in a body; the answer tells the new version and what the table is told."""
        table = await self.found(code, caller)
        async with table.lock:
            seat = self.seat(table, caller)
            self.door.moves.take(caller.address, f"{table.code} {seat}")
            return await self.enter(table, seat, partial(_moved, self.settings.limits, body), language, retry)

    async def enter(
        self,
        table: LiveTable,
        seat: Seat,
        make: Make,
        language: str,
        retry: Retry | None = None,
        write: Writes | None = None,
    ) -> dict[str, Any]:
        """Enter what a seat (or the host) does: the one way for forms, scripts and bots. Checked, folded, on
        disk, then told. The table's lock is held. `write` keeps an entry that changes more than its table."""
        holder = table.row.host if seat == HOST else str(table.seats[seat].token)
        if before := first_answer(self.store, holder, retry):
            return before
        if table.match.entries > LONG and write:  # a correction may replay the whole game: the loop goes on
            entry, after = await asyncio.to_thread(_folded, table, seat, make)
        else:
            entry, after = _folded(table, seat, make)
        answer = answer_to(after, seat, table.renderer(language))
        await (write or self.append)(table, entry, after, answer_kept(holder, retry, answer))
        return answer

    # ---- writing

    async def append(
        self,
        table: LiveTable,
        entry: Entry,
        after: Match,
        more: Iterable[kept.Change] = (),
        taken: SeatRow | None = None,
        committed: Callable[[], None] | None = None,
    ) -> None:
        """One more entry: first on disk, then in memory, then told. The table's lock is held. `committed` is
        called once it is on disk, before anybody is told."""
        made = step(table, entry, after, self.now(), self.printing, more, taken)
        await self.commit(made.changes)
        if committed:
            committed()
        self._stands(table, made)

    def _stands(self, table: LiveTable, made: Step) -> None:
        """What is on disk by now stands in memory too, and is told."""
        if made.taken:
            table.seats[made.taken.seat] = made.taken  # before the match: a new version shows the new key
        was_over, table.match = table.match.outcome is not None, made.after
        if was_over or made.after.outcome:
            self.ended(table)
        self.changed(table, made.told)

    def ended(self, table: LiveTable) -> None:
        """A game is over, or over no more: other tables are kept in memory for longer."""
        self.tables.keep(table.code)

    async def commit(self, changes: Iterable[kept.Change]) -> int:
        """Keep changes on disk, or refuse; the id of the last row written."""
        try:
            return await self.store.commit_soon(changes)
        except NotSaved as error:
            raise Refusal("not-saved") from error

    def _present(self, table: LiveTable) -> None:
        for listen in self.at_presence:
            listen(table)

    async def tell(self, table: LiveTable) -> None:
        """Tell everyone how a table stands, where nothing was played."""
        async with table.lock:
            self.changed(table, ())

    def changed(self, table: LiveTable, told: tuple[Told, ...]) -> None:
        """Tell everyone, in the order of the entries: the table lock is held and nothing is awaited. What is
        on disk stands, even where the telling fails."""
        for listen in (lambda table, _: table.tell(), *self.at_change):
            try:
                listen(table, told)
            except Exception:
                log.exception("table %s has changed, but not everyone was told", table.code)
        if not table.due:  # else once all pages were told
            table.forget_rendered()


def _key_in(body: Any) -> Any:
    """What a body gives as the key, whatever else is wrong with it."""
    return body.get("key") if isinstance(body, dict) else None


def bad_option(game: str, name: str, why: Say | None) -> Refusal:
    """An option that cannot be, with the game's own sentence where it has one."""
    said = why and Say(f"{game}.why.{why.key}", why.fields)
    return Refusal("bad-options", {"name": name[:40]}, why=said)


def refusal(refused: Refused, table: LiveTable) -> Refusal:
    """What the core refuses, as the contract tells it."""
    extra = {"version": table.match.version} if refused.code == "stale" else {}
    return Refusal(refused.code, why=refused.why, extra=extra)


def check_move(table: LiveTable, seat: Seat, move: Move, version: int) -> None:
    """Refuse a move that could not be made now."""
    try:
        table.match.check(seat, move, version)
    except Refused as refused:
        raise refusal(refused, table) from refused


def _folded(table: LiveTable, seat: Seat, make: Make) -> tuple[Entry, Match]:
    entry = make(table, seat)
    return entry, table.match.after(entry)


def _moved(limits: Limits, body: Any, table: LiveTable, seat: Seat) -> Entry:
    """The entry for the move in a body."""
    version, move = move_in(table.match.game, body)
    room.check(table.match, limits)
    check_move(table, seat, move, version)
    return entry_of(table.match, seat, move)


def entry_of(match: Match, seat: Seat, move: Move) -> Moved:
    """A move as it goes into the journal: a secret one with a salt of its own."""
    return Moved(seat, move, secrets.token_hex(32) if match.game.moves[move.type].secret else "")
