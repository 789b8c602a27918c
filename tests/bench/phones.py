"""A phone or a screen with its page open: on the wire it does what `web/static/live.js` does, and no more."""

import asyncio
import json
import re
from collections.abc import Coroutine, Iterable
from itertools import count
from typing import Any
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

from tests.bench.wire import Answer, Device

BODY = re.compile(r'<body[^>]* data-stream="([^"]*)"[^>]*>')
SEEN = re.compile(r' data-seen="([^"]*)"')
ANSWER = re.compile(r'<section class="answer .*?(?=<section class="answer |\Z)', re.DOTALL)
NUMBER = re.compile(r' data-n="(\d+)"')
ENTRY = re.compile(r' data-entry="(\d+)"')
JSON = {"Accept": "application/json", "Accept-Language": "fr"}
FORM = {**JSON, "Content-Type": "application/x-www-form-urlencoded;charset=UTF-8"}
NONCES = count(1)  # of seven digits, as the script's nearly always are
LATE = 1.5  # seconds until what a form did is fetched, where the stream has not brought it


class Phone:
    """What is open: its regions, how new they are, and what went over its connections."""

    def __init__(self, url: str, path: str, cookies: dict[str, str]) -> None:
        self._device = Device(url, cookies)
        self._home = path
        self._address = path  # where the page is, with what was tapped
        self._regions: dict[str, str] = {}
        self._chunks: list[str] = []  # of HTML that came on the stream, by number
        self._state: dict[str, Any] = {}  # what was last told of the page as a whole
        self._seen_cookie = ""
        self._fetching = False
        self._again = False
        self._visits = 0
        self.version = -1
        self._news = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._failure: BaseException | None = None

    @property
    def weight(self) -> int:
        """Bytes so far."""
        return self._device.weight

    @property
    def requests(self) -> int:
        return self._device.requests

    @property
    def html(self) -> str:
        """What is looked at: an answer that was not read, else the decision and the own hand."""
        return self._answer() or "".join(self._regions.get(name, "") for name in ("decision", "hand"))

    async def open(self) -> None:
        """Until the page is there, and its stream has begun."""
        answer = await self._device.fetch(self._address, {"Accept": "text/html"})
        page = answer.body.decode()
        body = BODY.search(page)
        assert answer.status == 200 and body, f"{self._address} is not live: {answer.status}"
        if seen := SEEN.search(body[0]):
            self._seen_cookie = seen[1]
        self._start(self._listen(body[1].replace("&amp;", "&")))
        await self.until(0)

    async def tap(self, link: str) -> None:
        """Follow a link of the page, or a form that only asks. That an answer was read stays on the phone."""
        if seen := parse_qs(urlsplit(link).query).get("seen"):
            self._device.cookies[self._seen_cookie] = seen[0]
        else:
            await self._visit(urljoin(self._home, link), b"")

    async def send(self, action: str, fields: list[tuple[str, str]]) -> bool:
        """Send a form of the page: whether it was taken."""
        return await self._visit(urljoin(self._home, action), urlencode(fields).encode())

    async def until(self, version: int) -> None:
        """Until the page shows this version or a newer one, and nothing is being fetched."""
        while self.version < version or self._fetching:
            self._news.clear()
            await self._news.wait()
            if self._failure:
                raise self._failure

    async def until_idle(self) -> None:
        """Until the server has closed the connections that the page no longer uses."""
        await self._device.until_idle()

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._device.close()

    # ---- as the script does it

    async def _listen(self, stream: str) -> None:
        async for event in self._device.follow(stream, self._referer()):
            if event.kind == "regions":
                self._arrived(event.json)
            else:
                assert event.kind in ("", "beat", "news"), event.kind
        raise ConnectionError("the stream has ended")

    def _arrived(self, event: dict[str, Any]) -> None:
        if event.get("new"):
            self._chunks = []
        pieces = {name: self._decoded(tokens) for name, tokens in event.get("regions", {}).items()}
        state = {**({} if "all" in event else self._state), **event.get("page", {})}
        self._show(event["v"], pieces, state, is_all="all" in event)

    def _decoded(self, tokens: Iterable[str | int | list[int]]) -> str:
        text: list[str] = []
        for token in tokens:
            if isinstance(token, str):
                self._chunks.append(token)
                text.append(token)
            elif isinstance(token, int):
                text.append(self._chunks[token])
            else:
                text += self._chunks[token[0] : token[0] + token[1]]
        return "".join(text)

    def _show(
        self,
        version: int,
        pieces: dict[str, str],
        state: dict[str, Any],
        is_all: bool = False,
        is_visit: bool = False,
    ) -> None:
        """A decision stays as it is, half made or not, while what may be chosen stays the same."""
        if version < self.version:
            return
        key = self._state.get("key")
        if not is_visit and key and key == state.get("key"):
            pieces = {**pieces, "decision": self._regions["decision"]}
        elif not is_visit and "decision" in pieces:
            self._address = self._home
        self._state, self.version = state, version
        self._regions = pieces if is_all else {**self._regions, **pieces}
        self._news.set()

    async def _visit(self, address: str, body: bytes) -> bool:
        if body:
            nonce = b"&nonce=%07d" % next(NONCES)
            answer = await self._device.fetch(address, FORM, "POST", body + nonce)
        else:
            shown = {"X-Shown-Version": str(self.version)}
            answer = await self._device.fetch(address, {**JSON, **shown})
        fresh = _told_by(address, answer)
        self._visits += 1
        if "go" in fresh:
            return await self._visit(urljoin(address, fresh["go"]), b"")
        if "regions" not in fresh:
            self._address = self._home
            asyncio.get_running_loop().call_later(LATE, self._fetch_if_before, fresh["v"])
            return True
        self._address = address
        if fresh["v"] < self.version:
            self._refresh()
        else:
            is_all = "part" not in fresh
            self._show(fresh["v"], fresh["regions"], fresh["page"], is_all, is_visit=True)
        return False

    def _fetch_if_before(self, version: int) -> None:
        if self.version < version:
            self._refresh()

    def _refresh(self) -> None:
        self._again = self._fetching
        if not self._fetching:
            self._fetching = True
            self._start(self._fetch())

    async def _fetch(self) -> None:
        before = self._visits
        answer = await self._device.fetch(self._address, JSON)
        fresh = json.loads(answer.body)
        if before == self._visits:
            self._show(fresh["v"], fresh["regions"], fresh["page"], is_all=True)
        else:
            self._again = True
        self._fetching = False
        self._news.set()
        if self._again:
            self._refresh()

    def _answer(self) -> str:
        """The oldest that was not read; of a phone that has read none, only those of the last move."""
        answers: list[str] = ANSWER.findall(self._regions.get("answer", ""))
        read = self._device.cookies.get(self._seen_cookie)
        if read is not None:
            return next((text for text in answers if _number(NUMBER, text) > int(read)), "")
        last = max((_number(ENTRY, text) for text in answers), default=0)
        return next((text for text in answers if _number(ENTRY, text) == last), "")

    # ---- requests

    def _referer(self) -> dict[str, str]:
        return {"Referer": f"{self._device.url}{self._address}"}

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception():
            self._failure = task.exception()
            self._news.set()


def _told_by(address: str, answer: Answer) -> dict[str, Any]:
    if answer.status == 204:
        return {"v": int(answer.headers["etag"].strip('"'))}
    assert answer.headers["content-type"].startswith("application/json"), (address, answer.status)
    return dict(json.loads(answer.body))


def _number(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text)
    assert found, text
    return int(found[1])
