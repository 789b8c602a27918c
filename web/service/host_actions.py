"""What a host does about a table from the overview: names it, shows a clock, closes it."""

from referee.core.entries import Asked
from referee.core.errors import IllegalMove
from referee.core.questions import HOST, question
from web.security.caller import Caller
from web.service.live_table import LiveTable
from web.service.move_entries import refusal
from web.service.questions import write_entry
from web.service.tables import TableService
from web.store import statements
from web.store.statements import TableNotes


def needs_consent(table: LiveTable) -> bool:
    """Whether the players are asked before their table is closed. Nobody is asked before the game began, nor
    when no phone has been connected for long."""
    return table.match.state is not None and not table.is_deserted()


async def note(service: TableService, table: LiveTable, notes: TableNotes) -> None:
    """Keep the name of a table, and whether its pages show a clock. No version changes by that."""
    async with table.lock:
        await service.commit([statements.table_noted(table.code, notes)])
        table.notes = notes
        service.changed(table, ())


async def close(service: TableService, table: LiveTable, caller: Caller) -> bool:
    """Close a table, or ask its players to. Nothing hidden is shown. Returns whether it is closed now."""
    limit, key = service.rate_limits.questions, f"{table.code} {HOST}"
    async with table.lock:
        match = table.match
        limit.check(caller.address, key)
        try:
            asked = question(match, HOST, "abandon", {"show": False}, match.version)
        except IllegalMove as refused:
            raise refusal(refused, table) from refused
        entry = asked if needs_consent(table) else Asked(HOST, "abandon", (), {"show": False})
        limit.count(caller.address, key)
        await write_entry(service, table, entry, match.after(entry))
    return table.match.outcome is not None
