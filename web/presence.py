"""Presence: which seats gave a sign of life a moment ago, and for how long nobody has."""

import time
from collections.abc import Callable

from referee.moves import Seat

A_MOMENT = 60.0  # seconds for which a call tells that its phone is there: not every phone keeps a stream
LONG = 120.0  # seconds after which nobody is there to be asked


class Presence:
    """The last signs of life at one table. What it has not watched itself, it does not know."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._called: dict[Seat, float] = {}
        self._last = clock()

    def called(self, seat: Seat) -> None:
        """A call came with the token of this seat."""
        self._called[seat] = self._last = self._clock()

    def left(self, seat: Seat) -> None:
        """Its page was closed: whatever it asked before, it has gone now."""
        self.forget(seat)
        self._last = self._clock()

    def forget(self, seat: Seat) -> None:
        """What it called was in the name of a token that is no longer good."""
        self._called.pop(seat, None)

    def recent(self) -> set[Seat]:
        since = self._clock() - A_MOMENT
        return {seat for seat, at in self._called.copy().items() if at > since}

    def is_long_over(self) -> bool:
        """Whether nobody has called or closed a page for a long time."""
        return self._clock() - self._last >= LONG
