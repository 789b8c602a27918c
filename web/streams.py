"""The open streams: whoever opens more than their share loses the oldest, never the newest."""

from collections.abc import Collection, Hashable, Iterator

from web.door import neighbourhood
from web.watchers import Watcher

OF_ONE = 8  # streams of one seat or one desk: a phone, its tabs, and those that it lost without a word


class Streams:
    """Every open stream by whose it is. Used in the loop alone."""

    def __init__(self, of_address: int, exempt: Collection[str]) -> None:
        self._of_address = of_address
        self._exempt = frozenset(exempt)
        self._open: dict[Watcher, None] = {}
        self._shares: dict[Hashable, dict[Watcher, None]] = {}

    def add(self, watcher: Watcher) -> None:
        """Let one more in. A browser that comes back is never kept out by what it left behind."""
        self._open[watcher] = None
        for share, most in self._of(watcher):
            held = self._shares.setdefault(share, {})
            held[watcher] = None
            if len(held) > most:
                oldest = next(iter(held))
                self.discard(oldest)
                oldest.stop()

    def discard(self, watcher: Watcher) -> None:
        if watcher not in self._open:
            return
        del self._open[watcher]
        for share, _ in self._of(watcher):
            held = self._shares[share]
            held.pop(watcher, None)
            if not held:
                del self._shares[share]

    def stop(self) -> None:
        """End them all."""
        for watcher in self._open:
            watcher.stop()

    def _of(self, watcher: Watcher) -> Iterator[tuple[Hashable, int]]:
        """The share that a stream is part of, and how many it may have: whoever showed a token or a key has
        one of their own, which no stranger at the same address can use up."""
        if watcher.holder:
            yield watcher.holder, OF_ONE
        elif watcher.address not in self._exempt:
            yield neighbourhood(watcher.address), self._of_address
