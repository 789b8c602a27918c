"""The table service: opens, joins and plays tables. Each change is on disk before anyone is notified.

The event loop owns the tables: every change runs in the loop with the table's lock held. JSON streams and
desks are notified first; open pages are rendered after them, from the newest state.
Flask's threads run their changes in the loop with `TableService.wait`.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Coroutine, Iterable
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from referee.core.entries import DeskTaken, Entry, Joined
from referee.core.game import Say
from referee.core.match import Match, NewsEntry, open_match
from referee.core.moves import Seat
from referee.core.options import BadOption
from referee.core.questions import HOST
from referee.core.sliced_work import SlicedWork, run_to_end
from referee.games import GAMES
from referee.program.settings import Settings
from web.clock import Clock
from web.security.caller import Caller
from web.security.guesses import Guesses
from web.security.rate_limit import RateLimits
from web.security.tokens import derived_token, hashed, matches_hash, new_code, new_key, new_token
from web.service.background import BackgroundWork
from web.service.commits import Commit, answer_to, prepare_commit
from web.service.deductions import Deductions
from web.service.idempotency import IdempotencyKey, answer_stored, stored_answer
from web.service.live_table import LiveTable
from web.service.move_entries import moved
from web.service.opening import Opened, bad_option, bots_in, bots_sit, new_seeds, opening
from web.service.record_cache import RecordCache
from web.service.table_cache import TableCache
from web.service.table_reading import read_table
from web.store import NotSaved, Store, statements
from web.store.statements import SeatRow
from web.wire.errors import ApiError, malformed
from web.wire.names import clean_name
from web.wire.parsing import request_in
from web.wire.requests import JoinRequest, OpenTableRequest, TableJoinRequest

log = logging.getLogger("referee")

LONG_KEY = 12  # characters of an Idempotency-Key that cannot be guessed
LONG = 500  # entries of a table from which on questions are checked in a thread

T = TypeVar("T")
OnChange = Callable[[LiveTable, tuple[NewsEntry, ...]], None]
Make = Callable[[LiveTable, Seat], Entry]  # parses and checks an entry
Writes = Callable[[LiveTable, Any, Match, list[statements.Change]], Coroutine[Any, Any, None]]


class TableService:
    """All tables of this referee."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        rate_limits: RateLimits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.store = store
        self._clock = clock
        self.settings = settings
        self.clock = Clock()
        self.rate_limits = rate_limits or RateLimits(settings.limits)
        self.guesses = Guesses(self.rate_limits, settings.server.host_pin)
        self.on_change: list[OnChange] = []  # called after each change of a table
        self.on_load: list[Callable[[LiveTable], None]] = []  # called when a table is loaded
        self.on_presence: list[Callable[[LiveTable], None]] = []  # called when presence at a table changes
        self.printing = set[str]()  # desks that connected since the start: they print sheets automatically
        self.at_desk = {desk: store.table_at(desk) for desk in self.desks}  # code of the newest table at each
        self.background = BackgroundWork()
        self.deductions = Deductions()
        self.records = RecordCache(store, self.background)
        self.tables = TableCache(self.background, self._read)
        self.opening = asyncio.Lock()  # held to open a table: protects which is the newest at a desk
        self.loop: asyncio.AbstractEventLoop | None = None  # owns the tables, once it runs

    def wait(self, change: Coroutine[Any, Any, T]) -> T:
        """Run a change in the event loop and wait for its result. Called in other threads."""
        assert self.loop is not None, "the event loop does not run yet"
        return asyncio.run_coroutine_threadsafe(change, self.loop).result()

    def now(self) -> str:
        """The current date and time, for people to read."""
        return self.clock.now().isoformat(timespec="seconds")

    @property
    def desks(self) -> Collection[str]:
        return (self.settings.desk.name,)

    # ---- finding a table and its caller

    def find(self, code: str, caller: Caller, trusted: bool = False) -> LiveTable:
        """The table of this code; rate-limits the guessing of codes."""
        return self._check_access(self.table(code), caller, trusted)

    async def find_async(self, code: str, caller: Caller, trusted: bool = False) -> LiveTable:
        """The same for the event loop: awaits the loading of a table. One in memory was marked as recently
        used when its request came."""
        return self._check_access(self.tables.get(code) or await self.fetch(code), caller, trusted)

    async def fetch(self, code: str) -> LiveTable | None:
        """The table of this code, loaded in a thread if it is not in memory."""
        return self.cached(code) or await asyncio.wrap_future(self.load(code))

    async def fetch_readable(self, code: str | None) -> LiveTable | None:
        """The same, but None if the table cannot be read."""
        try:
            return await self.fetch(code) if code else None
        except ApiError:
            return None

    def _check_access(self, table: LiveTable | None, caller: Caller, trusted: bool) -> LiveTable:
        if table and (trusted or table.seat_of(caller.token) or table.is_host(caller.token)):
            return table
        self.rate_limits.failures.check(caller.address)
        if table is None:
            raise self.guesses.failure(caller, "unknown-table")
        return table

    def is_seat_key(self, code: str, seat: Seat, key: Any) -> bool:
        """Whether this is the seat's key. A caller with the right key is not rate-limited: keys cannot be
        guessed."""
        table = self.table(code)
        row = table.seats.get(seat) if table else None
        return row is not None and isinstance(key, str) and matches_hash(key, row.key_hash)

    def is_table_key(self, code: str, key: Any) -> bool:
        """Whether this is the key of the table's own QR code, also after it was spent."""
        table = self.table(code)
        return table is not None and isinstance(key, str) and matches_hash(key, table.row.key_hash)

    def table(self, code: str) -> LiveTable | None:
        """The table of this code. Blocks the calling thread while it is loaded; the loop uses `fetch`
        instead."""
        return self.tables.table(code)

    def cached(self, code: str) -> LiveTable | None:
        """The table, if it is in memory."""
        return self.tables.touch(code)

    def load(self, code: str) -> Future[LiveTable | None]:
        """Load the table as background work."""
        return self.tables.load(code)

    def readable(self, code: str | None) -> LiveTable | None:
        """The same as `table`, but None if the table cannot be read."""
        try:
            return self.table(code) if code else None
        except ApiError:
            return None

    async def reload(self, code: str) -> None:
        """Load a table in memory again, after its rows were changed by a deletion."""
        self.records.drop(code)
        table = await asyncio.to_thread(self.tables.get_when_loaded, code)
        if table is None:
            return
        async with table.lock:
            try:
                fresh = await asyncio.to_thread(run_to_end, self._read(code))
            except ApiError:  # damaged on disk: what is in memory has what was deleted
                self.drop(code)
                return
            if fresh:
                table.row, table.match, table.before = fresh.row, fresh.match, fresh.before
            self.changed(table, ())

    def drop(self, code: str) -> None:
        """Remove a table that was deleted from the store, and end its streams."""
        self.records.drop(code)
        table = self.tables.drop(code)
        self.at_desk = {desk: self.store.table_at(desk) for desk in self.at_desk}
        for subscriber in table.streams() if table else ():
            subscriber.stop()

    def _read(self, code: str) -> SlicedWork[LiveTable | None]:
        """Load a table by replaying its journal; yields after each entry."""
        table = yield from read_table(self.store, code, self._clock)
        if table is None:
            return None
        table.on_presence = self._presence_changed
        table.notes = self.store.notes(code)
        at = self.store.latest_at(code) or table.row.opened
        table.waits_since = datetime.fromisoformat(at).timestamp()
        asking = self.tables.get(table.before) if table.before and not table.match.made else None
        table.asked_before = asking is not None and asking.match.question is not None
        for callback in self.on_load:
            callback(table)
        return table

    def seat(self, table: LiveTable, caller: Caller) -> Seat:
        """The seat this caller holds."""
        if caller.token is None:
            raise ApiError("no-token")
        seat = table.seat_of(caller.token)
        if seat:
            table.note_call(seat)
            return seat
        if table.is_host(caller.token):
            raise ApiError("not-allowed")
        raise self.guesses.failure(caller, "bad-token")

    # ---- opening and joining

    async def open(
        self,
        asked: OpenTableRequest,
        caller: Caller,
        trusted: bool = False,
        retry: IdempotencyKey | None = None,
    ) -> Opened:
        """Open a table. The same token and Idempotency-Key get the same table again."""
        if asked.game not in GAMES:
            raise ApiError("unknown-game")
        if asked.desk is not None and asked.desk not in self.desks:
            raise ApiError("unknown-desk")
        if not trusted:
            self.rate_limits.tables.check(caller.address)
        scope = str(caller.token)
        async with self.opening:
            before = stored_answer(self.store, hashed(scope), retry)
            if retry and before:
                return await self._opened_before(before["table"], scope, retry)
            opened = await self._open(asked, scope, retry)
        if not trusted:
            self.rate_limits.tables.count(caller.address)
        if table := await self.fetch(opened.code):
            await self.notify(table)
        return opened

    async def _open(self, asked: OpenTableRequest, scope: str, retry: IdempotencyKey | None) -> Opened:
        code, seeds = self.free_code(), new_seeds()
        seed = seeds.seed
        try:
            match = open_match(code, GAMES[asked.game], asked.options, seed)
        except BadOption as bad:
            raise bad_option(asked.game, bad.name, bad.why) from bad
        bots = bots_in(asked, match)
        host = derived_token(seed, scope, retry.key) if retry else new_token()
        keys = {seat: new_key() for seat in match.seats if seat not in bots}
        opened = Opened(code, host, keys, table_key=new_key())
        at, answered = self.now(), answer_stored(hashed(scope), retry, {"table": code})
        sitting = bots_sit(match, bots, at)
        await self.create(
            code, [*opening(opened, match, seeds, asked.desk, at), *sitting, *answered], asked.desk
        )
        return opened

    async def _opened_before(self, code: str, scope: str, retry: IdempotencyKey) -> Opened:
        """The table that this Idempotency-Key opened, with the keys of its free seats."""
        table = await self.fetch(code)
        if table is None:
            raise ApiError("unknown-table")
        host = derived_token(table.row.seed, scope, retry.key)
        return Opened(code, host, table.free_keys(), table.row.key)

    def free_code(self) -> str:
        code = new_code()
        while self.store.table(code):
            code = new_code()
        return code

    async def create(self, code: str, opening: list[statements.Change], desk: str | None) -> None:
        """Write a new table. An unfinished table that loses its desk to it gets an entry about that."""
        opening = [*opening, statements.old_answers_dropped()]
        before = await self.fetch_readable(self.store.table_at(desk)) if desk else None
        async with before.lock if before else nullcontext():
            taken = self._desk_taken(before, opening) if before and not before.match.outcome else None
            await self.commit(taken.changes if taken else opening)
            if desk:
                self.at_desk[desk] = code  # first: the desk must not get the news of the other table
            if before and taken:
                self.apply(before, taken)

    def _desk_taken(self, table: LiveTable, opening: list[statements.Change]) -> Commit:
        after = table.match.after(DeskTaken())
        return prepare_commit(table, DeskTaken(), after, self.now(), self.printing, opening)

    async def join(
        self, code: str, seat: Seat, body: Any, caller: Caller, retry: IdempotencyKey | None = None
    ) -> str:
        """Take a seat with its key. Returns the token that holds the seat from now on."""
        await self.fetch(code)
        table = self.find(code, caller, trusted=self.is_seat_key(code, seat, _key_in(body)))
        if seat not in table.seats:
            raise ApiError("unknown-seat")
        async with table.lock:
            key = _key_in(body)
            if isinstance(key, str) and not matches_hash(key, table.seats[seat].key_hash):
                raise self.guesses.failure(caller, "bad-key")
            asked = request_in(JoinRequest, body)
            return await self._sit(table, seat, asked.key, asked, retry)

    async def join_with_table_key(
        self, code: str, body: Any, caller: Caller, retry: IdempotencyKey | None = None
    ) -> str:
        """Take a free seat with the key of the table's own QR code, which all its players know."""
        await self.fetch(code)
        key = _key_in(body, "table_key")
        table = self.find(code, caller, trusted=self.is_table_key(code, key))
        seat = body.get("seat") if isinstance(body, dict) else None
        if isinstance(seat, str) and seat not in table.seats:
            raise ApiError("unknown-seat")
        async with table.lock:
            if isinstance(key, str) and not matches_hash(key, table.row.key_hash):
                raise self.guesses.failure(caller, "bad-key")
            asked = request_in(TableJoinRequest, body)
            if retry and len(retry.key) < LONG_KEY:  # whoever repeats it gets the seat: it must be a secret
                raise malformed("Idempotency-Key")
            return await self._sit(table, asked.seat, asked.table_key, asked, retry)

    def seats_taken_by(self, table: LiveTable, table_key: str, mark: str) -> dict[Seat, str]:
        """The tokens of the seats that a form with this nonce took with the table's key: its phone may not
        have received them."""
        tokens = {
            seat: derived_token(row.salt, table_key, f"{mark}.{seat}") for seat, row in table.seats.items()
        }
        return {seat: token for seat, token in tokens.items() if table.seat_of(token) == seat}

    async def _sit(
        self,
        table: LiveTable,
        seat: Seat,
        key: str,
        asked: JoinRequest | TableJoinRequest,
        retry: IdempotencyKey | None,
    ) -> str:
        """Give a free seat to whoever has this key. The caller has checked the key and holds the table's
        lock. A repeated call gets the same token."""
        row, name = table.seats[seat], clean_name(asked.name)
        scope = hashed(f"{key} {seat}")
        token = derived_token(row.salt, key, retry.key) if retry else new_token()
        if stored_answer(self.store, scope, retry) is not None and table.seat_of(token) == seat:
            return token
        by_table_key = isinstance(asked, TableJoinRequest)
        if row.token or not (table.takes_table_key(seat) if by_table_key else row.key):
            raise _taken(table, row)
        taken = replace(row, key=None, token=hashed(token), asker=None)
        entry = Joined(seat, name, asked.nonce.lower(), asked.avatar)
        after = table.match.after(entry)
        has_begun = after.state is not None
        more = [statements.seat_taken(table.code, taken), *answer_stored(scope, retry, {})]
        more += [statements.table_key_spent(table.code)] if has_begun and table.row.key else []
        await self.append(table, entry, after, more, taken, table.spend_key if has_begun else None)
        return token

    # ---- playing

    async def move(
        self, code: str, body: Any, caller: Caller, language: str, retry: IdempotencyKey | None = None
    ) -> dict[str, Any]:
        """Make the move in a body. Returns the new version and the news."""
        table = await self.find_async(code, caller)
        async with table.lock:
            seat = self.seat(table, caller)
            self.rate_limits.moves.check_and_count(caller.address, f"{table.code} {seat}")
            return await self.enter(table, seat, partial(moved, self.settings.limits, body), language, retry)

    async def enter(
        self,
        table: LiveTable,
        seat: Seat,
        make: Make,
        language: str,
        retry: IdempotencyKey | None = None,
        write: Writes | None = None,
    ) -> dict[str, Any]:
        """Enter an action of a seat or the host; forms, API calls and bots all use this. The entry is
        checked, folded into the match, written to disk, then published. The caller holds the table's lock.
        `write` writes an entry that changes more than its table."""
        holder = table.row.host if seat == HOST else str(table.seats[seat].token)
        if before := stored_answer(self.store, holder, retry):
            return before
        if table.match.entries > LONG and write:  # a correction may replay the whole game
            entry, after = await asyncio.to_thread(_folded, table, seat, make)
        else:
            entry, after = _folded(table, seat, make)
        answer = answer_to(after, seat, table.renderer(language))
        await (write or self.append)(table, entry, after, answer_stored(holder, retry, answer))
        return answer

    # ---- writing

    async def append(
        self,
        table: LiveTable,
        entry: Entry,
        after: Match,
        more: Iterable[statements.Change] = (),
        taken: SeatRow | None = None,
        committed: Callable[[], None] | None = None,
    ) -> None:
        """Append an entry: first on disk, then in memory, then published. The caller holds the table's lock.
        `committed` is called between disk and memory."""
        made = prepare_commit(table, entry, after, self.now(), self.printing, more, taken)
        await self.commit(made.changes)
        if committed:
            committed()
        self.apply(table, made)

    def apply(self, table: LiveTable, made: Commit) -> None:
        """Apply a commit that is on disk to memory, and notify subscribers."""
        if made.taken:
            table.seats[made.taken.seat] = made.taken  # before the match: its views show the new key
        was_over, table.match = table.match.outcome is not None, made.after
        table.waits_since = self.clock.now().timestamp()
        if was_over or made.after.outcome:
            self.update_cache(table)
        self.changed(table, made.told)

    def update_cache(self, table: LiveTable) -> None:
        """Move a table between the caches of running and finished tables."""
        self.tables.touch(table.code)

    async def commit(self, changes: Iterable[statements.Change]) -> int:
        """Write changes to disk, or raise ApiError. Returns the id of the last row."""
        try:
            return await self.store.commit_async(changes)
        except NotSaved as error:
            raise ApiError("not-saved") from error

    def _presence_changed(self, table: LiveTable) -> None:
        for callback in self.on_presence:
            callback(table)

    async def notify(self, table: LiveTable) -> None:
        """Send subscribers the current state of a table, without a new entry."""
        async with table.lock:
            self.changed(table, ())

    def changed(self, table: LiveTable, told: tuple[NewsEntry, ...]) -> None:
        """Notify all subscribers. The caller holds the table's lock and nothing is awaited, so they get
        entries in order. The change is on disk by now and stands even if a notification fails."""
        for callback in (lambda table, _: table.notify(), *self.on_change):
            try:
                callback(table, told)
            except Exception:
                log.exception("table %s has changed, but not all subscribers were notified", table.code)
        if not table.due:  # else this happens after all pages were rendered
            table.clear_rendered()


def _key_in(body: Any, name: str = "key") -> Any:
    """The key in a body, which is not validated yet."""
    return body.get(name) if isinstance(body, dict) else None


def _taken(table: LiveTable, row: SeatRow) -> ApiError:
    """The refusal of a seat that somebody has; with the name, if the game has not begun."""
    name = table.match.names[row.seat]
    if not row.token:
        return ApiError("seat-taken", why=Say("refusal.seat-taken.kept"))
    if table.match.state or not name:
        return ApiError("seat-taken")
    return ApiError("seat-taken", why=Say("refusal.seat-taken.by", {"name": name}))


def _folded(table: LiveTable, seat: Seat, make: Make) -> tuple[Entry, Match]:
    entry = make(table, seat)
    return entry, table.match.after(entry)
