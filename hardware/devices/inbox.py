"""The queue of a device: bounded, drops the oldest item when full, and skips outdated items. Has a clock."""

import math
import time
from collections import deque
from threading import Condition
from typing import Generic, TypeVar

T = TypeVar("T")


def drop_late(items: deque[tuple[float, T]], now: float, late: float) -> None:
    """Drop items older than `late` seconds, as long as a newer one has arrived."""
    while len(items) > 1 and now - items[0][0] > late and items[1][0] <= now:
        items.popleft()


class Inbox(Generic[T]):
    """A thread-safe queue. `put` never blocks."""

    def __init__(self, capacity: int, late: float = math.inf) -> None:
        self._items: deque[tuple[float, T]] = deque(maxlen=capacity)
        self._late = late
        self._changed = Condition()
        self._closed = False

    def now(self) -> float:
        return time.monotonic()

    def put(self, item: T) -> None:
        with self._changed:
            self._items.append((self.now(), item))
            self._changed.notify_all()

    def get(self, seconds: float | None) -> T | None:
        """The oldest item that is not outdated; None on timeout or if the inbox is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._items or self._closed, seconds)
            drop_late(self._items, self.now(), self._late)
            return self._items.popleft()[1] if self._items and not self._closed else None

    def pause(self, seconds: float) -> None:
        """Sleep, but return at once when the inbox is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed, seconds)

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
