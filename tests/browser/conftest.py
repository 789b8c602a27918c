"""A Chromium and a server for all tests, windows of every size, a table with two phones."""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.people import Game, Player, goes_to
from tests.web.client import Client
from tests.web.server import Running

PHONE, SMALL_PHONE, TABLET, TV = (360, 740), (320, 568), (820, 1180), (1280, 720)
PATIENCE = 30_000  # milliseconds a window may take to show what it should
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",  # or that limit does not hold: each page shown would start a process
)

Window = Callable[..., Page]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    assert chromium, "The browser tests need Chromium: sudo apt-get install chromium"
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with Running(tmp_path_factory.mktemp("browser") / "data") as running:
        yield running
        assert "Traceback" not in running.said()


class Windows:
    """Windows that are lent to tests and come back empty: to open one anew costs more than most tests."""

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser, self._url = browser, url
        self._free: dict[str, list[Page]] = {}
        self._lent: list[tuple[str, Page]] = []
        self.errors: list[str] = []

    def lend(self, size: tuple[int, int] = PHONE, **more: Any) -> Page:
        asked = {"locale": "fr-FR", "reduced_motion": "reduce", "base_url": self._url, **more}
        kind = repr(sorted(asked.items()))
        page = self._free[kind].pop() if self._free.get(kind) else self._open(asked)
        page.set_viewport_size({"width": size[0], "height": size[1]})
        self._lent.append((kind, page))
        return page

    def _open(self, asked: dict[str, Any]) -> Page:
        context = self._browser.new_context(**asked)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: self._heard(message.text))
        return page

    def _heard(self, text: str) -> None:
        """What a page complains of itself, above all what its content policy forbids."""
        if "Content Security Policy" in text or "Uncaught" in text:
            self.errors.append(text)

    def take_back(self) -> None:
        for kind, page in self._lent:
            for other in page.context.pages:
                if other != page:
                    other.close()
            page.unroute_all(behavior="ignoreErrors")
            self._forget(page)
            page.context.clear_cookies()
            self._free.setdefault(kind, []).append(page)
        self._lent.clear()

    def _forget(self, page: Page) -> None:
        """What a page kept is cleared from one that goes nowhere by itself; other servers are gone."""
        if page.url.startswith(self._url):
            goes_to(page, f"{self._url}/healthz")
            page.evaluate("localStorage.clear()")
        else:
            goes_to(page, "about:blank")


@pytest.fixture(scope="session")
def windows(browser: Browser, server: Running) -> Windows:
    return Windows(browser, server.url)


@pytest.fixture
def window(windows: Windows) -> Iterator[Window]:
    """A window of one's own, with its own cookies: `window(TV)`, `window(PHONE, locale="en")`."""
    windows.errors.clear()
    yield windows.lend
    windows.take_back()
    assert not windows.errors


def seated(window: Window, client: Client) -> Game:
    """A table at the desk with Ana (TARGET, who begins) and Ben (MASK), each before a phone."""
    table = client.open_table(options={"first": "target"})

    def player(seat: str, name: str) -> Player:
        phone = table.join(seat, name)
        page = window(base_url=client.url)
        holds(page, f"seat_{table.code}_{seat}", phone.token, client.url)
        return Player(page, seat, name, phone)

    def switch_on() -> Page:
        screen = window(TV, base_url=client.url)
        holds(screen, f"host_{table.code}", table.host, client.url)
        return screen

    return Game(player("target", "Ana"), player("mask", "Ben"), table.code, switch_on)


def holds(page: Page, name: str, value: str, url: str) -> None:
    page.context.add_cookies(
        [{"name": name, "value": value, "url": url, "httpOnly": True, "sameSite": "Lax"}]
    )


@pytest.fixture
def game(window: Window, server: Running) -> Game:
    """Ana and Ben sit, nobody has hidden yet."""
    game = seated(window, server.client)
    game.look()
    return game


@pytest.fixture
def playing(window: Window, server: Running) -> Game:
    """Ana has hidden 4 7 0 and is to play, Ben 3 8 5."""
    game = seated(window, server.client)
    game.hide()
    game.look()
    return game
