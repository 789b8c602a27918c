"""The end of a game: what is written in the same stroke as its last entry."""

from referee.cues import cue
from referee.match import Match, Told
from referee.views import outcome_item
from web.store import changes as kept
from web.store import memory
from web.table import LiveTable


def finishing(table: LiveTable, after: Match, at: str) -> list[kept.Change]:
    """What else is written when a game ends: its outcome, and what is remembered of it."""
    seen = after.seen_by()
    assert seen.outcome is not None
    outcome = outcome_item(seen.outcome, seen.debrief)
    finished = kept.table_finished(table.code, at, outcome)
    return [finished, *memory.remembered(table.code, after.game.id, outcome, after.names)]


def tickets(table: LiveTable, after: Match, told: tuple[Told, ...], at: str) -> list[kept.Change]:
    """The papers that the cues of this news ask for."""
    found = (cue(after.game.key(item.news)) for item in told)
    return [kept.job_added(str(table.row.desk), table.code, c.ticket, at) for c in found if c and c.ticket]
