"""Tidying: tables that have rested for long are put away, each only when somebody says so."""

import asyncio
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import timedelta

from referee.questions import HOST
from referee.record import Asked
from web.house import House
from web.store import changes as kept
from web.table import LiveTable

SHOWN = 50  # tables at once, the oldest first


@dataclass(frozen=True)
class Resting:
    """A table that nobody has touched for long: its number in the store, and since when it rests."""

    number: int
    table: LiveTable
    since: str


def resting(house: House, most: int = SHOWN) -> Iterator[Resting]:
    """The tables to ask about. One that somebody looks at from a seat does not rest."""
    days = house.settings.games.tidy_after
    before = (house.wall.now() - timedelta(days=days)).isoformat(timespec="seconds")
    for number, code, since in house.store.resting(before, most) if days else ():
        table = house.readable(code)
        if table and not table.match.outcome and not table.connected():
            yield Resting(number, table, since)


async def tidy_away(house: House, numbers: Collection[int]) -> int:
    """End these tables as abandoned, hidden things staying hidden; how many still rested."""
    chosen = await asyncio.to_thread(_chosen, house, numbers)
    return sum([await _abandon(house, found.table) for found in chosen])


async def spare(house: House, numbers: Collection[int]) -> int:
    """Keep these tables: they are asked about again after as long a rest."""
    chosen = await asyncio.to_thread(_chosen, house, numbers)
    await house.commit([kept.table_spared(found.table.code, house.now()) for found in chosen])
    return len(chosen)


def _chosen(house: House, numbers: Collection[int]) -> list[Resting]:
    return [found for found in resting(house) if found.number in numbers]


async def _abandon(house: House, table: LiveTable) -> bool:
    async with table.lock:
        if table.match.outcome:  # meanwhile
            return False
        entry = Asked(HOST, "abandon", (), {"show": False})
        await house.append(table, entry, table.match.after(entry))
        return True
