"""A Chromium and a server for all tests, windows of every size, a table with two phones."""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from tests.browser.people import Game, Player
from tests.web.client import Client
from tests.web.server import Running

PHONE, SMALL_PHONE, TABLET, TV = (360, 740), (320, 568), (820, 1180), (1280, 720)
PATIENCE = 10_000  # milliseconds a window may take to show what it should
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--renderer-process-limit=1",
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


@pytest.fixture
def window(browser: Browser, server: Running) -> Iterator[Window]:
    """Open a window of one's own, with its own cookies: `window(TV)`, `window(PHONE, locale="en")`."""
    contexts = []
    errors: list[str] = []

    def new(size: tuple[int, int] = PHONE, **more: Any) -> Page:
        asked = {"locale": "fr-FR", "reduced_motion": "reduce", "base_url": server.url, **more}
        context = browser.new_context(viewport=ViewportSize(width=size[0], height=size[1]), **asked)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if _is_ours(message.text) else None)
        return page

    yield new
    for context in contexts:
        context.close()
    assert not errors


def _is_ours(text: str) -> bool:
    """What a page complains of itself, above all what its content policy forbids."""
    return "Content Security Policy" in text or "Uncaught" in text


def seated(window: Window, client: Client) -> Game:
    """A table at the desk with Ana (TARGET, who begins) and Ben (MASK), each before a phone."""
    table = client.open_table(options={"first": "target"})

    def player(seat: str, name: str) -> Player:
        phone = table.join(seat, name)
        page = window(base_url=client.url)
        _holds(page, f"seat_{table.code}_{seat}", phone.token, client.url)
        return Player(page, seat, name, phone)

    def switch_on() -> Page:
        screen = window(TV, base_url=client.url)
        _holds(screen, f"host_{table.code}", table.host, client.url)
        return screen

    return Game(player("target", "Ana"), player("mask", "Ben"), table.code, switch_on)


def _holds(page: Page, name: str, value: str, url: str) -> None:
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
