"""The tables of a referee in this process, without a server around them."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from werkzeug.http import parse_cookie

from referee.program.settings import Settings
from tests.support.web.event_loops import running_loop
from web.security.caller import Caller
from web.server.application import AsgiApplication
from web.service.opening import Opened
from web.service.tables import TableService
from web.store import Store
from web.wire.requests import OpenTableRequest


@contextmanager
def table_service(
    folder: Path, settings: Settings | None = None, clock: Callable[[], float] = time.monotonic
) -> Iterator[TableService]:
    """All tables of a referee, without a server around them, and the loop that owns them. Tests change a
    table with `service.wait`, as Flask's threads do."""
    with closing(Store(folder / "referee.db")) as store, running_loop() as loop:
        service = TableService(store, settings or Settings(), clock=clock)
        service.loop = loop
        yield service


class BrowserWithoutScript:
    """A browser without script: gets pages and sends forms, with cookies, without a server."""

    def __init__(self, service: TableService, application: AsgiApplication) -> None:
        self._service, self._application = service, application
        self._cookies: dict[str, str] = {}

    def get(self, path: str) -> str:
        return self._answered("GET", path, b"")[1]

    def post(self, path: str, **form: str) -> int:
        return self._answered("POST", path, urlencode(form).encode())[0]

    def _answered(self, method: str, path: str, body: bytes) -> tuple[int, str]:
        start, *rest = self._service.wait(self._sent(method, path, body))
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

        await self._application(scope, receive, send)
        return told


HERE = Caller("127.0.0.1")


HIDE = {"type": "hide", "houses": [1, 2, 3]}


def opened(service: TableService, desk: str | None = None) -> Opened:
    return service.wait(service.open(OpenTableRequest("agent_hunter", {"first": "target"}, desk), HERE))


def joined(service: TableService, table: Opened) -> dict[str, Caller]:
    tokens = {
        seat: service.wait(service.join(table.code, seat, {"key": key, "name": seat.title()}, HERE))
        for seat, key in table.keys.items()
    }
    return {seat: Caller(HERE.address, token) for seat, token in tokens.items()}
