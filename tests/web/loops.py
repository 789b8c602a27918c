"""Event loops for tests, each in a thread of its own: the thread they run in may have a browser's already."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

from werkzeug.http import parse_cookie

from referee.settings import Settings
from web.front import Front
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


class Visitor:
    """A browser without script at a house that no server stands around: pages and forms, with its cookies."""

    def __init__(self, house: House, front: Front) -> None:
        self._house, self._front = house, front
        self._cookies: dict[str, str] = {}

    def get(self, path: str) -> str:
        return self._answered("GET", path, b"")[1]

    def post(self, path: str, **form: str) -> int:
        return self._answered("POST", path, urlencode(form).encode())[0]

    def _answered(self, method: str, path: str, body: bytes) -> tuple[int, str]:
        start, *rest = self._house.wait(self._sent(method, path, body))
        for name, value in start["headers"]:
            if name == b"set-cookie":
                self._cookies |= parse_cookie(value.decode().partition(";")[0])
        return start["status"], b"".join(part.get("body", b"") for part in rest).decode()

    async def _sent(self, method: str, path: str, body: bytes) -> list[Any]:
        where, _, query = path.partition("?")
        held = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        head = {"host": "localhost", "content-length": str(len(body)), "cookie": held}
        head["content-type"] = "application/x-www-form-urlencoded"
        scope = {
            "type": "http",
            "method": method,
            "path": where,
            "raw_path": where.encode(),
            "query_string": query.encode(),
            "http_version": "1.1",
            "scheme": "http",
            "server": ("localhost", 80),
            "client": ("127.0.0.1", 1),
            "headers": [(name.encode(), value.encode()) for name, value in head.items()],
        }
        told: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            told.append(message)

        await self._front(scope, receive, send)
        return told
