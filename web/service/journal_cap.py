"""Limits the number of entries in a table's journal, and warns players before the limit."""

from referee.core.match import Match
from referee.program.settings import Limits
from web.wire.errors import ApiError

FEW = 200  # remaining entries from which on players are warned
ALWAYS_ALLOWED = ("abandon", "reissue")  # at a full table too: to end a game, every seat must answer


def entries_left(match: Match, limits: Limits) -> int:
    """How many more entries the journal may have."""
    return max(0, limits.entries - match.entries)


def check(match: Match, limits: Limits) -> None:
    """Refuse a move at a full table."""
    if not entries_left(match, limits):
        raise ApiError("table-full")


def check_question(match: Match, kind: str, limits: Limits) -> None:
    """Refuse a question at a full table, unless it may be needed to end the game."""
    if kind not in ALWAYS_ALLOWED:
        check(match, limits)


def entries_left_to_warn_of(match: Match, limits: Limits) -> int | None:
    """How many entries are left, if players should be warned; else None."""
    room = entries_left(match, limits)
    return room if room <= FEW and not match.outcome else None
