"""Return tickets: a device whose server got another address takes its seats there, once for each ticket.

Cookies belong to one address, so an open page holds a link with the ticket of each seat that its device
holds: a random id from the store. Using it gives the seat another token and another ticket, at every table of
a row of rematches: they have the same tokens. The old token is then valid nowhere. An entry of the journal
tells it at the table of the ticket, and at each that is not over.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from secrets import compare_digest

from referee.core.entries import Returned
from referee.core.game import Say
from referee.core.moves import Seat
from referee.core.questions import HOST
from web.security.caller import Caller
from web.security.tokens import derived_token, hashed, new_ticket
from web.service.commits import Commit, prepare_commit
from web.service.live_table import LiveTable
from web.service.tables import TableService
from web.store import statements
from web.store.statements import SeatRow, TableRow
from web.wire.errors import ApiError


def ticket_of(table: LiveTable, who: Seat) -> str:
    """The valid ticket of a seat or the host. Only for a caller who holds its token."""
    return table.row.ticket if who == HOST else table.seats[who].ticket


def is_valid(table: LiveTable, who: Seat, ticket: str) -> bool:
    """Whether this is the ticket of the host, or of a seat that somebody holds."""
    if not (_is_known(table, who) and table.token_hash(who)):
        return False
    return compare_digest(ticket_of(table, who).encode(), ticket.encode())


def are_valid(table: LiveTable, tickets: Mapping[Seat, str]) -> bool:
    return bool(tickets) and all(is_valid(table, who, ticket) for who, ticket in tickets.items())


def check(service: TableService, table: LiveTable, tickets: Mapping[Seat, str], caller: Caller) -> None:
    """Refuse tickets that are not valid, and those of a seat whose page is open or was a moment ago, at this
    table or at another of its row."""
    service.guesses.check_key(caller, are_valid(table, tickets), "bad-token")
    if table.presence.is_new() or any(_is_here(service, table, who) for who in tickets):
        raise ApiError("seat-taken", why=Say("refusal.still_here"), title="refusal.still_here.title")


def _is_here(service: TableService, table: LiveTable, who: Seat) -> bool:
    """Whether whoever holds this seat has a page open. A table that is not in memory has none."""
    loaded = map(service.tables.get, _row(service, table, [who]))
    return any(other.is_here(who) for other in loaded if other)


def _row(service: TableService, table: LiveTable, people: Iterable[Seat]) -> list[str]:
    """The codes of the tables at which the tokens of these seats are valid, oldest first."""
    tokens = (table.token_hash(who) for who in people if _is_known(table, who))
    return service.store.tables_held_by(list(filter(None, tokens)))


async def redeem(
    service: TableService, table: LiveTable, tickets: Mapping[Seat, str], nonce: str, caller: Caller
) -> dict[Seat, str]:
    """Use these tickets. Returns the new token of each seat. The same call again gets the same tokens, since
    they are derived from the ticket and the nonce of the form."""
    # a rematch that is opened meanwhile would have the old token
    async with service.opening, _locked(service, _row(service, table, tickets)) as tables:
        tokens = {
            who: derived_token(_salt(table, who), t, nonce)
            for who, t in tickets.items()
            if _is_known(table, who)
        }
        fresh = {who: t for who, t in tickets.items() if not _holds(table, who, tokens.get(who))}
        if fresh:
            check(service, table, fresh, caller)
        for who in fresh:
            await _give(service, table, tables, who, tokens[who])
        return tokens


@asynccontextmanager
async def _locked(service: TableService, codes: Iterable[str]) -> AsyncIterator[list[LiveTable]]:
    """These tables, with their locks held, which are taken in this order. One that cannot be read is left
    out."""
    found = [await service.fetch_readable(code) for code in codes]
    tables = [table for table in found if table]
    async with AsyncExitStack() as locks:
        for table in tables:
            await locks.enter_async_context(table.lock)
        yield tables


async def _give(
    service: TableService, at: LiveTable, tables: Sequence[LiveTable], who: Seat, token: str
) -> None:
    """Give a seat, or the host, this token, and at each table a new ticket."""
    old, new = str(at.token_hash(who)), hashed(token)
    held = [table for table in tables if _is_known(table, who) and table.token_hash(who) == old]
    changed = {table.code: _returned(table, who, new) for table in held}
    told = {
        table.code: _entry(service, table, who) for table in held if table is at or not table.match.outcome
    }
    changes = [
        *statements.token_replaced(old, new),
        *(
            statements.host_returned(row)
            if isinstance(row, TableRow)
            else statements.seat_returned(code, row)
            for code, row in changed.items()
        ),
        statements.answers_dropped(old),
        *(change for commit in told.values() for change in commit.changes),
    ]
    await service.commit(changes)
    for table in held:
        _apply(table, changed[table.code])
        table.end_streams_of(who)
        if commit := told.get(table.code):
            service.apply(table, commit)


def _returned(table: LiveTable, who: Seat, token: str) -> TableRow | SeatRow:
    """The row that holds the token and the ticket of a seat, or of the host, with new ones."""
    if who == HOST:
        return replace(table.row, host=token, ticket=new_ticket())
    return replace(table.seats[who], token=token, ticket=new_ticket())


def _apply(table: LiveTable, row: TableRow | SeatRow) -> None:
    if isinstance(row, TableRow):
        table.row = row
    else:
        table.seats[row.seat] = row


def _entry(service: TableService, table: LiveTable, who: Seat) -> Commit:
    """The entry that tells it at a table."""
    entry = Returned(who)
    return prepare_commit(table, entry, table.match.after(entry), service.now(), service.printing)


def _is_known(table: LiveTable, who: Seat) -> bool:
    return who == HOST or who in table.seats


def _salt(table: LiveTable, who: Seat) -> str:
    return table.row.seed if who == HOST else table.seats[who].salt


def _holds(table: LiveTable, who: Seat, token: str | None) -> bool:
    return table.is_host(token) if who == HOST else token is not None and table.seat_of(token) == who
