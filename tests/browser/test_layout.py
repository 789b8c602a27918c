"""Weight, fingers and narrow windows."""

import re

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import PHONE, SMALL_PHONE, TABLET, Window
from tests.browser.people import Game, open_table, scan

TARGET = 44  # pixels: what a finger hits


@pytest.mark.parametrize("path", ["", "/s/target"])
def test_the_first_load_is_light(playing: Game, path: str) -> None:
    """HTML, style, script and icon together, as they go over the air."""
    request = playing.ana.page.request
    page = request.get(f"/t/{playing.code}{path}").text()
    static = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert len(static) == 3
    assert len(page.encode()) + sum(len(request.get(file).body()) for file in static) < 100_000


def test_no_page_names_another_host(playing: Game) -> None:
    for path in (
        "/",
        f"/t/{playing.code}",
        f"/t/{playing.code}/s/target",
        "/desk/main",
        "/static/live.js",
        "/static/referee.css",
    ):
        source = playing.ana.page.request.get(path).text()
        hosts = set(re.findall(r"https?://([^/\s\"'<:]+)", source)) - {"127.0.0.1", "www.w3.org"}
        assert not hosts, path


@pytest.mark.parametrize("size", [SMALL_PHONE, PHONE, TABLET])
def test_nothing_sticks_out_and_fingers_hit_everything(playing: Game, size: tuple[int, int]) -> None:
    screen, ana, ben = playing.screen, playing.ana.page, playing.ben.page
    for page in (screen, ana, ben):
        page.set_viewport_size({"width": size[0], "height": size[1]})
    for path in ("/", f"/t/{playing.code}", "/desk/main"):
        screen.goto(path)
        check_layout(screen)
    seat = ana.url
    for state in ("?do=attack_from_hand", "?do=attack_from_house", "?do=swap", "?do=swap&case=1", ""):
        ana.goto(seat + state)
        check_layout(ana)
    playing.ana.attacks(card=2, house=1)
    playing.ana.sees_answer("PLUS")
    check_layout(ana)
    playing.ben.goes_on()
    check_layout(ben)
    screen.goto(f"/t/{playing.code}")
    check_layout(screen)


def test_joining_and_hiding_fit_the_smallest_phone(game: Game, window: Window) -> None:
    page = game.ana.page
    page.set_viewport_size({"width": SMALL_PHONE[0], "height": SMALL_PHONE[1]})
    check_layout(page)
    host, phone = window(SMALL_PHONE), window(SMALL_PHONE)
    open_table(host)
    check_layout(host)
    phone.goto(scan(host)["target"])
    check_layout(phone)


def check_layout(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url
    small = page.evaluate(
        """least => [...document.querySelectorAll("a[class], button, summary, input, label.pick")]
            .filter(e => e.type !== "hidden" && e.checkVisibility() && !e.closest(".hidden-words, .skip"))
            .map(e => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()])
            .filter(([, box]) => box.height < least || box.width < least)
            .map(([html, box]) => `${html} ${box.width}×${box.height}`)""",
        TARGET,
    )
    assert not small, page.url
