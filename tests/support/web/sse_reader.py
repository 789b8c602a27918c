"""Reads server-sent events: from a text, line by line, or from a stream in the background."""

import json
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from socket import SHUT_RDWR
from types import TracebackType
from typing import Any, Protocol, Self

from tests.support.waiting import TIMEOUT

GZIP = 16 + zlib.MAX_WBITS  # as zlib is asked for it


@dataclass(frozen=True)
class Event:
    """One server-sent event, or a comment (`kind` empty)."""

    kind: str
    data: str
    id: str | None = None

    @property
    def json(self) -> Any:
        return json.loads(self.data)


class EventParser:
    """Lines in, events out."""

    def __init__(self) -> None:
        self._kind = ""
        self._id: str | None = None
        self._data: list[str] = []

    def take(self, line: str) -> Event | None:
        """The comment that this line is, or the event that it ends."""
        name, _, value = line.partition(": ")
        if name == "event":
            self._kind = value
        elif name == "id":
            self._id = value
        elif name == "data":
            self._data.append(value)
        elif name == "":
            return Event("", value) if line else self._ended()
        return None

    def _ended(self) -> Event | None:
        event = Event(self._kind, "\n".join(self._data), self._id) if self._data else None
        self._kind, self._id, self._data = "", None, []
        return event


def events_in(text: str) -> list[Event]:
    """All events of a text whose last one is whole."""
    parser = EventParser()
    return [event for event in map(parser.take, text.split("\n")) if event]


class Device(Protocol):
    """What a stream needs of whoever follows it."""

    headers: dict[str, str]

    def connect(self) -> HTTPConnection: ...


class Stream:
    """A stream read in the background; a test waits for what should come."""

    def __init__(self, device: Device, path: str) -> None:
        self._connection = device.connect()
        self._connection.connect()
        self._socket = self._connection.sock
        self._connection.request("GET", path, headers=device.headers)
        self._response: HTTPResponse = self._connection.getresponse()
        assert self._response.status == 200, self._response.read()
        self._socket.settimeout(None)
        self.headers = self._response.headers
        self.events: list[Event] = []
        self.ended = False
        self._heard = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait(self, wanted: Callable[[Event], Any], timeout: float = TIMEOUT) -> Event:
        """The first event that is wanted, those that came already included."""
        with self._heard:
            found = self._heard.wait_for(lambda: next(filter(wanted, self.events), None), timeout)
            assert found, f"it did not come; what came: {self.events}"
            return found

    def view(self, version: int) -> dict[str, Any]:
        """The view of this version, once it has come."""
        return dict(self.wait(lambda e: e.kind == "view" and e.id == str(version)).json)

    def first(self, kind: str) -> Event:
        return self.wait(lambda e: e.kind == kind)

    def all(self, kind: str) -> list[Event]:
        with self._heard:
            return [event for event in self.events if event.kind == kind]

    def until_end(self, timeout: float = TIMEOUT) -> None:
        with self._heard:
            assert self._heard.wait_for(lambda: self.ended, timeout), "the stream goes on"

    def close(self) -> None:
        with suppress(OSError):  # the server has hung up already
            self._socket.shutdown(SHUT_RDWR)
        self._reader.join(TIMEOUT)
        self._response.close()
        self._connection.close()
        self._socket.close()

    def _read(self) -> None:
        parser = EventParser()
        for line in self._lines():
            event = parser.take(line.decode())
            if event:
                with self._heard:
                    self.events.append(event)
                    self._heard.notify_all()
        with self._heard:
            self.ended = True
            self._heard.notify_all()

    def _lines(self) -> Iterator[bytes]:
        """Until the stream ends or is cut off: a ValueError is a chunk whose length never came."""
        is_packed = self.headers.get("Content-Encoding") == "gzip"
        unpack = zlib.decompressobj(GZIP).decompress if is_packed else bytes
        rest = b""
        with suppress(OSError, HTTPException, ValueError):
            while piece := self._response.read1():
                *lines, rest = (rest + unpack(piece)).split(b"\n")
                yield from lines

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _where: TracebackType | None
    ) -> None:
        self.close()
