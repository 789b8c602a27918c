"""Event loops in threads of their own: the test's thread may already run the loop of a browser."""

import asyncio
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar


async def let_others_run() -> None:
    """Give other tasks of the loop a few turns."""
    for _ in range(5):
        await asyncio.sleep(0)


T = TypeVar("T")


def run_in_loop(story: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a loop of its own, in another thread. Returns its result."""
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(asyncio.run, story).result()


@contextmanager
def running_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """A loop that runs until the end of the block; remaining tasks are cancelled then."""
    begun, over = Future[asyncio.AbstractEventLoop](), asyncio.Event()

    async def runs() -> None:
        begun.set_result(asyncio.get_running_loop())
        await over.wait()

    with ThreadPoolExecutor(1, thread_name_prefix="loop") as apart:
        running = apart.submit(asyncio.run, runs())
        loop = begun.result()
        try:
            yield loop
        finally:
            loop.call_soon_threadsafe(over.set)
            running.result()
