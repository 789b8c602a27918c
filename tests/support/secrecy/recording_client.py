"""Clients that record every byte they receive, including headers, pages and streams."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from html import unescape
from typing import Any
from urllib.parse import urlencode

from tests.support.web.http_client import FORM, Answer, Client
from tests.support.web.sse_reader import Stream

MOVE_FORM = re.compile(r'<form class="move".*?</form>', re.DOTALL)
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')


@dataclass(frozen=True)
class Received:
    """Received bytes, and the request they answer."""

    where: str
    content: bytes


class RecordingClient(Client):
    """One device: a browser with its cookies, or a script with a token."""

    def __init__(self, name: str, url: str, token: str | None = None) -> None:
        super().__init__(url, {"Accept-Language": "en"})
        self.name = name
        self.cookies: dict[str, str] = {}
        self.heard: list[Received] = []
        if token:
            self.headers["Authorization"] = f"Bearer {token}"

    def call(self, method: str, path: str, body: bytes | None = None) -> Answer:
        self._bring_cookies()
        answer = super().call(method, path, body)
        self.keep(f"{method} {path}", written(answer))
        for cookie in answer.headers.get_all("Set-Cookie", []):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value.strip('"')
        return answer

    def keep(self, where: str, content: bytes) -> None:
        self.heard.append(Received(where, content))

    def post_form(self, path: str, /, *pairs: tuple[str, str], **fields: str) -> Answer:
        self.headers["Content-Type"] = FORM
        try:
            return self.call("POST", path, urlencode([*pairs, *fields.items()]).encode())
        finally:
            del self.headers["Content-Type"]

    def retrying(self, key: str, path: str, body: Any) -> Answer:
        """A POST with an Idempotency-Key."""
        self.headers["Idempotency-Key"] = key
        try:
            return self.post(path, body)
        finally:
            del self.headers["Idempotency-Key"]

    def fill(self, path: str, **picked: str) -> Answer:
        """Open a page, fill in the form of its move and send it."""
        form = MOVE_FORM.search(self.get(path).content.decode())
        assert form, f"{path} has no form"
        hidden = {name: unescape(value) for name, value in HIDDEN.findall(form[0])}
        return self.post_form(path, **hidden, **picked)

    def follow(self, path: str) -> "RecordingStream":
        self._bring_cookies()
        return RecordingStream(self, path)

    def _bring_cookies(self) -> None:
        if self.cookies:
            self.headers["Cookie"] = "; ".join(f'{name}="{value}"' for name, value in self.cookies.items())


@dataclass(frozen=True)
class Exchange:
    """A call as somebody sees it who can read only lengths: bytes of its body and of the whole answer."""

    where: str
    sent: int
    received: int


class MeasuredClient(Client):
    """A device whose traffic is measured, also after it was given a token."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(url, headers)
        self.traffic: list[Exchange] = []

    def with_(self, **headers: str) -> "MeasuredClient":
        made = MeasuredClient(self.url, super().with_(**headers).headers)
        made.traffic = self.traffic
        return made

    def call(self, method: str, path: str, body: bytes | None = None) -> Answer:
        answer = super().call(method, path, body)
        self.traffic.append(Exchange(f"{method} {path}", len(body or b""), len(written(answer))))
        return answer


class RecordingStream(Stream):
    """A stream that records every line."""

    def __init__(self, tap: RecordingClient, path: str) -> None:
        self._tap, self._path = tap, path
        super().__init__(tap, path)
        tap.keep(f"HEAD OF {path}", head(self.headers).encode())

    def _lines(self) -> Iterator[bytes]:
        for line in super()._lines():
            self._tap.keep(f"STREAM {self._path}", line.rstrip(b"\n"))
            yield line


def written(answer: Answer) -> bytes:
    """An answer as it came: status, headers and body."""
    return f"{answer.status}\n{head(answer.headers)}\n\n".encode() + answer.content


def head(headers: Message) -> str:
    return "\n".join(f"{name}: {value}" for name, value in headers.items())
