"""A client of the HTTP API: opens tables, joins seats, makes moves, follows streams."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPConnection, HTTPSConnection
from ssl import SSLContext
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.support.waiting import TIMEOUT, eventually
from tests.support.web.sse_reader import Stream

FORM = "application/x-www-form-urlencoded"


def without_presence(view: dict[str, Any]) -> dict[str, Any]:
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

    @property
    def cookies(self) -> dict[str, str]:
        """The cookies that it sets."""
        pairs = (value.partition(";")[0].partition("=") for value in self.headers.get_all("Set-Cookie", []))
        return {name: value for name, _, value in pairs}


class Client:
    """One device on the network."""

    def __init__(
        self, url: str, headers: Mapping[str, str] | None = None, trust: SSLContext | None = None
    ) -> None:
        self.url = url
        self.headers = dict(headers or {})
        self._trust = trust  # what it trusts, at an address of https

    def with_(self, **headers: str) -> "Client":
        """The same device, sending these headers too: `with_(Accept_Language="fr")`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Client(self.url, {**self.headers, **named}, self._trust)

    def bearing(self, token: str) -> "Client":
        return self.with_(Authorization=f"Bearer {token}")

    def connect(self) -> HTTPConnection:
        parts = urlsplit(self.url)
        if parts.scheme == "https":
            return HTTPSConnection(str(parts.hostname), parts.port, timeout=TIMEOUT, context=self._trust)
        return HTTPConnection(str(parts.hostname), parts.port, timeout=TIMEOUT)

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

    def post_form(self, path: str, /, *pairs: tuple[str, str], **fields: str) -> Answer:
        """Send a form, as a browser without script does."""
        body = urlencode([*pairs, *fields.items()]).encode()
        return self.with_(Content_Type=FORM).call("POST", path, body)

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
        self.key = str(opened.get("table_key", ""))  # takes any free seat
        self.path = f"/api/tables/{self.code}"

    def view(self) -> dict[str, Any]:
        answer = self.client.get(self.path)
        assert answer.status == 200, answer.content
        return dict(answer.json)

    def take(self, seat: str, name: str = "Ana", **fields: Any) -> Answer:
        body = {"key": self.keys.get(seat, ""), "name": name, **fields}
        return self.client.post(f"{self.path}/seats/{seat}", body)

    def choose(self, seat: str, name: str = "Ana", **fields: Any) -> Answer:
        """Take a seat with the table's key."""
        return self.client.post(
            f"{self.path}/join", {"table_key": self.key, "seat": seat, "name": name, **fields}
        )

    def join(self, seat: str, name: str = "Ana") -> "Phone":
        answer = self.take(seat, name)
        assert answer.status == 200, answer.content
        return Phone(self, seat, answer.json["token"])

    def everybody(self) -> "dict[str, Phone]":
        """Everybody joins."""
        names = ("Ana", "Bo", "Chloé", "Dan", "Ève", "Farid", "Gaëlle", "Hugo")
        return {seat: self.join(seat, name) for seat, name in zip(self.keys, names, strict=False)}

    @property
    def host_browser(self) -> Client:
        """The browser that opened it, with its cookie."""
        return self.client.with_(Cookie=f"host_{self.code}={self.host}")

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

    @property
    def browser(self) -> Client:
        """Its browser, with the cookie of the seat."""
        return self.table.client.with_(Cookie=f"seat_{self.table.code}_{self.seat}={self.token}")

    def sends_form(self, path: str = "", /, **form: str) -> Answer:
        """Send a form of a page, that of the seat unless another is given."""
        return self.browser.post_form(path or f"/t/{self.table.code}/s/{self.seat}", **form)

    def sends_once(self, key: str, body: Any, what: str = "moves") -> Answer:
        """A call with an Idempotency-Key: however often it is sent, it counts once."""
        return self.client.with_(Idempotency_Key=key).post(f"{self.table.path}/{what}", body)

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
