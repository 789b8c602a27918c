"""Mistakes on the pages: moves taken back, mistyped secrets, a lost phone, stopping, playing again."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, SMALL_PHONE, Window
from tests.browser.people import Game, Player, scan
from tests.browser.test_layout import check_layout


def opens_the_menu(player: Player) -> None:
    player.page.locator("details.mend > summary").click()


def asks(player: Player, kind: str) -> None:
    opens_the_menu(player)
    player.page.locator(f"button[name=ask][value={kind}]").click()


def sees_question(player: Player, text: str) -> None:
    expect(player.page.locator(".asked h1")).to_have_text(text)


def answers(player: Player, word: str) -> None:
    player.page.locator(".asked").get_by_role("button", name=word, exact=True).click()
    expect(player.page.locator(".asked")).to_have_count(0)


def ana_has_attacked(game: Game) -> None:
    game.ana.attacks(card=2, house=1)
    game.both_see("PLUS")


UNDO = "Ana demande de reprendre le dernier coup."


def test_a_move_is_taken_back_when_the_other_agrees(playing: Game) -> None:
    ana_has_attacked(playing)
    asks(playing.ana, "undo")
    sees_question(playing.ana, UNDO)
    playing.ana.sees("On attend la réponse de Ben")
    sees_question(playing.ben, UNDO)
    playing.ben.sees("Ce qui a été vu reste vu.")
    playing.told("On attend la réponse de Ben")
    playing.told(UNDO)
    for player in (playing.ana, playing.ben):
        player.page.set_viewport_size({"width": SMALL_PHONE[0], "height": SMALL_PHONE[1]})
        check_layout(player.page)
    answers(playing.ben, "Oui, d’accord")
    playing.ana.may_act()
    playing.ben.waits_for("Ana")
    playing.told("À Ana de jouer")
    playing.ana.attacks(card=2, house=2)
    playing.both_see("PLUS")


def test_a_no_leaves_all_as_it_is(playing: Game) -> None:
    ana_has_attacked(playing)
    asks(playing.ana, "undo")
    sees_question(playing.ben, UNDO)
    answers(playing.ben, "Non")
    playing.ben.may_act()
    playing.ana.waits_for("Ben")
    playing.ana.sees("Ben")
    expect(playing.ana.page.locator(".asked")).to_have_count(0)
    playing.ben.attacks(card=9, house=1)
    playing.both_see("MOINS")


def test_whoever_asked_withdraws(playing: Game) -> None:
    ana_has_attacked(playing)
    asks(playing.ana, "undo")
    sees_question(playing.ben, UNDO)
    answers(playing.ana, "Retirer la demande")
    playing.ben.may_act()


def test_ones_own_entry_is_taken_back_at_once(game: Game) -> None:
    game.ana.hides(4, 7, 0)
    game.ana.waits_for("Ben")
    asks(game.ana, "undo")
    game.ana.hides(1, 2, 3)
    game.ben.hides(3, 8, 5)
    game.ana.may_act()
    assert game.ana.cards()[:3] == ["1", "2", "3"]


def test_a_mistyped_secret_is_entered_anew(playing: Game) -> None:
    opens_the_menu(playing.ben)
    playing.ben.page.locator("a[href='?correct=5']").click()
    playing.ben.hides(9, 8, 5)
    sees_question(playing.ana, "Ben demande de corriger un secret mal saisi.")
    assert "9" not in playing.ana.page.locator(".asked").inner_text()
    answers(playing.ana, "Oui, d’accord")
    playing.ben.waits_for("Ana")
    assert playing.ben.cards()[:3] == ["9", "8", "5"]
    playing.ana.may_act()


def test_a_correction_can_be_left(playing: Game) -> None:
    page = playing.ana.page
    opens_the_menu(playing.ana)
    page.locator("a[href='?correct=4']").click()
    check_layout(page)
    page.get_by_role("link", name="Laisser comme c’est").click()
    playing.ana.may_act()


def test_a_lost_phone_costs_a_minute(playing: Game, window: Window) -> None:
    lost = playing.ben.page
    cards = playing.ben.cards()
    lost.goto("about:blank")
    expect(playing.ana.page.locator("#people .there")).to_have_text("pas connecté")
    asks(playing.ana, "reissue")
    expect(playing.ana.page.locator(".new-key .qr")).to_be_visible()
    expect(playing.screen.locator(".new-key .qr")).to_be_visible()
    links = {page: scan(page)["mask"] for page in (playing.ana.page, playing.screen)}
    assert len(set(links.values())) == 1
    check_layout(playing.ana.page)

    found = Player(window(PHONE), "mask", "Ben")
    found.joins(links[playing.ana.page])
    assert found.cards() == cards
    for page in links:
        expect(page.locator(".new-key")).to_have_count(0)
    lost.goto(f"/t/{playing.code}/s/mask")
    expect(lost.locator("main.alert, .refusal")).to_be_visible()
    playing.ana.attacks(card=2, house=1)
    found.sees_answer("PLUS")


def test_a_phone_that_is_there_is_asked_before_it_loses_its_seat(playing: Game) -> None:
    expect(playing.ana.page.locator("#people .there")).to_have_text("connecté")
    asks(playing.ana, "reissue")
    expect(playing.ben.page.locator(".asked")).to_be_visible()
    playing.ben.page.get_by_role("button", name="Oui, d’accord").click()
    expect(playing.ben.page.locator(".refusal")).to_be_visible()
    expect(playing.ana.page.locator(".new-key .qr")).to_be_visible()


def stop(game: Game, show: bool) -> None:
    opens_the_menu(game.ana)
    if show:
        game.ana.page.locator("input[name=show]").check()
    game.ana.page.locator("button[name=ask][value=abandon]").click()
    expect(game.ben.page.locator(".asked")).to_contain_text("est montré" if show else "le reste")
    answers(game.ben, "Oui, d’accord")
    for player in (game.ana, game.ben):
        expect(player.page.locator("h1")).to_have_text("La partie est arrêtée")


def test_all_stop_and_play_again(playing: Game) -> None:
    stop(playing, show=True)
    playing.told("")
    expect(playing.screen.get_by_role("button", name="Rejouer")).to_be_visible()
    playing.ana.page.get_by_role("button", name="Rejouer").click()
    at_next_table(playing.ana, playing.code)
    for page in (playing.ben.page, playing.screen):
        page.get_by_role("link", name="Vers la nouvelle partie").click()
    at_next_table(playing.ben, playing.code)
    expect(playing.screen).to_have_url(re.compile(r"/t/(?!" + playing.code + r")\w{5}$"))
    playing.ana.hides(1, 2, 3)
    playing.ben.hides(4, 5, 6)
    expect(playing.screen.locator("#now")).to_contain_text("jouer")


def at_next_table(player: Player, before: str) -> None:
    expect(player.page).to_have_url(re.compile(rf"/t/(?!{before})\w{{5}}/s/{player.seat}$"))
    player.page.locator("[data-card='9']").wait_for()


def test_without_script(playing: Game, window: Window) -> None:
    """The same by forms alone, on the smallest phones."""
    plain = []
    for player in (playing.ana, playing.ben):
        page = window(SMALL_PHONE, java_script_enabled=False)
        page.context.add_cookies(player.page.context.cookies())  # type: ignore[arg-type]
        page.goto(f"/t/{playing.code}/s/{player.seat}")
        plain.append(Player(page, player.seat, player.name))
    ana, ben = plain
    ana.attacks(card=2, house=1)
    ana.goes_on()
    asks(ana, "undo")
    ben.page.reload()
    ben.goes_on()
    sees_question(ben, UNDO)
    answers(ben, "Oui, d’accord")
    ana.page.reload()
    ana.may_act()
    stopped(ana, ben)
    ana.page.get_by_role("button", name="Rejouer").click()
    ben.page.reload()
    ben.page.get_by_role("link", name="Vers la nouvelle partie").click()
    for player in plain:
        expect(player.page.locator("input[name='field.houses.1']")).to_have_count(10)


def stopped(ana: Player, ben: Player) -> None:
    opens_the_menu(ana)
    ana.page.locator("button[name=ask][value=abandon]").click()
    ben.page.reload()
    answers(ben, "Oui, d’accord")
    ana.page.reload()


def test_the_menu_fits_every_phone(playing: Game) -> None:
    page: Page = playing.ana.page
    page.set_viewport_size({"width": SMALL_PHONE[0], "height": SMALL_PHONE[1]})
    opens_the_menu(playing.ana)
    expect(page.locator("input[name=show]")).to_be_visible()
    check_layout(page)
