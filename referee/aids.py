"""Aids: what a seat could work out by itself from all it has seen, where the table wants that."""

from typing import Any

from referee.game import Possible, Slice
from referee.match import Match
from referee.moves import Seat
from referee.options import AIDS
from referee.replaying import replayed


def has_aid(match: Match) -> bool:
    """Whether a seat of this table is offered its deductions now."""
    wanted = match.game.aid is not None and bool(match.options.get(AIDS.name))
    return wanted and match.state is not None and match.outcome is None


def aid(match: Match, seat: Seat) -> tuple[Possible, ...]:
    """A seat's deductions. Worked out when somebody asks for them, for they read the whole game."""
    return match.game.aid(witnessed(match, seat)) if match.game.aid and has_aid(match) else ()


def witnessed(match: Match, seat: Seat) -> tuple[Slice[Any, Any], ...]:
    """What this seat has seen of the game, move by move, from the deal on. What a correction changed has been
    restated, so the game as it stands now is the one that was told."""
    assert match.state is not None
    moves = tuple(replayed(match, 0))
    first = moves[0].before if moves else match.state
    return (first.slice(seat), *(move.after.slice(seat) for move in moves))
