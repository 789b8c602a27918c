"""The end of a game: what is written in the same transaction as the entry that ends it or changes its end."""

from collections.abc import Collection

from referee.cues import cue
from referee.match import Match
from referee.views import outcome_item
from web.store import changes as kept
from web.store import memory
from web.table import LiveTable


def ending(table: LiveTable, after: Match, at: str, printing: Collection[str]) -> list[kept.Change]:
    """What an entry changes about the end of a game besides the journal: nothing, unless it ends it, or
    corrects a secret afterwards."""
    was, now = table.match, after
    if now.outcome and not was.outcome:
        return [*_finished(table, now, at), *_papers(table, now, at, printing)]
    if was.outcome and not now.outcome:
        return [kept.table_reopened(table.code), kept.sheets_void(table.code), *memory.withdrawn(table.code)]
    if was.outcome and now.amended != was.amended:
        return _amended(table, now)
    return []


def _finished(table: LiveTable, after: Match, at: str) -> list[kept.Change]:
    """The outcome, and what is remembered of the game."""
    outcome = _outcome(after)
    finished = kept.table_finished(table.code, at, outcome)
    return [finished, *memory.remembered(table.code, after.game.id, outcome, after.names)]


def _amended(table: LiveTable, after: Match) -> list[kept.Change]:
    """A corrected outcome takes the place of the one that was kept; when the game ended stays."""
    outcome = _outcome(after)
    return [
        kept.outcome_amended(table.code, outcome),
        *memory.amended(table.code, after.game.id, outcome, after.names),
    ]


def _outcome(after: Match) -> dict[str, object]:
    seen = after.seen_by()
    assert seen.outcome is not None
    return outcome_item(seen.outcome, seen.debrief)


def _papers(table: LiveTable, after: Match, at: str, printing: Collection[str]) -> list[kept.Change]:
    """The sheet, at a desk that prints, of a game that was played to its end."""
    sign = cue("over")
    if table.row.desk not in printing or sign is None or after.ended:
        return []
    return [kept.job_added(str(table.row.desk), table.code, sign.ticket, at)]
