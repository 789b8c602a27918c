"""Agent Avenue at a table: two phones or four, a screen, a market, a card that was entered wrongly."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.agent_avenue import AvenuePlayer
from tests.support.browser.browser_player import game_card
from tests.support.browser.layout import check_layout
from tests.support.browser.windows import PHONE, SMALL_PHONE, TV, Window, holds, looks_again
from tests.support.rules.agent_avenue_language import NAMES
from tests.support.web.http_client import Table
from tests.support.web.server_process import Running


class Room:
    """A table with its phones, and a screen once somebody looks at it."""

    def __init__(self, window: Window, server: Running, options: dict[str, Any], **how: Any) -> None:
        self.window, self.url = window, server.url
        self.table: Table = server.client.open_table(
            game="agent_avenue", options={"first": "green", **options}, desk=None
        )
        self.players = {
            seat: AvenuePlayer(window(PHONE, **how), seat, NAMES[seat]) for seat in self.table.keys
        }

    def sits_down(self) -> list[AvenuePlayer]:
        """Everybody has joined and looks at their page."""
        for seat, player in self.players.items():
            token = self.table.join(seat, player.name).token
            holds(player.page, f"seat_{self.table.code}_{seat}", token, self.url)
        for seat, player in self.players.items():
            player.page.goto(f"/t/{self.table.code}/s/{seat}")
        return list(self.players.values())

    def screen(self) -> Page:
        screen = self.window(TV)
        screen.goto(f"/t/{self.table.code}")
        return screen


@pytest.fixture
def room(window: Window, server: Running) -> Callable[..., Room]:
    def opened(how: dict[str, Any] | None = None, **options: Any) -> Room:
        return Room(window, server, options, **(how or {}))

    return opened


def pawns(page: Page, green: int, blue: int) -> None:
    """Where both pawns stand, as the drawing says it."""
    said = re.compile(rf"Verts\s: case {green}\. Les Bleus\s: case {blue}\.")
    expect(page.locator("#board svg.loop")).to_have_attribute("aria-label", said)


def needs_no_scrolling(screen: Page) -> None:
    bottom = screen.locator(".stage").evaluate("stage => stage.getBoundingClientRect().bottom + scrollY")
    assert bottom <= TV[1] + 1


def covers_no_pawn(phone: Page) -> None:
    """On a phone the two cards have no room inside the loop: they lie below it."""
    phone.get_by_text("Voir la table").click()
    loop, offer = (phone.locator(what).bounding_box() for what in ("main svg.loop", "main .offer"))
    assert loop and offer and offer["y"] >= loop["y"] + loop["height"]


def test_a_whole_game_from_joining_to_the_sheet(room: Callable[..., Room]) -> None:
    game = room()
    screen = game.screen()
    ana, bob = game.players.values()
    for player in (ana, bob):
        player.joins(game.table.links[player.seat])
    expect(ana.page.locator("label.pick")).to_have_count(8)
    bob.sees_heading("Ana choisit sa carte visible")
    ana.shows("sentinel")
    ana.conceals("enforcer", "Mercenaire", "Non")
    only_sees_its_own(ana, (bob,), "Mercenaire")
    expect(screen.locator(".offer-card")).to_have_count(2)
    needs_no_scrolling(screen)
    covers_no_pawn(bob.page)
    bob.taps("face_up")
    for player in (ana, bob):
        player.sees_results("Ana.*Mercenaire.*\\+1.*case 1", "Bob.*Sentinelle.*0.*case 7")
    pawns(screen, green=1, blue=7)
    expect(screen.locator(".chase")).to_contain_text("À 6 cases")
    expect(screen.locator(".zone.seat-1 .is-next")).to_have_text("+2")
    needs_no_scrolling(screen)
    bob.shows("mole")
    bob.conceals("sidekick", "Acolyte")
    ana.taps("face_down")
    for player in (ana, bob):
        player.sees_results("Acolyte.*case 5", "Taupe.*case 4")
    ana.sees("Le pion adverse est rattrapé")
    bob.page.get_by_role("link", name="Voir la feuille de score").click()
    expect(bob.page.locator(".slip")).to_contain_text("Acolyte")
    bob.page.goto(f"/t/{game.table.code}/record?step=4")
    expect(bob.page.locator("svg.loop")).to_be_visible()


def test_a_market_card_and_its_effect(room: Callable[..., Room]) -> None:
    game = room(mode="advanced")
    ana, bob = game.sits_down()
    screen = game.screen()
    for card in ("mind_control", "watchtower", "spycation"):
        bob.page.locator(f"[data-card='\"{card}\"']").click()
    bob.page.locator("form.move button.button").click()
    expect(screen.locator(".black-market li")).to_have_text(
        [re.compile("Prenez en main"), re.compile("Mercenaire recruté"), re.compile("Reprenez en main")]
    )
    ana.shows("mole")
    ana.conceals("daredevil", "Risque-tout")
    bob.taps("face_up")
    for player in (ana, bob):
        player.sees_results("Risque-tout.*case 2", "Taupe.*case 4")
    bob.sees_heading("Ana choisit une carte du Marché Noir")
    needs_no_scrolling(screen)
    ana.taps("mind_control")
    bob.page.locator("label:has(input[value='\"outpost\"'])").click()
    bob.page.locator("form.move button.button").click()
    ana.sees("prenez en main un agent que l’autre camp a en jeu")
    bob.sees_heading("Ana résout sa carte")
    ana.shows("mole")  # the only agent there is to take
    expect(bob.page.locator("label.pick")).to_have_count(7)  # everybody knows who holds the mole
    expect(screen.locator(".zone.seat-2 .nobody")).to_be_visible()
    expect(screen.locator(".black-market li b")).to_have_text(
        ["Cabane d’observation", "Petit repos", "Avant-poste"]
    )


def test_a_team_game_with_four_phones(room: Callable[..., Room]) -> None:
    game = room(players=4)
    ana, chloe, bob, dan = game.sits_down()
    screen = game.screen()
    expect(screen.locator("#now")).to_contain_text("Ana et Chloé choisissent qui joue face visible")
    for player in (bob, dan):
        player.sees_heading("Ana et Chloé choisissent qui joue face visible")
    ana.sees("Décidez qui joue face visible")
    chloe.shows("sentinel")
    for player in (chloe, bob, dan):
        player.sees_heading("Ana choisit sa carte cachée")
    ana.conceals("enforcer", "Mercenaire", "Non")
    only_sees_its_own(ana, (chloe, bob, dan), "Mercenaire")
    for player in (ana, chloe):
        player.sees_heading("Bob et Dan choisissent entre les deux cartes")
    expect(bob.page.locator("button.pick")).to_have_count(2)
    dan.taps("face_down")
    for player in (ana, chloe, bob, dan):
        player.sees_results("Ana & Chloé.*Sentinelle.*case 0", "Bob & Dan.*Mercenaire.*case 8")
    bob.shows("daredevil")
    dan.conceals("codebreaker", "Cryptologue", "Non")
    only_sees_its_own(dan, (ana, chloe, bob), "Cryptologue")
    ana.taps("face_up")
    for player in (ana, chloe, bob, dan):
        player.sees_results("Risque-tout.*case 2", "Cryptologue.*case 8")
    pawns(screen, green=2, blue=8)
    needs_no_scrolling(screen)


def only_sees_its_own(owner: AvenuePlayer, others: tuple[AvenuePlayer, ...], name: str) -> None:
    """The hidden card is on the phone that hid it, and nowhere in the others' pages but among the rules."""
    expect(owner.page.locator(".secret-inside")).to_contain_text(name)
    for other in others:
        expect(other.page.locator(".secret-inside", has_text=name)).to_have_count(0)


def test_a_card_that_turns_out_to_be_another(room: Callable[..., Room]) -> None:
    game = room()
    ana, bob = game.sits_down()
    screen = game.screen()
    ana.shows("sentinel")
    ana.conceals("enforcer", "Mercenaire", "Non")
    bob.taps("face_down")
    bob.follows(".answer .other-card a")
    bob.sees("Ana a saisi cette carte et peut la corriger")
    expect(bob.page.get_by_role("button", name="Reprendre le dernier coup")).to_be_visible()
    check_layout(bob.page)
    ana.follows(".answer .other-card a")
    expect(ana.page.locator("label.pick")).to_have_count(8)
    ana.conceals("sentinel", "Sentinelle", "Oui")
    bob.page.get_by_role("button", name="Oui, d’accord").click()
    for player in (ana, bob):
        player.sees_put_right("Le pion de Bob reste en case 7", "Recrue de Bob.: Sentinelle")
    pawns(screen, green=0, blue=7)
    ana.follows(".other-card a")
    ana.conceals("daredevil", "Risque-tout", "Non")
    bob.page.get_by_role("button", name="Oui, d’accord").click()
    for player in (ana, bob):
        player.sees_put_right("Le pion de Bob avance de 2, case 9", "Recrue de Bob.: Risque-tout")
    expect(screen.locator("#now .put-right li")).to_have_text(
        [re.compile("case 9"), re.compile("Risque-tout")]
    )
    needs_no_scrolling(screen)
    pawns(screen, green=0, blue=9)
    bob.sees("Votre pion va en case 9")
    bob.shows("daredevil")
    bob.conceals("codebreaker", "Cryptologue", "Non")
    ana.taps("face_up")
    ana.goes_on()
    bob.goes_on()
    corrects_the_first_and_plays_on(ana, bob)


def corrects_the_first_and_plays_on(ana: AvenuePlayer, bob: AvenuePlayer) -> None:
    """It is her turn, and her form from before the correction is not sent any more."""
    ana.page.get_by_text("Un problème ?").click()
    ana.follows(".repairs a[href^='?correct=']")
    ana.conceals("saboteur", "Saboteur", "Non")
    bob.page.get_by_role("button", name="Oui, d’accord").click()
    ana.goes_on()
    ana.shows("mole")
    expect(ana.page.locator("button[name=check]")).to_be_visible()


@pytest.mark.parametrize("size", [PHONE, SMALL_PHONE])
def test_nothing_sticks_out_of_a_phone(room: Callable[..., Room], size: tuple[int, int]) -> None:
    game = room(mode="advanced")
    ana, bob = game.sits_down()
    for player in (ana, bob):
        player.page.set_viewport_size({"width": size[0], "height": size[1]})
    check_layout(bob.page)
    for card in ("leader_of_the_pack", "watchtower", "surveillance_truck"):
        ana.page.locator(f"[data-card='\"{card}\"']").click()
    check_layout(ana.page)
    ana.page.locator("form.move button.button").click()
    expect(ana.page.locator("label.pick")).to_have_count(8)
    check_layout(ana.page)
    ana.shows("mole")
    expect(ana.page.locator("button[name=check]")).to_be_visible()
    check_layout(ana.page)
    ana.conceals("daredevil", "Risque-tout")
    expect(bob.page.locator("button.pick")).to_have_count(2)
    check_layout(bob.page)
    bob.taps("face_up")
    expect(bob.page.locator(".answer")).to_be_visible()
    check_layout(bob.page)
    ana.goes_on()
    check_layout(ana.page)
    ana.page.get_by_text("Voir la table").click()
    expect(ana.page.locator("#table svg.loop")).to_be_visible()
    check_layout(ana.page)


def test_a_turn_without_script(room: Callable[..., Room]) -> None:
    game = room({"java_script_enabled": False})
    ana, bob = game.sits_down()
    ana.shows("sentinel")
    ana.conceals("enforcer", "Mercenaire", "Non")
    looks_again(bob.page)
    bob.taps("face_up")
    bob.sees_results("Mercenaire.*case 1", "Sentinelle.*case 7")
    looks_again(ana.page)
    ana.sees_results("Mercenaire.*case 1", "Sentinelle.*case 7")
    ana.sees_heading("Bob choisit sa carte visible")


def test_a_table_for_three_is_opened_at_home(window: Window) -> None:
    host = window(TV)
    host.goto("/")
    wish = game_card(host, "Agent Avenue")
    wish.locator("label:has(input[name='option.players'][value='3'])").click()
    wish.get_by_role("button", name="Ouvrir la table").click()
    expect(host.locator(".lobby .chair-title")).to_have_text(["Vert 1", "Vert 2", "Les Bleus"])
