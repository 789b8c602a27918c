"""The tables at hand: each read from the store once, by whoever comes first; others are not held up by it."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from weakref import WeakValueDictionary

from web.table import LiveTable

CACHED = 64  # tables kept at hand though nobody is looking: some 80 kB each once they are over


class AtHand:
    """Tables in memory, and those that are just being read."""

    def __init__(self, read: Callable[[str], LiveTable | None]) -> None:
        self._read = read
        self._live: WeakValueDictionary[str, LiveTable] = WeakValueDictionary()
        self._recent: OrderedDict[str, LiveTable] = OrderedDict()
        self._reading: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
        self._lock = threading.Lock()  # held for a moment only: a long journal takes a while to read

    def get(self, code: str) -> LiveTable | None:
        """The table, if it is in memory already."""
        return self._live.get(code)

    def table(self, code: str) -> LiveTable | None:
        """The table, read if need be."""
        return self._kept(code) or self._read_once(code)

    def settled(self, code: str) -> LiveTable | None:
        """The table if it is in memory, or about to be because somebody is reading it."""
        with self._one_reader(code):
            return self._live.get(code)

    def drop(self, code: str) -> LiveTable | None:
        """Let go of a table; what whoever reads it just now has found is gone too."""
        with self._one_reader(code), self._lock:
            self._recent.pop(code, None)
            return self._live.pop(code, None)

    def _read_once(self, code: str) -> LiveTable | None:
        with self._one_reader(code):
            return self._kept(code) or self._kept(code, self._read(code))

    def _one_reader(self, code: str) -> threading.Lock:
        with self._lock:
            return self._reading.setdefault(code, threading.Lock())

    def _kept(self, code: str, read: LiveTable | None = None) -> LiveTable | None:
        """The table in memory or the one that was read, which stays at hand for a while."""
        with self._lock:
            table = read or self._live.get(code)
            if table:
                self._live[code] = self._recent[code] = table
                self._recent.move_to_end(code)
                if len(self._recent) > CACHED:
                    self._recent.popitem(last=False)
            return table
