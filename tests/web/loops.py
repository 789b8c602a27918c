"""A loop of their own for tests: the thread they run in may have a browser's already."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def in_a_loop(story: Coroutine[Any, Any, T]) -> T:
    """What comes of it, in a thread apart."""
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(asyncio.run, story).result()
