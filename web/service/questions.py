"""Questions to the other players (undo, corrections, lost phones), and their answers."""

import secrets
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from referee.core import questions
from referee.core.entries import Answered, Asked
from referee.core.errors import IllegalMove
from referee.core.match import Match
from referee.core.moves import Seat
from referee.core.questions import HOST, check_may_answer, question
from web.security.caller import Caller
from web.security.tokens import new_key
from web.service import journal_cap
from web.service.after_the_end import closing_rematch, notify_rematches, question_locks, reopen, why_closed
from web.service.idempotency import IdempotencyKey
from web.service.live_table import LiveTable
from web.service.move_entries import refusal
from web.service.opening import free_seat
from web.service.tables import TableService
from web.store import statements
from web.store.statements import SeatRow
from web.wire.errors import ApiError
from web.wire.parsing import ask_in, request_in
from web.wire.requests import AnswerRequest, AskRequest


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
        by = asker(service, table, caller)
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


def asker(service: TableService, table: LiveTable, caller: Caller) -> Seat:
    """The seat that calls, or the host."""
    return HOST if table.is_host(caller.token) else service.seat(table, caller)
