"""Open pages on the wire: a stream of regions, decoded as `web/static/live.js` does it."""

from typing import Any

from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.sse_reader import Event, Stream

READ_APART = "answer"  # a page keeps answers until they were read, whatever it is sent


class Shown:
    """What a page shows after the events that it was sent."""

    def __init__(self) -> None:
        self.version = -1
        self.events = 0
        self.regions: dict[str, str] = {}
        self.state: dict[str, Any] = {}
        self.idle: list[str] = []  # regions that were sent though the page showed just that
        self._chunks: list[str] = []

    def take(self, event: dict[str, Any]) -> None:
        self.events += 1
        if event.get("new"):
            self._chunks = []
        pieces = {name: self._decoded(tokens) for name, tokens in event.get("regions", {}).items()}
        if "all" in event:
            self.regions, self.state = {}, {}
        else:
            self.idle += [name for name, text in pieces.items() if self.regions.get(name, "") == text]
        self.version = event["v"]
        self.state |= event.get("page", {})
        self.regions |= pieces

    def _decoded(self, tokens: list[Any]) -> str:
        text: list[str] = []
        for token in tokens:
            if isinstance(token, str):
                self._chunks.append(token)
                text.append(token)
            else:
                first, count = token if isinstance(token, list) else (token, 1)
                assert first + count <= len(self._chunks), "a chunk that this page was never sent"
                text += self._chunks[first : first + count]
        return "".join(text)

    @property
    def page(self) -> tuple[int, dict[str, str], dict[str, Any]]:
        """Its version, its regions that are not empty, and what is told of it as a whole."""
        return self.version, read_apart(self.regions), self.state


def read_apart(regions: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in regions.items() if text and name != READ_APART}


class OpenPage(Stream):
    """A page that is open: its stream, and what it shows by now."""

    def __init__(self, client: Client, path: str) -> None:
        super().__init__(client, f"{path}/live")
        self._client, self._path = client, path
        self._shown, self._taken = Shown(), 0

    def at(self, version: int) -> Shown:
        """What it shows once it was told of this version."""
        self.wait(lambda event: event.kind == "regions" and event.json["v"] >= version)
        return self.now()

    def now(self) -> Shown:
        """What it shows after all that came so far."""
        told = self.told()
        for event in told[self._taken :]:
            self._shown.take(event)
        self._taken = len(told)
        return self._shown

    def told(self) -> list[dict[str, Any]]:
        return [event.json for event in self.all("regions")]

    def last(self, version: int) -> dict[str, Any]:
        """The event by which it was told of this version."""
        return dict(self.wait(lambda event: _tells(event, version)).json)

    def again(self) -> "OpenPage":
        """The same page, loaded once more."""
        self.fresh()
        return OpenPage(self._client, self._path)

    def fresh(self) -> tuple[int, dict[str, str], dict[str, Any]]:
        """The page as it is for whoever opens it now."""
        answer = self._client.with_(Accept="application/json").get(self._path)
        assert answer.status == 200, answer.content
        return answer.json["v"], read_apart(answer.json["regions"]), answer.json["page"]


def _tells(event: Event, version: int) -> bool:
    return event.kind == "regions" and event.json["v"] == version


def opened(who: Phone | Table, language: str = "en") -> OpenPage:
    """The page of a seat, or the screen of a table."""
    if isinstance(who, Table):
        return OpenPage(who.client, f"/t/{who.code}")
    return OpenPage(who.browser.with_(Accept_Language=language), f"/t/{who.table.code}/s/{who.seat}")
