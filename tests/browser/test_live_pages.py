"""What the script adds: pages follow the table, forms survive, secrets are held, lost connections told."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.browser.agent_hunter import Game, seated
from tests.support.browser.windows import PHONE, TV, Window, switch_off
from tests.support.web.forked_server import Forked
from tests.support.web.server_process import free_port


def test_a_half_filled_form_survives_the_other_ones_entry(game: Game) -> None:
    game.ana.taps(4, 7)
    stamp = game.ana.page.locator("body").get_attribute("data-stamp")
    game.ben.hides(3, 8, 5)
    expect(game.ana.page.locator("body")).not_to_have_attribute("data-stamp", str(stamp))
    expect(game.ana.page.locator(".slots .is-filled .slot-card")).to_have_text(["4", "7"])
    game.ana.taps(0)
    game.ana.checks()
    game.ana.seals()
    game.ana.may_act()


def test_taps_can_be_taken_back_and_a_card_is_used_once(game: Game) -> None:
    page = game.ana.page
    check = page.locator("button[name=check]")
    game.ana.taps(4, 7)
    expect(page.locator("[data-card='7']")).to_be_disabled()
    expect(check).to_be_disabled()
    page.get_by_role("button", name="Annuler le dernier choix").click()
    expect(page.locator("[data-card='7']")).to_be_enabled()
    game.ana.taps(9, 0)
    expect(check).to_be_enabled()
    game.ana.checks()
    page.get_by_role("link", name="Changer").click()
    expect(page.locator(".slots .slot-card")).to_have_text(["4", "9", "0"])


def test_the_button_says_what_it_will_do(playing: Game) -> None:
    playing.ana.chooses("attack_from_hand")
    button = playing.ana.page.locator("form.move button.button")
    expect(button).to_have_text("Attaquer")
    playing.ana.picks("card", 5)
    playing.ana.picks("house", 2)
    expect(button).to_have_text("Attaquer la planque 2 avec le 5")


def test_secrets_show_only_while_held(playing: Game) -> None:
    page, secret = playing.ana.page, playing.ana.secret
    summary = page.locator(".secret summary")
    expect(summary).to_have_text("Maintenez pour voir vos cartes", use_inner_text=True)
    expect(secret).to_be_hidden()
    summary.hover()
    page.mouse.down()
    expect(secret).to_be_visible()
    page.mouse.up()
    expect(secret).to_be_hidden()
    summary.click()
    expect(secret).to_be_hidden()
    for key in ("Space", "Enter"):
        summary.focus()
        page.keyboard.down(key)
        expect(secret).to_be_visible()
        page.keyboard.up(key)
        expect(secret).to_be_hidden()


def test_the_answer_takes_the_focus_and_the_screen(playing: Game) -> None:
    playing.ana.attacks(card=2, house=1)
    word = playing.ben.page.locator(".answer h1")
    expect(word).to_be_focused()
    box = playing.ben.page.locator(".answer").bounding_box()
    assert box
    assert (box["width"], box["height"]) == PHONE
    expect(playing.ben.page.locator(".code")).to_be_visible()


NOTES_THE_FIRST_ANSWER = """() => {
  const { dataset } = document.body;
  new MutationObserver(() => document.querySelector(".answer") && (dataset.first ??= dataset.stamp))
    .observe(document.querySelector("#answer"), { childList: true });
}"""
TAPS_IT_AWAY_AT_ONCE = """() => {
  new MutationObserver(() => document.querySelector(".answer a.button")?.click())
    .observe(document.querySelector("#answer"), { childList: true });
}"""
NOTHING_IS_DUE = "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))"


def test_an_answer_is_shown_before_what_it_covers(playing: Game) -> None:
    page = playing.ben.page
    stamp = str(page.locator("body").get_attribute("data-stamp"))
    page.evaluate(NOTES_THE_FIRST_ANSWER)
    playing.ana.attacks(card=2, house=1)
    expect(page.locator("body")).to_have_attribute("data-first", stamp)
    expect(page.locator("body")).not_to_have_attribute("data-stamp", stamp)


def test_an_answer_that_is_tapped_away_at_once_leaves_the_page_up_to_date(playing: Game) -> None:
    stamp = str(playing.ben.page.locator("body").get_attribute("data-stamp"))
    for player in (playing.ana, playing.ben):
        player.page.evaluate(TAPS_IT_AWAY_AT_ONCE)
    playing.ana.attacks(card=2, house=1)
    playing.ana.waits_for("Ben")
    playing.ben.may_act()
    for player in (playing.ana, playing.ben):
        expect(player.page.locator(".answer")).to_have_count(0)
        expect(player.page.locator("body")).not_to_have_attribute("data-stamp", stamp)


def test_a_later_answer_waits_until_the_first_is_read(playing: Game) -> None:
    """Also on a phone that has read none yet."""
    page = playing.ana.page
    playing.ana.attacks(card=2, house=1)
    playing.ana.sees_answer("PLUS")
    playing.ben.moves("attack_from_hand", card=9, house=1)
    expect(page.locator("body")).to_have_attribute("data-mine", "1")
    playing.ana.sees_answer("PLUS")
    page.locator(".answer a.button").click()
    playing.ana.sees_answer("MOINS")


def test_what_changes_behind_an_answer_does_not_take_the_focus(playing: Game) -> None:
    page = playing.ana.page
    playing.ana.attacks(card=2, house=1)
    playing.ana.sees_answer("PLUS")
    expect(page.locator(".answer h1")).to_be_focused()
    page.locator(".answer a.button").focus()
    assert playing.ben.phone
    playing.ben.moves("attack_from_hand", card=9, house=1)
    expect(page.locator("body")).to_have_attribute("data-mine", "1")
    page.evaluate(NOTHING_IS_DUE)
    expect(page.locator(".answer a.button")).to_be_focused()


def test_answers_stand_in_different_places(playing: Game) -> None:
    """PLUS at the top, MOINS at the bottom, RÉUSSITE in the middle: told apart without colour or reading."""
    middles = []
    for player, card in ((playing.ana, 2), (playing.ben, 9), (playing.ana, 3)):
        player.attacks(card=card, house=1)
        box = player.page.locator(".answer .sign").bounding_box()
        assert box
        middles.append(box["y"] + box["height"] / 2)
        for other in (playing.ana, playing.ben):
            other.goes_on()
    plus, moins, reussite = middles
    assert plus < PHONE[1] / 3 < reussite < PHONE[1] * 2 / 3 < moins


def test_a_phone_finds_its_seat_again_after_the_server_restarts(window: Window, tmp_path: Path) -> None:
    options = ("--host", "127.0.0.1", "--port", str(free_port()))
    with Forked(tmp_path / "data", options=options) as server:
        game = seated(window, server.client)
        game.hide()
        game.look()
        expect(game.screen.locator(".there").first).to_have_text("en ligne")
        server.kill()
        for page in (game.ana.page, game.screen):
            expect(page.locator("#lost")).to_be_visible()
        with server.again():
            for page in (game.ana.page, game.screen):
                expect(page.locator("#lost")).to_be_hidden()
            game.ana.attacks(card=2, house=1)
            game.both_see("PLUS")
            game.told("PLUS")


def test_an_answer_is_put_away_while_the_connection_is_lost(playing: Game) -> None:
    """The notice lies over the answer; the rest comes with the connection, and the answer does not."""
    page, notice = playing.ana.page, playing.ana.page.locator("#lost")
    playing.ana.attacks(card=2, house=1)
    playing.ana.sees_answer("PLUS")
    page.context.set_offline(True)
    expect(notice).to_be_visible()
    notice.click(trial=True)  # nothing lies over it
    playing.ana.goes_on()
    expect(page.locator(".me")).to_be_visible()
    expect(notice).to_be_visible()
    page.context.set_offline(False)
    playing.ana.waits_for("Ben")
    playing.ana.looks_again()
    playing.ana.waits_for("Ben")
    expect(page.locator(".answer")).to_have_count(0)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_tap_the_server_never_heard_is_done_when_it_is_there_again(playing: Game, method: str) -> None:
    lost: list[str] = []

    def losing_one(route: Route) -> None:
        is_tap = route.request.method == method and (method == "POST" or "?do=" in route.request.url)
        if is_tap and not lost:
            lost.append(route.request.url)
            route.abort()
        else:
            route.fallback()

    playing.ana.page.route("**", losing_one)
    playing.ana.attacks(card=2, house=1)
    playing.both_see("PLUS")
    assert lost


def test_a_second_tap_is_what_counts(playing: Game) -> None:
    """Whoever taps another link before the first page came is taken to the other."""
    page = playing.ana.page
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/*do=attack_from_hand*", hold)
    playing.ana.chooses("attack_from_hand")
    page.locator("a[href*='do=']:not([href*='attack_from_hand'])").first.click()
    expect(page.locator("form.move")).to_be_visible()
    here = page.url
    held[0].fallback()
    expect(page).to_have_url(here)


def test_an_answer_is_tapped_away_though_the_form_that_brought_it_is_not_through(playing: Game) -> None:
    """The stream was quicker than what the server answers to the form: the tap counts, in its turn."""
    page = playing.ana.page

    def tap_before_it_is_through(route: Route) -> None:
        if route.request.method == "POST":
            answered = route.fetch(max_redirects=0)
            page.locator(".answer a.button").click()
            route.fulfill(response=answered)
        else:
            route.fallback()

    page.route("**/s/target*", tap_before_it_is_through)
    playing.ana.attacks(card=2, house=1)
    playing.ana.waits_for("Ben")
    expect(page.locator(".answer")).to_have_count(0)


def test_the_screen_tells_who_is_connected(playing: Game) -> None:
    ben = playing.screen.locator(".side").nth(1).locator(".there")
    expect(ben).to_have_text("en ligne")
    switch_off(playing.ben.page)
    expect(ben).to_have_text("hors ligne")
    playing.ben.page.go_back()
    expect(ben).to_have_text("en ligne")


def test_a_refused_move_comes_back_with_its_reason(playing: Game) -> None:
    """Two windows on one seat: the one that is late is told why, and can go on."""
    late = playing.ana.page.context.new_page()
    late.route(re.compile(r"/live(\?|$)"), lambda route: route.abort())
    late.goto(playing.ana.page.url + "?do=attack_from_hand")
    late.route("**", lambda route: route.abort() if route.request.method == "GET" else route.fallback())
    playing.ana.attacks(card=2, house=1)
    playing.ana.sees_answer("PLUS")
    late.locator("label:has(input[name='field.card'][value='2'])").click()
    late.locator("label:has(input[name='field.house'][value='1'])").click()
    late.locator("form.move button.button").click()
    expect(late.get_by_role("alert")).to_contain_text("ont changé entre-temps")
    expect(late.get_by_role("alert")).to_be_focused()
    expect(late.locator("h1")).to_have_text("On attend Ben")


def test_sound_can_be_muted_and_stays_so(game: Game) -> None:
    page = game.ana.page
    page.locator("[data-settings]").click()
    sound = page.get_by_role("switch", name="Sons")
    expect(sound).to_be_focused()
    expect(sound).to_have_attribute("aria-checked", "true")
    page.keyboard.press("Space")
    expect(sound).to_have_attribute("aria-checked", "false")
    page.reload()
    page.locator("[data-settings]").click()
    expect(sound).to_have_attribute("aria-checked", "false")


def test_a_whole_table_fits_a_tv_without_scrolling(playing: Game) -> None:
    playing.told("À Ana de jouer")
    playing.ana.attacks(own=1, house=3)
    playing.told("PLUS")
    for part in ("#now", "#board", "#todo"):
        box = playing.screen.locator(part).bounding_box()
        assert box
        assert box["y"] + box["height"] <= TV[1], part


def test_taps_stay_on_the_page_and_back_goes_back(playing: Game) -> None:
    """A seat's own links and forms do not load a new page: the stream and the sound go on."""
    page = playing.ana.page
    page.evaluate("window.same = true")
    playing.ana.chooses("attack_from_hand")
    expect(page.locator("h1")).to_have_text("Attaquer depuis ma main")
    expect(page).to_have_url(re.compile(r"\?do=attack_from_hand$"))
    page.go_back()
    playing.ana.may_act()
    playing.ana.attacks(card=2, house=1)
    playing.ana.sees_answer("PLUS")
    playing.ana.goes_on()
    playing.ana.waits_for("Ben")
    expect(page).to_have_url(re.compile(r"/s/target$"))
    assert page.evaluate("window.same")


def test_a_move_whose_answer_is_lost_can_be_sent_again(playing: Game) -> None:
    """The connection breaks after the server has taken the move: the second tap gets the first answer."""
    page = playing.ana.page
    playing.ana.chooses("attack_from_hand")
    playing.ana.picks("card", 2)
    playing.ana.picks("house", 1)
    lost: list[int] = []

    def lose(route: Route) -> None:
        lost.append(route.fetch(max_redirects=0).status)
        route.abort()

    page.route("**/s/target?do=*", lose, times=1)
    page.locator("form.move button.button").click()
    playing.ana.sees_answer("PLUS")
    assert lost == [204]
    playing.ben.sees_answer("PLUS")


def test_the_phone_buzzes_when_it_becomes_its_turn_unless_muted(playing: Game) -> None:
    page = playing.ben.page
    page.evaluate("() => { window.buzzed = 0; navigator.vibrate = () => { window.buzzed += 1; }; }")
    page.locator(".who").click()  # browsers let a page buzz only once it was touched
    playing.ana.attacks(card=2, house=1)
    playing.ben.sees_answer("PLUS")
    page.evaluate(NOTHING_IS_DUE)
    assert page.evaluate("window.buzzed") == 1
    playing.both_see("PLUS")
    page.locator("[data-settings]").click()
    page.get_by_role("switch", name="Vibrations").click()
    playing.ben.attacks(card=9, house=1)
    playing.both_see("MOINS")
    playing.ana.attacks(card=1, house=1)
    playing.both_see("PLUS")
    playing.ben.may_act()
    assert page.evaluate("window.buzzed") == 1


def test_each_event_has_a_sound_of_its_own_and_each_switch_is_remembered(playing: Game) -> None:
    page = playing.ben.page
    page.evaluate("""() => {
        window.tunes = [];
        AudioContext.prototype.createOscillator = new Proxy(AudioContext.prototype.createOscillator, {
            apply(make, audio, given) {
                const tone = Reflect.apply(make, audio, given);
                window.tunes.push(tone.frequency);
                return tone;
            },
        });
    }""")
    page.locator(".who").click()  # browsers let a page sound only once it was touched
    heard = "() => window.tunes.splice(0).map((pitch) => Math.round(pitch.value))"
    playing.ana.attacks(card=2, house=1)
    playing.ben.sees_answer("PLUS")
    page.evaluate(NOTHING_IS_DUE)
    rising = page.evaluate(heard)
    assert rising and rising == sorted(rising)
    playing.both_see("PLUS")
    playing.ben.moves("attack_from_hand", card=9, house=2)
    playing.ben.sees_answer("MOINS")
    page.evaluate(NOTHING_IS_DUE)
    falling = page.evaluate(heard)
    assert falling and falling == sorted(falling, reverse=True)
    playing.ben.goes_on()
    page.locator("[data-settings]").click()
    for name in ("Sons", "Écran toujours allumé"):
        page.get_by_role("switch", name=name).click()
    page.reload()
    page.locator("[data-settings]").click()
    for name, state in (("Sons", "false"), ("Vibrations", "true"), ("Écran toujours allumé", "false")):
        expect(page.get_by_role("switch", name=name)).to_have_attribute("aria-checked", state)


def test_a_film_keeps_the_screen_on_where_the_browser_has_no_lock(playing: Game) -> None:
    """It is started by a touch, fills the page, and is switched off in the settings."""
    page = playing.ana.page
    page.add_init_script("delete Navigator.prototype.wakeLock")
    page.reload()
    film = page.locator("video.awake")
    expect(film).to_have_count(1)
    expect(film).to_have_attribute("aria-hidden", "true")
    page.locator(".who").click()
    expect(film).to_have_js_property("paused", False)
    page.locator("[data-settings]").click()
    page.get_by_role("switch", name="Écran toujours allumé").click()
    expect(film).to_have_js_property("paused", True)


# ---- what a screen reader says

HEARD = """() => {
  window.heard = [];
  const visible = new Map();
  const look = () => {
    for (const region of document.querySelectorAll("[aria-live]")) {
      const words = region.checkVisibility() ? region.innerText.trim() : null;
      const was = visible.get(region);
      visible.set(region, words);
      if (words && words !== was && was !== undefined) window.heard.push(was === null ? "missed" : region.id);
    }
  };
  look();
  const all = { subtree: true, childList: true, characterData: true, attributes: true };
  new MutationObserver(look).observe(document.body, all);
}"""


def names(page: Page, role: str) -> list[str]:
    """What a screen reader calls the elements of this role, by the browser's own tree."""
    devtools = page.context.new_cdp_session(page)
    nodes = devtools.send("Accessibility.getFullAXTree")["nodes"]
    devtools.detach()
    return [node["name"]["value"] for node in nodes if not node["ignored"] and node["role"]["value"] == role]


def test_a_form_refused_twice_is_told_twice(playing: Game) -> None:
    page = playing.ana.page
    playing.ana.chooses("attack_from_hand")
    playing.ana.picks("card", 4)  # which is in one of her houses
    playing.ana.picks("house", 1)
    alert, button = page.get_by_role("alert"), page.locator("form.move button.button")
    for _ in range(2):
        button.click()
        expect(alert).to_be_focused()
        expect(page.locator("html.busy")).to_have_count(0)
        button.focus()


def test_what_the_other_one_did_is_said_once(game: Game) -> None:
    """In a region that was there before: what appears together with its region is often missed."""
    page = game.ben.page
    page.evaluate(HEARD)
    game.ana.moves("hide", houses=[4, 7, 0])
    expect(page.locator("#seals")).to_contain_text("Ana")
    page.evaluate(NOTHING_IS_DUE)
    assert page.evaluate("window.heard") == ["seals"]


def test_signs_are_not_read_out(playing: Game) -> None:
    page = playing.ana.page
    assert "À vous de jouer" in names(page, "heading")
    playing.ana.chooses("attack_from_hand")
    playing.ana.picks("card", 5)
    assert "5" in names(page, "radio")
