"""Letters twice as large, as people set them: no word breaks, nothing sticks out or is cut off."""

from collections.abc import Iterator

from playwright.sync_api import Page

from referee.games import GAMES
from tests.support.browser.layout import BROKEN_WORDS
from tests.support.browser.page_tour import Sight, Tour
from tests.support.web.server_process import Running

MOVES = 5
UNFOLD = "for (const fold of document.querySelectorAll('details:not(.secret)')) fold.open = true"
FLAWS = """() => {
    const style = (e) => getComputedStyle(e);
    const isCut = (e) => style(e).overflowX === "hidden" && e.scrollWidth > e.clientWidth + 1;
    const isOut = ({ left, right }) => right > innerWidth + 1 || left < -1;
    const sticksOut = (e) => isOut(e.getBoundingClientRect());
    const scrolls = (e) => e && (style(e).overflowX === "auto" || scrolls(e.parentElement));
    return [...document.querySelectorAll("main *, .top *")]
        .filter((e) => e.checkVisibility() && style(e).clipPath === "none")
        .filter((e) => !e.closest("svg, .skip, .secret"))
        .filter((e) => !scrolls(e) && (isCut(e) || (sticksOut(e) && ![...e.children].some(sticksOut))))
        .map((e) => e.outerHTML.slice(0, 150));
}"""


def test_large_letters_fit_every_page(large_letters: Page, server: Running) -> None:
    tour = Tour(server.client, thorough=False)
    sights = (sight for game in GAMES for sight in tour.sights(game, MOVES) if sight.is_fresh)
    found = [flaw for sight in sights for flaw in flaws(large_letters, server.url, sight)]
    assert large_letters.evaluate("getComputedStyle(document.documentElement).fontSize") == "32px"
    assert not found, "\n".join(found)


def flaws(page: Page, url: str, sight: Sight) -> Iterator[str]:
    sight.open(page, url)
    page.evaluate(UNFOLD)
    is_wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    found = [*page.evaluate(FLAWS), *page.evaluate(BROKEN_WORDS), *(["scrolls sideways"] if is_wide else [])]
    return (f"{sight.kind}: {flaw}" for flaw in found)
