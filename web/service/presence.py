"""Presence at one table: which seats called recently, and how long ago the last call was."""

import time
from collections.abc import Callable

from referee.core.moves import Seat

RECENT = 60.0  # seconds for which a seat counts as present after a call: not every client has a stream
IDLE = 120.0  # seconds without any call after which a table is deserted
RESTING = 600.0  # the same after which the result of a finished game leaves the desk's own screen
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
        since = self._clock() - RECENT
        return {seat for seat, at in self._last_calls.copy().items() if at > since}

    def was_here(self, who: Seat) -> bool:
        """Whether a call came from this seat (or the host), or a page of it was open, a moment ago."""
        last = max(self._last_calls.get(who, -AWAY), self._pages_closed.get(who, -AWAY))
        return self._clock() - last < AWAY

    def is_new(self) -> bool:
        """Whether the table was loaded a moment ago. After a restart open pages need a moment to connect
        again."""
        return self._clock() - self._loaded < AWAY

    def next_expiry(self) -> float | None:
        """Seconds until a recent call no longer counts; None if there is none."""
        return min(self._seconds_left().values(), default=None)

    def _seconds_left(self) -> dict[Seat, float]:
        now = self._clock()
        left = {seat: at + RECENT - now for seat, at in self._last_calls.copy().items()}
        return {seat: seconds for seat, seconds in left.items() if seconds > 0}

    def is_idle(self, seconds: float = IDLE) -> bool:
        """Whether nobody has called or closed a page for so long."""
        return self._clock() - self._last_activity >= seconds
