"""Steps: one more entry of a table, with all that is written along with it."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from referee.cues import cue
from referee.match import Match, Told
from referee.record import Entry, write
from referee.views import outcome_item
from web import store as kept
from web.store import SeatRow
from web.table import LiveTable


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True)
class Step:
    """What is to be on disk, and what stands and is told from then on."""

    after: Match
    told: tuple[Told, ...]
    changes: list[kept.Change]
    taken: SeatRow | None  # the seat that somebody takes, or that gets a new key


def step(
    table: LiveTable,
    entry: Entry,
    after: Match,
    more: Iterable[kept.Change],
    taken: SeatRow | None,
    printing: Collection[str],
) -> Step:
    """The step that this entry is; where it ends a game at a desk that prints, its papers too."""
    at, told = now(), after.told()
    changes = [kept.entry_written(table.code, after.entries, at, write(entry)), *more]
    if after.outcome:
        changes += _finishing(table, after, at)
        if table.row.desk in printing:
            changes += _tickets(table, after, told, at)
    return Step(after, told, changes, taken)


def _finishing(table: LiveTable, after: Match, at: str) -> list[kept.Change]:
    """What else is written when a game ends: its outcome."""
    seen = after.seen_by()
    assert seen.outcome is not None
    return [kept.table_finished(table.code, at, outcome_item(seen.outcome, seen.debrief))]


def _tickets(table: LiveTable, after: Match, told: tuple[Told, ...], at: str) -> list[kept.Change]:
    """The papers that the cues of this news ask for."""
    found = (cue(after.game.key(item.news)) for item in told)
    return [kept.job_added(str(table.row.desk), table.code, c.ticket, at) for c in found if c and c.ticket]
