"""Mending: questions to the others and their answers, and the rematch."""

import secrets
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from referee import questions
from referee.match import Match, open_match
from referee.moves import Seat
from referee.questions import HOST, check_may_answer, question
from referee.record import Answered, Asked, Joined, write
from referee.refused import Refused
from web import room
from web.bodies import accept_in, ask_in, fields_of
from web.caller import Caller
from web.door import hashed, new_key
from web.house import House, refusal
from web.opening import free_seat
from web.refusals import Refusal
from web.reopening import closed, closing, entering, reopened, tell_rematches
from web.retries import Retry, answer_kept, first_answer
from web.store import changes as kept
from web.store.changes import SeatRow, TableRow
from web.table import LiveTable


async def ask(
    house: House, code: str, body: Any, caller: Caller, language: str, retry: Retry | None = None
) -> dict[str, Any]:
    """Open a question to the others; one that nobody has to agree to is done at once."""

    def asked(table: LiveTable, by: Seat) -> Asked:
        version, kind, fields = ask_in(body)
        entry = _entry(house, table, by, version, kind, fields)
        check_patience(house, table, caller)
        house.door.questions.count(caller.address, f"{code} {by}")
        return entry

    _check_seat(await house.found(code, caller), body)
    return await _entered(house, code, caller, language, retry, asked)


def _check_seat(table: LiveTable, body: Any) -> None:
    """A seat that is unknown is told before anything else."""
    seat = body.get("seat") if isinstance(body, dict) and body.get("kind") == "reissue" else None
    if isinstance(seat, str) and seat not in table.seats:
        raise Refusal("unknown-seat")


def check(house: House, table: LiveTable, by: Seat, body: Any) -> None:
    """Refuse a question that could not be asked now."""
    _entry(house, table, by, *ask_in(body))


def check_patience(house: House, table: LiveTable, caller: Caller) -> None:
    """Refuse somebody who asks again and again: while a question is open, nobody else can go on."""
    by = HOST if table.is_host(caller.token) else table.seat_of(caller.token)
    house.door.questions.check(caller.address, f"{table.code} {by}")


def _entry(
    house: House, table: LiveTable, by: Seat, version: int, kind: str, fields: dict[str, Any]
) -> Asked:
    there, is_deserted, too_late = table.connected(), table.is_deserted(), closed(house, table)
    room.check_question(table.match, kind, house.settings.limits)
    try:
        entry = question(table.match, by, kind, fields, version, there, is_deserted, too_late)
    except Refused as refused:
        raise refusal(refused, table) from refused
    return replace(entry, salt=secrets.token_hex(32)) if kind == "correct" else entry


async def answer(
    house: House, code: str, body: Any, caller: Caller, language: str, retry: Retry | None = None
) -> dict[str, Any]:
    """Say yes or no to the open question; who may not answer is told before what is misread."""

    def answered(table: LiveTable, by: Seat) -> Answered:
        try:
            check_may_answer(table.match, by)
            said = questions.answer(table.match, by, *accept_in(body))
        except Refused as refused:
            raise refusal(refused, table) from refused
        if said.accept and (too_late := closed(house, table)):
            raise Refusal("illegal-move", why=too_late)
        return said

    return await _entered(house, code, caller, language, retry, answered)


async def _entered(
    house: House,
    code: str,
    caller: Caller,
    language: str,
    retry: Retry | None,
    entry: Callable[[LiveTable, Seat], Asked | Answered],
) -> dict[str, Any]:
    """Find the table and who calls, and write the entry they make, once."""
    table = await house.found(code, caller)
    async with entering(house, table):
        by = _asker(house, table, caller)
        return await house.enter(table, by, entry, language, retry, partial(write_entry, house))


async def write_entry(
    house: House, table: LiveTable, entry: Asked | Answered, after: Match, more: Iterable[kept.Change] = ()
) -> None:
    """Keep an entry of a question, and what it settled: a new key, or that a game is over no more. The lock
    of the table is held."""
    taken = _reissued(table, entry, after)
    async with closing(house, table, after) as rematch:
        changes = [*_new_key(table, taken), *(rematch.changes if rematch else ()), *more]
        goes_on = table.match.outcome and not after.outcome
        committed = (lambda: reopened(house, table, rematch)) if goes_on else None
        await house.append(table, entry, after, changes, taken, committed)
    if taken:
        table.dismiss(taken.seat)
    await tell_rematches(house, table)


def _new_key(table: LiveTable, taken: SeatRow | None) -> Iterable[kept.Change]:
    """What a new key changes: the old token is good no more, nor is anything that was answered to it."""
    if taken:
        yield kept.seat_reissued(table.code, taken)
        yield kept.answers_dropped(str(table.seats[taken.seat].token))


def _reissued(table: LiveTable, entry: Asked | Answered, after: Match) -> SeatRow | None:
    """The seat that this entry gives a new key, for whoever asked to hand on."""
    asking = entry if isinstance(entry, Asked) else table.match.asking
    if asking is None or not any(told.news.kind == "reissued" for told in after.told()):
        return None
    seat = asking.fields["seat"]
    return free_seat(seat, new_key(), asking.by if asking.by != seat else _last_to_agree(entry))


def _last_to_agree(entry: Asked | Answered) -> Seat:
    """Who hands on the new key of somebody who asked for their own: that phone's token is gone."""
    return entry.seat if isinstance(entry, Answered) else HOST


def _asker(house: House, table: LiveTable, caller: Caller) -> Seat:
    """The seat that calls, or the host."""
    return HOST if table.is_host(caller.token) else house.seat(table, caller)


# ---- the rematch


async def rematch(house: House, code: str, body: Any, caller: Caller, retry: Retry | None = None) -> str:
    """Open the next table: same people, seats and tokens. Asked twice, it is the same one."""
    table = await house.found(code, caller)
    by = _asker(house, table, caller)
    if not table.match.outcome:
        raise Refusal("not-over")
    fields_of(body, ())
    scope = hashed(str(caller.token))
    async with house.opening:
        if before := first_answer(house.store, scope, retry):
            return str(before["table"])
        if not table.match.outcome:  # a correction has just reopened it
            raise Refusal("not-over")
        if table.row.next:
            return table.row.next
        house.door.rematches.check(caller.address, table.row.host)  # all tables in a row have one host
        match = open_match(house.free_code(), table.match.game, table.row.options, secrets.token_hex(32))
        async with table.lock:  # nobody sits down meanwhile
            seats, names = tuple(table.seats.values()), table.match.taken
        here = [seat.seat for seat in seats if seat.token]
        entries = [Joined(seat, name) for seat, name in names.items() if seat in here]
        at = house.now()
        lines = (kept.entry_written(match.code, n, at, write(e)) for n, e in enumerate(entries, 1))
        opening = [*_opening(table, seats, match, at), *lines, kept.rematch_opened(code, match.code)]
        answered = answer_kept(scope, retry, {"table": match.code})
        await house.begin(match.code, [*opening, *answered], table.row.desk)
        house.door.rematches.count(caller.address, table.row.host)
        table.row, table.led_on_by = replace(table.row, next=match.code), by
    await house.tell(table)
    if opened := await house.fetch(match.code):
        await house.tell(opened)
    return match.code


def _opening(table: LiveTable, seats: Iterable[SeatRow], match: Match, at: str) -> Iterable[kept.Change]:
    """The new table with the old one's host and tokens; a seat that was never taken gets a key."""
    row = TableRow(
        code=match.code,
        game=match.game.id,
        rules=match.game.rules,
        options=table.row.options,
        seed=match.seed,
        host=table.row.host,
        desk=table.row.desk,
        opened=at,
    )
    yield kept.table_opened(row)
    for seat in seats:
        free = free_seat(seat.seat, new_key())
        yield kept.seat_added(match.code, replace(free, key=None, token=seat.token) if seat.token else free)
        if seat.is_bot:
            yield kept.bot_added(match.code, seat)
