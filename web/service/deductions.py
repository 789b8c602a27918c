"""A cache of deductions: what each seat can conclude from what it has seen, updated move by move."""

import threading
from collections import OrderedDict
from typing import Any, NamedTuple

from referee.core.aids import has_aid
from referee.core.game import Possible
from referee.core.match import Match
from referee.core.moves import Seat
from referee.core.replay import StandingMove, replayed
from referee.core.sliced_work import SlicedWork, run_to_end

SEATS = 32  # seats in the cache, least recently used evicted
APART = 64  # moves between two checkpoints


class Checkpoint(NamedTuple):
    """A checkpoint: what a seat knows after so many moves, and the last of them."""

    moves: int
    last: StandingMove | None
    known: Any


class Deductions:
    """Deductions of the most recently used seats. A query costs what was played since the one before.

    Each entry is computed only from what its own seat has seen, and used only for that seat. After an undo or
    a correction, deductions are computed again from the last valid checkpoint. Thread-safe.
    """

    def __init__(self) -> None:
        self._checkpoints: OrderedDict[tuple[str, str, Seat], tuple[Checkpoint, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._checkpoints)

    def aid(self, match: Match, seat: Seat) -> tuple[Possible, ...]:
        """A seat's deductions."""
        return run_to_end(self.aid_in_slices(match, seat))

    def aid_in_slices(self, match: Match, seat: Seat) -> SlicedWork[tuple[Possible, ...]]:
        """The same as background work: yields after each move since the last checkpoint."""
        game_aid = match.game.aid
        if game_aid is None or match.state is None or not has_aid(match):
            return ()
        checkpoints = self.checkpoints(match, seat)
        moves, _, known = checkpoints[-1] if checkpoints else (0, None, None)
        if not checkpoints:
            dealt = next(replayed(match, 0)).before if match.made else match.state
            known = game_aid.begin(dealt.slice(seat))
            checkpoints = (Checkpoint(0, None, known),)
        for move in replayed(match, moves):
            known = game_aid.see(known, move.before.slice(seat), move.after.slice(seat))
            moves += 1
            if moves % APART == 0:
                checkpoints = (*_thinned(checkpoints, moves), Checkpoint(moves, move.made, known))
            yield
        if moves > checkpoints[-1].moves:
            checkpoints = (*checkpoints, Checkpoint(moves, match.made[-1], known))
        self._store(match, seat, checkpoints)
        return game_aid.tell(known, match.state.slice(seat))

    def checkpoints(self, match: Match, seat: Seat) -> tuple[Checkpoint, ...]:
        """The checkpoints that are still valid: no move up to them was undone or corrected. (An undo or a
        correction makes new objects of all later moves, so comparing the last move suffices.)"""
        with self._lock:
            checkpoints = self._checkpoints.get((match.code, match.seed, seat), ())
        return tuple(checkpoint for checkpoint in checkpoints if _is_valid(match, checkpoint))

    def _store(self, match: Match, seat: Seat, checkpoints: tuple[Checkpoint, ...]) -> None:
        with self._lock:
            key = (match.code, match.seed, seat)
            self._checkpoints[key] = checkpoints
            self._checkpoints.move_to_end(key)
            if len(self._checkpoints) > SEATS:
                self._checkpoints.popitem(last=False)


def aid(match: Match, seat: Seat) -> tuple[Possible, ...]:
    """A seat's deductions, computed from the deal on without a cache."""
    return Deductions().aid(match, seat)


def _is_valid(match: Match, checkpoint: Checkpoint) -> bool:
    return checkpoint.last is None or (
        checkpoint.moves <= len(match.made) and match.made[checkpoint.moves - 1] is checkpoint.last
    )


def _thinned(checkpoints: tuple[Checkpoint, ...], moves: int) -> tuple[Checkpoint, ...]:
    """A logarithmic number of these checkpoints, farther apart the older they are. Going back n moves costs
    at most 4n moves of recomputation."""
    steps = moves // APART
    worth = {((steps >> i) - back << i) * APART for i in range(steps.bit_length()) for back in (0, 1)}
    return tuple(
        checkpoint for checkpoint in checkpoints if checkpoint.moves in worth or checkpoint.last is None
    )
