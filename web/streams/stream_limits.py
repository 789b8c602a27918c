"""Limits the open streams of each seat, desk or address: beyond the limit, the oldest stream is closed."""

from collections.abc import Callable, Collection, Hashable, Iterator

from web.security.hosts import shares
from web.streams.subscribers import Subscriber

Leave = Callable[[Subscriber], None]

PER_HOLDER = 8  # streams of one seat or desk: a phone, its tabs, and dead connections not yet noticed


class OpenStreams:
    """All open streams, by owner. Used only in the event loop."""

    def __init__(self, of_address: int, exempt: Collection[str]) -> None:
        self._of_address = of_address
        self._exempt = frozenset(exempt)
        self._open: dict[Subscriber, Leave] = {}
        self._by_owner: dict[Hashable, dict[Subscriber, None]] = {}

    def add(self, subscriber: Subscriber, leave: Leave) -> None:
        """Add a stream and close the oldest beyond the limit. A browser that reconnects is never refused
        because of its dead connections. `leave` unsubscribes the stream, at once when it is closed: however
        many come at a time, no more than the limit are subscribed."""
        self._open[subscriber] = leave
        for owner, most in self._owners(subscriber):
            held = self._by_owner.setdefault(owner, {})
            held[subscriber] = None
            if len(held) > most:
                oldest = next(iter(held))
                oldest.stop()
                self.remove(oldest)

    def remove(self, subscriber: Subscriber) -> None:
        """Remove a stream and unsubscribe it, unless that was done."""
        leave = self._open.pop(subscriber, None)
        if leave is None:
            return
        for owner, _ in self._owners(subscriber):
            held = self._by_owner[owner]
            held.pop(subscriber, None)
            if not held:
                del self._by_owner[owner]
        leave(subscriber)

    def stop(self) -> None:
        """End all streams."""
        for subscriber in self._open:
            subscriber.stop()

    def _owners(self, subscriber: Subscriber) -> Iterator[tuple[Hashable, int]]:
        """The owners that a stream counts for, and the limit of each. A stream with a token or key counts for
        its seat or desk, so strangers at the same address cannot use up that limit."""
        if subscriber.holder:
            yield subscriber.holder, PER_HOLDER
        elif subscriber.address not in self._exempt:
            for who, times in shares(subscriber.address):
                yield who, times * self._of_address
