"""The inbox of a device: a bounded queue in which the oldest gives way, and its sense of time."""

import time
from collections import deque
from threading import Condition
from typing import Generic, TypeVar

T = TypeVar("T")


class Inbox(Generic[T]):
    """What a device has still to do. Whoever puts something in never waits."""

    def __init__(self, room: int) -> None:
        self._items: deque[T] = deque(maxlen=room)
        self._changed = Condition()
        self._closed = False

    def now(self) -> float:
        return time.monotonic()

    def put(self, item: T) -> None:
        with self._changed:
            self._items.append(item)
            self._changed.notify_all()

    def get(self, seconds: float | None) -> T | None:
        """The oldest item; None when time is up or the inbox is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._items or self._closed, seconds)
            return self._items.popleft() if self._items and not self._closed else None

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
