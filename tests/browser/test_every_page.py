"""Every kind of page of every game: WCAG 2.2 AA as axe-core checks it, by day and by night; weight; jumps.

Each page is opened once for all checks, since opening costs as much as checking. A page that is made only of
pieces that were checked on other pages is only weighed (`REFEREE_SOAK=1`: all are checked).
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Page, Route

from referee.games import GAMES
from tests.support.browser.page_tour import Sight, Tour
from tests.support.browser.windows import PHONE, TV, Window
from tests.support.soak import SOAK
from tests.support.web.http_client import Client
from tests.support.web.server_process import Running

MOVES = 2000 if SOAK else 10
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
HEAVY = 100_000  # bytes of a first load as they go over the air: pages as they are, all else compressed
JUMP = 0.01  # a tenth of the layout shift that is felt
UNFOLD = """() => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
    for (const part of document.querySelectorAll(".secret, .secret-inside")) part.style.position = "static";
}"""  # a secret that is held lies over the page, and axe cannot see through it
ASK_AXE = """async (runOnly) => {
    const { violations } = await axe.run({ runOnly, resultTypes: ["violations"] });
    const told = (rule) => (node) => `${rule.id}: ${node.html.slice(0, 150)} ${node.failureSummary}`;
    return violations.flatMap((rule) => rule.nodes.map(told(rule)));
}"""
PAINTED = """() => new Promise((resolve) => {
    new PerformanceObserver(resolve).observe({ type: "paint", buffered: true });
})"""
SHIFTED = """() => new Promise((resolve) => {
    let sum = 0;
    const add = (list) => list.getEntries().forEach((entry) => (sum += entry.value));
    new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(sum))));
})"""


@pytest.fixture(scope="module")
def tour_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of its own: what other tests left in the memory of theirs has no end."""
    with Running(tmp_path_factory.mktemp("pages") / "data") as running:
        yield running


@pytest.fixture(scope="module")
def tour(tour_server: Running) -> Tour:
    return Tour(tour_server.client, SOAK)


@pytest.fixture
def page(window: Window) -> Page:
    """A phone that was never here (what is routed is not kept), and sees pages before their modules run."""
    page = window()
    page.route(re.compile(r"/(noted_fingerprints|record)\.js"), _once_painted)
    return page


def _once_painted(route: Route) -> None:
    route.request.frame.evaluate(PAINTED)
    route.continue_()


@pytest.mark.parametrize("game", GAMES)
def test_no_page_of_a_game_stands_in_the_way(page: Page, tour_server: Running, tour: Tour, game: str) -> None:
    found = [flaw for sight in tour.sights(game, MOVES) for flaw in flaws(page, tour_server.client, sight)]
    assert not found, "\n".join(found)


def test_nothing_that_is_remembered_stands_in_the_way(page: Page, tour_server: Running, tour: Tour) -> None:
    found = [flaw for sight in tour.remembered() for flaw in flaws(page, tour_server.client, sight)]
    assert not found, "\n".join(found)


def test_no_refusal_stands_in_the_way(page: Page, tour_server: Running, tour: Tour) -> None:
    found = [flaw for sight in tour.strange() for flaw in flaws(page, tour_server.client, sight)]
    assert not found, "\n".join(found)


def flaws(page: Page, client: Client, sight: Sight) -> Iterator[str]:
    """All that is wrong with a page."""
    found = [f"weighs {weight}" for weight in [_weight(client, sight)] if weight > HEAVY]
    if sight.is_fresh or SOAK:
        found += _looked_at(page, client.url, sight)
    return (f"{sight.kind} {sight.path}: {flaw}" for flaw in found)


def _looked_at(page: Page, url: str, sight: Sight) -> list[str]:
    """All that is seen to be wrong; by night it is looked at where it brings something."""
    _open(page, url, sight)
    found = [f"shifts by {shift}" for shift in [page.evaluate(SHIFTED)] if shift > JUMP]
    page.evaluate(AXE)  # by the debugger: the page's own policy lets in no script but ours
    page.evaluate(UNFOLD)
    found += _asked(page, {"type": "tag", "values": LEVELS})
    return found + _by_night(page) if sight.is_fresh else found


def _open(page: Page, url: str, sight: Sight) -> None:
    """Show a page; one that is alive has also heard who is there, and drawn itself anew."""
    wide = " screen" in sight.kind or " joining" in sight.kind
    width, height = TV if wide else PHONE
    page.set_viewport_size({"width": width, "height": height})
    if "seats=1" in sight.html:
        with page.expect_event("requestfinished", lambda request: request.resource_type == "fetch"):
            sight.open(page, url)
    else:
        sight.open(page, url)


def _asked(page: Page, rules: dict[str, Any]) -> list[str]:
    return list(page.evaluate(ASK_AXE, rules))


def _by_night(page: Page) -> list[str]:
    page.emulate_media(color_scheme="dark")
    found = _asked(page, {"type": "rule", "values": ["color-contrast"]})
    page.emulate_media(color_scheme="light")
    return [f"by night: {flaw}" for flaw in found]


def _weight(client: Client, sight: Sight) -> int:
    """A page and all that it loads, nothing of it kept from before."""
    loaded = set(re.findall(r'<(?:link|script|img)[^>]+?(?:href|src)="(/[^"]+)"', sight.html))
    modules = {"/static/fairness.js"} if "record.js" in sight.html else set()
    return len(sight.html.encode()) + sum(_size(client.url, path) for path in loaded | modules)


@cache
def _size(url: str, path: str) -> int:
    return len(Client(url).with_(Accept_Encoding="gzip").get(path).content)
