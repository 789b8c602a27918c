"""The base class of devices with a worker thread, which processes an inbox until it is closed."""

from abc import ABC, abstractmethod
from threading import Thread
from typing import Generic, TypeVar

from hardware.devices.inbox import Inbox

T = TypeVar("T")

CLOSE_TIMEOUT = 0.3  # seconds to wait for the thread on closing, so that no device delays the shutdown


class Worker(ABC, Generic[T]):
    """An inbox and a thread. Subclasses start the thread once they are initialised."""

    def __init__(self, name: str, inbox: Inbox[T]) -> None:
        self._inbox = inbox
        self._worker = Thread(target=self._work, name=name, daemon=True)

    @property
    def is_alive(self) -> bool:
        return self._worker.is_alive()

    def close(self) -> None:
        self._inbox.close()
        self._worker.join(CLOSE_TIMEOUT)

    @abstractmethod
    def _work(self) -> None:
        """Process the inbox until it is closed."""
