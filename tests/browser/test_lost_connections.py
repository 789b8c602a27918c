"""Connections that are dropped, cut in mid-event or suspended: the page recovers by itself."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.agent_hunter import Game, seated
from tests.support.browser.cuttable_proxy import CuttableProxy
from tests.support.browser.windows import Window
from tests.support.soak import LONG
from tests.support.waiting import eventually
from tests.support.web.forked_server import Forked
from tests.support.web.http_client import Client
from tests.support.web.server_process import Running, free_port

RETRY = 1600  # milliseconds: a little more than a page waits before it tries again
DEAD = 41_000  # a little more than it waits for a sign of life
CUTS = max(1, 200 // LONG)  # bytes between two places where a stream is cut
PAGESHOW = "dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))"


@pytest.fixture
def proxy(server: Running) -> Iterator[CuttableProxy]:
    with CuttableProxy(server.port) as proxy:
        yield proxy


def timed(page: Page) -> Page:
    """A page whose time a test can move on."""
    page.clock.install()
    return page


@pytest.fixture
def far(window: Window, proxy: CuttableProxy, server: Running) -> Game:
    """Ana and Ben are to hide; their phones reach the server through a proxy."""
    game = seated(window, Client(proxy.url))
    for player in (game.ana, game.ben):
        timed(player.page)
        assert player.phone
        player.phone.client.url = server.url  # what is done without a window needs no air
        player.phone.table.client.url = server.url
    game.look()
    for player in (game.ana, game.ben):
        expect(player.page.locator("[data-card]").first).to_be_enabled()
    return game


def version(page: Page, number: int) -> None:
    expect(page.locator("body")).to_have_attribute("data-stamp", re.compile(rf":{number}$"))


def comes_back(page: Page, number: int) -> None:
    """The page shows this version by itself, after as many tries as it needs."""
    for _ in range(200):
        page.clock.fast_forward(RETRY)
        stamp = str(page.locator("body").get_attribute("data-stamp"))
        if stamp.endswith(f":{number}") and page.locator("#lost").is_hidden():
            return
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    version(page, number)
    expect(page.locator("#lost")).to_be_hidden()


def test_a_connection_that_dies_without_a_word_is_noticed(far: Game, proxy: CuttableProxy) -> None:
    page = far.ana.page
    far.ana.taps(4, 7)
    proxy.drop_all()
    assert far.ben.phone
    far.ben.phone.moves("hide", houses=[3, 8, 5])
    page.clock.fast_forward(DEAD)
    page.clock.fast_forward(RETRY)
    expect(page.locator("#lost")).to_be_visible()
    version(page, 2)
    proxy.recover()
    page.clock.fast_forward(10_000)  # the try that was under way gets no answer
    comes_back(page, 3)
    expect(page.locator(".slots .is-filled .slot-card")).to_have_text(["4", "7"])
    far.ana.taps(0)
    far.ana.checks()
    far.ana.seals()
    far.ana.may_act()


def test_signs_of_life_keep_a_quiet_page_calm(window: Window, tmp_path: Path) -> None:
    with (
        Forked(tmp_path / "data", modifications=["fast_heartbeat"]) as server,
        CuttableProxy(server.port) as proxy,
    ):
        game = seated(window, Client(proxy.url))
        page = timed(game.ana.page)
        game.look()
        page.wait_for_function("() => document.querySelector('[data-card]')")
        stream = "new EventSource(document.body.dataset.stream)"
        for _ in range(4):
            page.evaluate(f"() => new Promise((done) => {stream}.addEventListener('beat', () => done()))")
            page.clock.fast_forward(DEAD // 2)
        expect(page.locator("#lost")).to_be_hidden()
        assert proxy.streams() == 2 + 4, "the page stayed on its stream, beside those of the test"


@pytest.mark.parametrize("wakes", ["document.dispatchEvent(new Event('visibilitychange'))", PAGESHOW])
def test_a_phone_that_wakes_up_opens_a_new_stream(far: Game, proxy: CuttableProxy, wakes: str) -> None:
    """Asleep, its stream died unnoticed: it would be missed only much later."""
    assert far.ben.phone
    proxy.drop_all()
    far.ben.phone.moves("hide", houses=[3, 8, 5])
    proxy.recover()
    far.ana.page.evaluate(f"() => {wakes}")
    comes_back(far.ana.page, 3)


def test_a_stream_cut_in_mid_word_shows_nothing_half(far: Game, proxy: CuttableProxy) -> None:
    """Wherever the cut falls, the page stays as it was, and what comes next is seen."""
    page = far.ana.page
    far.ana.taps(4, 7)
    assert far.ana.phone
    whole = len(far.ana.phone.client.get(f"{far.ana.phone.table.path}/me").content) + 600
    shown = page.locator("#decision").inner_text()
    for words in range(1, whole, CUTS):
        proxy.cut_after, before = words, proxy.cuts
        page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
        eventually(partial(proxy.was_cut_since, before))
        assert page.locator("#decision").inner_text() == shown
    proxy.cut_after = None
    assert far.ben.phone
    far.ben.phone.moves("hide", houses=[3, 8, 5])
    comes_back(page, 3)
    expect(page.locator(".slots .is-filled .slot-card")).to_have_text(["4", "7"])


def test_a_cut_in_every_phone_at_once_heals_by_itself(far: Game, proxy: CuttableProxy) -> None:
    proxy.cut()
    for player in (far.ana, far.ben):
        comes_back(player.page, 2)
    far.ana.hides(4, 7, 0)
    version(far.ben.page, 3)


def test_a_move_sent_while_the_server_is_away_is_sent_again_and_counts_once(
    window: Window, tmp_path: Path
) -> None:
    options = ("--host", "127.0.0.1", "--port", str(free_port()))
    with Forked(tmp_path / "data", options=options) as server:
        game = seated(window, server.client)
        page = timed(game.ana.page)
        game.hide()
        game.look()
        game.ana.chooses("attack_from_hand")
        game.ana.picks("card", 2)
        game.ana.picks("house", 1)
        server.kill()
        page.locator("form.move button.button").click()
        page.clock.fast_forward(RETRY)
        expect(page.locator("#lost")).to_be_visible()
        expect(page.locator("#lost")).to_contain_text("Connexion")
        with server.again() as later:
            comes_back(page, 5)
            game.ana.sees_answer("PLUS")
            assert game.ana.phone
            assert game.ana.phone.at(later.url).view()["version"] == 5


def test_what_was_picked_survives_a_question_of_somebody_else(playing: Game) -> None:
    page, ben = playing.ana.page, playing.ben.phone
    assert ben
    playing.ana.chooses("attack_from_hand")
    playing.ana.picks("card", 2)
    for say in ("withdraws", "is refused"):
        ben.client.post(f"{ben.table.path}/ask", {"version": ben.view()["version"], "kind": "abandon"})
        expect(page.locator(".asked")).to_be_visible()
        if say == "withdraws":
            ben.client.post(f"{ben.table.path}/answer", {"accept": False})
        else:
            page.locator("button[name=accept][value=no]").click()
        expect(page.locator(".asked")).to_have_count(0)
        expect(page.locator("form.move input:checked")).to_have_value("2")
    playing.ana.picks("house", 1)
    page.locator("form.move button.button").click()
    playing.both_see("PLUS")
    playing.ben.attacks(card=9, house=1)
    playing.both_see("MOINS")
    playing.ana.may_act()
    playing.ana.chooses("attack_from_hand")
    expect(page.locator("form.move input:checked")).to_have_count(0)
