"""The clock on the wall: a Pi has none of its own, so it may be years behind until a phone tells the time."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from referee import RELEASED

WORN_OUT = RELEASED + timedelta(days=30 * 365)  # no phone's clock that is right shows a later one


def wall() -> datetime:
    return datetime.now(UTC)


class Clock:
    """The time for the dates people read; nothing waits or is ordered by it."""

    def __init__(self, look: Callable[[], datetime] = wall) -> None:
        self._look = look
        self._behind = timedelta(0)  # how much our own clock is, as a phone told
        self._lock = threading.Lock()

    def now(self) -> datetime:
        return self._look() + self._behind

    def is_sure(self) -> bool:
        return is_sure(self.now())

    def learn(self, told: datetime) -> bool:
        """Take the time from a phone, if ours cannot be right and its can."""
        with self._lock:
            if self.is_sure() or not RELEASED <= told <= WORN_OUT:
                return False
            self._behind = told - self._look()
            return True


def is_sure(when: datetime) -> bool:
    """Whether a date can be right: one from before this referee was made is not."""
    return when >= RELEASED
