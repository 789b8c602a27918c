"""Presence at one table: which seats called recently, and how long ago the last call was."""

import time
from collections.abc import Callable

from referee.core.moves import Seat

A_MOMENT = 60.0  # seconds for which a seat counts as present after a call: not every client has a stream
LONG = 120.0  # seconds without any call after which a table is deserted
AWAY = 30.0  # seconds after the last call, or the end of the last page, before a return ticket is accepted


class Presence:
    """The last calls at one table since it was loaded."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._called: dict[Seat, float] = {}
        self._left: dict[Seat, float] = {}
        self._loaded = self._last = clock()

    def called(self, seat: Seat) -> None:
        """A call came with the token of this seat."""
        self._called[seat] = self._last = self._clock()

    def left(self, seat: Seat) -> None:
        """The page of this seat was closed: earlier calls no longer count."""
        self.forget(seat)
        self._left[seat] = self._last = self._clock()

    def forget(self, seat: Seat) -> None:
        """Forget the calls of this seat, for example because its token is no longer valid."""
        self._called.pop(seat, None)

    def recent(self) -> set[Seat]:
        since = self._clock() - A_MOMENT
        return {seat for seat, at in self._called.copy().items() if at > since}

    def is_away(self, who: Seat) -> bool:
        """Whether neither a call came from this seat (or the host) nor a page of it was open for a while.
        After a restart nobody counts as away at once: open pages need a moment to connect again."""
        last = max(self._called.get(who, 0.0), self._left.get(who, 0.0), self._loaded)
        return self._clock() - last >= AWAY

    def is_long_over(self) -> bool:
        """Whether nobody has called or closed a page for a long time."""
        return self._clock() - self._last >= LONG
