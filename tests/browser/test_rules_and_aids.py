"""Beside the game: the rules where they matter, the deduction sheet, the voice."""

import re

from playwright.sync_api import Page, expect

from tests.support.browser.agent_hunter import Game
from tests.support.browser.windows import PHONE, TV, Window, holds
from tests.support.web.server_process import Running


def test_why_cant_i_leads_to_the_rule_and_back_to_the_seat(playing: Game) -> None:
    """Ana looks a rule up while she chooses, tries a card that she does not hold, and goes on playing."""
    ana = playing.ana
    rules = ana.page.locator(".to-rules")
    ana.may_act()
    expect(rules).to_have_attribute("href", f"/t/{playing.code}/rules#turn")
    ana.chooses("attack_from_house")
    expect(rules).to_have_attribute("href", f"/t/{playing.code}/rules#attack-house")
    rules.click()
    expect(ana.page).to_have_url(re.compile("#attack-house$"))
    expect(ana.page.locator("#attack-house")).to_be_in_viewport()
    ana.page.locator(".way-home").get_by_role("link", name="Ma place : Ana").click()
    expect(ana.page.locator("h1:visible")).to_have_text("Attaquer depuis une planque")
    ana.page.locator(".way-back a").click()
    ana.may_act()
    ana.attacks(house=1, card=4)  # it lies in her own house, which the refusal does not say
    alert = ana.page.get_by_role("alert")
    expect(alert).to_contain_text("Cet espion n’est pas dans votre main : choisissez-en un autre.")
    alert.get_by_role("link", name="Pourquoi ? Voir la règle").click()
    expect(ana.page.locator("#attack-hand")).to_be_in_viewport()
    ana.page.locator(".way-home").get_by_role("link", name="Ma place : Ana").click()
    expect(ana.page.locator("input[name='field.house']:checked")).to_have_value("1")  # kept meanwhile
    ana.picks("card", 5)
    ana.picks("house", 2)
    ana.confirms()
    playing.both_see("PLUS")


def test_a_form_does_not_tell_which_card_lies_in_a_house_until_it_is_picked(playing: Game) -> None:
    ana = playing.ana
    ana.chooses("swap")
    ana.page.locator("a.pick", has_text="Planque 1").click()
    expect(ana.page.locator(".pick--card")).to_have_text([str(card) for card in range(10)])
    ana.picks("card", 7)
    ana.picks("decoy", 2)
    ana.checks()
    expect(ana.page.get_by_role("alert")).to_contain_text("Cet espion n’est pas dans votre main")
    ana.picks("card", 4)
    ana.checks()
    expect(ana.page.locator("main")).to_contain_text("Le 4 est déjà dans cette planque")
    ana.seals()
    ana.waits_for("Ben")


def test_the_deduction_sheet_follows_the_game_on_ones_own_phone(window: Window, server: Running) -> None:
    table = server.client.open_table(options={"first": "target", "aids": True})
    ana, ben = (table.join(seat, name) for seat, name in (("target", "Ana"), ("mask", "Ben")))
    ana.moves("hide", houses=[4, 7, 0])
    ben.moves("hide", houses=[3, 8, 5])
    page = window(PHONE)
    holds(page, f"seat_{table.code}_target", ana.token, server.url)
    page.goto(f"/t/{table.code}/s/target")
    page.locator("details[data-aid] summary").click()
    second = page.locator(".aid section").nth(1)
    expect(second.locator(".possible b")).to_have_count(10)
    ana.moves("attack_from_hand", card=6, house=2)
    expect(second.locator(".possible b")).to_have_text(["7", "8", "9"])
    expect(page.locator("details[data-aid]")).to_have_attribute("open", "")


MOUTH = """
window.heard = [];
class Said extends EventTarget { constructor(text) { super(); this.text = text; } }
const mouth = {
  now: null, getVoices: () => [],
  speak(said) {
    this.now = said;
    if (this.dumb) said.dispatchEvent(Object.assign(new Event("error"), { error: "not-allowed" }));
    else document.documentElement.dataset.heard = heard.push([said.lang, said.text]);
  },
  cancel() { this.end(); },
  end() { const said = this.now; this.now = null; said?.dispatchEvent(new Event("end")); },
};
Object.defineProperty(window, "speechSynthesis", { value: mouth });
Object.defineProperty(window, "SpeechSynthesisUtterance", { value: Said });
"""


def heard(screen: Page) -> list[list[str]]:
    found: list[list[str]] = screen.evaluate("heard")
    return found


def test_the_screen_says_what_is_new_once_it_is_told_to(window: Window, server: Running) -> None:
    """Off at first, remembered; in the table's language; one after the other; and all of it stands there."""
    table = server.client.open_table(options={"first": "target", "language": "en"})
    ana, ben = (table.join(seat, name) for seat, name in (("target", "Ana"), ("mask", "<i>Ben")))
    screen = window(TV, locale="de-DE")
    screen.add_init_script(MOUTH)
    screen.goto(f"/t/{table.code}")
    ana.moves("hide", houses=[4, 7, 0])
    ben.moves("hide", houses=[3, 8, 5])
    now = screen.locator("#now")
    expect(now.locator(".turn")).to_contain_text("Ana")
    assert heard(screen) == []
    switch = screen.locator("[data-voice]")
    expect(switch).to_have_attribute("aria-pressed", "false")
    switch.scroll_into_view_if_needed()
    switch.click()
    assert screen.evaluate("scrollY") == 0, "the headline is in view"
    assert heard(screen) == [["en", "The voice is on."]]
    screen.evaluate("speechSynthesis.end()")
    ana.moves("attack_from_hand", card=5, house=2)
    expect(now).to_contain_text("HIGHER")
    expect(screen.locator("html")).to_have_attribute("data-heard", "2")
    assert heard(screen)[1] == ["en", "Ana attacks house 2 with the 5 from hand: HIGHER."]
    screen.evaluate("speechSynthesis.end()")
    assert heard(screen)[2:] == [["en", "It’s <i>Ben’s turn."]], "whose turn it is follows, when that is said"
    expect(now).to_have_attribute("aria-live", "polite")
    screen.reload()
    expect(switch).to_have_attribute("aria-pressed", "true")
    assert heard(screen) == [], "what was said before is not said again"
    screen.evaluate("speechSynthesis.dumb = true")
    ben.moves("attack_from_hand", card=9, house=1)
    expect(switch).to_have_text("Tap the screen to start the voice")
    screen.evaluate("speechSynthesis.dumb = false")
    now.click()
    expect(switch).to_have_text("Voice on. Turn it off")
    ana.moves("attack_from_hand", card=9, house=2)
    expect(screen.locator("html")).to_have_attribute("data-heard", "1")
    expect(now).to_contain_text("LOWER")
    switch.click()
    screen.evaluate("speechSynthesis.end()")
    assert len(heard(screen)) == 1, "switched off, what waited is left out"
