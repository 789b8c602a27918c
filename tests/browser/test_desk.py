"""The virtual desk: lamps, tones and paper on a page."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.support.browser.agent_hunter import Game, open_table
from tests.support.browser.windows import SMALL_PHONE, TV, Window


def test_the_desk_lights_its_lamps_and_shows_its_paper(playing: Game, window: Window) -> None:
    desk = window(TV)
    desk.goto("/desk/main")
    expect(_lamp(desk, "seat_1")).to_have_class(re.compile("is-lit"))
    expect(_lamp(desk, "seat_1")).to_contain_text("Ana")
    playing.ana.attacks(card=2, house=1)
    expect(_lamp(desk, "plus")).to_have_class(re.compile("is-lit"))
    expect(_lamp(desk, "plus")).to_contain_text("allumée")
    expect(_lamp(desk, "seat_2")).to_have_class(re.compile("is-lit"))
    expect(_lamp(desk, "seat_1")).not_to_have_class(re.compile("is-lit"))
    expect(desk.locator("#desk-now")).to_contain_text("PLUS")
    desk.get_by_role("button", name="Activer le son").click()
    expect(desk.get_by_role("button", name="Couper le son")).to_be_visible()


def test_the_desk_shows_join_slips_to_their_host_alone(window: Window) -> None:
    host, other = window(TV), window(TV)
    code = open_table(host)
    other.goto("/desk/main")
    host.get_by_role("button", name="Imprimer les billets d’entrée").click()
    expect(host.get_by_role("status").filter(visible=True)).to_contain_text("l’impression attend")
    slips = other.locator(".printed").filter(has_text=code)  # papers of other tables may be there too
    expect(slips).to_contain_text("seul l’écran de l’hôte les montre")
    host.goto("/desk/main")
    picture = host.get_by_role("img", name=code)
    expect(picture).to_be_visible()
    address = picture.get_attribute("src") or ""
    assert host.request.get(address).headers["content-type"] == "image/png"
    assert other.request.get(address).status == 403


def test_the_desk_without_script(playing: Game, window: Window) -> None:
    playing.ana.attacks(card=2, house=1)
    playing.told("PLUS")
    desk = window(SMALL_PHONE, java_script_enabled=False)
    desk.goto("/desk/main")
    expect(_lamp(desk, "plus")).to_have_class(re.compile("is-lit"))
    expect(_lamp(desk, "seat_2")).to_have_class(re.compile("is-lit"))
    expect(desk.locator("meta[http-equiv=refresh]")).to_have_count(1)


def _lamp(desk: Page, name: str) -> Locator:
    return desk.locator(f"[data-lamp={name}]")


def test_the_volume_is_chosen_on_one_page_and_shown_on_all(window: Window) -> None:
    here, there = window(TV), window(SMALL_PHONE)
    for page in (here, there):
        page.goto("/desk/main")
        expect(page.get_by_role("button", name="Fort", pressed=True)).to_be_visible()
    here.get_by_role("button", name="Mode nuit").click()
    for page in (here, there):
        expect(page.get_by_role("button", name="Mode nuit", pressed=True)).to_be_visible()
        expect(page.get_by_role("button", name="Fort", pressed=False)).to_be_visible()
