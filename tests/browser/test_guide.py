"""A guided first game in a browser: lessons before the decision they explain, one at a time, skippable."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from referee.games import GAMES
from tests.support.browser.layout import check_sizes, sizes
from tests.support.browser.page_tour import held
from tests.support.browser.windows import PHONE, SMALL_PHONE, Window, holds
from tests.support.web.http_client import Phone
from tests.support.web.server_process import Running


def shows(page: Page, server: Running, phone: Phone) -> None:
    for name, value in held(phone).items():
        holds(page, name, value, server.url)
    page.goto(f"/t/{phone.table.code}/s/{phone.seat}")


@pytest.fixture
def phones(server: Running) -> Iterator[list[Phone]]:
    table = server.client.open_table(desk=None, options={"guide": True, "first": "target"})
    yield list(table.everybody().values())


def test_a_lesson_stands_before_the_decision_until_it_is_read(
    window: Window, server: Running, phones: list[Phone]
) -> None:
    ana, ben = phones
    page = window(PHONE)
    shows(page, server, ben)
    lesson, decision = page.locator("#guide .lesson"), page.locator("#decision")
    expect(lesson.get_by_role("heading")).to_have_text("Cachez vos trois espions")
    expect(decision).to_be_hidden()
    page.get_by_role("link", name="Compris").click()
    expect(lesson).to_have_count(0)
    expect(decision).to_be_visible()
    ben.moves("hide", houses=[8, 5, 6])
    expect(lesson.get_by_role("heading")).to_have_text("Plus rien à retenir")
    expect(lesson.get_by_role("heading")).to_be_focused()
    page.reload()
    expect(lesson.get_by_role("heading")).to_have_text("Plus rien à retenir")
    page.get_by_role("link", name="Compris").click()
    ana.moves("hide", houses=[1, 2, 3])
    ana.moves("attack_from_hand", card=4, house=1)
    expect(page.locator(".answer")).to_be_visible()
    expect(lesson).to_have_count(0)
    page.locator(".answer a.button").click()
    expect(lesson.get_by_role("heading")).to_have_text("L’arbitre a répondu pour vous")
    page.get_by_role("link", name="Compris").click()
    expect(lesson.get_by_role("heading")).to_have_text("À vous : attaquez !")


def test_whoever_needs_no_guide_skips_it_for_good(
    window: Window, server: Running, phones: list[Phone]
) -> None:
    ana, ben = phones
    page = window(PHONE)
    shows(page, server, ana)
    page.get_by_role("link", name="Passer les explications").click()
    expect(page.locator("#decision")).to_be_visible()
    ana.moves("hide", houses=[1, 2, 3])
    ben.moves("hide", houses=[8, 5, 6])
    expect(page.locator("#decision h1")).to_contain_text("À vous")
    expect(page.locator("#guide .lesson")).to_have_count(0)


@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_fits_a_small_phone_with_its_button(window: Window, server: Running, game: str) -> None:
    for language in ("fr", "en"):
        table = server.client.open_table(desk=None, game=game, options={"guide": True})
        everybody = table.everybody()
        page = window(SMALL_PHONE, locale=f"{language}-{language.upper()}")
        shows(page, server, everybody[table.view()["waiting_for"][0]])
        for _ in sizes(page, SMALL_PHONE, (568, 320)):
            expect(page.locator("#guide .lesson .button")).to_be_in_viewport(ratio=1)
        check_sizes(page)


def test_a_solo_game_is_guided_until_somebody_skips_the_guide(window: Window) -> None:
    page = window(PHONE)
    for is_guided in (True, False):
        page.goto("/")
        page.get_by_role("button", name="Solo Agent Hunter").click()
        expect(page.locator("#decision h1")).to_have_count(1)
        expect(page.locator("#guide .lesson")).to_have_count(1 if is_guided else 0)
        if is_guided:
            page.get_by_role("link", name="Passer les explications").click()


def test_a_first_game_is_asked_for_when_the_table_is_opened(window: Window, server: Running) -> None:
    page = window(PHONE)
    page.goto("/play/agent_avenue")
    page.get_by_label("Première partie").check()
    page.get_by_role("button", name="Ouvrir la table", exact=True).click()
    page.wait_for_url("**/t/*")
    code = page.url.rpartition("/")[2]
    assert server.client.get(f"/api/tables/{code}").json["options"]["guide"] is True
