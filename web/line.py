"""One connection: uvicorn's own, with an end to how long a request's head may be and may take."""

import asyncio
from collections.abc import MutableMapping
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from web.door import neighbourhood

MOST_HEAD = 64 * 1024  # bytes of request line and headers
HEAD_TIME = 20.0  # seconds a caller may take to send them, from the moment the line is open


class Lines:
    """All that are open. Where there is no room for one more, whoever has the most loses the oldest."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._count = 0
        self._of: dict[str, dict[Line, None]] = {}

    def add(self, line: "Line") -> None:
        if self._count >= self._room:
            most = max(self._of.values(), key=len)
            oldest = next(iter(most))
            self.discard(oldest)
            oldest.transport.abort()
        self._of.setdefault(line.caller, {})[line] = None
        self._count += 1

    def discard(self, line: "Line") -> None:
        held = self._of.get(line.caller, {})
        if line in held:
            del held[line]
            self._count -= 1
        if not held:
            self._of.pop(line.caller, None)


class Line(HttpToolsProtocol):
    """Nobody fills the memory with headers, or holds a line open without ever asking for anything."""

    # a kilobyte less for each that is open
    __slots__ = ("_answered", "_head", "_in_head", "_lines", "_waiting", "caller")

    def __init__(self, lines: Lines, **uvicorns: Any) -> None:
        super().__init__(**uvicorns)
        self._lines = lines
        self.caller = ""
        self._head = 0  # bytes of a head that is not whole yet
        self._in_head = True
        self._waiting: asyncio.TimerHandle | None = None
        self._answered: RequestResponseCycle | None = None  # what is being answered, or was last

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.caller = neighbourhood(self.client[0]) if self.client else ""
        self._lines.add(self)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._lines.discard(self)
        self._stop_waiting()
        super().connection_lost(exc)
        self._tell_gone()
        self._let_go()

    def data_received(self, data: bytes) -> None:
        self._head += len(data)
        super().data_received(data)
        if not (self._in_head and self._head) or self.transport.is_closing():
            return
        if self._head > MOST_HEAD:
            self.send_400_response("The head of this request has no end.")
        elif self._waiting is None:
            self._wait_for_head()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        ours = {"hang_up": self.transport.abort, "write": self._write, "answer": self._answer}
        self.scope["extensions"] = ours  # type: ignore[typeddict-item]

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._stop_waiting()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_head, self._head = True, 0
        self.scope["extensions"]["whole"] = {}
        super().on_message_complete()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answered = cycle
        super()._start_asgi_task(cycle, app)

    def _tell_gone(self) -> None:
        """uvicorn tells what was asked last; a stream that more was asked behind would wait for ever."""
        if (cycle := self._answered) and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()

    def _write(self, piece: bytes) -> bool:
        """Send a piece of an answer that has begun and has no length, as uvicorn would; unless that would
        wait for whoever reads it."""
        if self.flow.write_paused or self.transport.is_closing():
            return False
        self.transport.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        return True

    def _answer(self, asked: MutableMapping[str, Any], head: bytes, content: bytes) -> bool:
        """Send a whole answer at one go, as uvicorn would piece by piece; unless that would wait for whoever
        reads it, the line ends with it, or more was asked meanwhile."""
        cycle = self.cycle
        if cycle is None or cycle.scope is not asked or self.flow.write_paused or not cycle.keep_alive:
            return False
        own = b"".join([b"%b: %b\r\n" % header for header in cycle.default_headers])
        self.transport.write(b"%b%bcontent-length: %d\r\n\r\n%b" % (head, own, len(content), content))
        cycle.response_started = cycle.response_complete = True
        cycle.message_event.set()
        cycle.on_response()
        return True

    def _let_go(self) -> None:
        """What was asked knows this line by its own verbs, and the line what was asked: apart, both are freed
        at once, and the collector has no circles to look for."""
        self.scope = self.cycle = self._answered = None  # type: ignore[assignment]
        self.pipeline.clear()

    def _wait_for_head(self) -> None:
        self._waiting = self.loop.call_later(HEAD_TIME, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._waiting:
            self._waiting.cancel()
            self._waiting = None
