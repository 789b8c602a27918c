"""Agent Hunter in browser windows: `ana.attacks(card=2, house=1)`, `ana.sees_answer("PLUS")`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from playwright.sync_api import Locator, Page, expect

from tests.support.browser.browser_player import Player, game_card, sit_down
from tests.support.browser.windows import TV, Window, holds
from tests.support.web.http_client import Client

SEATS = ("target", "mask")


class HunterPlayer(Player):
    """The words of Agent Hunter."""

    def taps(self, *cards: int) -> None:
        for card in cards:
            self.page.locator(f"[data-card='{card}']").click()

    def hides(self, *cards: int) -> None:
        """Taps three cards in order, reads them once more, seals."""
        self.taps(*cards)
        self.checks()
        self.reads(*map(str, cards))
        self.seals()

    def hides_without_script(self, *cards: int) -> None:
        for place, card in enumerate(cards, 1):
            self.picks(f"houses.{place}", card)
        self.checks()

    def attacks(self, house: int, card: int | None = None, own: int | None = None) -> None:
        """Attacks an enemy house with a card from hand, or from an own house."""
        self.chooses("attack_from_hand" if own is None else "attack_from_house")
        if own is None:
            assert card is not None
            self.picks("card", card)
        else:
            self.picks("from", own)
        self.picks("house", house)
        self.confirms()

    def swaps(self, house: int, card: int, decoy: int) -> None:
        self.chooses("swap")
        self.page.locator("a.pick", has_text=f"Planque {house}").click()
        self.picks("card", card)
        self.picks("decoy", decoy)
        self.checks()
        self.reads(str(house), str(card), str(decoy))
        self.seals()

    def refills(self, card: int) -> None:
        self.picks("card", card)
        self.checks()
        self.seals()


@dataclass(frozen=True)
class Game:
    """A table: its two players, and a screen that is switched on when a test looks at it."""

    ana: HunterPlayer
    ben: HunterPlayer
    code: str
    switch_on: Callable[[], Page]

    @cached_property
    def screen(self) -> Page:
        screen = self.switch_on()
        screen.goto(f"/t/{self.code}")
        return screen

    def look(self) -> None:
        """Both open their page."""
        for player in (self.ana, self.ben):
            player.page.goto(f"/t/{self.code}/s/{player.seat}")

    def hide(self) -> None:
        """Ana hides 4 7 0, Ben 3 8 5, without a window."""
        for player, houses in ((self.ana, [4, 7, 0]), (self.ben, [3, 8, 5])):
            player.moves("hide", houses=houses)

    def both_see(self, word: str) -> None:
        """The answer fills both phones; both tap it away."""
        for player in (self.ana, self.ben):
            player.sees_answer(word)
            player.goes_on()

    def told(self, text: str) -> None:
        expect(self.screen.locator("#now")).to_contain_text(text)

    def house(self, seat: str, number: int) -> Locator:
        """A house on the table screen."""
        side = self.screen.locator(".side").nth(SEATS.index(seat))
        return side.locator(".houses li").nth(number - 1)


def open_table(screen: Page, first: str = "Agence T.A.R.G.E.T.") -> str:
    """Open a table from the home page; the code of it."""
    screen.goto("/")
    wish = game_card(screen)
    wish.locator("details.options summary").click()
    wish.get_by_label(first).check()
    wish.get_by_role("button", name=re.compile("Ouvrir la table|Open a table")).click()
    expect(screen.locator(".seat-card .qr")).to_have_count(2)
    return screen.url.rpartition("/")[2]


def seated(window: Window, client: Client) -> Game:
    """A table at the desk with Ana (TARGET, who begins) and Ben (MASK), each before a phone."""
    table = client.open_table(options={"first": "target"})
    ana, ben = (
        sit_down(HunterPlayer, window(base_url=client.url), table, seat, name)
        for seat, name in zip(SEATS, ("Ana", "Ben"), strict=True)
    )

    def switch_on() -> Page:
        screen = window(TV, base_url=client.url)
        holds(screen, f"host_{table.code}", table.host, client.url)
        return screen

    return Game(ana, ben, table.code, switch_on)
