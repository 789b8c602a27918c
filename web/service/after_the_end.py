"""Corrections after the end of a game: their time limit, and closing a rematch if the game reopens."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from referee.core.entries import Closed, write
from referee.core.game import Say
from referee.core.match import Match
from referee.presentation.views import outcome_item
from web.clock import is_sure
from web.service.live_table import LiveTable
from web.service.tables import TableService
from web.store import statements
from web.wire.errors import ApiError

OPEN_FOR = timedelta(hours=24)  # for which a finished game may be corrected


@asynccontextmanager
async def question_locks(service: TableService, table: LiveTable) -> AsyncIterator[None]:
    """Hold the locks for asking or answering a question. A correction after the end may close the rematch, so
    no rematch may be opened meanwhile: then `TableService.opening` is held too, and taken before the
    table's lock."""
    while True:
        is_over = table.match.outcome is not None
        async with service.opening if is_over else nullcontext(), table.lock:
            if is_over or not table.match.outcome:
                followers = [later async for later in _load_rematches(service, table)] if is_over else []
                yield
                del followers  # until here they stay in memory, so that `_rematches` does not block
                return
        # the game ended while we waited for the lock: retry with both locks


def why_closed(service: TableService, table: LiveTable) -> Say | None:
    """Why a finished game can no longer be corrected; None while it can."""
    if not table.match.outcome:
        return None
    row = service.store.table(table.code)
    if row and row.finished and _is_long_ago(service, row.finished):
        return Say("refusal.too_late")
    begun = any(later.match.made for later in _rematches(service, table))
    return Say("refusal.rematch_begun") if begun else None


def _is_long_ago(service: TableService, finished: str) -> bool:
    """Whether a game ended more than `OPEN_FOR` ago; False if its date was written by a wrong clock, or our
    time has just jumped."""
    then = datetime.fromisoformat(finished)
    return is_sure(then) and service.clock.is_settled() and service.clock.now() - then > OPEN_FOR


def _rematches(service: TableService, table: LiveTable) -> Iterator[LiveTable]:
    """The rematches after this table, in order, each once: a closed rematch leads back to an earlier one."""
    passed, later = {table.code}, service.readable(table.row.next)
    while later and later.code not in passed:
        passed.add(later.code)
        yield later
        later = service.readable(later.row.next)


async def _load_rematches(service: TableService, table: LiveTable) -> AsyncIterator[LiveTable]:
    """The same, but tables that are not in memory are loaded in a thread, so that the loop does not block."""
    passed, later = {table.code}, await service.fetch_readable(table.row.next)
    while later and later.code not in passed:
        passed.add(later.code)
        yield later
        later = await service.fetch_readable(later.row.next)


async def notify_rematches(service: TableService, table: LiveTable) -> None:
    """Show at the rematches that a question about the finished game is open, or no longer is."""
    asked = table.match.question is not None
    for later in _rematches(service, table) if table.match.outcome else ():
        if later.asked_before != asked:
            later.asked_before = asked
            await service.notify(later)


@dataclass(frozen=True)
class RematchClosing:
    """An unplayed rematch that is to be closed because the game before it continues."""

    rematch: LiveTable
    after: Match
    changes: tuple[statements.Change, ...]
    root: str = field(repr=False)  # the seeds that the game gets back, and how many: see `TableRow`
    rematches: int


@asynccontextmanager
async def closing_rematch(
    service: TableService, table: LiveTable, after: Match
) -> AsyncIterator[RematchClosing | None]:
    """If `after` reopens the game: the rematch to close, if any, with its lock held.

    The caller holds the lock of the game itself. The lock of a later table is always taken after it.
    """
    rematches = list(_rematches(service, table)) if table.match.outcome and not after.outcome else []
    if not rematches:
        yield None
        return
    last = rematches[-1]
    async with last.lock:
        if last.match.made:
            raise ApiError("illegal-move", why=Say("refusal.rematch_begun"))
        yield None if last.match.outcome else _close_rematch(service, last, table)


def _close_rematch(service: TableService, rematch: LiveTable, back: LiveTable) -> RematchClosing:
    entry = Closed()
    after, at = rematch.match.after(entry), service.now()
    seen = after.seen_by()
    assert seen.outcome is not None
    outcome = outcome_item(seen.outcome, seen.debrief)
    line = statements.entry_written(rematch.code, after.entries, at, write(entry), after.head)
    had = rematch.row
    follows = had.before is not None and had.before["table"] == back.code
    root, rematches = (had.root, had.rematches + 1) if follows else ("", 0)
    changes = (
        line,
        statements.rematch_closed(rematch.code, at, outcome, back.code),
        statements.seeds_returned(back.code, root, rematches),
    )
    return RematchClosing(rematch, after, changes, root, rematches)


def reopen(service: TableService, table: LiveTable, done: RematchClosing | None) -> None:
    """Update memory after the commit that reopen a game. It has no rematch any more; the closed rematch
    leads its phones back, and its desk goes to the newest table opened there before."""
    table.row = replace(table.row, next=None)
    if done is None:
        return
    table.row = replace(table.row, root=done.root, rematches=done.rematches)
    rematch, desk = done.rematch, done.rematch.row.desk
    rematch.row, rematch.match = replace(rematch.row, next=table.code, desk=None), done.after
    service.update_cache(rematch)
    if desk and service.at_desk.get(desk) == rematch.code:
        service.at_desk[desk] = service.store.table_at(desk)
    service.changed(rematch, done.after.told())
