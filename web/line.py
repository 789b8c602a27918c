"""One connection: uvicorn's own, with an end to how long a request's head may be and may take."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_HEAD = 64 * 1024  # bytes of request line and headers
HEAD_TIME = 20.0  # seconds a caller may take to send them, from the moment the line is open


class Line(HttpToolsProtocol):
    """Nobody fills the memory with headers, or holds a line open without ever asking for anything."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head = 0  # bytes of a head that is not whole yet
        self._in_head = True
        self._waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._head += len(data)
        super().data_received(data)
        if not (self._in_head and self._head) or self.transport.is_closing():
            return
        if self._head > MOST_HEAD:
            self.send_400_response("The head of this request has no end.")
        elif self._waiting is None:
            self._wait_for_head()

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._stop_waiting()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_head, self._head = True, 0
        super().on_message_complete()

    def _wait_for_head(self) -> None:
        self._waiting = self.loop.call_later(HEAD_TIME, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._waiting:
            self._waiting.cancel()
            self._waiting = None
