"""The pages around a game: home, languages, refusals with a way out, the host's screen, the virtual desk."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.browser.agent_hunter import Game, HunterPlayer, open_table
from tests.support.browser.browser_player import game_card, scan
from tests.support.browser.windows import TABLET, TV, Window
from tests.support.web.server_process import Running


def test_english_from_the_first_page_to_the_answer(window: Window) -> None:
    screen = window(TV, locale="en-GB")
    screen.goto("/")
    game_card(screen).get_by_role("button", name="Open a table").click()
    expect(screen.locator(".seat-card .qr")).to_have_count(2)
    links = scan(screen)
    players = [
        HunterPlayer(window(locale="en"), "target", "Ana"),
        HunterPlayer(window(locale="en"), "mask", "Ben"),
    ]
    for player in players:
        player.joins(links[player.seat])
    for player in players:
        player.hides(4, 7, 1)
    expect(screen.locator(".turn")).to_contain_text("’s turn")
    begins = next(
        p for p in players if str(screen.locator(".turn").text_content()).strip().startswith(p.name)
    )
    begins.attacks(card=0, house=1)
    begins.sees_answer("HIGHER")
    begins.goes_on()
    begins.sees_todo("Take your 0 back into your hand.")
    expect(screen.locator(".shout")).to_have_text("HIGHER")


def test_the_language_can_be_switched_on_every_page(game: Game) -> None:
    page = game.ana.page
    page.goto(page.url + "?do=hide")
    page.locator(".to-settings").click()
    page.get_by_role("button", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page).to_have_url(re.compile(r"/s/target\?do=hide$"))
    page.locator(".to-settings").click()
    page.get_by_role("button", name="Français").click()
    expect(page.locator("html")).to_have_attribute("lang", "fr")


@pytest.mark.parametrize(
    "back", ["https://example.org/", "//example.org", "/\\example.org", "javascript:1", ""]
)
def test_the_language_switch_never_leaves_the_site(window: Window, back: str) -> None:
    page = window()
    answer = page.request.post("/language", form={"language": "en", "back": back}, max_redirects=0)
    assert answer.status == 303
    assert answer.headers["location"] == "/"


def test_the_table_speaks_its_own_language(window: Window) -> None:
    """A table opened in French is French on any screen, until somebody switches."""
    code = open_table(window(TV))
    other = window(TV, locale="en")
    other.goto(f"/t/{code}")
    expect(other.locator(".turn")).to_have_text("Prenez place !")
    other.get_by_role("button", name="English").click()
    expect(other.locator(".turn")).to_have_text("Take your seats!")


def test_joining_by_code(window: Window) -> None:
    code = open_table(window(TV))
    phone = window()
    phone.goto("/")
    field = phone.get_by_label("Les cinq caractères affichés à la table")
    field.fill("zzzzz")
    phone.get_by_role("button", name="Retrouver").click()
    expect(phone.get_by_role("alert")).to_contain_text("Aucune table ne porte ce code")
    field.fill(f" {code[:2].lower()} {code[2:].lower()} ")
    phone.get_by_role("button", name="Retrouver").click()
    expect(phone.locator(".code")).to_contain_text(code)
    expect(phone.locator(".qr")).to_have_count(0)


def test_another_screen_becomes_the_hosts_by_link_or_by_key(window: Window) -> None:
    host, tv, tablet = window(), window(TV), window(TABLET)
    code = open_table(host)
    host.get_by_text("Montrer les QR codes sur un autre écran").click()
    link, key = (
        str(host.locator(part).text_content()) for part in (".hand-over .link-text", ".hand-over .key")
    )
    tv.goto(link)
    assert not any(cookie.get("name", "").startswith("host") for cookie in tv.context.cookies())
    tv.get_by_role("button", name="Montrer les QR codes").click()
    expect(tv).to_have_url(re.compile(rf"/t/{code}$"))
    assert list(scan(tv)) == ["target", "mask"]

    tablet.goto(f"/t/{code}")
    tablet.get_by_text("Montrer les QR codes ici").click()
    for typed, codes in (("WRONGKEY", 0), (key.lower(), 4)):
        tablet.get_by_label("La clé affichée sur l’écran de l’hôte").fill(typed)
        tablet.get_by_role("button", name="Montrer les QR codes").click()
        expect(tablet.locator(".qr")).to_have_count(codes)
    stranger = window()
    stranger.goto(f"/t/{code}")
    assert "/j/" not in stranger.content()


def test_a_used_key_leads_its_own_phone_to_the_seat_and_others_out(window: Window) -> None:
    screen = window(TV)
    code = open_table(screen)
    link = scan(screen)["target"]
    ana = HunterPlayer(window(), "target", "Ana")
    ana.joins(link)
    ana.page.goto(link)
    expect(ana.page).to_have_url(re.compile(rf"/t/{code}/s/target$"))
    late = window()
    late.goto(link)
    expect(late.locator("h1")).to_have_text("Place prise")
    late.get_by_role("link", name=f"Écran de la table {code}").click()
    expect(late.locator(".code")).to_contain_text(code)


@pytest.mark.parametrize(
    "path", ["/nothing", "/t/ZZZZZ", "/t/ZZZZZ/s/target", "/j/ZZZZZ/target/KEY", "/desk/none"]
)
def test_every_refusal_is_a_page_with_a_way_out(window: Window, path: str) -> None:
    page = window()
    answer = page.goto(path)
    assert answer
    assert answer.status == 404
    page.get_by_role("link", name="Accueil").click()
    expect(game_card(page)).to_be_visible()


def test_a_seat_that_is_not_yours_is_refused_with_ways_out(game: Game) -> None:
    game.ana.page.goto(f"/t/{game.code}/s/mask")
    expect(game.ana.page.locator("h1")).to_have_text("Vous n’êtes pas à cette table")
    game.ana.page.get_by_role("link", name="Ma place : Ana").click()
    expect(game.ana.page.locator("h1")).to_have_text("Cachez vos espions")


def test_names_are_shown_as_they_are(window: Window) -> None:
    screen = window(TV)
    open_table(screen)
    name = "<b>Zoé</b> & {x} %s"
    HunterPlayer(window(), "target", name).joins(scan(screen)["target"])
    expect(screen.locator(".taken")).to_contain_text(name)


def test_a_device_that_comes_home_is_offered_its_tables(game: Game) -> None:
    game.ana.page.goto("/")
    game.ana.page.get_by_role("link", name="Ma place : Ana").click()
    expect(game.ana.page).to_have_url(re.compile("/s/target$"))
    game.screen.goto("/")
    expect(game.screen.get_by_role("link", name=f"Écran de la table {game.code}")).to_be_visible()


def told_at_the_pin(page: Page, form: Locator) -> None:
    """A wrong pin is told at its field, which is empty, in view, and where one types at once."""
    field = form.get_by_label("Code de l’hôte")
    expect(field).to_be_focused()
    expect(field).to_have_value("")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(re.compile("^Code de l’hôte refusé Ce n’est pas le code"))
    expect(form.locator(".alert")).to_be_in_viewport()
    expect(page.locator(".alert")).to_have_count(1)


def test_a_wrong_pin_is_told_where_it_was_typed_without_a_script(window: Window, tmp_path: Path) -> None:
    with Running(tmp_path / "pin", "[server]\nhost_pin = '2468'\n") as guarded:
        page = window(java_script_enabled=False)
        page.goto(guarded.url)
        page.locator("a.to-game").last.click()
        wish = page.locator("form.game")
        wish.locator("details.options summary").click()
        wish.locator("details.options input[type=radio]").last.check()
        wish.get_by_label("Code de l’hôte").fill("1111")
        wish.get_by_role("button", name="Essayer en solo").click()
        told_at_the_pin(page, wish)
        expect(wish.locator("details.options input[type=radio]").last).to_be_checked()
        page.goto(f"{guarded.url}/overview")
        page.get_by_label("Code de l’hôte").fill("1111")
        page.get_by_role("button", name="Voir les tables").click()
        told_at_the_pin(page, page.locator("form.sheet-of-paper"))


def test_the_host_pin_and_the_options_of_a_table(window: Window, tmp_path: Path) -> None:
    with Running(tmp_path / "pin", "[server]\nhost_pin = '2468'\n") as guarded:
        page = window()
        page.goto(guarded.url)
        wish = game_card(page)
        wish.get_by_text("Options de la partie").click()
        wish.get_by_label("Men in Mask").check()
        wish.get_by_label("Nombre maximal de tours").fill("20")
        for pin in ("1111", "2468"):
            wish.get_by_label("Code de l’hôte").fill(pin)
            wish.get_by_role("button", name="Ouvrir la table").click()
            if pin == "1111":
                expect(page.get_by_label("Men in Mask")).to_be_checked()
                told_at_the_pin(page, wish)
        expect(page.locator(".qr")).to_have_count(4)
        view = page.request.get(f"{guarded.url}/api/tables/{page.url.rpartition('/')[2]}").json()
        assert view["options"] == {
            "first": "mask",
            "language": "fr",
            "refill_after_final": False,
            "turn_cap": 20,
            "aids": False,
            "guide": False,
        }
