"""Event loops for tests, each in a thread of its own: the thread they run in may have a browser's already."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from referee.settings import Settings
from web.house import House
from web.store import Store

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


@contextmanager
def a_house(
    folder: Path, settings: Settings | None = None, clock: Callable[[], float] = time.monotonic
) -> Iterator[House]:
    """All tables of a referee, without a server around them, and the loop that owns them. Tests change a
    table with `house.wait`, as Flask's threads do."""
    with closing(Store(folder / "referee.db")) as store, a_loop() as loop:
        house = House(store, settings or Settings(), clock=clock)
        house.loop = loop
        yield house
