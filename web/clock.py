"""Wall-clock time. A Pi has no battery for its clock: it may be years behind until phones send the time."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from referee import RELEASED

LATEST = RELEASED + timedelta(days=10 * 365)  # later times from phones are wrong
MOST_PHONES = 15  # callers whose time is kept; the one that has not called for longest is dropped
JUMP = timedelta(hours=1)  # a change of our time by more than this is a jump
DAY = 24 * 3600  # seconds after a jump for which nothing counts as old


def wall() -> datetime:
    return datetime.now(UTC)


class Clock:
    """Time for the dates that people read. It is not used for timeouts or ordering.

    While the machine's own clock is certainly wrong, phones are asked for theirs. Anybody may answer, so each
    caller has one vote, and the middle of all counts: later phones correct a wrong one.
    """

    def __init__(
        self, read: Callable[[], datetime] = wall, elapsed: Callable[[], float] = time.monotonic
    ) -> None:
        self._read, self._elapsed = read, elapsed
        self._told: OrderedDict[str, timedelta] = OrderedDict()  # by caller: offset of our clock
        self._behind = timedelta(0)  # the middle of these offsets
        self._jumped = None if self.is_right() else elapsed()  # when our time last jumped
        self._begun = self._beginning()  # the same then: many small steps are a jump too
        self._lock = threading.Lock()

    def now(self) -> datetime:
        own = self._read()
        return own if is_sure(own) else own + self._behind

    def is_right(self) -> bool:
        """Whether the machine's own clock can be right, so that no phone is asked."""
        return is_sure(self._read())

    def is_sure(self) -> bool:
        return is_sure(self.now())

    def is_settled(self) -> bool:
        """Whether dates may say that something is old: not within a day after a start with a wrong clock, or
        after our time jumped because of phones, or back to what the network says."""
        with self._lock:
            if self._told:
                self._note_jump()
            return self._jumped is None or self._elapsed() - self._jumped >= DAY

    def learn(self, phone_time: datetime, caller: str = "") -> bool:
        """Take a phone's time into account if our own is certainly wrong and the phone's is plausible."""
        with self._lock:
            if self.is_right() or not RELEASED <= phone_time <= LATEST:
                return False
            self._told[caller] = phone_time - self._read()
            self._told.move_to_end(caller)
            if len(self._told) > MOST_PHONES:
                self._told.popitem(last=False)
            self._behind = sorted(self._told.values())[(len(self._told) - 1) // 2]
            self._note_jump()
            return True

    def _note_jump(self) -> None:
        begun = self._beginning()
        if abs(begun - self._begun) > JUMP:
            self._jumped, self._begun = self._elapsed(), begun

    def _beginning(self) -> datetime:
        """What our time was, as it is now, when `elapsed` was zero."""
        return self.now() - timedelta(seconds=self._elapsed())


def is_sure(when: datetime) -> bool:
    """Whether a date is plausible: it is not before the release of this program."""
    return when >= RELEASED
