"""The desk's HTTP client: JSON requests to the server, and its stream of server-sent events."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from socket import SHUT_RDWR, socket
from typing import Any
from urllib.parse import quote, urlsplit

ANSWER = 3.0  # seconds until a request times out
SILENCE = 40.0  # seconds without data after which a stream is dead; a keep-alive comes every 15


class Refused(Exception):
    """The server answered with an error status."""

    def __init__(self, path: str, status: int) -> None:
        super().__init__(f"The server answered {status} to {path}.")
        self.status = status


@dataclass(frozen=True)
class ServerClient:
    """The server's URL, and this desk's name and key."""

    url: str
    desk: str
    key: str = field(repr=False)

    def post(self, path: str, body: Mapping[str, Any]) -> None:
        """POST to a path below this desk's own."""
        self.call(self._own(path), body)

    def call(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """POST to a path of the API with the desk's key; the JSON object in the response."""
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
        """Open this desk's event stream."""
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
    """Iterates over server-sent events: the name and data of each."""

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

    def disconnect(self) -> None:
        """End the stream. May be called from another thread."""
        with suppress(OSError):  # already closed by the server
            self._line.shutdown(SHUT_RDWR)

    def close(self) -> None:
        self.disconnect()
        self._answer.close()
        self._connection.close()


UNREACHABLE = (OSError, HTTPException, Refused, ValueError)  # ValueError: something else answers
