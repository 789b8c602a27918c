"""After the end: until when a secret may still be corrected, and what becomes of the rematch of a game that
turns out not to be over."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from referee.game import Say
from referee.match import Match
from referee.record import Closed, write
from referee.views import outcome_item
from web.clock import is_sure
from web.house import House
from web.refusals import Refusal
from web.store import changes as kept
from web.table import LiveTable

OPEN_FOR = timedelta(hours=24)  # how long a finished game may be corrected


@asynccontextmanager
async def entering(house: House, table: LiveTable) -> AsyncIterator[None]:
    """The locks under which a question is asked or answered. A correction after the end may close the
    rematch, so no rematch is opened meanwhile; `house.opening` always comes before a table's lock."""
    while True:
        is_over = table.match.outcome is not None
        async with house.opening if is_over else nullcontext(), table.lock:
            if is_over or not table.match.outcome:
                followers = [later async for later in _read_rematches(house, table)] if is_over else []
                yield
                del followers  # until now they are in memory, where they are found without waiting
                return
        # it ended while we waited for the lock: once more, with both


def closed(house: House, table: LiveTable) -> Say | None:
    """Why nothing of a finished game can be corrected any more; None while it can."""
    if not table.match.outcome:
        return None
    row = house.store.table(table.code)
    if row and row.finished and _is_long_ago(house, row.finished):
        return Say("refusal.too_late")
    begun = any(later.match.made for later in _rematches(house, table))
    return Say("refusal.rematch_begun") if begun else None


def _is_long_ago(house: House, finished: str) -> bool:
    """Whether so much time has gone by; a date that a wrong clock wrote tells nothing."""
    then = datetime.fromisoformat(finished)
    return is_sure(then) and house.wall.now() - then > OPEN_FOR


def _rematches(house: House, table: LiveTable) -> Iterator[LiveTable]:
    """The tables that followed this one. They never lead in a circle: a table that is reopened follows on
    nothing any more before its rematch leads back to it."""
    later = house.readable(table.row.next)
    while later:
        yield later
        later = house.readable(later.row.next)


async def _read_rematches(house: House, table: LiveTable) -> AsyncIterator[LiveTable]:
    """The same, read in a thread where they are not in memory: the loop goes on meanwhile."""
    later = await house.fetch_readable(table.row.next)
    while later:
        yield later
        later = await house.fetch_readable(later.row.next)


async def tell_rematches(house: House, table: LiveTable) -> None:
    """A question about a finished game reaches whoever has gone on to the rematch already."""
    asked = table.match.question is not None
    for later in _rematches(house, table) if table.match.outcome else ():
        if later.asked_before != asked:
            later.asked_before = asked
            await house.tell(later)


@dataclass(frozen=True)
class Closing:
    """A rematch that nobody has played, about to be closed because the game before it goes on."""

    rematch: LiveTable
    after: Match
    changes: tuple[kept.Change, ...]


@asynccontextmanager
async def closing(house: House, table: LiveTable, after: Match) -> AsyncIterator[Closing | None]:
    """The rematch that is closed where a game is over no more, if there is one; nobody plays there meanwhile.

    The lock of the game itself is held. That of a later table comes after it, never before.
    """
    rematches = list(_rematches(house, table)) if table.match.outcome and not after.outcome else []
    if not rematches:
        yield None
        return
    last = rematches[-1]
    async with last.lock:
        if last.match.made:
            raise Refusal("illegal-move", why=Say("refusal.rematch_begun"))
        yield None if last.match.outcome else _closing(house, last, table.code)


def _closing(house: House, rematch: LiveTable, back: str) -> Closing:
    entry = Closed()
    after, at = rematch.match.after(entry), house.now()
    seen = after.seen_by()
    assert seen.outcome is not None
    outcome = outcome_item(seen.outcome, seen.debrief)
    line = kept.entry_written(rematch.code, after.entries, at, write(entry))
    return Closing(rematch, after, (line, kept.rematch_closed(rematch.code, at, outcome, back)))


def reopened(house: House, table: LiveTable, done: Closing | None) -> None:
    """A game that goes on is followed by no rematch. The one that was opened leads its phones back and leaves
    the desk to the newest table that was opened there before it. All of that is on disk."""
    table.row = replace(table.row, next=None)
    if done is None:
        return
    rematch, desk = done.rematch, done.rematch.row.desk
    rematch.row, rematch.match = replace(rematch.row, next=table.code, desk=None), done.after
    house.ended(rematch)
    if desk and house.at_desk.get(desk) == rematch.code:
        house.at_desk[desk] = house.store.table_at(desk)
    house.changed(rematch, done.after.told())
