"""A Chromium and a server for all tests, windows of every size, a table with two phones."""

import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.support.browser.agent_hunter import Game, seated
from tests.support.browser.windows import (
    FLAGS,
    PHONE,
    TIMEOUT,
    TWICE_AS_LARGE,
    Window,
    Windows,
)
from tests.support.fixtures import server
from tests.support.web.server_process import Running

__all__ = ["server"]

Launch = Callable[..., Browser]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Launch]:
    """Start a Chromium with these flags."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    assert path, "The browser tests need Chromium: sudo apt-get install chromium"
    expect.set_options(timeout=TIMEOUT)
    with sync_playwright() as playwright:
        yield lambda *flags: playwright.chromium.launch(executable_path=path, args=[*FLAGS, *flags])


@pytest.fixture(scope="session")
def browser(chromium: Launch) -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="session")
def large_letters(chromium: Launch) -> Iterator[Page]:
    """A window of a browser of its own: the size of letters is a setting of the whole browser."""
    with chromium(TWICE_AS_LARGE) as running:
        page = running.new_page(locale="fr-FR", viewport={"width": PHONE[0], "height": PHONE[1]})
        page.set_default_timeout(TIMEOUT)
        yield page


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
