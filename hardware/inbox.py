"""The inbox of a device: a bounded queue in which the oldest gives way, and its sense of time."""

import math
import time
from collections import deque
from threading import Condition
from typing import Generic, TypeVar

T = TypeVar("T")


def leave_out(items: deque[tuple[float, T]], now: float, late: float) -> None:
    """Leave out what came too long ago, where something newer has come since."""
    while len(items) > 1 and now - items[0][0] > late and items[1][0] <= now:
        items.popleft()


class Inbox(Generic[T]):
    """What a device has still to do. Whoever puts something in never waits."""

    def __init__(self, room: int, late: float = math.inf) -> None:
        self._items: deque[tuple[float, T]] = deque(maxlen=room)
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
        """The oldest item that is not late; None when time is up or the inbox is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._items or self._closed, seconds)
            leave_out(self._items, self.now(), self._late)
            return self._items.popleft()[1] if self._items and not self._closed else None

    def pause(self, seconds: float) -> None:
        """Let time pass, but not after closing."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed, seconds)

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
