"""A worker: a thread of its own that does what comes into its inbox, until it is closed."""

from abc import ABC, abstractmethod
from threading import Thread
from typing import Generic, TypeVar

from hardware.inbox import Inbox

T = TypeVar("T")

FAREWELL = 0.3  # seconds to end in: whoever closes a desk does not wait for one of its parts


class Worker(ABC, Generic[T]):
    """What lamps, buzzer, buttons, voice and errands have in common; each starts it when it is ready."""

    def __init__(self, name: str, inbox: Inbox[T]) -> None:
        self._inbox = inbox
        self._worker = Thread(target=self._work, name=name, daemon=True)

    @property
    def is_alive(self) -> bool:
        return self._worker.is_alive()

    def close(self) -> None:
        self._inbox.close()
        self._worker.join(FAREWELL)

    @abstractmethod
    def _work(self) -> None:
        """Work until the inbox is closed."""
