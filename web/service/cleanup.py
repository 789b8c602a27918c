"""Clean-up of unfinished tables without recent activity: ends or keeps those that the host selects."""

import asyncio
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import timedelta

from referee.core.entries import Asked
from referee.core.questions import HOST
from web.service.live_table import LiveTable
from web.service.tables import TableService
from web.store import statements

SHOWN = 50  # tables in one list, oldest first


@dataclass(frozen=True)
class IdleTable:
    """An unfinished table without recent activity: its number in the store, and the time of the last
    activity."""

    number: int
    table: LiveTable
    since: str


def idle_tables(service: TableService, most: int = SHOWN) -> Iterator[IdleTable]:
    """The inactive tables. A table with a connected seat is not inactive. There are none for a day after our
    time jumped: what a stranger says about the time must not make a table old."""
    days = service.settings.games.cleanup_after if service.clock.is_settled() else 0
    before = (service.clock.now() - timedelta(days=days)).isoformat(timespec="seconds")
    for number, code, since in service.store.idle_tables(before, most) if days else ():
        table = service.readable(code)
        if table and not table.match.outcome and not table.connected():
            yield IdleTable(number, table, since)


async def abandon_tables(service: TableService, numbers: Collection[int]) -> int:
    """End these tables as abandoned, without a reveal. Returns how many were still inactive."""
    chosen = await asyncio.to_thread(_chosen, service, numbers)
    return sum([await _abandon(service, found.table) for found in chosen])


async def keep_tables(service: TableService, numbers: Collection[int]) -> int:
    """Keep these tables: they are listed again after another period without activity."""
    chosen = await asyncio.to_thread(_chosen, service, numbers)
    await service.commit([statements.table_kept(found.table.code, service.now()) for found in chosen])
    return len(chosen)


def _chosen(service: TableService, numbers: Collection[int]) -> list[IdleTable]:
    return [found for found in idle_tables(service) if found.number in numbers]


async def _abandon(service: TableService, table: LiveTable) -> bool:
    async with table.lock:
        if table.match.outcome:  # it ended meanwhile
            return False
        entry = Asked(HOST, "abandon", (), {"show": False})
        await service.append(table, entry, table.match.after(entry))
        return True
