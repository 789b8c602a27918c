"""Aids: what a seat could work out by itself from all it has seen, where the table wants that."""

import threading
from collections import OrderedDict
from typing import Any, NamedTuple

from referee.game import Possible
from referee.match import Match
from referee.moves import Seat
from referee.options import AIDS
from referee.pieces import Pieces, at_once
from referee.replaying import Made, replayed

SEATS = 32  # whose deductions are kept, whoever looked last
APART = 64  # moves between two places that deductions may go back to


def has_aid(match: Match) -> bool:
    """Whether a seat of this table is offered its deductions now."""
    wanted = match.game.aid is not None and bool(match.options.get(AIDS.name))
    return wanted and match.state is not None and match.outcome is None


class Place(NamedTuple):
    """What a seat knows once so many moves stand, the last of them this one."""

    moves: int
    last: Made | None
    known: Any


class Deductions:
    """The deductions of the seats that looked last. One more look costs what was played since the one before.

    Each is made of what its own seat has seen, and kept for that seat alone. What an undo or a correction
    changed is worked out again, from a place before it.
    """

    def __init__(self) -> None:
        self._places: OrderedDict[tuple[str, str, Seat], tuple[Place, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._places)

    def aid(self, match: Match, seat: Seat) -> tuple[Possible, ...]:
        """A seat's deductions."""
        return at_once(self.look(match, seat))

    def look(self, match: Match, seat: Seat) -> Pieces[tuple[Possible, ...]]:
        """The same, interrupted after each move that this seat has seen since it looked last."""
        game_aid = match.game.aid
        if game_aid is None or match.state is None or not has_aid(match):
            return ()
        places = self.places(match, seat)
        moves, _, known = places[-1] if places else (0, None, None)
        if not places:
            dealt = next(replayed(match, 0)).before if match.made else match.state
            known = game_aid.begin(dealt.slice(seat))
            places = (Place(0, None, known),)
        for move in replayed(match, moves):
            known = game_aid.see(known, move.before.slice(seat), move.after.slice(seat))
            moves += 1
            if moves % APART == 0:
                places = (*_thinned(places, moves), Place(moves, move.made, known))
            yield
        if moves > places[-1].moves:
            places = (*places, Place(moves, match.made[-1], known))
        self._keep(match, seat, places)
        return game_aid.tell(known, match.state.slice(seat))

    def places(self, match: Match, seat: Seat) -> tuple[Place, ...]:
        """The places that are still true: up to there the same moves stand. A move that stands after others
        were taken back or corrected before it is another one."""
        with self._lock:
            places = self._places.get((match.code, match.seed, seat), ())
        return tuple(place for place in places if _stands(match, place))

    def _keep(self, match: Match, seat: Seat, places: tuple[Place, ...]) -> None:
        with self._lock:
            key = (match.code, match.seed, seat)
            self._places[key] = places
            self._places.move_to_end(key)
            if len(self._places) > SEATS:
                self._places.popitem(last=False)


def aid(match: Match, seat: Seat) -> tuple[Possible, ...]:
    """A seat's deductions, from the deal on."""
    return Deductions().aid(match, seat)


def _stands(match: Match, place: Place) -> bool:
    return place.last is None or (
        place.moves <= len(match.made) and match.made[place.moves - 1] is place.last
    )


def _thinned(places: tuple[Place, ...], moves: int) -> tuple[Place, ...]:
    """Few of these places: the farther back, the farther apart. To go back some moves takes at most four
    times as many again."""
    steps = moves // APART
    worth = {((steps >> i) - back << i) * APART for i in range(steps.bit_length()) for back in (0, 1)}
    return tuple(place for place in places if place.moves in worth or place.last is None)
