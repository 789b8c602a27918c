"""Wall-clock time. A Pi has no battery for its clock: it may be years behind until a phone sends the time."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from referee import RELEASED

LATEST = RELEASED + timedelta(days=30 * 365)  # later times from phones are wrong


def wall() -> datetime:
    return datetime.now(UTC)


class Clock:
    """Time for the dates that people read. It is not used for timeouts or ordering."""

    def __init__(self, read: Callable[[], datetime] = wall) -> None:
        self._read = read
        self._behind = timedelta(0)  # offset of our clock, from a phone's time
        self._lock = threading.Lock()

    def now(self) -> datetime:
        return self._read() + self._behind

    def is_sure(self) -> bool:
        return is_sure(self.now())

    def learn(self, phone_time: datetime) -> bool:
        """Take over a phone's time if ours is certainly wrong and the phone's is plausible."""
        with self._lock:
            if self.is_sure() or not RELEASED <= phone_time <= LATEST:
                return False
            self._behind = phone_time - self._read()
            return True


def is_sure(when: datetime) -> bool:
    """Whether a date is plausible: it is not before the release of this program."""
    return when >= RELEASED
