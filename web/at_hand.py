"""The tables at hand: each read from the store once, by whoever comes first; others are not held up by it."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from weakref import WeakValueDictionary

from web.table import LiveTable

GOING_ON, OVER = 256, 16  # tables kept at hand though nobody is looking; one that is over has some 80 kB


class AtHand:
    """Tables in memory, and those that are just being read."""

    def __init__(self, read: Callable[[str], LiveTable | None]) -> None:
        self._read = read
        self._live: WeakValueDictionary[str, LiveTable] = WeakValueDictionary()
        self._going_on: OrderedDict[str, LiveTable] = OrderedDict()
        self._over: OrderedDict[str, LiveTable] = OrderedDict()
        self._reading: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
        self._lock = threading.Lock()  # held for a moment only: a long journal takes a while to read

    def get(self, code: str) -> LiveTable | None:
        """The table, if it is in memory already."""
        return self._live.get(code)

    def table(self, code: str) -> LiveTable | None:
        """The table, read if need be."""
        return self.keep(code) or self._read_once(code)

    def keep(self, code: str, read: LiveTable | None = None) -> LiveTable | None:
        """The table in memory or the one that was read, which stays at hand for a while."""
        with self._lock:
            table = read or self._live.get(code)
            if table:
                self._live[code] = table
                self._let_go(code)
                recent, most = (self._over, OVER) if table.match.outcome else (self._going_on, GOING_ON)
                recent[code] = table
                if len(recent) > most:
                    recent.popitem(last=False)
            return table

    def settled(self, code: str) -> LiveTable | None:
        """The table if it is in memory, or about to be because somebody is reading it."""
        with self._one_reader(code):
            return self._live.get(code)

    def drop(self, code: str) -> LiveTable | None:
        """Let go of a table; what whoever reads it just now has found is gone too."""
        with self._one_reader(code), self._lock:
            self._let_go(code)
            return self._live.pop(code, None)

    def _read_once(self, code: str) -> LiveTable | None:
        with self._one_reader(code):
            return self.keep(code) or self.keep(code, self._read(code))

    def _one_reader(self, code: str) -> threading.Lock:
        with self._lock:
            return self._reading.setdefault(code, threading.Lock())

    def _let_go(self, code: str) -> None:
        self._going_on.pop(code, None)
        self._over.pop(code, None)
