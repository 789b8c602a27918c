"""A phone or a screen with its page open: on the wire it does what `web/static/live.js` does, and no more."""

import asyncio
import json
import re
from collections.abc import Coroutine
from typing import Any
from urllib.parse import urlencode, urljoin

from tests.bench.wire import NO_STORE, Answer, Device

STREAM = re.compile(r'<body[^>]* data-stream="([^"]*)" data-stamp="(\w+:(\d+)[^"]*)"')
FOLDS = re.compile(r'<div class="folds">.*?(?=<div id="hand")', re.DOTALL)
REDIRECTS = range(300, 400)
FORM = "application/x-www-form-urlencoded;charset=UTF-8"


class Phone:
    """What is open: its page, how new it is, and what went over its connections."""

    def __init__(self, url: str, path: str, cookies: dict[str, str]) -> None:
        self._device = Device(url, cookies)
        self._home = path
        self._address = path  # where the page is, with what was tapped
        self._page = ""
        self._stamp = ""
        self.version = -1
        self._presence = ""
        self._fetching = False
        self._again = False
        self._visits = 0
        self._news = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self.failure: BaseException | None = None

    @property
    def weight(self) -> int:
        """Bytes so far."""
        return self._device.weight

    @property
    def requests(self) -> int:
        return self._device.requests

    @property
    def html(self) -> str:
        """What is looked at: the answer, the decision, the own hand; nothing that is folded."""
        return FOLDS.sub("", self._page)

    async def open(self) -> None:
        answer = await self._get(self._address, {"Accept": "text/html"})
        self._show(answer)
        found = STREAM.search(self._page)
        assert found, f"{self._address} is not live"
        self._start(self._listen(found[1].replace("&amp;", "&")))

    async def tap(self, link: str) -> None:
        """Follow a link of the page, or a form that only asks."""
        await self._visit(urljoin(self._home, link), b"")

    async def send(self, action: str, fields: list[tuple[str, str]]) -> bool:
        """Send a form of the page: whether it was taken."""
        return await self._visit(urljoin(self._home, action), urlencode(fields).encode())

    async def until(self, version: int) -> None:
        """Until the page shows this version or a newer one, and nothing is being fetched."""
        while self.version < version or self._fetching:
            self._news.clear()
            await self._news.wait()
            if self.failure:
                raise self.failure

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._device.close()

    # ---- as the script does it

    async def _visit(self, address: str, body: bytes) -> bool:
        if body:
            headers = {"Accept": "*/*", "Content-Type": FORM, "Referer": self._referer()}
            answer = await self._device.fetch(address, headers, "POST", body)
            address, answer = await self._redirected(address, answer, {"Accept": "*/*"})
        else:
            address, answer = await self._followed(address, {"Accept": "*/*"})
        self._visits += 1
        self._address = address
        before = self.version
        self._show(answer)
        if self.version < before:
            self._refresh()
        return answer.status == 200

    def _refresh(self) -> None:
        self._again = self._fetching
        if not self._fetching:
            self._fetching = True
            self._start(self._fetch())

    async def _fetch(self) -> None:
        before = self._visits
        answer = await self._get(self._address, {"Accept": "text/html", **NO_STORE})
        if before == self._visits:
            self._show(answer)
        else:
            self._again = True
        self._fetching = False
        self._news.set()
        if self._again:
            self._refresh()

    async def _listen(self, stream: str) -> None:
        async for kind, data in self._device.follow(stream, {"Referer": self._referer()}):
            if kind == "view":
                view = json.loads(data)
                parts = (view["table"], view["version"], view["next"])
                if ":".join(str(part) for part in parts if part is not None) != self._stamp:
                    self._refresh()
            elif kind == "seats":
                if self._presence != data:
                    self._refresh()
                self._presence = data
            elif kind in ("job", "desk", "sound"):
                self._refresh()

    def _show(self, answer: Answer) -> None:
        assert answer.status < 500, answer.status
        self._page = answer.body.decode()
        if found := STREAM.search(self._page):
            self._stamp, self.version = found[2], int(found[3])
        self._news.set()

    # ---- requests

    async def _get(self, address: str, headers: dict[str, str]) -> Answer:
        return (await self._followed(address, headers))[1]

    async def _followed(self, address: str, headers: dict[str, str]) -> tuple[str, Answer]:
        answer = await self._device.fetch(address, {**headers, "Referer": self._referer()})
        return await self._redirected(address, answer, headers)

    async def _redirected(self, address: str, answer: Answer, headers: dict[str, str]) -> tuple[str, Answer]:
        if answer.status not in REDIRECTS:
            return address, answer
        return await self._followed(urljoin(address, answer.headers["location"]), headers)

    def _referer(self) -> str:
        return f"{self._device.url}{self._address}"

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception():
            self.failure = task.exception()
            self._news.set()
