"""News that wait until the table screen shows them: each is played in its time, in order."""

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from hardware.devices.worker import QueueWorker

CAPACITY = 64  # waiting news; one more, and all are played at once
LONGEST = 60.0  # seconds that news waits at most, whatever the server says

News = Mapping[str, Any]


class WaitingNews(QueueWorker):
    """Plays each piece of news when it has waited as long as it says, in a thread of its own.

    News without a wait is played at once by the thread that brings it, if nothing waits before it. So what
    that thread does next, such as muting the desk, comes after it.
    """

    def __init__(self, play: Callable[[News], None], clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__("news")
        self._play, self._clock = play, clock
        self._waiting: deque[tuple[float, News]] = deque()
        self._order = threading.Lock()  # held from taking a piece of news until it was played
        self._worker.start()

    def put(self, news: News) -> None:
        wait = min(float(news.get("wait", 0.0)), LONGEST)
        with self._order:
            if wait <= 0 and not self._waiting:
                self._play(news)
                return
        due = self._clock() + wait
        with self._changed:
            if len(self._waiting) >= CAPACITY:
                self._hurry()
            self._waiting.append((due, news))
            self._changed.notify_all()

    def hurry(self) -> None:
        """Play all that waits at once: something else has happened, which ends the scene on the screen."""
        with self._changed:
            self._hurry()
            self._changed.notify_all()

    def _hurry(self) -> None:
        self._waiting = deque((0.0, news) for _, news in self._waiting)

    def _work(self) -> None:
        while not self._closed:
            with self._order:
                if (news := self._due()) is not None:
                    self._play(news)
            if news is None:
                self._pause()

    def _left(self) -> float | None:
        """Seconds until the next piece of news is due; None if nothing waits."""
        return self._waiting[0][0] - self._clock() if self._waiting else None

    def _due(self) -> News | None:
        """Take the next piece of news, if it is due."""
        with self._changed:
            left = self._left()
            return self._waiting.popleft()[1] if left is not None and left <= 0 else None

    def _pause(self) -> None:
        """Wait until the next piece of news is due, or something changes."""
        with self._changed:
            left = self._left()
            if not self._closed and (left is None or left > 0):
                self._changed.wait(left)
