"""The server, as the desk sees it: a stream of events to follow and calls to report by."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from socket import SHUT_RDWR, socket
from typing import Any
from urllib.parse import quote, urlsplit

ANSWER = 3.0  # seconds in which a server answers
SILENCE = 40.0  # seconds after which a stream without a sign of life is dead; it beats every 15


class Refused(Exception):
    """The server answered, but not with what was asked for."""

    def __init__(self, path: str, status: int) -> None:
        super().__init__(f"The server answered {status} to {path}.")
        self.status = status


@dataclass(frozen=True)
class Server:
    """Where the server is, and as which desk we speak."""

    url: str
    desk: str
    key: str = field(repr=False)

    def post(self, path: str, body: Mapping[str, Any]) -> None:
        """Report something about this desk."""
        self.call(self._own(path), body)

    def call(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Ask for something, as anyone may who shows a key; what the server answered."""
        connection = self._connection()
        try:
            content = {"Content-Type": "application/json"}
            connection.request("POST", self._path(path), json.dumps(body), self._headers() | content)
            answer = connection.getresponse()
            said = answer.read()
        finally:
            connection.close()
        if answer.status >= 300:
            raise Refused(path, answer.status)
        told = json.loads(said) if said else {}
        return told if isinstance(told, dict) else {}

    def events(self) -> "Stream":
        """Open this desk's stream."""
        connection = self._connection()
        try:
            return self._open(connection)
        except BaseException:
            connection.close()
            raise

    def _open(self, connection: HTTPConnection) -> "Stream":
        connection.connect()
        line = connection.sock
        accept = {"Accept": "text/event-stream"}
        connection.request("GET", self._path(self._own("events")), headers=self._headers() | accept)
        answer = connection.getresponse()
        if answer.status != 200:
            answer.close()
            raise Refused("events", answer.status)
        line.settimeout(SILENCE)
        return Stream(connection, answer, line)

    def _connection(self) -> HTTPConnection:
        parts = urlsplit(self.url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        return kind(parts.hostname or "", parts.port, timeout=ANSWER)

    def _path(self, path: str) -> str:
        return f"{urlsplit(self.url).path.rstrip('/')}/api/{path}"

    def _own(self, path: str) -> str:
        return f"desks/{quote(self.desk, safe='')}/{path}"

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}


class Stream:
    """Server-sent events as they come: the name of each and its data."""

    def __init__(self, connection: HTTPConnection, answer: HTTPResponse, line: socket) -> None:
        self._connection, self._answer, self._line = connection, answer, line

    def __iter__(self) -> Iterator[tuple[str, str]]:
        name, data = "message", ""
        while raw := self._answer.readline():
            field, _, value = raw.decode("utf-8", "replace").rstrip("\r\n").partition(":")
            value = value.removeprefix(" ")
            match field:
                case "event":
                    name = value
                case "data":
                    data += value
                case "" if not raw.strip():
                    if data:
                        yield name, data
                    name, data = "message", ""

    def hang_up(self) -> None:
        """End the stream; from another thread, too."""
        with suppress(OSError):  # the other end was faster
            self._line.shutdown(SHUT_RDWR)

    def close(self) -> None:
        self.hang_up()
        self._answer.close()
        self._connection.close()


GONE = (OSError, HTTPException, Refused, ValueError)  # a server is away, or something else answers there
