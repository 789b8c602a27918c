"""Replaying: the moves that stand, and the game as it was before or after any of them, or without one."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from referee.altered import altered
from referee.dice import Dice
from referee.game import State
from referee.growing import Growing
from referee.moves import Seat, offered
from referee.record import Moved
from referee.refused import Refused

if TYPE_CHECKING:
    from referee.match import Match

KEEP = 32  # one move in so many keeps the state before it, so that a long game is not played again for one


@dataclass(frozen=True)
class Made:
    """A move that stands: the number of its first news, by which people call it, the number of its entry,
    whether it showed something hidden, and whether its secret was corrected since. Now and then one keeps
    the state before it."""

    n: int
    at: int
    entry: Moved
    reveals: bool
    before: State[Any, Any] | None = None
    corrected: bool = field(default=False, compare=False)


def kept(made: Growing[Made], state: State[Any, Any]) -> State[Any, Any] | None:
    """This state, if the move after these is one that keeps the state before it."""
    return None if len(made) % KEEP else state


def entered_in(match: "Match", made: Growing[Made]) -> dict[Seat, Growing[Made]]:
    """Those of these moves that have a secret, by the seat that entered it."""
    secret = [move for move in made if match.game.moves[move.entry.move.type].secret]
    return {seat: Growing(move for move in secret if move.entry.seat == seat) for seat in match.seats}


def place(match: "Match", n: int) -> int:
    """Where the move that people call by this number stands in the row of those that stand."""
    return bisect_left(match.made, n, key=lambda made: made.n)


def state_before(match: "Match", at: int) -> State[Any, Any]:
    """The state in which the move at this place was made."""
    first = at - at % KEEP
    state = match.made[first].before
    assert state is not None
    for made in match.made[first:at]:
        state = played(match, state, made)
    return state


def states_since(match: "Match", n: int) -> Iterator[State[Any, Any]]:
    """The state in which this piece of news was told, and the one after each move since that stands."""
    assert match.state is not None
    at = place(match, n)
    state = state_before(match, at) if at < len(match.made) else match.state
    yield state
    for made in match.made[at:]:
        state = played(match, state, made)
        yield state


def played(match: "Match", state: State[Any, Any], made: Made) -> State[Any, Any]:
    return match.game.play(state, made.entry.seat, made.entry.move, Dice(match.seed, made.at))


def played_anew(match: "Match", at: int, moves: Iterable[Made]) -> tuple[State[Any, Any], Growing[Made]]:
    """The game with these moves in the place of all from there on. Each must be offered, or it is refused."""
    state, made = state_before(match, at), Growing(match.made[:at])
    for move in moves:
        if not offered(match.game.choices(state.slice(move.entry.seat)), move.entry.move):
            raise Refused("illegal-move")
        made = made.and_(altered(move, before=kept(made, state)))
        state = played(match, state, move)
    return state, made
