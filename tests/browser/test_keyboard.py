"""Keyboard and screen reader: every control can be reached, and focus goes where the news is."""

import re

import pytest
from playwright.sync_api import Page, expect

from referee.games import GAMES
from tests.support.browser.agent_hunter import open_table
from tests.support.browser.browser_player import scan
from tests.support.browser.next_control import IS_DONE, TAKE
from tests.support.browser.windows import TV, Window, holds
from tests.support.waiting import eventually
from tests.support.web.server_process import Running

STEPS = 60  # presses after which a control counts as out of reach
IS_THERE = "document.activeElement === window.taken"
IS_NEAR = "document.activeElement.name === window.taken.name && window.taken.type === 'radio'"


class Keys:
    """Somebody before a page with nothing but a keyboard."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def uses(self, which: str) -> None:
        """Goes to a control, named by a selector or taken by an expression, and uses it."""
        take = which if which.startswith("(") else f"(window.taken = document.querySelector({which!r}))"
        kind = self.page.evaluate(f"{take}.type ?? ''")
        self._goes_there()
        if kind == "text":
            self.page.keyboard.type("x")
        elif kind != "radio" or not self.page.evaluate("window.taken.checked"):
            self.page.keyboard.press("Space" if kind == "radio" else "Enter")

    def _goes_there(self) -> None:
        """Tab by Tab; from one radio button of a group to another by arrows."""
        for _ in range(STEPS):
            if self.page.evaluate(IS_THERE):
                return
            near = self.page.evaluate(IS_NEAR)
            self.page.keyboard.press("ArrowRight" if near else "Tab")
        raise AssertionError(f"out of reach: {self.page.evaluate('window.taken.outerHTML')}")

    def hears(self, word: str) -> None:
        """Focus went to a heading, which a screen reader then says."""
        heading = self.page.locator("h1:focus")
        expect(heading).to_have_text(word)

    def attacks(self, card: int, house: int) -> None:
        self.uses("a.action[href='?do=attack_from_hand']")
        self.hears("Attaquer depuis ma main")
        self.uses(f"[name='field.card'][value='{card}']")
        self.uses(f"[name='field.house'][value='{house}']")
        self.uses("form.move button.button")

    def goes_on(self, word: str) -> None:
        self.hears(word)
        self.uses(".answer a.button")


def test_a_whole_game_by_keyboard(window: Window) -> None:
    screen = window(TV)
    open_table(screen)
    links = scan(screen)
    ana, ben = Keys(window()), Keys(window())
    for who, seat, name in ((ana, "target", "Ana"), (ben, "mask", "Ben")):
        who.page.goto(links[seat])
        expect(who.page.locator("input[name=name]")).to_be_focused()
        who.page.keyboard.type(name)
        who.page.keyboard.press("Enter")
        expect(who.page).to_have_url(re.compile(rf"/s/{seat}$"))
    for who, cards in ((ana, (4, 7, 0)), (ben, (3, 8, 5))):
        for card in cards:
            who.uses(f"[data-card='{card}']")
        who.uses("button[name=check]")
        who.hears("C’est bien cela ?")
        who.uses("button.seal")
    for house, card in ((1, 3), (2, 8), (3, 5)):
        ana.hears("À vous de jouer")
        ana.attacks(card, house)
        for who in (ana, ben):
            who.goes_on("RÉUSSITE")
        if house < 3:
            ben.hears("À vous de jouer")
            ben.attacks(9, house)
            for who in (ben, ana):
                who.goes_on("MOINS")
    ana.hears("Vous gagnez !")
    ben.hears("Ana gagne !")
    ben.uses("a[href$='/sheet']")
    expect(ben.page).to_have_url(re.compile("/sheet$"))


@pytest.mark.parametrize("game", GAMES)
def test_a_move_of_every_game_by_keyboard(window: Window, server: Running, game: str) -> None:
    table = server.client.open_table(game=game, desk=None)
    phones = table.everybody()
    before = table.view()
    seat = before["waiting_for"][0]
    page = window()
    holds(page, f"seat_{table.code}_{seat}", phones[seat].token, server.url)
    page.goto(f"/t/{table.code}/s/{seat}")
    keys = Keys(page)
    while table.view()["version"] == before["version"]:
        keys.uses(TAKE)
        eventually(lambda: bool(page.evaluate(IS_DONE)))
    expect(page.locator("body")).to_have_attribute("data-stamp", f"{table.code}:{before['version'] + 1}")
    expect(page.locator("h1:focus, [role=alert]:focus")).to_have_count(1)


def test_what_a_screen_reader_finds(window: Window, server: Running) -> None:
    """Landmarks, headings and regions that speak by themselves, as the accessibility tree has them."""
    table = server.client.open_table(options={"first": "target"})
    phones = table.everybody()
    screen, page = window(TV), window()
    screen.goto(f"/t/{table.code}")
    holds(page, f"seat_{table.code}_mask", phones["mask"].token, server.url)
    page.goto(f"/t/{table.code}/s/mask")
    phones["target"].moves("hide", houses=[4, 7, 0])
    phones["mask"].moves("hide", houses=[3, 8, 5])
    expect(page.get_by_role("main").get_by_role("heading", level=1)).to_have_text("On attend Ana")
    expect(page.get_by_role("banner").get_by_role("link", name="Réglages")).to_be_visible()
    phones["target"].moves("attack_from_hand", card=2, house=1)

    answer = page.get_by_role("region", name="PLUS")
    expect(answer.get_by_role("heading", level=1)).to_be_focused()
    expect(answer).to_contain_text("Ana attaque votre planque 1 avec le 2 de sa main : PLUS.")
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    spoken = screen.locator("[aria-live=polite]").filter(has_text="Ana attaque la planque 1")
    expect(spoken).to_have_count(1)
    expect(screen.get_by_role("main").get_by_role("heading", level=1)).to_contain_text("Agent Hunter")
