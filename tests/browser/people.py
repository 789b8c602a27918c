"""People at a table, each with a window: `ana.attacks(card=2, house=1)`, `ana.sees_answer("PLUS")`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO

import zxingcpp
from PIL import Image
from playwright.sync_api import Error, Locator, Page, expect

from tests.web.client import Phone

SEATS = ("target", "mask")


def looks_again(page: Page) -> None:
    """Reloads a page; one without script that does so by itself at this very moment is left to it."""
    try:
        page.reload()
    except Error as error:
        if "Not attached to an active page" not in error.message and "interrupted" not in error.message:
            raise
        page.wait_for_load_state()


def goes_to(page: Page, address: str) -> None:
    """Shows a page in this window, though the one before may be on its way somewhere by itself."""
    try:
        page.goto(address)
    except Error as error:
        if "interrupted by another navigation" not in error.message:
            raise
        page.goto(address)


@dataclass(frozen=True)
class Player:
    """Somebody with a phone at a seat. `phone` is the same seat without a window, where a test has it."""

    page: Page
    seat: str
    name: str
    phone: Phone | None = None

    def joins(self, link: str) -> None:
        self.page.goto(link)
        self.page.locator("#name").fill(self.name)
        self.page.locator("form.sit button").click()
        expect(self.page).to_have_url(re.compile(rf"/t/\w{{5}}/s/{self.seat}$"))

    # ---- deciding

    def taps(self, *cards: int) -> None:
        for card in cards:
            self.page.locator(f"[data-card='{card}']").click()

    def hides(self, *cards: int) -> None:
        """Taps three cards in order, reads them once more, seals."""
        self.taps(*cards)
        self.checks()
        expect(self.page.locator(".echo dd")).to_have_text([str(card) for card in cards])
        self.seals()

    def hides_without_script(self, *cards: int) -> None:
        for place, card in enumerate(cards, 1):
            self.picks(f"houses.{place}", card)
        self.checks()

    def picks(self, field: str, value: int) -> None:
        self.page.locator(f"label:has(input[name='field.{field}'][value='{value}'])").click()

    def checks(self) -> None:
        self.page.locator("button[name=check]").click()

    def seals(self) -> None:
        self.page.locator("button.seal").click()
        expect(self.page.locator("button.seal")).to_have_count(0)

    def chooses(self, action: str) -> None:
        self.page.locator(f"a.action[href='?do={action}']").click()

    def attacks(self, house: int, card: int | None = None, own: int | None = None) -> None:
        """Attacks an enemy house with a card from hand, or from an own house."""
        self.chooses("attack_from_hand" if own is None else "attack_from_house")
        if own is None:
            assert card is not None
            self.picks("card", card)
        else:
            self.picks("from", own)
        self.picks("house", house)
        self.page.locator("form.move button.button").click()

    def swaps(self, house: int, card: int, decoy: int) -> None:
        self.chooses("swap")
        self.page.locator("a.pick", has_text=f"Planque {house}").click()
        self.picks("card", card)
        self.picks("decoy", decoy)
        self.checks()
        expect(self.page.locator(".echo dd")).to_have_text([str(house), str(card), str(decoy)])
        self.seals()

    def refills(self, card: int) -> None:
        self.picks("card", card)
        self.checks()
        self.seals()

    def goes_on(self) -> None:
        """Taps away the answer."""
        self.page.locator(".answer a.button").click()
        expect(self.page.locator(".answer")).to_have_count(0)

    # ---- seeing

    def looks_again(self) -> None:
        looks_again(self.page)

    def sees_answer(self, word: str) -> None:
        expect(self.page.locator(".answer h1")).to_have_text(word)

    def sees(self, text: str | re.Pattern[str]) -> None:
        expect(self.page.locator("main")).to_contain_text(text)

    def sees_todo(self, text: str) -> None:
        expect(self.page.locator(".todo")).to_contain_text(text)

    def may_act(self) -> None:
        expect(self.page.locator("h1:visible")).to_have_text("À vous de jouer")

    def waits_for(self, name: str) -> None:
        expect(self.page.locator("h1:visible")).to_have_text(f"On attend {name}")

    @property
    def secret(self) -> Locator:
        return self.page.locator(".secret-inside")

    def cards(self) -> list[str]:
        """All cards in the page's own secret, shown or not."""
        self.page.wait_for_load_state()  # an address is another before its page is there
        return self.secret.locator(".card").all_text_contents()


@dataclass(frozen=True)
class Game:
    """A table: its two players, and a screen that is switched on when a test looks at it."""

    ana: Player
    ben: Player
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
            assert player.phone
            player.phone.moves("hide", houses=houses)

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


def game_card(page: Page, name: str = "Agent Hunter") -> Locator:
    """What the home page offers of one game."""
    return page.locator("form.game").filter(has=page.get_by_role("heading", name=name))


def open_table(screen: Page, first: str = "Agence T.A.R.G.E.T.") -> str:
    """Open a table from the home page; the code of it."""
    screen.goto("/")
    wish = game_card(screen)
    wish.locator("details.options summary").click()
    wish.get_by_label(first).check()
    wish.get_by_role("button", name=re.compile("Ouvrir la table|Open the table")).click()
    expect(screen.locator(".seat-card .qr")).to_have_count(2)
    return screen.url.rpartition("/")[2]


def scan(screen: Page) -> dict[str, str]:
    """The QR codes of the free seats, read off a picture of the screen: seat → link."""
    screen.wait_for_load_state()  # an address is another before its page is there
    picture = Image.open(BytesIO(screen.screenshot(full_page=True)))
    texts = [read.text for read in zxingcpp.read_barcodes(picture)]
    return {text.split("/")[-2]: text for text in texts}
