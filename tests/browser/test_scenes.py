"""An answer is a scene on the table screen: darkness, the word, then the board. It delays nothing else."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.windows import PHONE, TV, Window, holds
from tests.support.web.http_client import Phone, Table
from tests.support.web.server_process import Running

LOADED = 30.0  # seconds: any page is loaded by then, and no stream is thought dead


@pytest.fixture
def table(server: Running) -> Table:
    return server.client.open_table(options={"first": "target"}, desk=None)


@pytest.fixture
def phones(table: Table) -> tuple[Phone, Phone]:
    ana, ben = table.join("target", "Ana"), table.join("mask", "Ben")
    ana.moves("hide", houses=[4, 7, 0])
    ben.moves("hide", houses=[3, 8, 5])
    return ana, ben


@pytest.fixture
def screen(window: Window, table: Table, phones: tuple[Phone, Phone]) -> Page:
    """A television with motion, whose clock stands still until a test moves it on."""
    page = window(TV, reduced_motion="no-preference")
    page.clock.install(time=0)
    _open(page, table)
    page.clock.pause_at(LOADED)
    return page


def _open(page: Page, table: Table) -> None:
    with page.expect_response(lambda answer: answer.request.resource_type == "eventsource"):
        page.goto(f"/t/{table.code}")
    page.wait_for_function("() => document.documentElement.classList.contains('js')")


def phase(page: Page, name: str) -> None:
    expect(page.locator("html")).to_have_attribute("data-phase", name)


def no_scene(page: Page) -> None:
    expect(page.locator("html")).not_to_have_attribute("data-phase", re.compile("."))


def test_the_board_keeps_the_answer_until_it_is_shown(screen: Page, phones: tuple[Phone, Phone]) -> None:
    phones[0].moves("attack_from_hand", card=3, house=1)
    phase(screen, "breath")
    for part, secret in (("#now", "RÉUSSITE"), ("#board", "Détruite"), ("#todo", "Retournez")):
        expect(screen.locator(part)).not_to_contain_text(secret)
    screen.clock.run_for(1000)
    phase(screen, "scene")
    expect(screen.locator("#now .shout")).to_have_text("RÉUSSITE")
    expect(screen.locator("#now")).to_contain_text("La planque 1 de Ben est détruite")
    expect(screen.locator("#board")).not_to_contain_text("Détruite")
    screen.clock.run_for(3500)
    no_scene(screen)
    expect(screen.locator("#board")).to_contain_text("Détruite")


@pytest.mark.parametrize("skip", ["key", "tap"])
def test_a_tap_or_a_key_skips_a_scene(screen: Page, phones: tuple[Phone, Phone], skip: str) -> None:
    phones[0].moves("attack_from_hand", card=2, house=1)
    phase(screen, "breath")
    screen.keyboard.press("Shift") if skip == "key" else screen.mouse.click(5, 5)
    no_scene(screen)
    expect(screen.locator("#now .shout")).to_have_text("PLUS")
    expect(screen.locator("#board .clue")).to_have_text("> 2")


def test_the_next_event_ends_a_scene(screen: Page, phones: tuple[Phone, Phone]) -> None:
    phones[0].moves("attack_from_hand", card=3, house=1)
    phase(screen, "breath")
    phones[1].moves("swap", house=2, card=1, decoy=3)
    no_scene(screen)
    expect(screen.locator("#board")).to_contain_text("Détruite")
    expect(screen.locator("#now")).to_contain_text("Ben montre le 8")


def test_somebody_who_comes_or_goes_does_not_end_it(
    screen: Page, window: Window, table: Table, phones: tuple[Phone, Phone], server: Running
) -> None:
    phones[0].moves("attack_from_hand", card=3, house=1)
    phase(screen, "breath")
    phone = window(PHONE)
    holds(phone, f"seat_{table.code}_mask", phones[1].token, server.client.url)
    phone.goto(f"/t/{table.code}/s/mask")
    expect(phone.locator("main")).to_contain_text("RÉUSSITE")  # the phone does not wait
    phase(screen, "breath")


def test_without_motion_the_word_is_there_at_once(
    window: Window, table: Table, phones: tuple[Phone, Phone]
) -> None:
    page = window(TV)
    _open(page, table)
    phones[0].moves("attack_from_hand", card=2, house=1)
    expect(page.locator("#now .shout")).to_have_text("PLUS")
    expect(page.locator("#board .clue")).to_have_text("> 2")
    no_scene(page)


HEARD = """() => {
    window.heard = [];
    window.OscillatorNode = class extends OscillatorNode {
        constructor(audio, about) {
            super(audio, about);
            window.heard.push(Math.round(about.frequency));
        }
    };
}"""  # the pitches that sounded


def test_the_tune_sounds_with_the_word(screen: Page, phones: tuple[Phone, Phone]) -> None:
    screen.evaluate(HEARD)
    sound = screen.locator("[data-tunes]")
    expect(sound).to_have_text("Son coupé. Activer le son")
    sound.click()
    expect(sound).to_have_text("Son activé. Couper le son")
    expect(sound).to_have_attribute("aria-pressed", "true")
    screen.evaluate("heard.length = 0")
    phones[0].moves("attack_from_hand", card=2, house=1)
    phase(screen, "breath")
    assert screen.evaluate("heard") == []
    screen.clock.run_for(1000)
    phase(screen, "scene")
    assert screen.evaluate("heard")[:3] == [523, 659, 784]  # the tune of PLUS on the desk: C, E, G


def test_sound_is_off_until_it_is_switched_on(
    window: Window, table: Table, phones: tuple[Phone, Phone]
) -> None:
    page = window(TV)
    _open(page, table)
    page.evaluate(HEARD)
    phones[0].moves("attack_from_hand", card=2, house=1)
    expect(page.locator("#now .shout")).to_have_text("PLUS")
    assert page.evaluate("heard") == []


def test_the_last_answer_is_seen_before_the_winner(screen: Page, phones: tuple[Phone, Phone]) -> None:
    ana, ben = phones
    for phone, card, house in ((ana, 3, 1), (ben, 9, 1), (ana, 8, 2), (ben, 9, 1)):
        phone.moves("attack_from_hand", card=card, house=house)
        phase(screen, "breath")
        screen.keyboard.press("Shift")
        no_scene(screen)
    ana.moves("attack_from_hand", card=5, house=3)
    phase(screen, "breath")
    screen.clock.run_for(1000)
    phase(screen, "scene")
    expect(screen.locator("#now .shout")).to_be_visible()
    screen.clock.run_for(3500)
    phase(screen, "ending")
    expect(screen.locator(".winner")).to_have_text("Ana gagne !")
    expect(screen.locator("canvas.confetti")).to_have_count(1)
    expect(screen.locator(".is-winner .parts li")).to_have_count(3)
    screen.clock.run_for(9000)
    no_scene(screen)
    expect(screen.locator(".is-winner dd:not(.parts)")).to_have_text("3")
    expect(screen.locator(".decisive")).to_be_visible()
    expect(screen.get_by_role("img", name="Revoir la partie")).to_be_visible()
