"""Deduction aids: whether a match currently offers each seat a sheet of what it can deduce."""

from referee.core.match import Match
from referee.core.options import AIDS


def has_aid(match: Match) -> bool:
    """Whether the game has an aid, the table enabled it, and play is under way."""
    wanted = match.game.aid is not None and bool(match.options.get(AIDS.name))
    return wanted and match.state is not None and match.outcome is None
