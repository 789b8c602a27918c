"""Before a game: two phones want one seat, a lobby of two to eight, the home page, scenes without a table."""

import re
from collections.abc import Iterator
from itertools import zip_longest

import pytest
from playwright.sync_api import Page, Route, expect

from referee.presentation.words import LANGUAGES
from tests.support.browser.agent_hunter import open_table
from tests.support.browser.browser_player import scan_table
from tests.support.browser.layout import LONG_NAMES, SCREENS, STAGES, check_layout, check_stage, sizes
from tests.support.browser.windows import PHONE, SMALL_PHONE, TV, Window
from tests.support.web.http_client import Table
from tests.support.web.large_game import COUNTS
from tests.support.web.server_process import Running
from web.security.caller import LANGUAGE_COOKIE

# The words that are broken inside: a piece between spaces or hyphens that stands on two lines.
WORDS = """root => {
    const broken = [];
    const unread = "svg, .link-text, .hidden-words";
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const parent = node.parentElement;
        if (parent.closest(unread) || !parent.checkVisibility()) continue;
        for (const word of node.data.matchAll(/[^\\s\\u00a0\\-–/]+/g)) {
            const range = document.createRange();
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            const boxes = [...range.getClientRects()].filter((box) => box.width > 1);
            if (new Set(boxes.map((box) => Math.round(box.top))).size > 1) broken.push(word[0]);
        }
    }
    return broken;
}"""
PARTS = (
    *(".lobby .taken", ".lobby .chair-title", ".lobby .lobby-title", ".lobby .scan"),
    *(".to-choose .chair-title", ".begin .button", ".game-card h2"),
)
CUT = """parts => [...document.querySelectorAll(parts)]
    .filter((part) => part.checkVisibility() && part.scrollWidth > part.clientWidth + 1)
    .map((part) => part.textContent)"""
AUDIO = """
window.pops = [];
window.AudioContext = class {
    state = "running";
    currentTime = 0;
    destination = {};
    createOscillator() {
        const frequency = { setValueAtTime() {}, exponentialRampToValueAtTime: (pitch) => pops.push(pitch) };
        return { frequency, connect: (to) => to, start() {}, stop() {} };
    }
    createGain() {
        return { gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} }, connect: (to) => to };
    }
};
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with a game for up to eight players, and a Wi-Fi for guests."""
    wifi = '[wifi]\nssid = "Table des espions"\npassword = "abc23456"\n'
    folder = tmp_path_factory.mktemp("large") / "data"
    with Running(folder, wifi, modifications=["with_large_game"]) as running:
        yield running
        assert "Traceback" not in running.said()


def whole_words(page: Page) -> None:
    assert page.locator("main").evaluate(WORDS) == [], (page.url, page.viewport_size)
    assert page.evaluate(CUT, ", ".join(PARTS)) == [], (page.url, page.viewport_size)


def in_view(page: Page, *parts: str) -> None:
    """Every one of these is wholly in the window, without scrolling."""
    height = page.viewport_size["height"] if page.viewport_size else 0
    for part in parts:
        for box in [found.bounding_box() for found in page.locator(part).all()]:
            assert box and box["y"] >= 0 and box["y"] + box["height"] <= height, (
                part,
                box,
                page.viewport_size,
            )


# ---- two phones, one seat


def is_live(route: Route) -> bool:
    """Whether a page asks what is new. A phone that never hears of it shows what is out of date."""
    return route.request.resource_type in ("eventsource", "fetch")


def test_two_phones_want_one_seat_and_the_second_chooses_again(window: Window) -> None:
    screen = window(TV)
    open_table(screen)
    link = scan_table(screen)
    ana, ben = window(SMALL_PHONE), window(SMALL_PHONE)
    ben.route("**/*", lambda route: route.abort() if is_live(route) else route.continue_())
    for phone, name in ((ana, "Ana"), (ben, "Ben")):
        phone.goto(link)
        phone.locator("input[name=seat][value=mask]").check(force=True)
        phone.get_by_label("Votre prénom").fill(name)
    ana.get_by_role("button", name="Prendre place").click()
    expect(ana.locator("h1:visible")).to_have_text("Bienvenue, Ana !")
    ben.get_by_role("button", name="Prendre place").click()
    expect(ben.get_by_role("alert")).to_contain_text("Ana a été plus rapide")
    expect(ben.get_by_label("Votre prénom")).to_have_value("Ben")
    expect(ben.locator("input[name=seat]")).to_have_count(1)
    ben.get_by_role("button", name="Prendre place").click()
    expect(ben).to_have_url(re.compile("/s/target$"))
    expect(screen.locator("body")).to_have_class(re.compile("playing"))
    for phone in (ana, ben):  # each number is in the dice: no phone warns
        expect(phone.locator("[data-own-dice]")).to_be_hidden()
        expect(phone.locator("[data-own-dice]")).to_have_attribute("data-nonce", re.compile("^[0-9a-f]{64}$"))


def test_a_seat_that_is_taken_leaves_the_page_of_whoever_still_chooses(
    window: Window, server: Running
) -> None:
    table = server.client.open_table(game="agent_avenue", options={"players": 4})
    one, *others = table.keys
    phone = window(PHONE)
    phone.goto(f"/j/{table.code}/{table.key}")
    phone.locator(f"input[name=seat][value={one}]").check(force=True)
    phone.get_by_label("Votre prénom").fill("Ben")
    table.take(one, "Ana", avatar="fox")
    expect(phone.locator("input[name=seat]")).to_have_count(len(others))
    expect(phone.locator("input[name=seat]:checked")).to_have_count(0)
    expect(phone.get_by_role("alert")).to_contain_text("Quelqu’un vient de prendre cette place")
    phone.locator(f"input[name=seat][value={others[2]}]").check(force=True)
    expect(phone.get_by_role("alert")).to_be_hidden()
    table.take(others[0], "Zoé")
    expect(phone.locator("input[name=seat]")).to_have_count(len(others) - 1)
    expect(phone.locator("input[name=seat]:checked")).to_have_value(others[2])
    expect(phone.locator(".sits-there")).to_contain_text("Ana")
    expect(phone.get_by_label("Votre prénom")).to_have_value("Ben")


def test_whoever_was_here_before_is_seated_with_one_tap(window: Window, server: Running) -> None:
    phone = window(SMALL_PHONE)
    for first in (True, False):
        table = server.client.open_table(desk=None)
        phone.goto(f"/j/{table.code}/{table.key}")
        if first:
            phone.get_by_label("Votre prénom").fill("Ana")
            phone.get_by_role("radio", name="Renard au chapeau").check(force=True)
        phone.get_by_role("button", name="Prendre place").click()
        expect(phone.locator("h1:visible")).to_have_text("Bienvenue, Ana !")
        assert [who["avatar"] for who in table.view()["seats"].values() if who["joined"]] == ["fox"]


def test_somebody_sits_down_with_a_pop(window: Window, server: Running) -> None:
    table = server.client.open_table(game="agent_avenue", options={"players": 3}, desk=None)
    screen = window(TV)
    screen.add_init_script(AUDIO)
    screen.goto(f"/t/{table.code}")
    for place, seat in enumerate(list(table.keys)[:2], 1):
        table.take(seat, "Ana", avatar="cat")
        expect(screen.locator(".chair.is-taken")).to_have_count(place)
        screen.wait_for_function(f"() => pops.length === {place}")
    low, high = screen.evaluate("pops")
    assert low < high, "a chord grows"
    expect(screen.locator(".chair.is-taken .portrait use").first).to_have_attribute(
        "href", re.compile("#cat$")
    )


# ---- layout


def seated(server: Running, players: int) -> Table:
    """A table of the large game; every second seat is taken, by people with long names."""
    table = server.client.open_table(game="large", options={"players": players}, desk=None)
    for seat, name in zip_longest(list(table.keys)[: (players + 1) // 2], LONG_NAMES, fillvalue="Ève"):
        if seat in table.keys:
            table.take(seat, name, avatar="owl")
    return table


@pytest.mark.parametrize("players", COUNTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lobby_holds_two_to_eight(window: Window, large: Running, players: int, language: str) -> None:
    table = seated(large, players)
    screen = window(TV, base_url=large.url)
    cookies = {f"host_{table.code}": table.host, LANGUAGE_COOKIE: language}
    screen.context.add_cookies([{"name": n, "value": v, "url": large.url} for n, v in cookies.items()])
    screen.goto(f"/t/{table.code}")
    expect(screen.locator(".chair")).to_have_count(players)
    for _ in sizes(screen, *SCREENS):
        in_view(screen, ".lobby .lobby-title", ".invitation .qr", ".invitation .scan", ".wifi .qr", ".chair")
        whole_words(screen)
        check_layout(screen)
    for _ in sizes(screen, *STAGES):
        check_stage(screen)
    for _ in sizes(screen, SMALL_PHONE, PHONE):
        in_view(screen, ".lobby .lobby-title", ".invitation .qr")
        whole_words(screen)
        check_layout(screen)
    large_enough = (
        "() => Math.min(...[...document.querySelectorAll('.lobby .qr')].map((code) => code.clientWidth))"
    )
    assert screen.evaluate(large_enough) > 120


@pytest.mark.parametrize("players", [2, 4, 8])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_small_phone_shows_all_of_joining(
    window: Window, large: Running, players: int, language: str
) -> None:
    table = seated(large, players)
    phone = window(SMALL_PHONE, base_url=large.url, locale=language)
    phone.goto(f"/j/{table.code}/{table.key}")
    for _ in sizes(phone, SMALL_PHONE, PHONE, TV):
        check_layout(phone)
        whole_words(phone)
    phone.set_viewport_size({"width": SMALL_PHONE[0], "height": SMALL_PHONE[1]})
    in_view(
        phone,
        "h1",
        ".to-choose .chair",
        "#name",
        *([".avatars label", "form.sit > .button"] if players < 3 else []),
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_games_are_seen_at_a_glance(window: Window, server: Running, language: str) -> None:
    page = window(TV, locale=language)
    page.goto("/")
    for _ in sizes(page, TV, (1920, 1080), PHONE, SMALL_PHONE):
        in_view(page, ".game-card")
        whole_words(page)
        check_layout(page)
    page.goto("/play/agent_avenue")
    for _ in sizes(page, TV, PHONE, SMALL_PHONE):
        check_layout(page)
        whole_words(page)


# ---- a screen without a table


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_scenes_change_and_the_code_wanders_without_a_table(
    window: Window, large: Running, motion: str
) -> None:
    server_without_table = large.client.get("/desk/main/screen").content.decode()
    assert "to-play" in server_without_table
    screen = window(TV, base_url=large.url, reduced_motion=motion)
    screen.clock.install()
    screen.goto("/desk/main/screen")
    shown = screen.locator(".scene.is-shown h2")
    expect(shown).to_have_text("Agent Hunter")
    before = screen.locator(".to-play").bounding_box()
    screen.clock.run_for(14000)
    expect(shown).to_have_text("Espion contre Espion")
    for _ in sizes(screen, *SCREENS):
        in_view(screen, ".to-play", ".scene.is-shown .scene-words")
    is_moving = screen.locator(".scene.is-shown .drawing").evaluate(
        "drawing => getComputedStyle(drawing).animationName"
    )
    assert (is_moving == "none") == (motion == "reduce")
    assert before


def test_a_table_that_is_opened_replaces_the_scenes(
    window: Window, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with Running(tmp_path_factory.mktemp("idle") / "data") as fresh:
        screen = window(TV, base_url=fresh.url)
        screen.goto("/desk/main/screen")
        expect(screen.locator(".to-play .qr")).to_be_visible()
        table = fresh.client.open_table()
        expect(screen.locator(".top .code")).to_contain_text(table.code)
