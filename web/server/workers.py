"""Bounded and fair queues for requests, and a thread pool.

Each caller has its own queue and the queues take turns, so one caller's backlog delays only that caller.
A request beyond the limits is refused. A request whose caller has disconnected is dropped before it starts.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from web.security.hosts import network_key, shares
from web.wire.errors import busy

T = TypeVar("T")
Turn = asyncio.Future[None]
Watch = Callable[[], asyncio.Future[None]]  # always the same future, done when the caller has disconnected

EACH = 64  # requests of one caller that may wait
TOTAL = 1024  # requests of all callers that may wait: after a restart all phones reconnect at once


class CallerGone(Exception):
    """The caller has disconnected; no response is needed."""


async def unless_gone(work: Future[T], watch: Watch) -> T:
    """Await work in another thread. Raises `CallerGone` if the caller disconnects first."""
    waiting = asyncio.wrap_future(work)
    await asyncio.wait((waiting, watch()), return_when=asyncio.FIRST_COMPLETED)
    if not waiting.done():
        waiting.cancel()
        raise CallerGone
    return waiting.result()


class Quota:
    """Limits how many requests may wait for something, per caller, per IPv6 network and in total. Used only
    in the event loop."""

    def __init__(self, exempt: Collection[str] = ()) -> None:
        self._exempt = frozenset(exempt)
        self._of: dict[str, int] = {}
        self._all = 0

    @contextmanager
    def hold(self, caller: str) -> Iterator[None]:
        """Count one waiting request of this address, or refuse it if there are too many."""
        counted = shares(caller)
        is_full = any(self._of.get(who, 0) >= times * EACH for who, times in counted)
        if self._all >= TOTAL or (is_full and caller not in self._exempt):
            raise busy()
        self._all += 1
        for who, _ in counted:
            self._of[who] = self._of.get(who, 0) + 1
        try:
            yield
        finally:
            self._all -= 1
            for who, _ in counted:
                self._of[who] -= 1
                if not self._of[who]:
                    del self._of[who]


class FairQueue:
    """Requests that wait for their turn. Each caller has a queue, and the queues take turns; so do IPv6
    networks, and the callers within each. Used only in the event loop."""

    def __init__(self, exempt: Collection[str] = ()) -> None:
        self._quota = Quota(exempt)
        # By network and caller. The first network is served next, and of it the first caller.
        self._queues: dict[str, dict[str, deque[Turn]]] = {}

    def has(self, caller: str) -> bool:
        """Whether a request of this caller waits."""
        return caller in self._queues.get(network_key(caller), ())

    async def wait(self, caller: str, watch: Watch | None) -> None:
        """Wait for the caller's turn. Raises `ApiError` if too many requests wait already, `CallerGone` if
        the caller disconnects while it waits, which is noticed only with a `watch`."""
        with self._quota.hold(caller):
            turn: Turn = asyncio.get_running_loop().create_future()
            self._queues.setdefault(network_key(caller), {}).setdefault(caller, deque()).append(turn)
            gone = watch() if watch else None
            if gone:
                gone.add_done_callback(cancel := lambda _: turn.cancel())
            try:
                await turn
            except asyncio.CancelledError:
                self._drop(caller, turn)
                raise CallerGone from None
            finally:
                if gone:
                    gone.remove_done_callback(cancel)

    def wake_next(self) -> bool:
        """Wake the next request, and move its caller and network to the end of the order. False if none
        waits."""
        while self._queues:
            network = next(iter(self._queues))
            queues = self._queues.pop(network)
            caller = next(iter(queues))
            queue = queues.pop(caller)
            turn = queue.popleft()
            if queue:
                queues[caller] = queue
            if queues:
                self._queues[network] = queues
            if not turn.done():  # done: its caller has just disconnected
                turn.set_result(None)
                return True
        return False

    def _drop(self, caller: str, turn: Turn) -> None:
        queues = self._queues.get(network := network_key(caller), {})
        queue = queues.get(caller)
        if queue and turn in queue:
            queue.remove(turn)
            if not queue:
                del queues[caller]
            if not queues:
                del self._queues[network]


class LoopTurns:
    """Turns of requests that are answered in the event loop: of many that come at once, one begins in each
    turn of the loop. So a caller who sends thousands delays others by one or two.

    Nobody watches whether the caller of a single request disconnects, since its turn comes at once.
    """

    def __init__(self, exempt: Collection[str] = ()) -> None:
        self._exempt = frozenset(exempt)
        self._queue = FairQueue(exempt)
        self._is_taken = False  # a request has begun in this turn of the loop, or one waits

    async def wait(self, caller: str, watch: Watch) -> None:
        """Wait for the caller's turn, if another request has begun just now."""
        if self._is_taken:
            is_single = caller in self._exempt or not self._queue.has(caller)
            return await self._queue.wait(caller, None if is_single else watch)
        self._is_taken = True
        asyncio.get_running_loop().call_soon(self._next)
        return None

    def _next(self) -> None:
        self._is_taken = self._queue.wake_next()
        if self._is_taken:
            asyncio.get_running_loop().call_soon(self._next)


class Workers:
    """A thread pool. Only the work runs in threads; the queue is used only in the event loop and needs no
    lock."""

    def __init__(self, name: str, threads: int, exempt: Collection[str] = ()) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._free = threads
        self._queue = FairQueue(exempt)

    async def run(self, caller: str, watch: Watch, work: Callable[..., T], *args: Any) -> T:
        """Run this work in a thread. Raises `ApiError` if too many requests wait already, `CallerGone` if the
        caller disconnects while it waits."""
        if self._free:
            self._free -= 1
        else:
            await self._queue.wait(caller, watch)  # when it returns, a thread is reserved for the caller
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work, *args)
        finally:
            if not self._queue.wake_next():
                self._free += 1
