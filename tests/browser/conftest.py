"""A Chromium and a server for all tests, windows of every size, a table with two phones."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.support.browser.agent_hunter import Game, seated
from tests.support.browser.windows import (
    FLAGS,
    TIMEOUT,
    Window,
    Windows,
)
from tests.support.fixtures import server
from tests.support.web.server_process import Running

__all__ = ["server"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    assert chromium, "The browser tests need Chromium: sudo apt-get install chromium"
    expect.set_options(timeout=TIMEOUT)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield running
        running.close()


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
