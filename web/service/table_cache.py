"""The cache of tables in memory. A missing table is loaded once, as background work, for all waiters."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from functools import partial
from weakref import WeakValueDictionary

from referee.core.sliced_work import SlicedWork
from web.service.background import BackgroundWork
from web.service.bounded_cache import BoundedCache
from web.service.live_table import LiveTable

RUNNING, FINISHED = 256, 16  # tables in memory even without subscribers; a finished one takes some 80 kB
ENTRIES = 80_000  # entries in all running tables, and in all finished ones; an entry takes 1 or 2 kB


class TableCache:
    """Tables in memory, and tables being loaded. A table with subscribers stays in memory in any case:
    `_live` has weak references to all tables that anything still uses. Thread-safe."""

    def __init__(
        self, background: BackgroundWork, read: Callable[[str], SlicedWork[LiveTable | None]]
    ) -> None:
        self._background, self._read = background, read
        self._live: WeakValueDictionary[str, LiveTable] = WeakValueDictionary()
        self.running: BoundedCache[LiveTable] = BoundedCache()
        self.finished: BoundedCache[LiveTable] = BoundedCache()
        self._lock = threading.Lock()  # never held while a journal is read

    def get(self, code: str) -> LiveTable | None:
        """The table, if it is in memory."""
        return self._live.get(code)

    def table(self, code: str) -> LiveTable | None:
        """The table, loaded if necessary. Blocks the calling thread."""
        return self.touch(code) or self.load(code).result()

    def load(self, code: str) -> Future[LiveTable | None]:
        """Load the table as background work."""
        return self._background.submit(("table", code), partial(self._read_once, code))

    def touch(self, code: str, read: LiveTable | None = None) -> LiveTable | None:
        """The table in memory, or the one that was just read; marks it as recently used."""
        with self._lock:
            table = read or self._live.get(code)
            if table:
                self._live[code] = table
                self._evict(code)
                recent, most = (self.finished, FINISHED) if table.match.outcome else (self.running, RUNNING)
                recent.put(code, table, table.match.entries, most, ENTRIES)
            return table

    def get_when_loaded(self, code: str) -> LiveTable | None:
        """The table if it is in memory, after waiting for a load in progress."""
        self._wait_for_load(code)
        return self._live.get(code)

    def drop(self, code: str) -> LiveTable | None:
        """Remove a table, after waiting for a load in progress."""
        self._wait_for_load(code)
        with self._lock:
            self._evict(code)
            return self._live.pop(code, None)

    def _read_once(self, code: str) -> SlicedWork[LiveTable | None]:
        """Load a table, unless another job has just done so."""
        return self.touch(code) or self.touch(code, (yield from self._read(code)))

    def _wait_for_load(self, code: str) -> None:
        if load := self._background.pending(("table", code)):
            wait([load])

    def _evict(self, code: str) -> None:
        self.running.drop(code)
        self.finished.drop(code)
