"""Workers: threads that serve requests, and a bounded, fair queue for the requests that wait for one.

Each caller has a queue of its own and the queues take turns, so one caller's backlog delays only that caller.
A request beyond the bounds is refused, and one whose caller hung up is dropped before it starts.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from referee.game import Say
from web.refusals import Refusal

T = TypeVar("T")
Turn = asyncio.Future[None]
Watch = Callable[[], asyncio.Future[None]]  # the same future each time, done when the caller has hung up

EACH = 64  # requests of one caller that may wait
TOTAL = 1024  # requests of all callers that may wait: after a restart all phones come back at once
RETRY_AFTER = 2  # seconds


class HungUp(Exception):
    """The caller is gone: nobody waits for an answer."""


def busy(why: str = "refusal.busy.detail") -> Refusal:
    said = Say(why, {"n": RETRY_AFTER})
    return Refusal("busy", why=said, extra={"retry_after": RETRY_AFTER})


async def unless_gone(work: Future[T], watch: Watch) -> T:
    """What a work in another thread gives. Raises `HungUp` where the caller leaves before."""
    waiting = asyncio.wrap_future(work)
    await asyncio.wait((waiting, watch()), return_when=asyncio.FIRST_COMPLETED)
    if not waiting.done():
        waiting.cancel()
        raise HungUp
    return waiting.result()


class Quota:
    """How many requests may wait for something, of one caller and of all. Used in the event loop alone."""

    def __init__(self, exempt: Collection[str] = ()) -> None:
        self._exempt = frozenset(exempt)
        self._of: dict[str, int] = {}
        self._all = 0

    @contextmanager
    def hold(self, caller: str) -> Iterator[None]:
        """One more waits, unless there are too many already."""
        mine = self._of.get(caller, 0)
        if self._all >= TOTAL or (mine >= EACH and caller not in self._exempt):
            raise busy()
        self._of[caller], self._all = mine + 1, self._all + 1
        try:
            yield
        finally:
            self._all -= 1
            self._of[caller] -= 1
            if not self._of[caller]:
                del self._of[caller]


class Workers:
    """A pool of threads. Everything but the work itself runs in the event loop, so no lock is needed."""

    def __init__(self, name: str, threads: int, exempt: Collection[str] = ()) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._free = threads
        self._quota = Quota(exempt)
        self._queues: dict[str, deque[Turn]] = {}  # by caller, in the order in which they are served

    async def run(self, caller: str, watch: Watch, work: Callable[..., T], *args: Any) -> T:
        """Do this work in a thread. Raises a refusal if too much waits already, `HungUp` if the caller left
        while it waited."""
        if self._free:
            self._free -= 1
        else:
            with self._quota.hold(caller):
                await self._wait(caller, watch)
        try:
            return await self.at_once(work, *args)
        finally:
            self._next()

    async def at_once(self, work: Callable[..., T], *args: Any) -> T:
        """Do this work ahead of all that wait: for what must happen, such as closing a stream."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *args)

    async def _wait(self, caller: str, watch: Watch) -> None:
        """Wait for a thread; whoever returns from here has one."""
        turn: Turn = asyncio.get_running_loop().create_future()
        self._queues.setdefault(caller, deque()).append(turn)
        gone = watch()
        gone.add_done_callback(hung_up := lambda _: turn.cancel())
        try:
            await turn
        except asyncio.CancelledError:
            self._drop(caller, turn)
            raise HungUp from None
        finally:
            gone.remove_done_callback(hung_up)

    def _drop(self, caller: str, turn: Turn) -> None:
        queue = self._queues.get(caller)
        if queue and turn in queue:
            queue.remove(turn)
            if not queue:
                del self._queues[caller]

    def _next(self) -> None:
        """Give a thread that is free again to the next caller, who is then last in turn."""
        while self._queues:
            caller = next(iter(self._queues))
            queue = self._queues.pop(caller)
            turn = queue.popleft()
            if queue:
                self._queues[caller] = queue
            if not turn.done():  # done: its caller hung up a moment ago
                turn.set_result(None)
                return
        self._free += 1
