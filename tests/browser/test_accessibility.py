"""WCAG 2.2 AA, as axe-core checks it: every kind of page of every game, by day and by night."""

import os
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Page

from referee.games import GAMES
from tests.browser.conftest import PHONE, TV, Window
from tests.browser.tour import Sight, Tour
from tests.web.server import Running

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
UNFOLD = """() => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
    for (const part of document.querySelectorAll(".secret, .secret-inside")) part.style.position = "static";
}"""  # a secret that is held lies over the page, and axe cannot see through it
MOVES = 2000 if os.environ.get("REFEREE_SOAK") == "1" else 80


@pytest.fixture(scope="module")
def tour(server: Running) -> Tour:
    return Tour(server.client)


@pytest.mark.parametrize("game", GAMES)
def test_no_page_of_a_game_has_a_barrier(window: Window, server: Running, tour: Tour, game: str) -> None:
    page = window()
    found = [flaw for sight in tour.sights(game, MOVES) for flaw in flaws(page, server.url, sight)]
    assert not found, "\n".join(found)


def test_no_refusal_has_a_barrier(window: Window, server: Running, tour: Tour) -> None:
    page = window()
    found = [flaw for sight in tour.strange() for flaw in flaws(page, server.url, sight)]
    assert not found, "\n".join(found)


def flaws(page: Page, url: str, sight: Sight) -> list[str]:
    """All that axe objects to on a page with everything unfolded: by day all its rules, by night the colours."""
    size = TV if "screen" in sight.kind or "joining" in sight.kind else PHONE
    page.set_viewport_size({"width": size[0], "height": size[1]})
    sight.open(page, url)
    page.evaluate(AXE)  # by the debugger: the page's own policy lets in no script but ours
    page.evaluate(UNFOLD)
    found = _asked(page, {"type": "tag", "values": LEVELS})
    page.emulate_media(color_scheme="dark")
    found += _asked(page, {"type": "rule", "values": ["color-contrast"]})
    page.emulate_media(color_scheme="light")
    return [f"{sight.kind} {sight.path}: {flaw}" for flaw in found]


def _asked(page: Page, rules: dict[str, Any]) -> list[str]:
    result = page.evaluate(
        """async rules => (await axe.run({ runOnly: rules, resultTypes: ["violations"] })).violations.flatMap(
            v => v.nodes.map(n => `${v.id} ${n.target} ${n.html.slice(0, 120)} ${n.failureSummary.slice(0, 250)}`))""",
        rules,
    )
    return list(result)
