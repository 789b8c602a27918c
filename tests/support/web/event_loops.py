"""Event loops, each in a thread of its own: the thread of a test may have a browser's loop already."""

import asyncio
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar


async def a_while() -> None:
    """Time enough for whoever sends."""
    for _ in range(5):
        await asyncio.sleep(0)


T = TypeVar("T")


def in_a_loop(story: Coroutine[Any, Any, T]) -> T:
    """What comes of it, in a thread apart."""
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(asyncio.run, story).result()


@contextmanager
def a_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """A loop that runs until the end of the block; what still goes on there is cancelled then."""
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
