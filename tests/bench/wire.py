"""HTTP on plain sockets, as a browser sends it; counts every byte, with headers and chunk framing."""

import asyncio
import zlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tests.support.web.sse_reader import Event, EventParser

# What Chromium on Android sends to a plain address of the local network; it tells more over https alone.
BROWSER = {
    "User-Agent": "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/140.0.0.0 Mobile Safari/537.36",
    "Accept-Encoding": "gzip, deflate",
    "Accept-Language": "fr-FR,fr;q=0.9,en-US;q=0.8,en;q=0.7",
}
GZIP = 16 + zlib.MAX_WBITS  # as zlib is asked for it
LARGEST = 1 << 20  # of what is read at once


@dataclass(frozen=True)
class Answer:
    """What came back; the names of headers are small."""

    status: int
    headers: Mapping[str, str]
    cookies: tuple[str, ...]  # each as it was set
    body: bytes


@dataclass
class Line:
    """One connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    used: bool = False  # a request was answered on it before


@dataclass
class Device:
    """A browser's connections to one server: kept alive and used again; what went over them, both ways."""

    url: str
    cookies: dict[str, str]
    weight: int = 0
    requests: int = 0
    _free: list[Line] = field(default_factory=list)
    _all: list[Line] = field(default_factory=list)

    async def fetch(
        self, path: str, headers: Mapping[str, str], method: str = "GET", body: bytes = b""
    ) -> Answer:
        """One request; on a line that was hung up meanwhile it is made again on another, as browsers do."""
        line = self._free.pop() if self._free else await self._connect()
        try:
            self._send(line, method, path, headers, body)
            answer = await self._answer(line)
        except (asyncio.IncompleteReadError, ConnectionError):
            line.writer.close()
            if not line.used:
                raise
            return await self.fetch(path, headers, method, body)
        line.used = True
        if answer.headers.get("connection") == "close":
            line.writer.close()
        else:
            self._free.append(line)
        for cookie in answer.cookies:
            self._keep(cookie)
        return answer

    def headers(self, method: str, headers: Mapping[str, str], body: bytes) -> dict[str, str]:
        """Those of a request with these, the browser's own included."""
        own = {"Host": urlsplit(self.url).netloc, "Connection": "keep-alive", **BROWSER, **headers}
        if self.cookies:
            own["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if method == "POST":
            own |= {"Content-Length": str(len(body)), "Origin": self.url}
        return own

    async def until_idle(self) -> None:
        """Until the server has closed all connections that wait for another request."""
        while self._free:
            line = self._free.pop()
            assert await line.reader.read(1) == b""
            line.writer.close()

    async def follow(self, path: str, headers: Mapping[str, str]) -> AsyncIterator[Event]:
        """The events of a stream, and its comments."""
        line = await self._connect()
        self._send(line, "GET", path, {"Accept": "text/event-stream", **NO_STORE, **headers}, b"")
        status, told, _ = await self._head(line)
        assert status == 200, f"{path}: {status}"
        unpack = zlib.decompressobj(GZIP) if told.get("content-encoding") == "gzip" else None
        parser, rest = EventParser(), b""
        while piece := await self._chunk(line):
            *lines, rest = (rest + (unpack.decompress(piece) if unpack else piece)).split(b"\n")
            for event in (parser.take(each.decode()) for each in lines):
                if event:
                    yield event

    def close(self) -> None:
        for line in self._all:
            line.writer.close()

    async def _connect(self) -> Line:
        parts = urlsplit(self.url)
        line = Line(*await asyncio.open_connection(parts.hostname, parts.port, limit=LARGEST))
        self._all.append(line)
        return line

    def _send(self, line: Line, method: str, path: str, headers: Mapping[str, str], body: bytes) -> None:
        own = self.headers(method, headers, body)
        head = "".join(f"{name}: {value}\r\n" for name, value in own.items())
        sent = f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body
        self.weight += len(sent)
        self.requests += 1
        line.writer.write(sent)

    async def _head(self, line: Line) -> tuple[int, dict[str, str], tuple[str, ...]]:
        head = await line.reader.readuntil(b"\r\n\r\n")
        self.weight += len(head)
        first, *rest = head.decode("latin-1").split("\r\n")
        pairs = [(name.lower(), value.strip()) for name, _, value in (each.partition(":") for each in rest)]
        cookies = tuple(value for name, value in pairs if name == "set-cookie")
        return int(first.split()[1]), dict(pairs), cookies

    async def _answer(self, line: Line) -> Answer:
        status, headers, cookies = await self._head(line)
        if headers.get("transfer-encoding") == "chunked":
            body = b""
            while piece := await self._chunk(line):
                body += piece
        else:
            body = await line.reader.readexactly(int(headers.get("content-length", "0")))
            self.weight += len(body)
        return Answer(status, headers, cookies, body)

    async def _chunk(self, line: Line) -> bytes:
        """The next piece of a body or stream; nothing at its end."""
        size = await line.reader.readuntil(b"\r\n")
        piece = await line.reader.readexactly(int(size, 16) + 2)
        self.weight += len(size) + len(piece)
        return piece[:-2]

    def _keep(self, cookie: str) -> None:
        (name, _, value), *rest = (part.strip().partition("=") for part in cookie.split(";"))
        if any((key.lower(), age) == ("max-age", "0") for key, _, age in rest):
            self.cookies.pop(name, None)
        else:
            self.cookies[name] = value


NO_STORE = {"Pragma": "no-cache", "Cache-Control": "no-cache"}
