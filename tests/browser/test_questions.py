"""Mistakes on the pages: moves taken back, mistyped secrets, a lost phone, stopping, playing again."""

import re

from playwright.sync_api import Page, expect

from referee.fairness.commitments import short
from tests.support.browser.agent_hunter import Game, HunterPlayer
from tests.support.browser.layout import check_layout
from tests.support.browser.windows import SMALL_PHONE, TV, Window


def opens_the_menu(player: HunterPlayer) -> None:
    player.page.locator("details.repair > summary").click()


def asks(player: HunterPlayer, kind: str) -> None:
    opens_the_menu(player)
    player.page.locator(f"button[name=ask][value={kind}]").click()


def sees_question(player: HunterPlayer, text: str) -> None:
    expect(player.page.locator(".asked h1")).to_have_text(text)


def answers(player: HunterPlayer, word: str, settled: bool = True) -> None:
    button = player.page.locator(".asked").get_by_role("button", name=word, exact=True)
    button.click()
    expect(player.page.locator(".asked") if settled else button).to_have_count(0)


def ana_has_attacked(game: Game) -> None:
    game.ana.attacks(card=2, house=1)
    game.both_see("PLUS")


UNDO = "Ana demande à reprendre le dernier coup."
ASKED_UNDO = "Vous avez demandé à reprendre le dernier coup."


def test_a_move_is_taken_back_when_the_other_agrees(playing: Game) -> None:
    ana_has_attacked(playing)
    asks(playing.ana, "undo")
    sees_question(playing.ana, ASKED_UNDO)
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


def test_a_question_comes_before_an_answer_that_is_still_large(playing: Game) -> None:
    """And the answer comes back, unless its move was taken back."""
    playing.ana.attacks(card=2, house=1)
    ana, ben = playing.ana, playing.ben
    expect(ben.page.locator("#answer h1")).to_have_text("PLUS")
    ana.sees_answer("PLUS")
    ana.goes_on()
    asks(ana, "undo")
    sees_question(ben, UNDO)
    expect(ben.page.locator(".asked")).to_contain_text("Si tout le monde dit oui, le dernier coup")
    expect(ben.page.locator("#answer h1")).to_be_hidden()
    answers(ben, "Non")
    expect(ben.page.locator("#answer h1")).to_have_text("PLUS")
    asks(ana, "undo")
    sees_question(ben, UNDO)
    answers(ben, "Oui, d’accord")
    ben.waits_for("Ana")
    expect(ben.page.locator("#answer h1")).to_have_count(0)


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
    sees_question(playing.ana, "Ben demande à corriger un secret mal saisi.")
    quoted = playing.ana.page.locator(".asked blockquote")
    expect(quoted).to_have_text("Ben a caché ses trois planques.")
    expect(playing.screen.locator("#now blockquote")).to_have_text("Ben a caché ses trois planques.")
    assert playing.ben.phone
    bound = playing.ben.phone.table.view()["question"]["commitment"]
    assert short(bound) not in playing.screen.content()
    shown = playing.ana.page.locator(".asked").inner_text()
    assert "9" not in shown
    assert short(bound) not in shown
    answers(playing.ana, "Oui, d’accord")
    playing.ben.waits_for("Ana")
    assert playing.ben.cards()[:3] == ["9", "8", "5"]
    playing.ana.may_act()


def test_a_correction_can_be_left(playing: Game) -> None:
    page = playing.ana.page
    opens_the_menu(playing.ana)
    page.locator("a[href='?correct=4']").click()
    check_layout(page)
    page.get_by_role("link", name="Laisser tel quel").click()
    playing.ana.may_act()


def stop(game: Game, show: bool) -> None:
    opens_the_menu(game.ana)
    if show:
        game.ana.page.locator("input[name=show]").check()
    game.ana.page.locator("button[name=ask][value=abandon]").click()
    expect(game.ben.page.locator(".asked")).to_contain_text("est montré" if show else "le reste")
    answers(game.ben, "Oui, d’accord")
    for player in (game.ana, game.ben):
        expect(player.page.get_by_role("heading", name="La partie est arrêtée")).to_be_visible()


def test_all_stop_and_play_again(playing: Game, window: Window) -> None:
    """Table screen and desk go on to the new table by themselves; a phone is asked."""
    desk = window(TV)
    desk.goto("/desk/main")
    expect(desk.locator("#desk-now .small-code")).to_have_text(playing.code)
    stop(playing, show=True)
    playing.told("")
    expect(playing.screen.get_by_role("button", name="Rejouer")).to_be_visible()
    playing.ana.page.get_by_role("button", name="Rejouer").click()
    at_next_table(playing.ana, playing.code)
    code = playing.ana.page.url.split("/")[-3]
    for page in (playing.ben.page, playing.screen):
        expect(page.locator(".again .notice")).to_have_text(f"Ana veut rejouer : nouvelle partie {code}")
    playing.ben.page.get_by_role("link", name="Aller à la nouvelle partie").click()
    at_next_table(playing.ben, playing.code)
    expect(playing.screen).to_have_url(re.compile(rf"/t/{code}$"))
    expect(desk.locator("#desk-now .small-code")).to_have_text(code)
    playing.ana.hides(1, 2, 3)
    playing.ben.hides(4, 5, 6)
    expect(playing.screen.locator("#now")).to_contain_text("jouer")


def at_next_table(player: HunterPlayer, before: str) -> None:
    expect(player.page).to_have_url(re.compile(rf"/t/(?!{before})\w{{5}}/s/{player.seat}$"))
    player.page.locator("[data-card='9']").wait_for()


def test_whoever_reads_the_result_may_stay_and_come_back_to_it(playing: Game) -> None:
    page = playing.ben.page
    stop(playing, show=True)
    playing.ana.page.get_by_role("button", name="Rejouer").click()
    at_next_table(playing.ana, playing.code)
    expect(page.get_by_role("link", name="Aller à la nouvelle partie")).to_be_visible()
    expect(page).to_have_url(re.compile(rf"/t/{playing.code}/"))
    page.get_by_role("link", name="Voir la feuille de score").click()
    page.get_by_role("link", name="Aller à la nouvelle partie").click()
    at_next_table(playing.ben, playing.code)
    page.get_by_role("link", name="Résultat de la partie précédente").click()
    expect(page).to_have_url(re.compile(rf"/t/{playing.code}/sheet$"))
    page.get_by_role("link", name="Ma place : Ben").click()
    expect(page.get_by_role("link", name="Aller à la nouvelle partie")).to_be_visible()
    expect(page.get_by_role("button", name="Rester sur ce résultat")).to_be_hidden()


# ---- the host's screen


def test_the_host_asks_and_withdraws_on_the_table_screen(playing: Game) -> None:
    ana_has_attacked(playing)
    screen = playing.screen
    screen.locator("details.repair > summary").click()
    check_layout(screen)
    screen.locator("button[name=ask][value=undo]").click()
    for player in (playing.ana, playing.ben):
        sees_question(player, "L’hôte demande à reprendre le dernier coup.")
    playing.told("On attend la réponse d’Ana et Ben")
    answers(playing.ana, "Oui, d’accord", settled=False)
    playing.told("On attend la réponse de Ben")
    screen.get_by_role("button", name="Retirer la demande").click()
    playing.ben.may_act()
    playing.told("L’hôte retire sa demande")


def test_a_stranger_at_the_screen_is_told_and_asks_nothing(playing: Game, window: Window) -> None:
    stranger = window(TV)
    stranger.goto(f"/t/{playing.code}")
    expect(stranger.locator("button[name=ask]")).to_have_count(0)
    asks(playing.ana, "abandon")
    expect(stranger.locator("#now")).to_contain_text("Ana propose d’arrêter la partie.")
    expect(stranger.locator("#now")).to_contain_text("On attend la réponse de Ben")
    expect(stranger.locator("#now button")).to_have_count(0)


# ---- a question that comes in between


def test_a_question_takes_the_focus_and_gives_it_back(game: Game) -> None:
    """Ana is in the middle of a secret: a question neither throws her taps away nor answers by them."""
    page = game.ana.page
    game.ana.taps(4, 7)
    card = page.locator("[data-card='9']")
    card.focus()
    asks(game.ben, "abandon")
    sheet = page.get_by_role("alertdialog", name="Ben propose d’arrêter la partie.")
    expect(sheet).to_be_visible()
    expect(sheet).to_have_accessible_description(re.compile("Personne ne gagne"))
    expect(sheet.locator("h1")).to_be_focused()
    expect(card).to_be_hidden()
    no = sheet.get_by_role("button", name="Non")
    expect(no).to_be_enabled()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(no).to_be_focused()
    page.keyboard.press("Enter")
    expect(card).to_be_focused()
    expect(page.locator(".slots .is-filled .slot-card")).to_have_text(["4", "7"])
    game.ana.taps(0)
    game.ana.checks()
    game.ana.seals()
    game.ana.waits_for("Ben")


def test_a_question_leaves_a_secret_that_is_about_to_be_sealed(game: Game) -> None:
    game.ana.taps(4, 7, 0)
    game.ana.checks()
    seal = game.ana.page.locator("button.seal")
    expect(seal).to_be_visible()
    asks(game.ben, "abandon")
    sees_question(game.ana, "Ben propose d’arrêter la partie.")
    expect(seal).to_be_hidden()
    answers(game.ben, "Retirer la demande")
    game.ana.seals()
    game.ana.waits_for("Ben")
    assert game.ana.cards()[:3] == ["4", "7", "0"]


def test_a_question_that_warns_is_read_from_its_title_on(playing: Game) -> None:
    ana_has_attacked(playing)
    asks(playing.ana, "undo")
    expect(playing.ben.page.locator(".asked .alert")).to_be_visible()
    expect(playing.ben.page.locator(".asked h1")).to_be_focused()
    playing.ben.looks_again()
    expect(playing.ben.page.locator(".asked h1")).to_be_focused()


def test_a_box_that_was_ticked_stays_ticked_while_the_table_moves(game: Game) -> None:
    opens_the_menu(game.ben)
    box = game.ben.page.locator("input[name=show]")
    box.check()
    stamp = str(game.ben.page.locator("body").get_attribute("data-stamp"))
    game.ana.hides(4, 7, 0)
    expect(game.ben.page.locator("body")).not_to_have_attribute("data-stamp", stamp)
    expect(box).to_be_checked()


def test_without_script(playing: Game, window: Window) -> None:
    """The same by forms alone, on the smallest phones."""
    plain = []
    for player in (playing.ana, playing.ben):
        page = window(SMALL_PHONE, java_script_enabled=False)
        page.context.add_cookies(player.page.context.cookies())  # type: ignore[arg-type]
        page.goto(f"/t/{playing.code}/s/{player.seat}")
        plain.append(HunterPlayer(page, player.seat, player.name))
    ana, ben = plain
    ana.attacks(card=2, house=1)
    ana.goes_on()
    asks(ana, "undo")
    ben.looks_again()
    sees_question(ben, UNDO)
    answers(ben, "Oui, d’accord")
    ana.looks_again()
    ana.may_act()
    corrected(ben, ana)
    stopped(ana, ben)
    ana.page.get_by_role("button", name="Rejouer").click()
    ben.looks_again()
    ben.page.get_by_role("link", name="Aller à la nouvelle partie").click()
    for player in plain:
        expect(player.page.locator("input[name='field.houses.1']")).to_have_count(10)


def corrected(ben: HunterPlayer, ana: HunterPlayer) -> None:
    opens_the_menu(ben)
    ben.page.locator("a[href='?correct=5']").click()
    ben.hides_without_script(9, 8, 5)
    expect(ben.page.locator(".echo dd")).to_have_text(["9", "8", "5"])
    ben.seals()
    ben.sees("On attend la réponse d’Ana")
    ana.looks_again()
    sees_question(ana, "Ben demande à corriger un secret mal saisi.")
    answers(ana, "Oui, d’accord")
    ben.looks_again()
    assert ben.cards()[:3] == ["9", "8", "5"]


def stopped(ana: HunterPlayer, ben: HunterPlayer) -> None:
    opens_the_menu(ana)
    ana.page.locator("button[name=ask][value=abandon]").click()
    ben.looks_again()
    answers(ben, "Oui, d’accord")
    ana.looks_again()


def test_the_menu_fits_every_phone(playing: Game) -> None:
    page: Page = playing.ana.page
    page.set_viewport_size({"width": SMALL_PHONE[0], "height": SMALL_PHONE[1]})
    opens_the_menu(playing.ana)
    expect(page.locator("input[name=show]")).to_be_visible()
    check_layout(page)


def swaps(player: HunterPlayer) -> None:
    """Any swap that is offered, made without the page."""
    assert player.phone
    offered = player.phone.view()["me"]["choices"]
    fields = next(choice["fields"] for choice in offered if choice["type"] == "swap")
    player.phone.moves("swap", **{field["name"]: field["options"][0] for field in fields})


def test_an_old_secret_is_found_among_all(playing: Game) -> None:
    """The menu offers the latest; whoever wants to correct an earlier one goes to the page of all."""
    page = playing.ana.page
    page.set_viewport_size({"width": SMALL_PHONE[0], "height": SMALL_PHONE[1]})
    for _ in range(5):
        swaps(playing.ana)
        swaps(playing.ben)
    opens_the_menu(playing.ana)
    hidden = page.get_by_role("link", name="Cacher mes espions")
    expect(page.locator(".repairs a[href^='?correct=']")).to_have_count(5)
    expect(hidden).to_have_count(0)
    check_layout(page)
    page.get_by_role("link", name="Mes secrets").click()
    expect(page.locator("main .ways a")).to_have_count(6)
    check_layout(page)
    hidden.click()
    expect(page.get_by_text("Correction d’un secret")).to_be_visible()
    page.get_by_role("link", name="Laisser tel quel").click()
    playing.ana.may_act()
