"""A loop of their own for tests: the thread they run in may have a browser's already."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import uvicorn

T = TypeVar("T")
New = Callable[[], asyncio.AbstractEventLoop]

SERVED = uvicorn.Config("", log_config=None, loop="auto").get_loop_factory()  # uvloop where it is installed


def in_a_loop(story: Coroutine[Any, Any, T], new: New | None = None) -> T:
    """What comes of it, in a thread apart; in Python's own loop unless it is to be another."""

    def told() -> T:
        with asyncio.Runner(loop_factory=new) as runner:
            return runner.run(story)

    with ThreadPoolExecutor(1) as apart:
        return apart.submit(told).result()
