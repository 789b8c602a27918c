"""A small server that speaks the desk's part of the contract over real sockets."""

import json
import queue
import socket
from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any

from referee.presentation.cues import counting, cue
from referee.presentation.sheets import Block, to_wire
from tests.support.hardware.escpos_receiver import WAIT
from tests.support.rules.all_cues import ALL, ALL_SPOKEN

KEY = "desk-key"
Said = tuple[str, dict[str, Any]]


class StubServer:
    """Says what a test tells it to, and writes down what the desk reports."""

    def __init__(self, port: int = 0) -> None:
        self.streams: queue.Queue[StubStream] = queue.Queue()
        self.reports: queue.Queue[Said] = queue.Queue()
        self.turned_away: queue.Queue[str] = queue.Queue()
        self.refuses: dict[str, list[int]] = {}  # the next answers to reports, by path
        self.answers: dict[str, Any] = {}  # what is answered, by path
        self.portals: dict[str, bytes] = {}  # what something else answers first in its place, by path
        self.refuses_streams = False
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                if stub._may_enter(self):
                    stub._stream(self)

            def do_POST(self) -> None:
                if stub._may_enter(self):
                    stub._take_report(self)

            def log_message(self, format: str, *args: Any) -> None: ...

        class Server(ThreadingHTTPServer):
            daemon_threads = True

        self._http = Server(("127.0.0.1", port), Handler)
        self.port = self._http.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()

    def __enter__(self) -> "StubServer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(WAIT)

    def await_stream(self) -> "StubStream":
        """The next stream that the desk opens."""
        return self.streams.get(timeout=WAIT)

    def await_report(self, path: str, state: str | None = None) -> dict[str, Any]:
        """The next report to this path, or the next with this state; others are passed over."""
        while True:
            where, body = self.reports.get(timeout=WAIT)
            if where == path and state in (None, body.get("state")):
                return body

    def _may_enter(self, request: BaseHTTPRequestHandler) -> bool:
        if request.headers["Authorization"] == f"Bearer {KEY}":
            return True
        self.turned_away.put(request.path)
        request.send_error(401)
        return False

    def _stream(self, request: BaseHTTPRequestHandler) -> None:
        assert request.path == "/api/desks/main/events"
        if self.refuses_streams:
            request.send_error(503)
            return
        stream = StubStream(request)
        self.streams.put(stream)
        stream.run()

    def _take_report(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers["Content-Length"]))
        path = request.path.removeprefix("/api/desks/main/")
        refusals = self.refuses.get(path)
        answer = json.dumps(self.answers[path]).encode() if path in self.answers else b""
        answer = self.portals.pop(path, answer)
        request.send_response(refusals.pop(0) if refusals else 200)
        self.reports.put((path, json.loads(body)))
        request.send_header("Content-Length", str(len(answer)))
        request.end_headers()
        request.wfile.write(answer)


class StubStream:
    """One open stream of events, in chunks, as a server sends it."""

    def __init__(self, request: BaseHTTPRequestHandler) -> None:
        self._request = request
        self._lines: queue.Queue[bytes | None] = queue.Queue()

    def run(self) -> None:
        self._request.send_response(200)
        self._request.send_header("Content-Type", "text/event-stream")
        self._request.send_header("Transfer-Encoding", "chunked")
        self._request.end_headers()
        with suppress(ConnectionError):  # the desk may hang up at any time
            while (data := self._lines.get()) is not None:
                self._request.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self._request.close_connection = True

    def raw(self, data: str) -> None:
        self._lines.put(data.encode())

    def event(self, name: str, data: Any) -> None:
        self.raw(f"event: {name}\ndata: {json.dumps(data)}\n\n")

    def view(
        self, turn: str | None = None, table: str = "KX7QF", status: str = "playing", **more: Any
    ) -> None:
        seats: Mapping[str, Any] = {"target": {}, "mask": {}}
        sides = {seat: [seat] for seat in seats}
        view = {"table": table, "status": status, "seats": seats, "sides": sides, "public": {"turn": turn}}
        self.event("view", view | {"options": {"language": "fr"}} | more)

    def news(self, key: str, seat_lamps: tuple[int, ...] = (), **fields: Any) -> None:
        """News with the cue that the server sends with it."""
        kind, played = key.partition(".")[0], cue(key, ALL)
        wire = played and {name: getattr(played, name) for name in ("lamp", "pattern", "stays", "tune")}
        counted = {}
        if played and played.counts:
            patterns, tune = counting(list(fields[played.counts].values()))
            counted = {"counted": {"patterns": patterns, "tune": tune}}
        self.event(
            "news",
            {"table": "KX7QF", "n": 1, "kind": kind, "key": key, "text": "…", "seat_lamps": seat_lamps}
            | {"cue": wire, "spoken": kind in ALL_SPOKEN}
            | counted
            | fields,
        )

    def job(self, number: int, blocks: tuple[Block, ...], table: str = "KX7QF") -> None:
        self.event("job", {"job": number, "what": "sheet", "table": table, "blocks": to_wire(blocks)})

    def end(self) -> None:
        """The server goes away: orderly."""
        self._lines.put(None)

    def break_off(self) -> None:
        """The server goes away: in the middle of a word."""
        self._request.connection.shutdown(socket.SHUT_RDWR)
        self._lines.put(None)
