"""A client in the words of the contract: tables are opened, seats joined, moves made, streams followed."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPConnection, HTTPException, HTTPResponse
from socket import SHUT_RDWR
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

PATIENCE = 30.0  # seconds a test waits for what should come at once
PAUSE = 0.01  # seconds before it is asked again: whoever is waited for needs the core


def eventually(is_so: Callable[[], bool]) -> None:
    """Ask until it is so."""
    ends = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < ends, "it never came to be so"
        time.sleep(PAUSE)


def whoever_is_there(view: dict[str, Any]) -> dict[str, Any]:
    """A view without who is there: a call alone makes that another."""
    seats = {seat: {**who, "connected": None} for seat, who in view["seats"].items()}
    return {**view, "seats": seats}


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Message
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    @property
    def kind(self) -> str:
        return self.headers.get_content_type()

    @property
    def code(self) -> str:
        """The code of a refusal."""
        assert self.kind == "application/problem+json", (self.status, self.content)
        return str(self.json["code"])


class Client:
    """One device on the network."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        self.url = url
        self.headers = dict(headers or {})

    def with_(self, **headers: str) -> "Client":
        """The same device, sending these headers too: `with_(Accept_Language="fr")`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Client(self.url, {**self.headers, **named})

    def bearing(self, token: str) -> "Client":
        return self.with_(Authorization=f"Bearer {token}")

    def connect(self) -> HTTPConnection:
        parts = urlsplit(self.url)
        return HTTPConnection(str(parts.hostname), parts.port, timeout=PATIENCE)

    def call(self, method: str, path: str, body: bytes | None = None) -> Answer:
        connection = self.connect()
        try:
            connection.request(method, path, body, self.headers)
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def get(self, path: str) -> Answer:
        return self.call("GET", path)

    def post(self, path: str, body: Any = None) -> Answer:
        return self.call("POST", path, json.dumps(body).encode())

    def follow(self, path: str) -> "Stream":
        """Follow a stream that must be let in."""
        return Stream(self, path)

    def open_table(self, **fields: Any) -> "Table":
        answer = self.post("/api/tables", {"game": "agent_hunter", **fields})
        assert answer.status == 201, answer.content
        return Table(self, answer.json)


class Table:
    """A table, as the device that opened it knows it."""

    def __init__(self, client: Client, opened: Mapping[str, Any]) -> None:
        self.client = client
        self.code: str = opened["table"]
        self.host: str = opened["host"]
        self.keys = {seat["seat"]: str(seat["key"]) for seat in opened["seats"]}
        self.links = {seat["seat"]: str(seat["join_url"]) for seat in opened["seats"]}
        self.path = f"/api/tables/{self.code}"

    def view(self) -> dict[str, Any]:
        answer = self.client.get(self.path)
        assert answer.status == 200, answer.content
        return dict(answer.json)

    def take(self, seat: str, name: str = "Ana", **fields: Any) -> Answer:
        body = {"key": self.keys.get(seat, ""), "name": name, **fields}
        return self.client.post(f"{self.path}/seats/{seat}", body)

    def join(self, seat: str, name: str = "Ana") -> "Phone":
        answer = self.take(seat, name)
        assert answer.status == 200, answer.content
        return Phone(self, seat, answer.json["token"])

    def everybody(self) -> "dict[str, Phone]":
        """Everybody joins."""
        names = ("Ana", "Bo", "Chloé", "Dan", "Ève", "Farid", "Gaëlle", "Hugo")
        return {seat: self.join(seat, name) for seat, name in zip(self.keys, names, strict=False)}

    def events(self) -> "Stream":
        return self.client.follow(f"{self.path}/events")


class Phone:
    """A seat's phone."""

    def __init__(self, table: Table, seat: str, token: str) -> None:
        self.table, self.seat, self.token = table, seat, token
        self.client = table.client.bearing(token)

    def view(self) -> dict[str, Any]:
        answer = self.client.get(f"{self.table.path}/me")
        assert answer.status == 200, answer.content
        return dict(answer.json)

    def tries(self, kind: str, /, version: int | None = None, **fields: Any) -> Answer:
        """Try a move, at the current version unless another is given."""
        version = self.table.view()["version"] if version is None else version
        return self.client.post(f"{self.table.path}/moves", {"version": version, "type": kind, **fields})

    def moves(self, kind: str, /, version: int | None = None, **fields: Any) -> dict[str, Any]:
        answer = self.tries(kind, version, **fields)
        assert answer.status == 200, answer.content
        return dict(answer.json)

    def at(self, url: str) -> "Phone":
        """The same phone, after the server came back at another port."""
        client = Client(url, self.table.client.headers)
        opened = {"table": self.table.code, "host": self.table.host, "seats": []}
        return Phone(Table(client, opened), self.seat, self.token)

    def events(self) -> "Stream":
        return self.client.follow(f"{self.table.path}/me/events")

    def goes_away(self) -> None:
        """Its page was open and is closed: it counts as there no more."""
        with self.events() as stream:
            stream.first("view")
        eventually(lambda: not self.table.view()["seats"][self.seat]["connected"])


@dataclass(frozen=True)
class Event:
    """One server-sent event, or a comment (`kind` empty)."""

    kind: str
    data: str
    id: str | None = None

    @property
    def json(self) -> Any:
        return json.loads(self.data)


@dataclass
class _Reading:
    """The event that is being read."""

    kind: str = ""
    id: str | None = None
    data: list[str] = field(default_factory=list)


class Stream:
    """A stream read in the background; a test waits for what should come."""

    def __init__(self, client: Client, path: str) -> None:
        self._connection = client.connect()
        self._connection.connect()
        self._socket = self._connection.sock
        self._connection.request("GET", path, headers=client.headers)
        self._response: HTTPResponse = self._connection.getresponse()
        assert self._response.status == 200, self._response.read()
        self._socket.settimeout(None)
        self.headers = self._response.headers
        self.events: list[Event] = []
        self.ended = False
        self._heard = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait(self, wanted: Callable[[Event], Any], timeout: float = PATIENCE) -> Event:
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

    def until_end(self, timeout: float = PATIENCE) -> None:
        with self._heard:
            assert self._heard.wait_for(lambda: self.ended, timeout), "the stream goes on"

    def close(self) -> None:
        with suppress(OSError):  # the server has hung up already
            self._socket.shutdown(SHUT_RDWR)
        self._reader.join(PATIENCE)
        self._response.close()
        self._connection.close()
        self._socket.close()

    def _read(self) -> None:
        reading = _Reading()
        for line in self._lines():
            reading = self._take(line.decode().rstrip("\n"), reading)
        with self._heard:
            self.ended = True
            self._heard.notify_all()

    def _lines(self) -> Iterator[bytes]:
        """Until the stream ends or is cut off: a ValueError is a chunk whose length never came."""
        with suppress(OSError, HTTPException, ValueError):
            while line := self._response.readline():
                yield line

    def _take(self, line: str, reading: _Reading) -> _Reading:
        name, _, value = line.partition(": ")
        if name == "event":
            reading.kind = value
        elif name == "id":
            reading.id = value
        elif name == "data":
            reading.data.append(value)
        elif name == "":
            return self._told(Event("", value) if line else None, reading)
        return reading

    def _told(self, comment: Event | None, reading: _Reading) -> _Reading:
        event = comment or (
            Event(reading.kind, "\n".join(reading.data), reading.id) if reading.data else None
        )
        if event:
            with self._heard:
                self.events.append(event)
                self._heard.notify_all()
        return reading if comment else _Reading()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _where: TracebackType | None
    ) -> None:
        self.close()
