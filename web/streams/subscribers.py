"""Subscribers: the open streams of phones, screens and desks, each with a short queue of events.

Events are pushed in the event loop. Changes of a table are pushed while the table's lock is held, so each
subscriber gets the table's entries in order. Threads push with `from_thread`, in the order of their calls.
"""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from web.streams.compression import EventCompressor

PAGE_QUEUE = 4  # events that may wait for a slow page before it gets the newest state instead
QUEUE = 64  # events that may wait for any other slow stream before it is closed; clients reopen it


def event(kind: str, data: str | bytes, id_: int | None = None) -> bytes:
    """Encode one server-sent event."""
    number = f"id: {id_}\n" if id_ is not None else ""
    payload = data if isinstance(data, bytes) else data.encode()
    return b"event: %b\n%bdata: %b\n\n" % (kind.encode(), number.encode(), payload)


@dataclass(eq=False, slots=True)
class Subscriber:
    """One open stream: what it may see, and its queue of events. Used only in the loop."""

    seat: str | None
    language: str
    loop: asyncio.AbstractEventLoop
    held: frozenset[str] = frozenset()  # all seats of its phone: they count as connected
    is_host: bool = False  # a page of the host's device
    wants_seats: bool = False  # also send who is connected
    wants_beats: bool = False  # send heartbeats as events: the script of a page cannot see SSE comments
    trusted: bool = False  # a desk that sent its key
    is_screen: bool = False  # the desk's own screen, which shows the keys of free seats
    address: str = ""  # IP address of the client
    holder: tuple[str, str] | None = (
        None  # owner for the stream limit: table and seat, or "desk" and its name
    )
    audience: Any = None  # of an open page: its audience, see `web.pages.live_pages`
    curtain: str = ""  # of an open page on a shared phone: the seat whose curtain is open
    compressor: EventCompressor | None = None  # None: events are sent as they are
    catch_up: Callable[[], bytes] | None = None  # makes one event that replaces all missed ones
    stopped: bool = False
    last: float = 0.0  # time of the last event, by the clock of the loop
    _is_behind: bool = False
    _queue: list[bytes] = field(default_factory=list)  # short: a deque would need more memory
    _wakeup: asyncio.Future[None] | None = None  # wakes `next`

    @property
    def seats(self) -> frozenset[str]:
        """The seats that count as connected through this stream."""
        return self.held | {self.seat} if self.seat else self.held

    def push(self, what: bytes) -> None:
        """Queue an event. Called in the loop."""
        self.last = self.loop.time()
        if self.stopped:
            return
        if len(self._queue) >= (PAGE_QUEUE if self.catch_up else QUEUE):
            self._fall_behind()
        elif not self._is_behind:
            self._queue.append(what)
        self._wake()

    def _fall_behind(self) -> None:
        """The queue is full: a page later gets the newest state in one event; any other stream is closed."""
        if self.catch_up:
            self._queue.clear()
            self._is_behind = True
        else:
            self.stop()

    def stop(self) -> None:
        """End the stream after the event that is being sent. Called in the loop."""
        self.stopped = True
        self._queue.clear()
        self._wake()

    def end_with(self, what: bytes) -> None:
        """Replace the queue by this event, and end the stream after it. Called in the loop."""
        if not self.stopped:
            self.stopped, self._queue = True, [what]
            self._wake()

    async def next(self) -> bytes | None:
        """Wait for the next event; None at the end of the stream."""
        while not self._queue and not self.stopped and not self._is_behind:
            self._wakeup = self.loop.create_future()
            await self._wakeup
        if self._is_behind and self.catch_up and not self.stopped:
            self._is_behind = False
            return self.catch_up()
        return self._queue.pop(0) if self._queue else None

    def _wake(self) -> None:
        if self._wakeup and not self._wakeup.done():
            self._wakeup.set_result(None)


def from_thread(subscribers: Iterable[Subscriber], what: bytes) -> None:
    """Push an event from any thread. Does nothing if the loop is closed."""
    with suppress(RuntimeError):
        for subscriber in subscribers:
            subscriber.loop.call_soon_threadsafe(subscriber.push, what)
