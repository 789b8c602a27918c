"""Base classes for what runs in a worker thread: with an inbox, or with a queue of its own."""

from abc import ABC, abstractmethod
from threading import Condition, Thread
from typing import Generic, TypeVar

from hardware.devices.inbox import Inbox

T = TypeVar("T")

CLOSE_TIMEOUT = 0.3  # seconds to wait for the thread on closing, so that nothing delays the shutdown


class WorkerThread(ABC):
    """A thread. Subclasses start it once they are initialised."""

    def __init__(self, name: str) -> None:
        self._worker = Thread(target=self._work, name=name, daemon=True)

    @property
    def is_alive(self) -> bool:
        return self._worker.is_alive()

    def close(self) -> None:
        """Tell the thread to end, and wait at most `CLOSE_TIMEOUT`."""
        self._end()
        self._worker.join(CLOSE_TIMEOUT)

    @abstractmethod
    def _work(self) -> None:
        """The thread's work, until it is told to end."""

    @abstractmethod
    def _end(self) -> None: ...


class Worker(WorkerThread, Generic[T]):
    """A thread that processes an inbox until it is closed."""

    def __init__(self, name: str, inbox: Inbox[T]) -> None:
        super().__init__(name)
        self._inbox = inbox

    def _end(self) -> None:
        self._inbox.close()


class QueueWorker(WorkerThread):
    """A thread that waits for `_changed`, which guards a queue of the subclass."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._changed = Condition()
        self._closed = False

    def _end(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
