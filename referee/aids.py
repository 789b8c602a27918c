"""Aids: what a seat could work out by itself from all it has seen, where the table wants that."""

from typing import Any

from referee.game import Possible, Slice
from referee.match import Match
from referee.moves import Seat
from referee.options import AIDS
from referee.replaying import states_since


def has_aid(match: Match) -> bool:
    """Whether a seat of this table is offered its deductions now."""
    wanted = match.game.aid is not None and bool(match.options.get(AIDS.name))
    return wanted and match.state is not None and match.outcome is None


def aid(match: Match, seat: Seat) -> tuple[Possible, ...]:
    """A seat's deductions. Worked out when somebody asks for them, for they read the whole game."""
    return match.game.aid(witnessed(match, seat)) if match.game.aid and has_aid(match) else ()


def witnessed(match: Match, seat: Seat) -> tuple[Slice[Any, Any], ...]:
    """What this seat has seen of the game, move by move.

    Once a secret was corrected, the answers before it belong to another game than the one that was told: so
    the first slice is the table as it stood then, whose `said` is not to be read, and nothing before counts.
    """
    return tuple(state.slice(seat) for state in states_since(match, match.mended))
