"""Espion contre Espion on two phones and a table screen: a board to tap, from the buildings to the sheet."""

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.browser_player import game_card
from tests.support.browser.espion_contre_espion import TILES, EspionPlayer, marked, set_up, sit
from tests.support.browser.windows import PHONE, SMALL_PHONE, TV, Window, holds
from tests.support.web.server_process import Running


@dataclass(frozen=True)
class Play:
    """A table with two players and a screen."""

    ana: EspionPlayer
    ben: EspionPlayer
    screen: Page
    code: str


@pytest.fixture
def play(window: Window, server: Running) -> Play:
    """Ana (DIA, who begins) and Ben (KCB), with two buildings each to place."""
    table, players = sit(window, server.client, buildings=TILES)
    for seat, player in players.items():
        player.page.goto(f"/t/{table.code}/s/{seat}")
    screen = window(TV, base_url=server.client.url)
    screen.goto(f"/t/{table.code}")
    return Play(players["dia"], players["kcb"], screen, table.code)


def test_a_whole_game_with_buildings_on_two_phones(play: Play) -> None:
    _builds(play)
    _sets_up(play)
    _first_turn(play)
    _guess(play)


def _builds(play: Play) -> None:
    """A turned tile is picked, then its square is tapped: the building shows before it is confirmed."""
    ana, ben = play.ana, play.ben
    expect(ana.page.locator("a.pick")).to_have_count(8)
    expect(ana.page.locator("a.pick").nth(5)).to_contain_text("2 ¼ tour à droite")
    ana.page.get_by_role("link", name="Bâtiment 1, Sans le tourner").click()
    expect(ana.page.locator(".kicker")).to_have_text("Mise en place, étape 1 sur 5 : Bâtiments")
    ana.taps("B3")
    ana.sees_marks("B3 C3 B4 C4")
    assert ana.page.locator("form.move .would-walls").get_attribute("d")
    ana.confirms()
    expect(ben.page.locator("h1")).to_have_text(re.compile("Placer un bâtiment"))
    expect(play.screen.locator(".espion-board .floor")).to_have_count(4)
    for player, cell in ((ben, "B6"), (ana, "G3"), (ben, "F6")):
        player.page.locator("a.pick").first.click()
        player.taps(cell)
        player.confirms()
    expect(play.screen.locator(".setup [aria-current]")).to_have_text("Documents")


def _sets_up(play: Play) -> None:
    ana, ben = play.ana, play.ben
    for player, cell in ((ana, "A1"), (ben, "A9"), (ana, "H2"), (ben, "H8")):
        player.taps(cell)
        player.confirms(f"Placer le document en {cell}")
    ana.picks("facing", "N")
    ana.taps("D2")
    ana.sees_marks("D2 D3 E3")  # a wall of the building hides C3
    ana.confirms()
    ben.picks("facing", "S")
    ben.taps("E8")
    ben.confirms()
    ana.picks("kind", "column")
    ana.taps("D5")
    ana.sees_marks("D1 D2 D3 D4 D5 D6 D7 D8 D9")
    ana.confirms()
    for player, kind, cell in ((ben, "line", "H5"), (ana, "panoramic", "E6"), (ben, "panoramic", "A5")):
        player.picks("kind", kind)
        player.taps(cell)
        player.confirms()
    ana.taps("E1")
    ana.seals_entry("E1")
    expect(ana.page.locator("h1")).to_have_text("On attend Ben")
    ben.taps("D9")
    ben.seals_entry("D9")


def _first_turn(play: Play) -> None:
    """Camera, killer, spy: the counts fill both phones and stand on the screen."""
    ana, ben = play.ana, play.ben
    ana.page.locator("a.action[href='?do=move_camera']").click()
    ana.taps("E6", "from")
    ana.taps("F4")
    ana.confirms("Déplacer la caméra de E6 en F4")
    ana.picks("facing", "W")
    ana.taps("D4")
    ana.confirms()
    ana.walks("A7")
    expect(ana.page.locator("[data-words]")).to_have_text("Votre espion ne peut pas aller en A7.")
    ana.walks("E2", "E3")
    expect(ana.page.locator(".is-step")).to_have_text(["2", "1"])  # from the top of the board
    ana.seals_entry("E2 → E3")
    ana.passes("Caméras")
    ben.passes("Caméras")
    expect(play.screen.locator(".seen-by b")).to_have_text(["1", "1"])


def _guess(play: Play) -> None:
    ana, ben = play.ana, play.ben
    ben.page.locator("a.action[href='?do=guess']").click()
    ben.taps("E3")
    ben.confirms("Annoncer E3")
    for player in (ana, ben):
        player.passes("BONNE CASE !")
    expect(ben.page.locator("h1")).to_have_text("Vous gagnez !")
    expect(play.screen.locator(".trail")).to_have_count(2)
    play.screen.locator("a[href$='/sheet']").first.click()
    expect(play.screen.locator(".slip")).to_contain_text("Espion contre Espion")
    expect(play.screen.locator(".slip svg").first).to_be_visible()


def test_what_a_camera_sees_is_shaded_while_it_is_selected(window: Window, server: Running) -> None:
    table, players = sit(window, server.client, buildings=[])
    set_up(players)
    screen = window(TV, base_url=server.client.url)
    screen.goto(f"/t/{table.code}")
    camera = screen.get_by_role("button", name="Caméra Panoramique KCB en C4")
    camera.focus()
    screen.keyboard.press("Enter")
    marks = screen.locator(".espion-drawing .marks")
    assert marked(marks) == {"B3", "C3", "D3", "B4", "C4", "D4", "B5", "C5", "D5"}
    killer = screen.get_by_role("button", name=re.compile("Tueur à gages DIA en D2"))
    killer.click()
    assert marked(marks) == {"D2", "C3", "D3", "E3"}
    killer.click()
    assert marked(marks) == set()


def test_the_own_spy_shows_only_while_it_is_held(window: Window, server: Running) -> None:
    table, players = sit(window, server.client, buildings=[])
    set_up(players)
    page = players["dia"].page
    page.goto(f"/t/{table.code}/s/dia")
    expect(page.locator(".spy-at")).to_be_hidden()
    summary = page.locator("details.secret summary")
    summary.hover()
    page.mouse.down()
    expect(page.locator(".spy-at")).to_have_text("L’espion est en D1.")
    expect(page.locator(".secret-inside .spy-sign")).to_be_visible()
    page.mouse.up()
    expect(page.locator(".spy-at")).to_be_hidden()


def test_the_board_fits_a_phone_and_its_squares_a_finger(window: Window, server: Running) -> None:
    table, players = sit(window, server.client, buildings=[])
    set_up(players)
    page = players["dia"].page
    for size, least in ((PHONE, 38), (SMALL_PHONE, 32)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.goto(f"/t/{table.code}/s/dia?do=guess&case=0")
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        box = page.locator(".square").first.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= least
    screen = window(TV, base_url=server.client.url)
    screen.goto(f"/t/{table.code}")
    board = screen.locator(".espion-board").bounding_box()
    assert board
    assert board["y"] + board["height"] <= TV[1]


@pytest.mark.parametrize("form", ["place_camera", "move_camera", "guess"])
def test_the_board_is_light(window: Window, server: Running, form: str) -> None:
    table, players = sit(window, server.client, buildings=[])
    set_up(players)
    page = players["dia"].page.request.get(f"{server.url}/t/{table.code}/s/dia?do={form}&case=0")
    assert len(page.body()) < 45_000


def test_a_turn_by_keyboard_alone(window: Window, server: Running) -> None:
    table, players = sit(window, server.client, buildings=[])
    set_up(players)
    page = players["dia"].page
    page.goto(f"/t/{table.code}/s/dia?do=place_camera&case=0")
    page.locator("input[name='field.kind']").first.focus()
    page.keyboard.press("Space")
    page.locator(".square input").first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    page.locator("form.move button.button").focus()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(re.compile("tueur à gages"))


def test_a_turn_without_script(window: Window, server: Running) -> None:
    table, players = sit(window, server.client, buildings=[])
    set_up(players)
    page = window(PHONE, java_script_enabled=False, base_url=server.client.url)
    phone = players["dia"].phone
    assert phone
    holds(page, f"seat_{table.code}_dia", phone.token, server.client.url)
    ana = EspionPlayer(page, "dia", "Ana", phone)
    page.goto(f"/t/{table.code}/s/dia")
    page.locator("a.action[href='?do=place_camera']").click()
    ana.picks("kind", "line")
    ana.taps("B7")
    ana.confirms()
    ana.taps("D4")
    ana.confirms()
    page.locator(".paths summary").click()
    page.locator(".paths .pick", has_text="D2 → D3").click()
    ana.seals_entry("D2 → D3")
    assert table.view()["public"]["seen"] == {"dia": 2, "kcb": 0}


def test_a_square_that_is_taken_comes_back_with_the_rule(window: Window, server: Running) -> None:
    table, players = sit(window, server.client, buildings=[])
    set_up(players)
    page = players["dia"].page
    page.goto(f"/t/{table.code}/s/dia?do=place_camera&case=0")
    players["dia"].picks("kind", "line")
    players["dia"].taps("B7")
    page.locator(".square input:checked").evaluate("input => { input.value = '\"C4\"'; }")
    page.locator("form.move button.button").click()
    expect(page.locator(".alert")).to_contain_text("C4")
    phone = players["dia"].phone
    assert phone and table.view()["version"] == phone.view()["version"]
    assert len(table.view()["public"]["cameras"]) == 4


# ---- the tile editor


def test_owners_draw_their_tiles_once_and_play_with_them(window: Window, server: Running) -> None:
    page = window(PHONE)
    page.goto("/")
    game_card(page, "Espion contre Espion").get_by_text("Options de la partie").click()
    page.get_by_role("link", name="Créer les vôtres").click()
    page.get_by_label("Nom").fill("Ma boîte")
    tiles = page.locator(".tile-form")
    tiles.first.get_by_label("Largeur").select_option("1")
    tiles.first.get_by_role("button", name="Redessiner").click()
    expect(page.get_by_label("Nom")).to_have_value("Ma boîte")
    expect(tiles.first.locator(".tile-grid b")).to_have_text(["A2", "A1"])
    expect(tiles.nth(1).locator(".tile-grid b")).to_have_count(4)
    for wall in ("A1:W", "A2:W", "A1:E", "A2:E"):
        tiles.first.get_by_label(f"Mur {wall}").check(force=True)
    for wall in ("A2:N", "A1:S"):
        tiles.first.get_by_label(f"Mur {wall}").uncheck(force=True)
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.locator(".notice")).to_contain_text("C’est enregistré")
    page.locator(".notice a").click()
    card = game_card(page, "Espion contre Espion")
    card.get_by_text("Options de la partie").click()
    card.get_by_label("Ma boîte").check(force=True)
    card.get_by_role("button", name="Ouvrir la table").click()
    code = page.url.rpartition("/")[2]
    buildings = server.client.get(f"/api/tables/{code}").json["options"]["buildings"]
    assert buildings[0]["size"] == [1, 2]
    assert sorted(buildings[0]["walls"]) == ["A1:E", "A1:W", "A2:E", "A2:W"]


def test_tiles_that_cannot_be_are_refused_and_stay_drawn(window: Window) -> None:
    page = window(PHONE)
    page.goto("/presets/espion_contre_espion/buildings")
    page.get_by_label("Nom").fill("Prison")
    first = page.locator(".tile-form").first
    for edge in first.locator(".edge input").all():
        edge.check(force=True)
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.locator(".alert")).to_contain_text("porte")
    expect(page.get_by_label("Nom")).to_have_value("Prison")
    assert all(edge.is_checked() for edge in first.locator(".edge input").all())


def test_the_player_on_the_far_side_sees_the_board_from_there(window: Window, server: Running) -> None:
    """The own camp is at the bottom; squares, letters and the keyboard's order agree with it."""
    table, players = sit(window, server.client, buildings=[])
    set_up(players)
    ana, ben = players["dia"], players["kcb"]
    ana.moves("guess", cell="A5")
    ben.page.goto(f"/t/{table.code}/s/kcb")
    ben.goes_on()
    ben.page.goto(f"/t/{table.code}/s/kcb?do=place_camera&case=0")
    squares = ben.page.locator(".square input")
    names = squares.evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")
    assert names == sorted(names, key=lambda cell: (int(cell[1]), -ord(cell[0])))
    near, far = (
        ben.square(pick(names, key=lambda cell: (int(cell[1]), cell))).bounding_box() for pick in (max, min)
    )
    assert near and far
    assert near["y"] > far["y"]  # the line 9 is nearest to this player
    letters = ben.page.locator("form .espion-board text").all_text_contents()
    assert letters[-17:] == [*"HGFEDCBA", *"123456789"]
    ana.page.goto(f"/t/{table.code}/s/dia")
    letters = ana.page.locator(".espion-board text").all_text_contents()
    assert not letters or letters[-17:-9] == [*"ABCDEFGH"]


def test_buildings_that_are_alike_are_offered_once(window: Window, server: Running) -> None:
    table, players = sit(window, server.client)
    page = players["dia"].page
    page.goto(f"/t/{table.code}/s/dia")
    expect(page.locator("a.pick")).to_have_count(4)  # both are the same: four ways to turn it


def test_the_signs_of_cameras_and_directions_differ(window: Window, server: Running) -> None:
    table, players = sit(window, server.client, buildings=[])
    set_up(players)
    page = players["dia"].page
    page.goto(f"/t/{table.code}/s/dia?do=place_camera&case=0")
    drawn = page.locator(".picks--kind .camera-sign").evaluate_all("all => all.map((one) => one.innerHTML)")
    assert len(set(drawn)) == 3


def test_what_ends_the_game_looks_different_to_winner_and_loser(window: Window, server: Running) -> None:
    table, players = sit(window, server.client, buildings=[])
    set_up(players)
    ana, ben = players["dia"], players["kcb"]
    ana.moves("guess", cell="A9")
    for player, look in ((ana, "is-good"), (ben, "is-bad")):
        player.page.goto(f"/t/{table.code}/s/{player.seat}")
        expect(player.page.locator(".answer")).to_have_class(re.compile(look))
        player.goes_on()
    expect(ana.page.locator(".ending")).to_have_attribute("data-ending", "won")
    expect(ana.page.locator(".confetti")).to_have_count(1)
    expect(ben.page.locator(".ending")).to_have_attribute("data-ending", "lost")
    expect(ben.page.locator(".ending h1")).to_have_text("Ana gagne !")
    expect(ben.page.locator(".ending-kind")).to_have_text("Bien joué quand même. Une revanche ?")
    expect(ben.page.locator(".decisive li").first).to_contain_text("A9")
