"""Replay of the standing moves: the state before or after any of them, or the game with other moves."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.core.append_only import AppendOnlyList
from referee.core.dice import Dice
from referee.core.entries import Moved
from referee.core.errors import IllegalMove
from referee.core.frozen import replaced
from referee.core.game import News, Restated, State
from referee.core.moves import Seat, offered
from referee.core.restatements import differences

if TYPE_CHECKING:
    from referee.core.match import Match

CHECKPOINT_EVERY = 32  # moves between checkpoints: no replay has to start at the deal


@dataclass(frozen=True)
class StandingMove:
    """A move that has not been taken back."""

    n: int  # the number of its first news, which identifies the move
    throw: int  # the number of its dice
    entry: Moved
    reveals: bool  # whether its news revealed hidden state
    before: State[Any, Any] | None = None  # the checkpoint, for one move in `CHECKPOINT_EVERY`
    corrected: bool = field(default=False, compare=False)
    news_numbers: tuple[int, ...] | None = None  # the numbers of its news, if not consecutive

    def numbers(self, said: tuple[News, ...]) -> tuple[int, ...]:
        """The numbers of this move's news."""
        return self.news_numbers or tuple(range(self.n, self.n + len(said)))


class Replayed(NamedTuple):
    """A replayed move: the states before and after it, and its news."""

    made: StandingMove
    before: State[Any, Any]
    after: State[Any, Any]
    said: tuple[News, ...]


class ReplayResult(NamedTuple):
    """The result of replaying with changed moves: final state, moves, and restated news."""

    state: State[Any, Any]
    made: AppendOnlyList[StandingMove]
    restated: tuple[Restated, ...]


def checkpoint(made: AppendOnlyList[StandingMove], state: State[Any, Any]) -> State[Any, Any] | None:
    """This state if the next move stores a checkpoint, else None."""
    return None if len(made) % CHECKPOINT_EVERY else state


def secret_moves_by_seat(
    match: "Match", made: AppendOnlyList[StandingMove]
) -> dict[Seat, AppendOnlyList[StandingMove]]:
    """The moves with secret fields, by seat."""
    secret = [move for move in made if match.game.moves[move.entry.move.type].secret]
    return {seat: AppendOnlyList(move for move in secret if move.entry.seat == seat) for seat in match.seats}


def place(match: "Match", n: int) -> int:
    """The index of the move with this number among the standing moves."""
    return bisect_left(match.made, n, key=lambda made: made.n)


def state_before(match: "Match", at: int) -> State[Any, Any]:
    """The state before the move at this index, replayed from the last checkpoint."""
    first = at - at % CHECKPOINT_EVERY
    state = match.made[first].before
    assert state is not None
    for made in match.made[first:at]:
        state = played(match, state, made)
    return state


def replayed(match: "Match", at: int) -> Iterator[Replayed]:
    """The moves from this index on, replayed one by one."""
    state = state_before(match, at) if at < len(match.made) else None
    for made in match.made[at:]:
        assert state is not None
        yield (one := _replayed(match, state, made))
        state = one.after


def played(match: "Match", state: State[Any, Any], made: StandingMove) -> State[Any, Any]:
    return match.game.play(state, made.entry.seat, made.entry.move, Dice(match.dice, made.throw))


def _replayed(match: "Match", state: State[Any, Any], made: StandingMove) -> Replayed:
    after = played(match, state, made)
    return Replayed(made, state, after, match.said(state, after))


Check = Callable[[Replayed, State[Any, Any], StandingMove], None]


def no_check(_then: Replayed, _state: State[Any, Any], _move: StandingMove) -> None:
    """The check for moves that were already checked when the question was asked."""


def replay_with(
    match: "Match", at: int, moves: Iterable[tuple[StandingMove, Replayed]], first: int, check: Check
) -> ReplayResult:
    """Replay the game with these moves instead of all moves from index `at` on.

    Each new move comes with the original replayed move, and their news are compared. Restatements are
    numbered from `first` on. `check` receives each move and the state before it, and may raise.
    """
    state, made = state_before(match, at), AppendOnlyList(match.made[:at])
    restated: list[Restated] = []
    moves = tuple(moves)
    for ago, (move, then) in zip(reversed(range(len(moves))), moves, strict=True):
        check(then, state, move)
        now = _replayed(match, state, move)
        numbers = move.numbers(then.said)
        some, kept = differences(then.said, numbers, now.said, first + len(restated))
        restated += (one._replace(ago=ago) for one in some)
        shows = move.reveals or match.shows(now.said)
        other = kept if kept != tuple(range(move.n, move.n + len(kept))) else None
        made = made.appended(
            replaced(move, before=checkpoint(made, state), reveals=shows, news_numbers=other)
        )
        state = now.after
    return ReplayResult(state, made, tuple(restated))


def replay_without(match: "Match", at: int, first: int = 0) -> ReplayResult:
    """The game replayed without the move at this index. Raises IllegalMove if a later move is not legal."""
    later = ((then.made, then) for then in list(replayed(match, at))[1:])

    def check(_then: Replayed, state: State[Any, Any], move: StandingMove) -> None:
        if not offered(match.game.choices(state.slice(move.entry.seat)), move.entry.move):
            raise IllegalMove("illegal-move")

    return replay_with(match, at, later, first, check)
