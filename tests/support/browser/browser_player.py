"""Somebody with a phone in a browser window. The modules beside this one add the words of each game."""

import json
import re
from dataclasses import dataclass
from io import BytesIO
from typing import Any, TypeVar

import zxingcpp
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.support.browser.windows import holds, looks_again
from tests.support.web.http_client import Phone, Table

Words = str | re.Pattern[str]


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
        self.page.locator("form.sit > .button").click()
        expect(self.page).to_have_url(re.compile(rf"/t/\w{{5}}/s/{self.seat}$"))

    def moves(self, kind: str, /, **fields: Any) -> None:
        """Makes a move without the window."""
        assert self.phone
        self.phone.moves(kind, **fields)

    # ---- deciding

    def picks(self, field: str, value: Any) -> None:
        """Picks one value of a field."""
        wanted = json.dumps(value).replace('"', '\\"')
        self.page.locator(f'label:has(input[name="field.{field}"][value="{wanted}"])').click()

    def confirms(self, words: Words = re.compile(".")) -> None:
        """Sends the form of the move, whose button says this."""
        button = self.page.locator("form.move button.button")
        expect(button).to_have_text(words)
        button.click()

    def checks(self) -> None:
        """Asks for the echo: what was entered is shown once more."""
        self.page.locator("button[name=check]").click()

    def reads(self, *rows: str) -> None:
        """The echo has these rows."""
        expect(self.page.locator(".echo dd")).to_have_text(list(rows))

    def seals(self) -> None:
        self.page.locator("button.seal").click()
        expect(self.page.locator("button.seal")).to_have_count(0)

    def chooses(self, action: str) -> None:
        self.page.locator(f"a.action[href='?do={action}']").click()

    def follows(self, link: str) -> None:
        """Taps a link, once what was tapped before is done."""
        expect(self.page.locator("html.busy")).to_have_count(0)
        self.page.locator(link).click()

    def goes_on(self) -> None:
        """Taps away the answer."""
        self.follows(".answer a.button")
        expect(self.page.locator(".answer")).to_have_count(0)

    # ---- seeing

    def looks_again(self) -> None:
        looks_again(self.page)

    def sees_answer(self, words: Words) -> None:
        expect(self.page.locator(".answer h1")).to_have_text(words)

    def sees(self, text: Words) -> None:
        expect(self.page.locator("main")).to_contain_text(text)

    def sees_todo(self, text: str) -> None:
        expect(self.page.locator(".todo")).to_contain_text(text)

    def may_act(self) -> None:
        expect(self.page.locator("h1:visible")).to_have_text("À vous de jouer")

    def waits_for(self, whom: str) -> None:
        self.sees_heading(f"On attend {whom}")

    def sees_heading(self, headline: str) -> None:
        expect(self.page.locator("h1:visible")).to_have_text(headline)

    @property
    def secret(self) -> Locator:
        return self.page.locator(".secret-inside")

    def cards(self) -> list[str]:
        """All cards in the page's own secret, shown or not."""
        self.page.wait_for_load_state()  # an address is another before its page is there
        return self.secret.locator(".card").all_text_contents()


P = TypeVar("P", bound=Player)


def sit_down(kind: type[P], page: Page, table: Table, seat: str, name: str) -> P:
    """Somebody takes a seat without a window, and this window holds it."""
    phone = table.join(seat, name)
    holds(page, f"seat_{table.code}_{seat}", phone.token, table.client.url)
    return kind(page, seat, name, phone)


def game_card(page: Page, name: str = "Agent Hunter") -> Locator:
    """From the home page to the page of one game; the form that opens a table."""
    page.locator("a.to-game").filter(has_text=name).click()
    return page.locator("form.game").filter(has=page.get_by_role("heading", name=name))


def scan(screen: Page) -> dict[str, str]:
    """The QR codes of the free seats, read off a picture of the host's screen: seat → link."""
    fold = screen.locator("details.each-code:not([open]) > summary")
    if fold.count():
        fold.click()
    return {text.split("/")[-2]: text for text in _codes(screen) if text.count("/") == 6}


def scan_table(screen: Page) -> str:
    """The link in the table's own QR code."""
    [text] = [text for text in _codes(screen) if text.count("/") == 5]
    return text


def _codes(screen: Page) -> list[str]:
    screen.wait_for_load_state()  # an address is another before its page is there
    picture = Image.open(BytesIO(screen.screenshot(full_page=True)))
    return [read.text for read in zxingcpp.read_barcodes(picture)]
