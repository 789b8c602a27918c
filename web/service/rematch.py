"""The rematch: opens the next table with the same people, seats, tokens and options."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from referee.core.entries import Joined
from referee.core.match import Match, open_match
from referee.core.moves import Seat
from web.security.caller import Caller
from web.security.tokens import hashed, new_key, new_ticket
from web.service.idempotency import IdempotencyKey, answer_stored, stored_answer
from web.service.live_table import LiveTable
from web.service.opening import Seeds, free_seat, joins_written, new_seeds
from web.service.questions import asker
from web.service.tables import TableService
from web.store import statements
from web.store.statements import SeatRow, TableRow
from web.wire.errors import ApiError
from web.wire.parsing import request_in
from web.wire.requests import RematchRequest


async def open_rematch(
    service: TableService, code: str, body: Any, caller: Caller, retry: IdempotencyKey | None = None
) -> str:
    """Open a rematch with the same people, seats and tokens, or return the one that exists."""
    table = await service.find_async(code, caller)
    by = asker(service, table, caller)
    _check_over(table)
    nonce = request_in(RematchRequest, body).nonce.lower()
    scope = hashed(str(caller.token))
    async with service.opening:
        if before := stored_answer(service.store, scope, retry):
            return str(before["table"])
        _check_over(table)  # a correction may just have reopened the game
        if table.row.next:
            return table.row.next
        host = table.row.host  # all tables of a chain of rematches have the same host token
        service.rate_limits.rematches.check(caller.address, host)
        next_code = await _open(service, table, by, nonce, partial(answer_stored, scope, retry))
        service.rate_limits.rematches.count(caller.address, host)
        async with table.lock:  # a return or a deletion replaces the row too
            table.row = replace(table.row, next=next_code, root="", rematches=0)
            table.rematch_asked_by = by
    await service.notify(table)
    if opened := await service.fetch(next_code):
        await service.notify(opened)
    return next_code


def _check_over(table: LiveTable) -> None:
    if not table.match.outcome:
        raise ApiError("not-over")


async def _open(
    service: TableService,
    table: LiveTable,
    by: Seat,
    nonce: str,
    answered: Callable[[dict[str, Any]], Iterable[statements.Change]],
) -> str:
    """Write the table of a rematch, and return its code. The caller holds `service.opening`."""
    async with table.lock:  # seats and names must match
        seats, finished = tuple(table.seats.values()), table.match
    seeds, before = _next_seeds(table.row, finished, nonce)
    match = open_match(service.free_code(), finished.game, table.row.options, seeds.seed, before)
    here = [seat.seat for seat in seats if seat.token]
    sent = {} if before else {by: nonce}
    names = finished.taken.items()
    faces = finished.avatars
    entries = [
        Joined(seat, name, sent.get(seat, ""), faces.get(seat, "")) for seat, name in names if seat in here
    ]
    at = service.now()
    opening = [
        *_opening(table, seats, match, seeds, at),
        *joins_written(match, entries, at),
        statements.rematch_opened(table.code, match.code),
        *answered({"table": match.code}),
    ]
    await service.create(match.code, opening, table.row.desk)
    return match.code


def _next_seeds(row: TableRow, match: Match, nonce: str) -> tuple[Seeds, dict[str, str] | None]:
    """The seeds of the rematch, which the table before it was bound to, and what they are mixed with.

    A new row begins, which nothing binds, if none is left (after the last of them, after a restore, or if the
    rematch that had them was deleted or shown), and after a game whose secrets stay hidden: the hash of the
    next seed in the row is that game's seed.
    """
    if not row.rematches or not match.is_open:
        return new_seeds(), None
    head = match.final_head or match.head
    return Seeds(row.root, row.rematches - 1), {"table": row.code, "head": head, "nonce": nonce}


def _opening(
    table: LiveTable, seats: Iterable[SeatRow], match: Match, seeds: Seeds, at: str
) -> Iterable[statements.Change]:
    """The changes that add the new table with the old host and tokens; a free seat gets a new key, and if
    there is one, so does the table."""
    key = new_key()
    is_full = all(seat.token for seat in seats)
    row = TableRow(
        code=match.code,
        game=match.game.id,
        rules=match.game.rules,
        options=table.row.options,
        seed=match.seed,
        host=table.row.host,
        desk=table.row.desk,
        opened=at,
        ticket=new_ticket(),
        root=seeds.root,
        rematches=seeds.rematches,
        before=match.before,
        key=None if is_full else key,
        key_hash=hashed(key),
    )
    yield statements.table_opened(row)
    for seat in seats:
        free = free_seat(seat.seat, new_key())
        yield statements.seat_added(
            match.code, replace(free, key=None, token=seat.token) if seat.token else free
        )
        if seat.is_bot:
            yield statements.bot_added(match.code, seat)
