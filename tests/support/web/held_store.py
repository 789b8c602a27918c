"""A store whose writer waits until the test lets it go on."""

import threading
from typing import Any

import pytest

from tests.support.waiting import PATIENCE, eventually
from web.store import Store, statements
from web.store import engine as module


class Gate:
    """Holds the writer back, so that changes pile up behind it; counts the transactions."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.transactions: list[int] = []
        self._open = threading.Event()
        self._reached = threading.Event()
        self._transact = module._transact
        monkeypatch.setattr(module, "_transact", self._wait)

    def _wait(self, db: Any, groups: list[list[statements.Change]]) -> list[int]:
        self._reached.set()
        assert self._open.wait(PATIENCE)
        self.transactions.append(len(groups))
        return self._transact(db, groups)

    def reached(self) -> None:
        assert self._reached.wait(PATIENCE)

    def open(self) -> None:
        self._open.set()


def waiting(store: Store, count: int) -> None:
    """Wait until so many changes queue behind the writer."""
    eventually(lambda: store._waiting.qsize() >= count)
