"""Questions to the other players (undo, corrections, lost phones), their answers, and the rematch."""

import secrets
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from referee.core import questions
from referee.core.entries import Answered, Asked, Joined
from referee.core.errors import IllegalMove
from referee.core.match import Match, open_match
from referee.core.moves import Seat
from referee.core.questions import HOST, check_may_answer, question
from web.security.caller import Caller
from web.security.tokens import hashed, new_key, new_ticket
from web.service import journal_cap
from web.service.after_the_end import closing_rematch, notify_rematches, question_locks, reopen, why_closed
from web.service.idempotency import IdempotencyKey, answer_stored, stored_answer
from web.service.live_table import LiveTable
from web.service.opening import Seeds, free_seat, joins_written, new_seeds
from web.service.tables import TableService, refusal
from web.store import statements
from web.store.statements import SeatRow, TableRow
from web.wire.errors import ApiError
from web.wire.parsing import ask_in, request_in
from web.wire.requests import AnswerRequest, AskRequest, RematchRequest


async def ask(
    service: TableService,
    code: str,
    body: Any,
    caller: Caller,
    language: str,
    retry: IdempotencyKey | None = None,
) -> dict[str, Any]:
    """Open a question to the others. One that needs nobody's consent takes effect at once."""

    def asked(table: LiveTable, by: Seat) -> Asked:
        entry = _entry(service, table, by, ask_in(body))
        check_rate_limit(service, table, caller)
        service.rate_limits.questions.count(caller.address, f"{code} {by}")
        return entry

    _check_seat(await service.find_async(code, caller), body)
    return await _enter(service, code, caller, language, retry, asked)


def _check_seat(table: LiveTable, body: Any) -> None:
    """Report an unknown seat before any other error."""
    seat = body.get("seat") if isinstance(body, dict) and body.get("kind") == "reissue" else None
    if isinstance(seat, str) and seat not in table.seats:
        raise ApiError("unknown-seat")


def check(service: TableService, table: LiveTable, by: Seat, body: Any) -> None:
    """Refuse a question that could not be asked now."""
    _entry(service, table, by, ask_in(body))


def check_rate_limit(service: TableService, table: LiveTable, caller: Caller) -> None:
    """Rate-limit questions: while one is open, nobody can play."""
    by = HOST if table.is_host(caller.token) else table.seat_of(caller.token)
    service.rate_limits.questions.check(caller.address, f"{table.code} {by}")


def _entry(service: TableService, table: LiveTable, by: Seat, asked: AskRequest) -> Asked:
    there, is_deserted, too_late = table.connected(), table.is_deserted(), why_closed(service, table)
    journal_cap.check_question(table.match, asked.kind, service.settings.limits)
    kind, about, version = asked.kind, asked.about(), asked.version
    try:
        entry = question(table.match, by, kind, about, version, there, is_deserted, too_late)
    except IllegalMove as refused:
        raise refusal(refused, table) from refused
    return replace(entry, salt=secrets.token_hex(32)) if kind == "correct" else entry


async def answer(
    service: TableService,
    code: str,
    body: Any,
    caller: Caller,
    language: str,
    retry: IdempotencyKey | None = None,
) -> dict[str, Any]:
    """Answer the open question. The right to answer is checked before the body."""

    def answered(table: LiveTable, by: Seat) -> Answered:
        try:
            check_may_answer(table.match, by)
            told = request_in(AnswerRequest, body)
            said = questions.answer(table.match, by, told.accept, told.version)
        except IllegalMove as refused:
            raise refusal(refused, table) from refused
        if said.accept and (too_late := why_closed(service, table)):
            raise ApiError("illegal-move", why=too_late)
        return said

    return await _enter(service, code, caller, language, retry, answered)


async def _enter(
    service: TableService,
    code: str,
    caller: Caller,
    language: str,
    retry: IdempotencyKey | None,
    entry: Callable[[LiveTable, Seat], Asked | Answered],
) -> dict[str, Any]:
    """Find the table and the caller, and write the entry with its locks held."""
    table = await service.find_async(code, caller)
    async with question_locks(service, table):
        by = _asker(service, table, caller)
        return await service.enter(table, by, entry, language, retry, partial(write_entry, service))


async def write_entry(
    service: TableService,
    table: LiveTable,
    entry: Asked | Answered,
    after: Match,
    more: Iterable[statements.Change] = (),
) -> None:
    """Write an entry of a question and its effects: a new seat key, or a reopened game. The caller holds the
    table's lock."""
    taken = _reissued_seat(table, entry, after)
    async with closing_rematch(service, table, after) as rematch:
        changes = [*_new_key_changes(table, taken), *(rematch.changes if rematch else ()), *more]
        goes_on = table.match.outcome and not after.outcome
        committed = (lambda: reopen(service, table, rematch)) if goes_on else None
        await service.append(table, entry, after, changes, taken, committed)
    if taken:
        table.end_streams_of(taken.seat)
    await notify_rematches(service, table)


def _new_key_changes(table: LiveTable, taken: SeatRow | None) -> Iterable[statements.Change]:
    """The changes for a new seat key: the old token and its stored answers become invalid."""
    if taken:
        yield statements.seat_reissued(table.code, taken)
        yield statements.answers_dropped(str(table.seats[taken.seat].token))


def _reissued_seat(table: LiveTable, entry: Asked | Answered, after: Match) -> SeatRow | None:
    """The seat that gets a new key by this entry; whoever asked for it may see the key and pass it on."""
    asking = entry if isinstance(entry, Asked) else table.match.asking
    if asking is None or not any(told.news.kind == "reissued" for told in after.told()):
        return None
    seat = asking.fields["seat"]
    return free_seat(seat, new_key(), asking.by if asking.by != seat else _last_to_agree(entry))


def _last_to_agree(entry: Asked | Answered) -> Seat:
    """Who may see a new key if a seat asked for its own: that seat's token is no longer valid."""
    return entry.seat if isinstance(entry, Answered) else HOST


def _asker(service: TableService, table: LiveTable, caller: Caller) -> Seat:
    """The seat that calls, or the host."""
    return HOST if table.is_host(caller.token) else service.seat(table, caller)


# ---- the rematch


async def rematch(
    service: TableService, code: str, body: Any, caller: Caller, retry: IdempotencyKey | None = None
) -> str:
    """Open a rematch with the same people, seats and tokens, or return the one that exists."""
    table = await service.find_async(code, caller)
    by = _asker(service, table, caller)
    if not table.match.outcome:
        raise ApiError("not-over")
    nonce = request_in(RematchRequest, body).nonce.lower()
    scope = hashed(str(caller.token))
    async with service.opening:
        if before := stored_answer(service.store, scope, retry):
            return str(before["table"])
        if not table.match.outcome:  # a correction has just reopened it
            raise ApiError("not-over")
        if table.row.next:
            return table.row.next
        # All tables of a chain of rematches have the same host token.
        service.rate_limits.rematches.check(caller.address, table.row.host)
        async with table.lock:  # seats and names must match
            seats, finished = tuple(table.seats.values()), table.match
        names, (seeds, before) = finished.taken, _next_seeds(table.row, finished, nonce)
        options = table.row.options
        match = open_match(service.free_code(), table.match.game, options, seeds.seed, before)
        here = [seat.seat for seat in seats if seat.token]
        sent = {} if before else {by: nonce}
        entries = [Joined(seat, name, sent.get(seat, "")) for seat, name in names.items() if seat in here]
        at = service.now()
        lines = joins_written(match, entries, at)
        opening = [
            *_opening(table, seats, match, seeds, at),
            *lines,
            statements.rematch_opened(code, match.code),
        ]
        answered = answer_stored(scope, retry, {"table": match.code})
        await service.create(match.code, [*opening, *answered], table.row.desk)
        service.rate_limits.rematches.count(caller.address, table.row.host)
        async with table.lock:  # a return or a deletion replaces the row too
            table.row = replace(table.row, next=match.code, root="", rematches=0)
            table.rematch_asked_by = by
    await service.notify(table)
    if opened := await service.fetch(match.code):
        await service.notify(opened)
    return match.code


def _next_seeds(row: TableRow, match: Match, nonce: str) -> tuple[Seeds, dict[str, str] | None]:
    """The seeds of the rematch, which the table before it was bound to, and what they are mixed with.

    A new row begins, which nothing binds, if none is left (after the last of them, after a restore, or if the
    rematch that had them was deleted or shown), and after a game whose secrets stay hidden: the hash of the
    next seed in the row is that game's seed.
    """
    if not row.rematches or not match.is_open:
        return new_seeds(), None
    return Seeds(row.root, row.rematches - 1), {"table": row.code, "head": match.head, "nonce": nonce}


def _opening(
    table: LiveTable, seats: Iterable[SeatRow], match: Match, seeds: Seeds, at: str
) -> Iterable[statements.Change]:
    """The changes that add the new table with the old host and tokens; a free seat gets a new key."""
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
    )
    yield statements.table_opened(row)
    for seat in seats:
        free = free_seat(seat.seat, new_key())
        yield statements.seat_added(
            match.code, replace(free, key=None, token=seat.token) if seat.token else free
        )
        if seat.is_bot:
            yield statements.bot_added(match.code, seat)
