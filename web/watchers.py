"""Watchers: the live streams of phones, screens and desks, each with its own short queue.

Everything is pushed in the event loop. What tables tell is pushed while the table's lock is held, so each
watcher hears of a table's entries in their order. Threads hand over what they have with `from_thread`, in the
order of their calls.
"""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

PAGE_QUEUE = 4  # events a slow page may be behind before it is sent the newest state instead
QUEUE = 64  # events a slow phone may be behind before its stream is closed; it then reopens by itself


def event(kind: str, data: str | bytes, id_: int | None = None) -> bytes:
    """One server-sent event."""
    number = f"id: {id_}\n" if id_ is not None else ""
    told = data if isinstance(data, bytes) else data.encode()
    return b"event: %b\n%bdata: %b\n\n" % (kind.encode(), number.encode(), told)


@dataclass(eq=False)
class Watcher:
    """One open stream: what it may see, and the events that wait for it. Filled in the loop."""

    seat: str | None
    language: str
    loop: asyncio.AbstractEventLoop
    held: frozenset[str] = frozenset()  # the seats of its phone: their people are there, whoever looks now
    wants_seats: bool = False  # a screen that is also told who is connected
    wants_beats: bool = False  # a page, whose script cannot hear a comment
    trusted: bool = False  # a desk that showed its key
    is_screen: bool = False  # the desk's own screen, which shows the codes of free seats
    address: str = ""  # where it comes from
    holder: tuple[str, str] | None = None  # the table and seat it shows, or the desk that it is
    audience: Any = None  # of an open page: who sees what it shows; see `web.live`
    curtain: str = ""  # of an open page on a shared phone: for whom its curtain was opened
    catch_up: Callable[[], bytes] | None = None  # makes one event of all that it missed
    stopped: bool = False
    last: float = 0.0  # when there was something for it, by the clock of the loop
    _is_behind: bool = False
    _waiting: list[bytes] = field(default_factory=list)  # few at most: a deque weighs more than all of this
    _bell: asyncio.Future[None] | None = None  # rung when there is something for whoever waits

    @property
    def seats(self) -> frozenset[str]:
        """The seats whose people it tells of: the one that it shows, and all that its phone holds."""
        return self.held | {self.seat} if self.seat else self.held

    def push(self, what: bytes) -> None:
        """Queue an event; called in the loop."""
        self.last = self.loop.time()
        if self.stopped:
            return
        if len(self._waiting) >= (PAGE_QUEUE if self.catch_up else QUEUE):
            self._fall_behind()
        elif not self._is_behind:
            self._waiting.append(what)
        self._ring()

    def _fall_behind(self) -> None:
        """A page gets the newest state once it takes something again; any other stream reopens by itself."""
        if self.catch_up:
            self._waiting.clear()
            self._is_behind = True
        else:
            self.stop()

    def stop(self) -> None:
        """End the stream after what is being sent; called in the loop."""
        self.stopped = True
        self._waiting.clear()
        self._ring()

    def end_with(self, what: bytes) -> None:
        """Send this in place of all that waits, and end the stream; called in the loop."""
        if not self.stopped:
            self.stopped, self._waiting = True, [what]
            self._ring()

    async def next(self) -> bytes | None:
        """The next event, once there is one; none at the end."""
        while not self._waiting and not self.stopped and not self._is_behind:
            self._bell = self.loop.create_future()
            await self._bell
        if self._is_behind and self.catch_up and not self.stopped:
            self._is_behind = False
            return self.catch_up()
        return self._waiting.pop(0) if self._waiting else None

    def _ring(self) -> None:
        if self._bell and not self._bell.done():
            self._bell.set_result(None)


def from_thread(watchers: Iterable[Watcher], what: bytes) -> None:
    """Push an event from any thread; nothing to do once the loop has closed."""
    with suppress(RuntimeError):
        for watcher in watchers:
            watcher.loop.call_soon_threadsafe(watcher.push, what)
