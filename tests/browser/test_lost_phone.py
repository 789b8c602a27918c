"""A lost or flat phone costs a minute: every step from "my phone died" to the same hand on another one."""

import re

from playwright.sync_api import expect

from tests.support.browser.agent_hunter import Game, HunterPlayer, open_table
from tests.support.browser.browser_player import scan
from tests.support.browser.layout import check_layout
from tests.support.browser.windows import PHONE, SMALL_PHONE, TV, Window, looks_again, switch_off
from tests.support.web.http_client import Client

GIVE = "Donner un nouveau code"


def sits_with_another_phone(window: Window, link: str, name: str) -> HunterPlayer:
    """Scans the new code; the name is there already: two taps."""
    found = HunterPlayer(window(PHONE), "mask", name)
    found.page.goto(link)
    expect(found.page.locator("#name")).to_have_value(name)
    expect(found.page.locator("form.sit")).to_contain_text(f"Vous reprenez la place de {name}")
    found.page.get_by_role("button", name="Prendre place").click()
    expect(found.page).to_have_url(re.compile(r"/s/mask$"))
    return found


def test_from_the_other_phone(playing: Game, window: Window) -> None:
    """Two taps on Ana's phone, a scan and a tap on the new one."""
    cards, lost, ana = playing.ben.cards(), playing.ben.page, playing.ana.page
    switch_off(lost)
    ana.get_by_role("link", name="Téléphone perdu ?").click()
    expect(ana.locator(".asked")).to_contain_text(
        "n’est pas connecté, et personne d’autre n’a à donner son accord"
    )
    check_layout(ana)
    ana.get_by_role("button", name=GIVE).click()
    expect(ana.locator(".new-key .qr")).to_be_visible()
    playing.told("La place de Ben a un nouveau code : son téléphone n’était pas connecté.")
    expect(playing.screen.locator(".new-key")).to_have_count(0)  # only who asked for it sees it
    check_layout(ana)

    found = sits_with_another_phone(window, scan(ana)["mask"], "Ben")
    assert found.cards() == cards
    expect(ana.locator(".new-key")).to_have_count(0)
    playing.ana.attacks(card=2, house=1)
    found.sees_answer("PLUS")

    lost.goto(f"/t/{playing.code}/s/mask")
    expect(lost.locator(".refusal h1")).to_have_text("Cette place a un nouveau téléphone")
    expect(lost.locator(".refusal")).to_contain_text("« Nouveau code pour Ben »")
    lost.get_by_role("link", name=f"Écran de la table {playing.code}").click()
    expect(lost.locator(".said").first).to_be_visible()


def test_from_the_table_screen(playing: Game, window: Window) -> None:
    """The host may not decide alone: whoever still plays says yes."""
    cards, screen = playing.ben.cards(), playing.screen
    switch_off(playing.ben.page)
    screen.get_by_role("link", name="Téléphone perdu ?").click()
    expect(screen.locator(".asked")).to_contain_text("On demande d’abord l’accord d’Ana.")
    screen.get_by_role("button", name=GIVE).click()
    playing.told("L’hôte demande un nouveau code pour la place de Ben.")
    playing.ana.page.get_by_role("button", name="Oui, d’accord").click()
    expect(screen.locator(".new-key .qr")).to_be_visible()
    found = sits_with_another_phone(window, scan(screen)["mask"], "Ben")
    assert found.cards() == cards


def test_a_phone_that_still_shows_as_connected(playing: Game, window: Window) -> None:
    """It is asked; once it is switched off nobody waits for it any more."""
    ana = playing.ana.page
    expect(ana.locator("#people .there")).to_have_text("en ligne")
    ana.locator("details.repair > summary").click()
    ana.get_by_role("link", name="Nouveau code pour Ben").click()
    expect(ana.locator(".asked")).to_contain_text("Le téléphone de Ben est encore connecté.")
    ana.get_by_role("button", name=GIVE).click()
    expect(ana.get_by_role("button", name="Retirer la demande")).to_be_visible()
    expect(ana.locator(".asked")).to_contain_text("éteignez-le")
    expect(playing.ben.page.locator(".asked")).to_be_visible()
    switch_off(playing.ben.page)
    ana.get_by_role("button", name="Continuer sans attendre Ben").click()
    expect(ana.locator(".new-key .qr")).to_be_visible()
    sits_with_another_phone(window, scan(ana)["mask"], "Ben")


def test_a_phone_that_is_there_agrees_and_is_told_what_became_of_its_seat(playing: Game) -> None:
    ana, ben = playing.ana.page, playing.ben.page
    ana.goto(f"{ana.url}?lost=mask")
    ana.get_by_role("button", name=GIVE).click()
    ben.get_by_role("button", name="Oui, d’accord").click()
    expect(ben.locator(".refusal h1")).to_have_text("Cette place a un nouveau téléphone")
    expect(ana.locator(".new-key .qr")).to_be_visible()


def test_a_phone_that_is_nearly_flat_hands_its_seat_on(playing: Game, window: Window) -> None:
    cards, ben = playing.ben.cards(), playing.ben.page
    ben.locator("details.repair > summary").click()
    ben.get_by_role("link", name="Passer ma place à un autre téléphone").click()
    ben.get_by_role("button", name=GIVE).click()
    playing.ana.page.get_by_role("button", name="Oui, d’accord").click()
    expect(ben.locator(".refusal h1")).to_have_text("Cette place a un nouveau téléphone")
    expect(playing.ana.page.locator(".new-key .qr")).to_be_visible()
    assert sits_with_another_phone(window, scan(playing.ana.page)["mask"], "Ben").cards() == cards


def test_without_script(playing: Game, window: Window) -> None:
    """The new code by forms alone, on the smallest phone."""
    cards, plain = playing.ben.cards(), []
    for player in (playing.ana, playing.ben):
        page = window(SMALL_PHONE, java_script_enabled=False)
        page.context.add_cookies(player.page.context.cookies())  # type: ignore[arg-type]
        switch_off(player.page)
        plain.append(page)
    ana, lost = plain
    assert playing.ben.phone
    playing.ben.phone.goes_away()
    ana.goto(f"/t/{playing.code}/s/target")
    ana.get_by_role("link", name="Téléphone perdu ?").click()
    ana.get_by_role("button", name=GIVE).click()
    expect(ana.locator(".new-key .qr")).to_be_visible()
    ana.wait_for_load_state()
    check_layout(ana)
    found = HunterPlayer(window(SMALL_PHONE, java_script_enabled=False), "mask", "Ben")
    found.joins(scan(ana)["mask"])
    assert found.cards() == cards
    lost.goto(f"/t/{playing.code}/s/mask")
    expect(lost.locator(".refusal h1")).to_have_text("Cette place a un nouveau téléphone")


def test_a_phone_without_script_is_there_too_and_is_asked(playing: Game, window: Window) -> None:
    """It follows no stream; that it loaded its page a moment ago is enough."""
    ana, ben = playing.ana.page, window(SMALL_PHONE, java_script_enabled=False)
    ben.context.add_cookies(playing.ben.page.context.cookies())  # type: ignore[arg-type]
    switch_off(playing.ben.page)
    expect(ana.locator("#people .there")).to_have_text("hors ligne")
    ben.goto(f"/t/{playing.code}/s/mask")
    expect(ana.locator("#people .there")).to_have_text("en ligne")
    ana.goto(f"{ana.url}?lost=mask")
    ana.get_by_role("button", name=GIVE).click()
    expect(ana.get_by_role("button", name="Retirer la demande")).to_be_visible()
    looks_again(ben)
    ben.get_by_role("button", name="Non", exact=True).click()
    expect(ana.locator(".asked")).to_have_count(0)
    expect(ana.locator(".new-key")).to_have_count(0)


# ---- while people still join


def test_a_wrong_seat_is_given_back_while_others_still_join(window: Window) -> None:
    host, ana = window(TV), HunterPlayer(window(PHONE), "target", "Ana")
    code = open_table(host)
    ana.joins(scan(host)["target"])
    ana.page.locator("details.repair > summary").click()
    check_layout(ana.page)
    ana.page.get_by_role("link", name="Rendre ma place").click()
    ana.page.get_by_role("button", name=GIVE).click()
    expect(ana.page.locator(".refusal h1")).to_have_text("Cette place a un nouveau téléphone")
    expect(host.locator(".seat-card .qr")).to_have_count(2)
    seats = scan(host)
    moved = HunterPlayer(ana.page, "mask", "Ana")
    moved.joins(seats["mask"])
    ben = HunterPlayer(window(PHONE), "target", "Ben")
    ben.joins(seats["target"])
    ben.sees("Cachez vos espions")
    expect(host.locator("#now")).to_contain_text("On attend")
    assert code in host.url


def test_the_host_frees_a_seat_and_stops_a_table_nobody_needs(window: Window) -> None:
    host, ana = window(TV), HunterPlayer(window(PHONE), "target", "Ana")
    open_table(host)
    ana.joins(scan(host)["target"])
    switch_off(ana.page)
    host.get_by_role("link", name="Mauvaise place, téléphone perdu ?").click()
    expect(host.locator(".asked")).to_contain_text("le code s’affiche tout de suite")
    host.get_by_role("button", name=GIVE).click()
    expect(host.locator(".seat-card.seat-1")).to_contain_text("Nouveau code pour Ana")
    again = HunterPlayer(window(PHONE), "target", "Ana")
    again.joins(scan(host)["target"])
    expect(host.locator(".chair.seat-1 .taken")).to_contain_text("Ana")
    host.locator("details.repair > summary").click()
    check_layout(host)
    host.get_by_role("button", name="Arrêter cette table").click()
    again.page.get_by_role("button", name="Oui, d’accord").click()
    expect(host.locator(".result")).to_have_text("La partie est arrêtée d’un commun accord.")


# ---- finding a game again


def test_a_lost_page_is_found_by_the_home_page_or_the_code(playing: Game, window: Window) -> None:
    page = playing.ana.page
    page.goto("/")
    expect(page.locator(".games-left")).to_contain_text("Agent Hunter · avec Ben")
    page.get_by_role("link", name="Ma place : Ana").click()
    playing.ana.may_act()
    page.goto("/")
    page.get_by_label("Les cinq caractères affichés à la table").fill(playing.code.lower())
    page.get_by_role("button", name="Retrouver").click()
    playing.ana.may_act()
    stranger = window(PHONE)
    stranger.goto(f"/join?code={playing.code}")
    stranger.get_by_text("Vous jouez à cette table ?").click()
    expect(stranger.locator("#player")).to_contain_text("« Nouveau code »")
    check_layout(stranger)


def test_a_phone_that_was_away_finds_the_rematch_at_home(playing: Game) -> None:
    switch_off(playing.ben.page)
    for player, path, body in (
        (playing.ana, "ask", {"version": 4, "kind": "abandon"}),
        (playing.ben, "answer", {"accept": True}),
        (playing.ana, "rematch", {}),
    ):
        assert player.phone
        client: Client = player.phone.client
        assert client.post(f"/api/tables/{playing.code}/{path}", body).status in (200, 201)
    back = playing.ben.page.context.new_page()
    back.goto("/")
    back.get_by_role("link", name="Ma place : Ben").click()
    expect(back.locator("main")).to_contain_text("Cachez vos espions")
    assert playing.code not in back.url
