"""Replaying: the moves that stand, and the game as it was before or after any of them, or without one."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.altered import altered
from referee.dice import Dice
from referee.game import News, Restated, State
from referee.growing import Growing
from referee.moves import Seat
from referee.record import Moved
from referee.restating import differences

if TYPE_CHECKING:
    from referee.match import Match

KEEP = 32  # one move in so many keeps the state before it, so that a long game is not played again for one


@dataclass(frozen=True)
class Made:
    """A move that stands: the number of its first news, by which people call it, the number of its entry,
    whether it showed something hidden, and whether its secret was corrected since. Now and then one keeps
    the state before it. `called` are the numbers of its news where they do not just follow the first."""

    n: int
    at: int
    entry: Moved
    reveals: bool
    before: State[Any, Any] | None = None
    corrected: bool = field(default=False, compare=False)
    called: tuple[int, ...] | None = None

    def numbers(self, said: tuple[News, ...]) -> tuple[int, ...]:
        """The numbers of what this move said."""
        return self.called or tuple(range(self.n, self.n + len(said)))


class Replayed(NamedTuple):
    """A move played again: the game before and after it, and all that it said."""

    made: Made
    before: State[Any, Any]
    after: State[Any, Any]
    said: tuple[News, ...]


class Anew(NamedTuple):
    """The game with other moves: how it stands, its moves, what is said otherwise than it was."""

    state: State[Any, Any]
    made: Growing[Made]
    restated: tuple[Restated, ...]


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


def replayed(match: "Match", at: int) -> Iterator[Replayed]:
    """The moves from this place on, played again one by one."""
    state = state_before(match, at) if at < len(match.made) else None
    for made in match.made[at:]:
        assert state is not None
        yield (one := _replayed(match, state, made))
        state = one.after


def played(match: "Match", state: State[Any, Any], made: Made) -> State[Any, Any]:
    return match.game.play(state, made.entry.seat, made.entry.move, Dice(match.seed, made.at))


def _replayed(match: "Match", state: State[Any, Any], made: Made) -> Replayed:
    after = played(match, state, made)
    return Replayed(made, state, after, match.said(state, after))


Check = Callable[[Replayed, State[Any, Any], Made], None]


def nothing_to_check(_then: Replayed, _state: State[Any, Any], _move: Made) -> None:
    """For moves that were checked when they were asked for."""


def played_anew(
    match: "Match", at: int, moves: Iterable[tuple[Made, Replayed]], first: int, check: Check
) -> Anew:
    """The game with these moves in the place of all from there on; each comes with the move it is compared
    with, as it was told. What is restated is told from the number `first` on.

    `check` sees each move before it is played, and the game as it would stand then.
    """
    state, made = state_before(match, at), Growing(match.made[:at])
    restated: list[Restated] = []
    moves = tuple(moves)
    for ago, (move, then) in zip(reversed(range(len(moves))), moves, strict=True):
        check(then, state, move)
        now = _replayed(match, state, move)
        numbers = move.numbers(then.said)
        some, called = differences(then.said, numbers, now.said, first + len(restated))
        restated += (one._replace(ago=ago) for one in some)
        shows = move.reveals or match.shows(now.said)
        other = called if called != tuple(range(move.n, move.n + len(called))) else None
        made = made.and_(altered(move, before=kept(made, state), reveals=shows, called=other))
        state = now.after
    return Anew(state, made, tuple(restated))
