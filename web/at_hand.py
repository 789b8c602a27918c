"""The tables at hand: each read once, aside, for all who wait for it; others are not held up."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from functools import partial
from weakref import WeakValueDictionary

from referee.pieces import Pieces
from web.aside import Aside
from web.recent import Recent
from web.table import LiveTable

GOING_ON, OVER = 256, 16  # tables kept at hand though nobody is looking; one that is over has some 80 kB
ENTRIES = 80_000  # of all that go on, and of all that are over: each takes 1 or 2 kB


class AtHand:
    """Tables in memory, and those that are just being read."""

    def __init__(self, aside: Aside, read: Callable[[str], Pieces[LiveTable | None]]) -> None:
        self._aside, self._read = aside, read
        self._live: WeakValueDictionary[str, LiveTable] = WeakValueDictionary()
        self.going_on: Recent[LiveTable] = Recent()
        self.over: Recent[LiveTable] = Recent()
        self._lock = threading.Lock()  # held for a moment only: a long journal takes a while to read

    def get(self, code: str) -> LiveTable | None:
        """The table, if it is in memory already."""
        return self._live.get(code)

    def table(self, code: str) -> LiveTable | None:
        """The table, read if need be; a thread that calls this waits for it."""
        return self.keep(code) or self.reading(code).result()

    def reading(self, code: str) -> Future[LiveTable | None]:
        """The table once it is read."""
        return self._aside.do(("table", code), partial(self._read_once, code))

    def keep(self, code: str, read: LiveTable | None = None) -> LiveTable | None:
        """The table in memory or the one that was read, which stays at hand for a while."""
        with self._lock:
            table = read or self._live.get(code)
            if table:
                self._live[code] = table
                self._let_go(code)
                recent, most = (self.over, OVER) if table.match.outcome else (self.going_on, GOING_ON)
                recent.put(code, table, table.match.entries, most, ENTRIES)
            return table

    def settled(self, code: str) -> LiveTable | None:
        """The table if it is in memory, or about to be because it is being read."""
        self._wait_for_reading(code)
        return self._live.get(code)

    def drop(self, code: str) -> LiveTable | None:
        """Let go of a table; what is found of it by a reading that is under way is gone too."""
        self._wait_for_reading(code)
        with self._lock:
            self._let_go(code)
            return self._live.pop(code, None)

    def _read_once(self, code: str) -> Pieces[LiveTable | None]:
        """Somebody may have read it a moment ago."""
        return self.keep(code) or self.keep(code, (yield from self._read(code)))

    def _wait_for_reading(self, code: str) -> None:
        if reading := self._aside.under_way(("table", code)):
            wait([reading])

    def _let_go(self, code: str) -> None:
        self.going_on.drop(code)
        self.over.drop(code)
