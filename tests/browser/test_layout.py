"""Page weight, sizes of controls, narrow windows."""

import re

import pytest
from playwright.sync_api import Page

from referee.games import GAMES
from tests.support.browser.agent_hunter import Game, open_table
from tests.support.browser.browser_player import scan
from tests.support.browser.layout import LONG_NAMES, SCREENS, check_layout, check_sizes, sizes
from tests.support.browser.windows import PHONE, SMALL_PHONE, TABLET, TV, Window, holds
from tests.support.web.http_client import Phone, Table
from tests.support.web.random_player import hide
from tests.support.web.server_process import Running

SPILLED = """[...document.querySelectorAll("details.fold[open], .side")].flatMap(whole => {
    const room = whole.getBoundingClientRect();
    return [...whole.querySelectorAll("*:not(svg *, .decoys, .decoys *, .hidden-words)")]
        .map(part => [part.outerHTML.slice(0, 60), part.getBoundingClientRect()])
        .filter(([, box]) => box.width && (box.bottom > room.bottom + 1 || box.right > room.right + 1))
        .map(([html]) => html);
})"""  # what stands beyond the frame it belongs to


@pytest.mark.parametrize(("path", "files"), [("", 21), ("/s/target", 16), ("/rules", 11)])
def test_the_first_load_is_light(playing: Game, path: str, files: int) -> None:
    """HTML, style, scripts and icon together, as they go over the air."""
    request = playing.ana.page.request
    page = request.get(f"/t/{playing.code}{path}").text()
    static = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert len(static) == files
    sent = sum(int(request.get(file).headers["content-length"]) for file in static)
    assert len(page.encode()) + sent < 60_000


def test_no_page_names_another_host(playing: Game) -> None:
    for path in (
        "/",
        f"/t/{playing.code}",
        f"/t/{playing.code}/s/target",
        f"/t/{playing.code}/rules",
        "/desk/main",
        "/static/controls.js",
        "/static/guests.js",
        "/static/guests.css",
        "/static/live.js",
        "/static/record.js",
        "/static/fairness.js",
        "/static/noted_fingerprints.js",
        "/static/aid.js",
        "/static/voice.js",
        "/static/referee.css",
    ):
        source = playing.ana.page.request.get(path).text()
        hosts = set(re.findall(r"https?://([^/\s\"'<:]+)", source)) - {"127.0.0.1", "www.w3.org"}
        assert not hosts, path


def test_nothing_sticks_out_and_fingers_hit_everything(playing: Game) -> None:
    screen, ana, ben = playing.screen, playing.ana.page, playing.ben.page
    for path in ("/", f"/t/{playing.code}", "/desk/main"):
        screen.goto(path)
        check_sizes(screen)
    seat = ana.url
    for state in ("?do=attack_from_hand", "?do=attack_from_house", "?do=swap", "?do=swap&case=1", ""):
        ana.goto(seat + state)
        check_sizes(ana)
    playing.ana.attacks(card=2, house=1)
    playing.ana.sees_answer("PLUS")
    check_sizes(ana)
    playing.ben.goes_on()
    check_sizes(ben)
    screen.goto(f"/t/{playing.code}")
    check_sizes(screen)
    for _ in sizes(screen, TABLET):  # upright it is a stage too
        for part in (".side.seat-1", ".side.seat-2", ".todo"):
            _check_within(screen, part)


def test_joining_and_hiding_fit_the_smallest_phone(game: Game, window: Window) -> None:
    page = game.ana.page
    page.set_viewport_size({"width": SMALL_PHONE[0], "height": SMALL_PHONE[1]})
    check_layout(page)
    host, phone = window(SMALL_PHONE), window(SMALL_PHONE)
    open_table(host)
    check_layout(host)
    phone.goto(scan(host)["target"])
    check_layout(phone)


def test_a_table_screen_in_play_needs_no_scrolling(window: Window, server: Running) -> None:
    """Even after a destruction, with a refill owed and the longest names."""
    table = server.client.open_table(options={"first": "target"})
    _play_until_a_refill_is_owed(table)
    screen = window(TV)
    screen.goto(f"/t/{table.code}")
    for _ in sizes(screen, *SCREENS):
        _check_a_screen_in_play(screen)


def _check_a_screen_in_play(screen: Page) -> None:
    for part in (".turn", ".said .shout", ".said-too", ".todo", ".side.seat-1", ".side.seat-2"):
        _check_within(screen, part)
    for house in range(6):
        _check_within(screen, f".houses .card >> nth={house}")
        _check_within(screen, f".house-name >> nth={house}")
    high = screen.locator(".shout").evaluate("e => parseFloat(getComputedStyle(e).fontSize) / innerHeight")
    assert high > 0.06  # read from three metres


@pytest.mark.parametrize("scene", ["six answers", "a hit"])
def test_a_table_screen_in_play_needs_no_scrolling_after_a_correction(
    window: Window, server: Running, scene: str
) -> None:
    """What was put right and what is to be changed once pushed the houses out of the window."""
    table = server.client.open_table(options={"first": "target"})
    _correct_six_answers(table) if scene == "six answers" else _correct_a_hit(table)
    screen = window(TV)
    screen.goto(f"/t/{table.code}")
    for _ in sizes(screen, *SCREENS):
        for part in (".turn", ".said", ".put-right", ".todo", ".side.seat-1", ".side.seat-2"):
            _check_within(screen, part)
        for house in range(6):
            _check_within(screen, f".houses .card >> nth={house}")


def test_the_desk_has_room_for_the_longest_names(window: Window, server: Running) -> None:
    """On the smallest phone, and where a game shouts a name."""
    table = server.client.open_table(options={"first": "target"})
    ana, ben = table.join("target", "W" * 24), table.join("mask", "M" * 24)
    for phone in (ana, ben):
        phone.moves("hide", houses=[4, 5, 6])
    ana.moves("attack_from_hand", card=0, house=1)
    page = window(SMALL_PHONE)
    page.goto("/desk/main")
    shout = page.locator(".said .shout")
    shout.evaluate(f"shout => shout.lastChild.textContent = '{'W' * 24}'")
    check_layout(page)
    assert shout.evaluate("shout => shout.scrollWidth <= shout.clientWidth")


def test_the_code_and_all_seats_fit_the_table_screen(window: Window) -> None:
    screen = window(TV)
    open_table(screen)
    for _ in sizes(screen, *SCREENS):
        _check_within(screen, ".invitation .qr")
        for seat in (1, 2):
            _check_within(screen, f".chair.seat-{seat}")


def test_a_house_that_is_owed_a_refill_is_drawn_empty(window: Window, server: Running) -> None:
    table = server.client.open_table(options={"first": "target"})
    _play_until_a_refill_is_owed(table)
    screen = window(TV)
    screen.goto(f"/t/{table.code}")
    empty = screen.locator(".card--empty")
    assert empty.all_text_contents() == ["à regarnir"]
    assert screen.locator(".seat-1 .card--back").count() == 2


@pytest.mark.parametrize("game", GAMES)
def test_what_a_seat_unfolds_pushes_the_rest_down_on_any_device(
    window: Window, server: Running, game: str
) -> None:
    """A seat may be held by a tablet, or by the television itself."""
    table = server.client.open_table(game=game, desk=None)
    phone = next(iter(table.everybody().values()))
    page = window(TABLET)
    holds(page, f"seat_{table.code}_{phone.seat}", phone.token, server.client.url)
    page.goto(f"/t/{table.code}/s/{phone.seat}")
    page.evaluate("document.querySelectorAll('details.fold').forEach(fold => (fold.open = true))")
    for width, height in (TABLET, (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(SPILLED) == []


def test_both_sides_have_room_in_a_replay_on_a_television(window: Window, server: Running) -> None:
    table = server.client.open_table(options={"turn_cap": 1, "first": "target"}, desk=None)
    phones = table.everybody()
    hide(phones)
    phones["target"].moves("attack_from_hand", card=9, house=1)
    page = window((1920, 1080))
    page.goto(f"/t/{table.code}/record?step=4")
    assert page.locator(".open-houses .card").count() == 6
    assert page.evaluate(SPILLED) == []


@pytest.mark.parametrize("size", [SMALL_PHONE, PHONE])
def test_the_button_of_a_form_can_be_scrolled_clear_of_the_bar(
    playing: Game, game: Game, size: tuple[int, int]
) -> None:
    page, hiding = playing.ana.page, game.ana.page
    for phone in (page, hiding):
        phone.set_viewport_size({"width": size[0], "height": size[1]})
    for state in ("?do=attack_from_hand", "?do=attack_from_house", "?do=swap&case=1"):
        page.goto(page.url.partition("?")[0] + state)
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        button, bar = page.locator("form.move .button").bounding_box(), page.locator(".secret").bounding_box()
        assert button
        assert bar
        assert button["y"] + button["height"] < bar["y"], state
    assert not hiding.locator(".secret").is_visible()


def _play_until_a_refill_is_owed(table: Table) -> None:
    ana, ben = (table.join(seat, name) for seat, name in zip(("target", "mask"), LONG_NAMES, strict=True))
    ana.moves("hide", houses=[2, 7, 8])
    ben.moves("hide", houses=[5, 3, 8])
    ana.moves("attack_from_hand", card=5, house=1)
    ben.moves("swap", house=2, card=9, decoy=3)
    ana.moves("attack_from_hand", card=3, house=2)
    ben.moves("attack_from_house", **{"from": 3, "house": 1})
    assert table.view()["public"]["owed"] == {"seat": "target", "house": 3}


def _correct_six_answers(table: Table) -> None:
    ana, ben = _hidden(table)
    for _ in range(6):
        ana.moves("attack_from_hand", card=5, house=1)
        ben.moves("attack_from_hand", card=0, house=1)
    _correct_the_houses(ana, ben, [9, 7, 8])
    assert [item["kind"] for item in table.view()["news"][-6:]] == ["restated"] * 6


def _correct_a_hit(table: Table) -> None:
    """The last one, which had ended the game."""
    ana, ben = _hidden(table)
    for house, card in ((1, 4), (2, 7)):
        ana.moves("attack_from_hand", card=card, house=house)
        ben.moves("attack_from_hand", card=9, house=1)
    ana.moves("attack_from_hand", card=8, house=3)
    _correct_the_houses(ana, ben, [4, 7, 6])
    assert table.view()["status"] == "playing"
    assert len(table.view()["todo"]) == 3


def _hidden(table: Table) -> tuple[Phone, Phone]:
    ana, ben = (table.join(seat, name) for seat, name in zip(("target", "mask"), LONG_NAMES, strict=True))
    ana.moves("hide", houses=[1, 2, 3])
    ben.moves("hide", houses=[4, 7, 8])
    return ana, ben


def _correct_the_houses(ana: Phone, ben: Phone, houses: list[int]) -> None:
    asked = {"version": ben.view()["version"], "kind": "correct", "n": 5, "fields": {"houses": houses}}
    assert ben.client.post(f"{ben.table.path}/ask", asked).status == 200
    assert ana.client.post(f"{ana.table.path}/answer", {"accept": True}).status == 200


def _check_within(page: Page, part: str) -> None:
    box, window = page.locator(part).bounding_box(), page.viewport_size
    assert box, part
    assert window, part
    assert box["x"] >= 0, part
    assert box["y"] >= 0, part
    assert box["x"] + box["width"] <= window["width"], part
    assert box["y"] + box["height"] <= window["height"], part
