"""Reads a table from the store by replaying its journal. One that cannot be read is refused, and named."""

import logging
from collections.abc import Callable
from dataclasses import replace

from referee.core.game import Say
from referee.core.match import Match
from referee.core.sliced_work import SlicedWork
from referee.games import GAMES, STOPPED
from referee.presentation.views import outcome_from
from web.service.damaged_tables import damaged
from web.service.live_table import LiveTable
from web.store import DamagedJournal, Store
from web.store.journal_rows import check_unsealed, folding, is_as_opened
from web.store.statements import TableRow
from web.wire.errors import ApiError

log = logging.getLogger("referee")


def read_table(store: Store, code: str, clock: Callable[[], float]) -> SlicedWork[LiveTable | None]:
    """The table of this code, or None if there is none; yields after each entry. What is no code is in no log
    and no sentence: a prepared backup may have commands there."""
    if not (code.isascii() and code.isalnum()):
        return None
    try:
        row = store.table(code)
        if row is None:
            return None
        if row.game not in GAMES and is_as_opened(row):  # else the row was edited
            raise game_gone(row.game)  # noqa: TRY301
        if code in STOPPED:
            raise table_stopped(row.game)  # noqa: TRY301
        match, seats = (yield from folding(row, store.journal(code))), store.seats(code)
        check_unsealed(row, seats, match)
    except DamagedJournal as error:
        raise damaged(error) from error
    except ApiError:
        raise
    except Exception as error:  # a row that cannot be read: only this table fails
        log.exception("table %s cannot be read", code)
        raise ApiError("broken") from error
    table = LiveTable(row, seats, _with_stored_outcome(match, row), clock)
    table.before = store.previous_table(code)
    return table


def game_gone(game: str) -> ApiError:
    """The refusal of a table whose game is not installed."""
    return ApiError("broken", why=Say("refusal.game_gone.detail", {"game": game}), title="refusal.game_gone")


def table_stopped(game: str) -> ApiError:
    """The refusal of a table at which a call into its game did not return."""
    why = Say("refusal.table_stopped.detail", {"game": game})
    return ApiError("broken", why=why, title="refusal.table_stopped")


def _with_stored_outcome(match: Match, row: TableRow) -> Match:
    """The match with the outcome that was stored, if it was played by other rules than today's."""
    if not row.outcome or row.rules == match.game.rules:
        return match
    shown = row.outcome["debrief"] is not None  # not if the game was abandoned without a reveal
    return replace(match, ended=outcome_from(row.outcome), shown=shown)
