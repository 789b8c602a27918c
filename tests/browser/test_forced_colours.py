"""Colours that a device forces on every page: what is picked, spent or lit still looks different."""

from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.support.browser.agent_hunter import HunterPlayer
from tests.support.browser.windows import PHONE, Window, holds
from tests.support.web.server_process import Running

LOOK = """e => { const own = getComputedStyle(e), mark = getComputedStyle(e, "::after");
    return [own.borderTopStyle, own.borderTopWidth, own.borderTopColor, own.outlineStyle,
            own.color, own.opacity, own.textDecorationLine, mark.content]; }"""


def look(part: Locator) -> Any:
    """What of a look survives forced colours: no background, no shadow."""
    return part.evaluate(LOOK)


def _phone(window: Window, server: Running) -> HunterPlayer:
    table = server.client.open_table(options={"first": "target"})
    phones = table.everybody()
    page = window(PHONE, forced_colors="active")
    holds(page, f"seat_{table.code}_target", phones["target"].token, server.url)
    page.goto(f"/t/{table.code}/s/target")
    phones["mask"].moves("hide", houses=[3, 8, 5])
    return HunterPlayer(page, "target", "Ana", phones["target"])


def test_what_is_picked_and_what_is_spent_can_be_told(window: Window, server: Running) -> None:
    ana = _phone(window, server)
    page = ana.page
    ana.taps(4)
    spent, free = (page.locator(f"[data-card='{card}'] .face") for card in (4, 5))
    assert look(spent) != look(free)
    check = page.locator("button[name=check]")
    disabled = look(check)
    ana.taps(7, 0)
    expect(check).to_be_enabled()
    assert look(check) != disabled
    ana.checks()
    ana.seals()
    page.goto(f"{page.url.partition('?')[0]}?do=attack_from_hand")
    ana.picks("card", 2)
    picked, other = (page.locator(f"label:has([name='field.card'][value='{n}']) .face") for n in (2, 3))
    assert look(picked) != look(other)


def test_lamps_that_are_lit_and_levels_that_are_chosen_can_be_told(window: Window, server: Running) -> None:
    page: Page = window(PHONE, forced_colors="active")
    page.goto("/desk/main")
    lamp = page.locator("[data-lamp=plus]")
    bulb = f"({LOOK})(e.querySelector('.bulb'))"
    set_to = f"(e, lit) => {{ e.classList.toggle('is-lit', lit); return {bulb}; }}"
    dark, lit = (lamp.evaluate(set_to, is_lit) for is_lit in (False, True))
    assert lit != dark  # each at one go: the page lights it or puts it out when it hears of the table
    pressed, other = (page.locator(f".choices [aria-pressed={is_}]").first for is_ in ("true", "false"))
    assert look(pressed) != look(other)


def test_nothing_moves_for_whoever_wants_it_still(window: Window, server: Running) -> None:
    ana = _phone(window, server)
    ana.hides(4, 7, 0)
    ana.attacks(card=2, house=1)
    ana.sees_answer("PLUS")
    assert ana.page.evaluate("document.getAnimations().length") == 0
