"""The end of a game: what is written in the same transaction as the entry that ends it or changes its end."""

from collections.abc import Collection

from referee.core.match import Match
from referee.presentation.cues import CUES
from referee.presentation.views import outcome_item
from web.service.live_table import LiveTable
from web.store import results, statements


def ending(table: LiveTable, after: Match, at: str, printing: Collection[str]) -> list[statements.Change]:
    """The changes besides the journal entry itself: none, unless it ends the game, reopens it, or corrects
    its outcome."""
    was, now = table.match, after
    if now.outcome and not was.outcome:
        return [*_finished(table, now, at), *_print_job(table, now, at, printing)]
    if was.outcome and not now.outcome:
        return [
            statements.table_reopened(table.code),
            statements.sheets_void(table.code),
            *results.result_deleted(table.code),
        ]
    if was.outcome and now.amended != was.amended:
        return _amended(table, now)
    return []


def _finished(table: LiveTable, after: Match, at: str) -> list[statements.Change]:
    """The outcome of a finished game, and its result rows."""
    outcome = _outcome(after)
    finished = statements.table_finished(table.code, at, outcome)
    return [finished, *results.result_added(table.code, after.game.id, outcome, after.names, after.avatars)]


def _amended(table: LiveTable, after: Match) -> list[statements.Change]:
    """Replace a corrected outcome; the time of the end stays."""
    outcome = _outcome(after)
    return [
        statements.outcome_amended(table.code, outcome),
        *results.result_corrected(table.code, after.game.id, outcome, after.names),
    ]


def _outcome(after: Match) -> dict[str, object]:
    seen = after.seen_by()
    assert seen.outcome is not None
    return outcome_item(seen.outcome, seen.debrief)


def _print_job(table: LiveTable, after: Match, at: str, printing: Collection[str]) -> list[statements.Change]:
    """The print job of the sheet, at a desk that prints, if the game was played to its end."""
    if table.row.desk not in printing or after.ended:
        return []
    return [statements.job_added(str(table.row.desk), table.code, CUES["over"].prints, at)]
