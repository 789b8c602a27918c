"""Return tickets: a device whose server got another address takes its seats there, once for each ticket.

Cookies belong to one address, so an open page holds a link with the ticket of each seat that its device
holds: a random id from the store. Using it gives the seat another token and another ticket. The old token is
no longer valid, and an entry of the journal tells the table.
"""

from collections.abc import Mapping
from dataclasses import replace
from secrets import compare_digest

from referee.core.entries import Returned
from referee.core.game import Say
from referee.core.moves import Seat
from referee.core.questions import HOST
from web.security.caller import Caller
from web.security.tokens import derived_token, hashed, new_ticket
from web.service.live_table import LiveTable
from web.service.tables import TableService
from web.store import statements
from web.wire.errors import ApiError


def ticket_of(table: LiveTable, who: Seat) -> str:
    """The valid ticket of a seat or the host. Only for a caller who holds its token."""
    return table.row.ticket if who == HOST else table.seats[who].ticket


def is_valid(table: LiveTable, who: Seat, ticket: str) -> bool:
    """Whether this is the ticket of the host, or of a seat that somebody holds."""
    if who != HOST and not (who in table.seats and table.seats[who].token):
        return False
    return compare_digest(ticket_of(table, who).encode(), ticket.encode())


def are_valid(table: LiveTable, tickets: Mapping[Seat, str]) -> bool:
    return bool(tickets) and all(is_valid(table, who, ticket) for who, ticket in tickets.items())


def check(service: TableService, table: LiveTable, tickets: Mapping[Seat, str], caller: Caller) -> None:
    """Refuse tickets that are not valid, and those of a seat whose page is open or was a moment ago."""
    service.check_guess(caller, are_valid(table, tickets), "bad-token")
    if not all(table.is_away(who) for who in tickets):
        raise ApiError("seat-taken", why=Say("refusal.still_here"), title="refusal.still_here.title")


async def redeem(
    service: TableService, table: LiveTable, tickets: Mapping[Seat, str], nonce: str, caller: Caller
) -> dict[Seat, str]:
    """Use these tickets. Returns the new token of each seat. The same call again gets the same tokens, since
    they are derived from the ticket and the nonce of the form."""
    async with table.lock:
        tokens = {
            who: derived_token(_salt(table, who), t, nonce)
            for who, t in tickets.items()
            if _is_known(table, who)
        }
        fresh = {who: ticket for who, ticket in tickets.items() if not _holds(table, who, tokens.get(who))}
        if fresh:
            check(service, table, fresh, caller)
        for who in fresh:
            await _give(service, table, who, tokens[who])
        return tokens


async def _give(service: TableService, table: LiveTable, who: Seat, token: str) -> None:
    """Give a seat, or the host, this token and a new ticket."""
    entry, changed, ticket = Returned(who), None, new_ticket()
    row, old = table.row, table.row.host if who == HOST else table.seats[who].token
    if who == HOST:
        row = replace(row, host=hashed(token), ticket=ticket)
        change = statements.host_returned(row)
    else:
        changed = replace(table.seats[who], token=hashed(token), ticket=ticket)
        change = statements.seat_returned(table.code, changed)
    more = [change, statements.answers_dropped(str(old))]

    def committed() -> None:
        table.row = row
        table.end_streams_of(who)

    await service.append(table, entry, table.match.after(entry), more, changed, committed)


def _is_known(table: LiveTable, who: Seat) -> bool:
    return who == HOST or who in table.seats


def _salt(table: LiveTable, who: Seat) -> str:
    return table.row.seed if who == HOST else table.seats[who].salt


def _holds(table: LiveTable, who: Seat, token: str | None) -> bool:
    return table.is_host(token) if who == HOST else token is not None and table.seat_of(token) == who
