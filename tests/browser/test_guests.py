"""Guests: the first minute, a demonstration, one phone for two, return at another address."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.agent_hunter import Game, HunterPlayer, open_table, seated
from tests.support.browser.browser_player import scan
from tests.support.browser.windows import TV, Window
from tests.support.web.forked_server import Forked
from tests.support.web.server_process import Running

OWN_STREAM = re.compile(r"/s/[a-z]+/live(\?version=.*)?$")  # not that of a curtain


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server whose bots do not pause, on a machine without a clock."""
    folder = tmp_path_factory.mktemp("guests") / "data"
    with Running(folder, "[bots]\npause = 0", modifications=["no_clock"]) as running:
        yield running
        assert "Traceback" not in running.said()


class Taps:
    """Counts what a hand does on a page."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0

    def on(self, selector: str) -> None:
        self.page.locator(selector).first.click()
        self.count += 1


def test_the_first_minute(window: Window, server: Running) -> None:
    screen = window(TV)
    screen.goto("/")
    expect(screen.locator(".how li")).to_have_count(3)
    for picture in screen.locator(".how li").all():
        expect(picture.locator("svg")).to_be_visible()
        expect(picture).to_have_text(re.compile(r"\w{4,}"))
    hand = Taps(screen)
    hand.on("form.begin button:not([formaction])")
    expect(screen.locator(".seat-card .qr")).to_have_count(2)
    assert hand.count <= 2
    phone = window()
    phone.goto(scan(screen)["target"])
    thumb = Taps(phone)
    expect(phone.locator("input[name=name]")).to_be_focused()
    phone.keyboard.type("Ana")
    thumb.on("form.sit > .button")
    expect(phone.locator("h1:visible")).to_have_text("Bienvenue, Ana !")
    assert thumb.count < 5
    for path in ("/t/" + phone.url.split("/t/")[1][:5], "/desk/main", "/t/ZZZZZ", "/nowhere"):
        phone.goto(path)
        phone.get_by_role("link", name=re.compile("Ma place : Ana")).click()
        expect(phone.locator("h1:visible")).to_have_text("Bienvenue, Ana !")


def test_a_game_tried_alone(window: Window, quick: Running) -> None:
    phone = window(base_url=quick.url)
    phone.goto("/")
    phone.get_by_role("button", name="Solo Agent Hunter").click()
    expect(phone.locator(".me .demo")).to_have_text("Démonstration")
    phone.get_by_role("link", name="Passer les explications").click()
    me = HunterPlayer(phone, "target", "Novice")
    me.hides(4, 7, 0)
    phone.locator("details[data-fold=history]").evaluate(
        "fold => (fold.open = true)"
    )  # an answer may cover it
    expect(phone.locator("#history")).to_contain_text("Robot a caché ses trois planques")
    expect(phone.locator(".people")).to_have_text(re.compile(r"^\s*Robot\s*$"))
    phone.goto("/")
    expect(phone.locator(".games-left")).to_contain_text("Démonstration")


def test_a_phone_tells_the_time_to_a_machine_without_a_clock(window: Window, quick: Running) -> None:
    client = quick.client

    def sheet() -> str:
        table = client.open_table(desk=None, options={"language": "fr"})
        client.bearing(table.host).post(f"{table.path}/ask", {"version": 0, "kind": "abandon"})
        return client.with_(Accept_Language="fr").get(f"{table.path}/sheet.txt").content.decode()

    quick.stop()
    with quick.again() as later:  # nobody has looked at a page of this one yet
        client = later.client
        assert "date incertaine" in sheet()
        page = window(base_url=later.url)
        with page.expect_response("**/api/clock") as told:
            page.goto("/")
        assert told.value.ok
        assert re.search(r"\d \w+ 20\d\d à \d", sheet())
        with page.expect_response("**/api/clock"):
            page.goto("/")  # later pages tell it too, and so correct a phone that was wrong


def test_one_phone_for_two(window: Window, server: Running) -> None:
    phone = window()
    followed: list[str] = []
    phone.on(
        "request",
        lambda request: followed.append(request.url) if OWN_STREAM.search(request.url) else None,
    )
    open_table(phone)
    phone.get_by_role("link", name="Jouer sur cet appareil").first.click()
    phone.locator("input[name=seat][value=target]").check(force=True)
    phone.get_by_label("Votre prénom").fill("Ana")
    phone.get_by_text("Ce téléphone est aussi pour").click()
    expect(phone.get_by_label("Prénom (Agence T.A.R.G.E.T.)")).to_be_hidden()
    phone.get_by_label("Prénom (Men in Mask)").fill("Bob")
    phone.get_by_role("button", name="Prendre place").click()
    for player in (HunterPlayer(phone, "target", "Ana"), HunterPlayer(phone, "mask", "Bob")):
        passed_to(player.name, phone)
        assert not followed, "nobody's own view comes before the tap"
        phone.get_by_role("button", name=f"Je suis {player.name}").click()
        player.hides(4, 7, 0)
        expect(phone.locator(".pass")).to_be_visible()
        assert {url.split("/s/")[1].split("/")[0] for url in followed} == {player.seat}
        followed.clear()
    phone.get_by_role("button", name="Je suis Ana").click()
    HunterPlayer(phone, "target", "Ana").attacks(house=1, card=5)
    passed_to("Bob", phone)
    expect(phone.locator("#latest .shout:visible")).to_have_text("MOINS")
    phone.go_back()
    expect(phone.locator(".pass")).to_be_visible()
    phone.get_by_role("link", name="Les règles").click()
    phone.get_by_role("link", name="Ma place : Bob").first.click()
    phone.get_by_role("button", name="Je suis Bob").click()
    expect(phone.locator(".secret")).to_be_visible()
    put_away_and_shown_again(phone)


def put_away_and_shown_again(phone: Page) -> None:
    """A page that the phone keeps for the way back keeps nothing; shown again, it asks the server."""
    kept = "dispatchEvent(new PageTransitionEvent('{}', {{ persisted: true }}))"
    phone.evaluate(kept.format("pagehide"))
    expect(phone.locator("main")).to_be_empty()
    phone.evaluate(kept.format("pageshow"))
    expect(phone.locator(".secret")).to_be_visible()


def passed_to(name: str, phone: Page) -> None:
    """The curtain asks for somebody, and holds nothing of anybody."""
    expect(phone.locator(".pass h1")).to_have_text(f"Passez le téléphone à {name}")
    page = phone.content()
    assert "secret-inside" not in page and "[data-card" not in page and 'class="move"' not in page


@pytest.fixture
def absent(tmp_path: Path) -> Iterator[Running]:
    """A server where whoever closed a page counts as away at once."""
    with Forked(tmp_path / "data", modifications=["absent"]) as running:
        yield running


def test_a_phone_comes_back_at_another_address(window: Window, absent: Running) -> None:
    server, game = absent, seated(window, absent.client)
    game.look()
    page = game.ana.page
    page.context.route(f"{server.url}/**", lambda route: route.abort())  # where it was, it is no more
    page.context.set_offline(True)
    page.context.set_offline(False)
    expect(page.locator("#lost")).to_be_visible()
    page.locator("#lost summary").click()
    address = page.get_by_label("Son nom, ou l’adresse")
    expect(address).to_have_value(re.compile(rf"^[\w-]+\.local:{server.port}$"))
    address.fill(f"localhost:{server.port}")
    with page.context.expect_page() as opened:
        page.get_by_role("button", name="Y aller").click()
    there = opened.value
    there.get_by_role("button", name="Reprendre ma place").click()
    expect(there.locator(".me")).to_contain_text("Ana")
    game.ben.page.get_by_text("Historique").click()
    expect(game.ben.page.locator("#history")).to_contain_text("Ana joue maintenant depuis une autre adresse")
    assert there.url == f"http://localhost:{server.port}/t/{game.code}/s/target"
    page.context.unroute_all()
    page.reload()
    expect(page.locator("main")).to_contain_text("La place d’Ana est passée à un autre téléphone")


def test_what_was_tapped_outlives_a_switch_of_language(game: Game) -> None:
    game.ana.taps(4, 7)
    page = game.ana.page
    page.locator("[data-settings]").click()
    page.get_by_role("button", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator(".slot-card")).to_have_text(["4", "7", ""])
    page.reload()
    expect(page.locator(".slot-card")).to_have_text(["", "", ""])
