"""Presence at one table: which seats called recently, and how long ago the last call was."""

import time
from collections.abc import Callable

from referee.core.moves import Seat

RECENT = 60.0  # seconds for which a seat counts as present after a call: not every client has a stream
IDLE = 120.0  # seconds without any call after which a table is deserted
AWAY = 30.0  # seconds after the last call, or the end of the last page, before a return ticket is accepted


class Presence:
    """The last calls at one table since it was loaded."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last_calls: dict[Seat, float] = {}
        self._pages_closed: dict[Seat, float] = {}
        self._loaded = self._last_activity = clock()

    def note_call(self, seat: Seat) -> None:
        """A call came with the token of this seat."""
        self._last_calls[seat] = self._last_activity = self._clock()

    def note_page_closed(self, seat: Seat) -> None:
        """The page of this seat was closed: earlier calls no longer count."""
        self.forget(seat)
        self._pages_closed[seat] = self._last_activity = self._clock()

    def forget(self, seat: Seat) -> None:
        """Forget the calls of this seat, for example because its token is no longer valid."""
        self._last_calls.pop(seat, None)

    def recent(self) -> set[Seat]:
        """The seats that called recently."""
        return set(self._seconds_left())

    def is_away(self, who: Seat) -> bool:
        """Whether neither a call came from this seat (or the host) nor a page of it was open for a while.
        After a restart nobody counts as away at once: open pages need a moment to connect again."""
        last = max(self._last_calls.get(who, 0.0), self._pages_closed.get(who, 0.0), self._loaded)
        return self._clock() - last >= AWAY

    def next_expiry(self) -> float | None:
        """Seconds until a recent call no longer counts; None if there is none."""
        return min(self._seconds_left().values(), default=None)

    def _seconds_left(self) -> dict[Seat, float]:
        now = self._clock()
        left = {seat: at + RECENT - now for seat, at in self._last_calls.copy().items()}
        return {seat: seconds for seat, seconds in left.items() if seconds > 0}

    def is_idle(self) -> bool:
        """Whether nobody has called or closed a page for a long time."""
        return self._clock() - self._last_activity >= IDLE
