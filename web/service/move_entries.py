"""Makes journal entries of moves: parses the body of a request, and refuses what is not legal now."""

import secrets
from typing import Any

from referee.core.entries import Entry, Moved
from referee.core.errors import IllegalMove
from referee.core.match import Match
from referee.core.moves import Move, Seat
from referee.program.settings import Limits
from web.service import journal_cap
from web.service.live_table import LiveTable
from web.wire.errors import ApiError
from web.wire.parsing import move_in


def refusal(refused: IllegalMove, table: LiveTable) -> ApiError:
    """Convert a refusal of the rules into an API error."""
    extra = {"version": table.match.version} if refused.code == "stale" else {}
    return ApiError(refused.code, why=refused.why, extra=extra)


def check_move(table: LiveTable, seat: Seat, move: Move, version: int) -> None:
    """Refuse a move that is not legal now."""
    try:
        table.match.check(seat, move, version)
    except IllegalMove as refused:
        raise refusal(refused, table) from refused


def moved(limits: Limits, body: Any, table: LiveTable, seat: Seat) -> Entry:
    """The entry for the move in a body."""
    version, move = move_in(table.match.game, body)
    journal_cap.check(table.match, limits)
    check_move(table, seat, move, version)
    return entry_of(table.match, seat, move)


def entry_of(match: Match, seat: Seat, move: Move) -> Moved:
    """The journal entry of a move; a secret move gets a random salt."""
    return Moved(seat, move, secrets.token_hex(32) if match.game.moves[move.type].secret else "")
