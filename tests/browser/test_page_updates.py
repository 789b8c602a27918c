"""Updates of an open page keep what people are doing with it, and move nothing."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.agent_hunter import Game
from tests.support.browser.webkit_driver import Driver, webkit
from tests.support.browser.webkit_driver import Window as Iphone
from tests.support.browser.windows import PHONE, SMALL_PHONE, Window, holds, switch_off
from tests.support.web.http_client import Phone, Table
from tests.support.web.questions import answers, asks
from tests.support.web.server_process import Running

# What a finger and a screen reader rest on: places, picks, scroll, focus, and the very elements.
HANDS = """(() => {
  const parts = [...document.querySelectorAll("#decision, #decision *")];
  const isSame = (was, now) => was.length === now.length && was.every((part, i) => part === now[i]);
  const places = "[data-card], [data-slot], #decision button, #decision h1";
  window.parts ??= parts;
  window.focused ??= document.activeElement;
  return {
    places: [...document.querySelectorAll(places)].map((e) => e.getBoundingClientRect().toJSON()),
    picks: [...document.querySelectorAll("#decision input:checked")].map((e) => `${e.name}=${e.value}`),
    slots: [...document.querySelectorAll(".slot-card")].map((e) => e.textContent),
    top: scrollY,
    isSame: isSame(window.parts, parts),
    hasFocus: document.activeElement === window.focused && document.activeElement !== document.body,
  };
})()"""

# Random trees: what is on the page must become what is sent, and keep what was not changed.
MORPHS = """(() => {
  let seed = SEED;
  const dice = (n) => (seed = (seed * 48271) % 2147483647) % n;
  const tags = ["p", "ul", "li", "b", "form", "details", "section"];
  const tree = (depth) => {
    if (!depth || !dice(4)) return `t${dice(3)} `;
    const tag = tags[dice(tags.length)];
    const inside = Array.from({ length: dice(4) }, () => tree(depth - 1));
    return `<${tag} class="c${dice(3)}">${inside.join("")}</${tag}>`;
  };
  const changed = (text) => {
    const at = document.createElement("template");
    at.innerHTML = text;
    const nodes = [...at.content.querySelectorAll("*")];
    for (let i = dice(3); i >= 0 && nodes.length; i -= 1) {
      const node = nodes[dice(nodes.length)];
      [
        () => node.remove(),
        () => node.append(`n${dice(9)}`),
        () => (node.className = `d${dice(9)}`),
        () => (node.innerHTML = tree(2)),
        () => node.before(document.createElement("i")),
      ][dice(5)]();
    }
    return at.innerHTML;
  };
  const holding = (tag, text) => Object.assign(document.createElement(tag), { innerHTML: text });
  const parsed = (text) => holding("template", text).content;
  const wrong = [];
  const [first, last] = ["first", "last"].map((id) => `<p id="${id}">stays</p>`);
  for (let n = 0; n < 400; n += 1) {
    const inside = Array.from({ length: 4 }, () => tree(4)).join("");
    const [was, now] = [inside, changed(inside)].map((text) => `${first}${text}${last}`);
    const [live, wanted] = [was, now].map((text) => holding("div", text));
    const kept = [live.firstChild, live.lastChild];
    window.morph(live, parsed(was), parsed(now), () => {});
    const isKept = live.firstChild === kept[0] && live.lastChild === kept[1];
    if (!isKept || !live.isEqualNode(wanted)) wrong.push([was, now, live.innerHTML]);
  }
  return wrong;
})()"""


def hands(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(HANDS)
    return found


def is_told(page: Page, table: str, version: int) -> None:
    expect(page.locator("body")).to_have_attribute("data-stamp", f"{table}:{version}")


@pytest.mark.parametrize("size", [PHONE, SMALL_PHONE])
def test_a_keypad_stays_under_the_finger_while_the_other_one_seals(game: Game, size: tuple[int, int]) -> None:
    page = game.ana.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    game.ana.taps(4, 7)
    page.locator("[data-card='9']").scroll_into_view_if_needed()
    before = hands(page)
    assert before["slots"][:2] == ["4", "7"] and before["hasFocus"]
    assert game.ben.phone
    game.ben.phone.moves("hide", houses=[3, 8, 5])
    is_told(page, game.code, 3)
    expect(page.locator("#seals")).to_contain_text("Ben")  # it was told, further down
    assert hands(page) == before


def test_picks_and_focus_of_an_open_form_stay_whatever_the_others_look_at(playing: Game) -> None:
    page = playing.ana.page
    playing.ana.chooses("attack_from_hand")
    playing.ana.picks("card", 5)
    page.locator("input[name='field.card'][value='5']").focus()
    page.evaluate("scrollTo(0, 120)")
    before = hands(page)
    assert before["picks"] == ["field.card=5"] and before["hasFocus"]
    there = page.locator("#people")
    expect(there).to_contain_text("en ligne")
    switch_off(playing.ben.page)
    expect(there).to_contain_text("hors ligne")
    assert hands(page) == before
    playing.ana.picks("house", 1)
    page.locator("form.move button.button").click()
    playing.ana.sees_answer("MOINS")


LISTENING = """(() => {
  const Before = window.EventSource;
  const { dataset } = document.documentElement;
  window.streams = [];
  window.EventSource = class extends Before {
    constructor(path) {
      super(path);
      const number = window.streams.push(this);
      this.addEventListener("regions", () => (dataset.told = number));
    }
  };
})()"""


def opens_another_stream(page: Page, number: int) -> None:
    """As a phone does that comes back to its network; until the whole page came on it."""
    page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(page.locator("html")).to_have_attribute("data-told", str(number))


def test_a_half_filled_form_outlives_its_stream(playing: Game) -> None:
    """A phone that slept is sent its whole page, as everybody first sees it."""
    page = playing.ana.page
    page.evaluate(LISTENING)
    playing.ana.chooses("attack_from_hand")
    playing.ana.picks("card", 5)
    before = hands(page)
    opens_another_stream(page, 1)
    opens_another_stream(page, 2)
    assert hands(page) == before


def test_a_question_that_was_settled_leaves_the_keypad_where_it_was(game: Game) -> None:
    """What is told of it waits until the decision is made."""
    page = game.ana.page
    game.ana.taps(4, 7)
    before = hands(page)
    assert before["hasFocus"] and game.ana.phone and game.ben.phone
    assert asks(game.ben.phone, "abandon", game.ben.phone.table).status == 200
    expect(page.locator("#question [role=alertdialog]")).to_be_visible()
    assert answers(game.ana.phone, accept=False).status == 200
    is_told(page, game.code, 4)
    expect(page.locator("#question [role=alertdialog]")).to_have_count(0)
    assert hands(page) == before


def test_an_open_fold_stays_open_and_is_brought_up_to_date(game: Game) -> None:
    """Whoever reads there stays at the same line, and is told in it what comes."""
    page = game.ana.page
    fold = page.locator("details[data-fold=history]")
    fold.locator("summary").click()
    lines = fold.locator("#history li")
    expect(lines).not_to_have_count(0)
    count = lines.count()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    page.evaluate("window.read = [...document.querySelectorAll('#history li')]")
    before = hands(page)
    assert before["top"] > 0 and before["hasFocus"]
    for version, player, houses in ((3, game.ben, [3, 8, 5]), (4, game.ana, [4, 7, 0])):
        assert player.phone
        player.phone.moves("hide", houses=houses)
        is_told(page, game.code, version)
        expect(fold).to_have_attribute("open", "")
        expect(lines).not_to_have_count(count)
        count = lines.count()
        assert version == 4 or hands(page) == before
    assert page.evaluate("window.read.every((line) => line.isConnected)"), (
        "the same lines, not others like them"
    )


def test_the_deduction_sheet_works_for_whoever_sat_first(window: Window, server: Running) -> None:
    """Her page was open before there was a game: it gets the sheet by its stream."""
    table = server.client.open_table(desk=None, options={"first": "target", "aids": True})
    ana = table.join("target", "Ana")
    page = window(PHONE)
    holds(page, f"seat_{table.code}_target", ana.token, server.url)
    page.goto(f"/t/{table.code}/s/target")
    page.evaluate("window.same = true")
    ben = table.join("mask", "Ben")
    ana.moves("hide", houses=[4, 7, 0])
    ben.moves("hide", houses=[3, 8, 5])
    page.locator("details[data-aid] summary").click()
    second = page.locator(".aid section").nth(1)
    expect(second.locator(".possible b")).to_have_count(10)
    ana.moves("attack_from_hand", card=6, house=2)
    expect(second.locator(".possible b")).to_have_text(["7", "8", "9"])
    assert page.evaluate("window.same")


def test_regions_older_than_those_shown_are_dropped(playing: Game) -> None:
    page = playing.ana.page
    page.evaluate(LISTENING)
    opens_another_stream(page, 1)

    def comes(version: int, words: str) -> None:
        event = {"v": version, "head": "", "new": 1, "regions": {"people": [f"<p>{words}</p>"]}}
        page.evaluate(
            "data => streams[0].dispatchEvent(new MessageEvent('regions', { data }))", json.dumps(event)
        )

    comes(3, "old")
    expect(page.locator("#people")).to_contain_text("Ben")
    expect(page.locator("#people")).not_to_contain_text("old")
    is_told(page, playing.code, 4)
    comes(4, "as new")
    expect(page.locator("#people")).to_have_text("as new")


def test_on_a_shared_phone_the_curtain_falls_by_itself_and_nothing_stays(
    window: Window, server: Running
) -> None:
    table = server.client.open_table(desk=None, options={"first": "target"})
    ana, ben = table.join("target", "Ana"), table.join("mask", "Ben")
    page = window(PHONE)
    for phone in (ana, ben):
        holds(page, f"seat_{table.code}_{phone.seat}", phone.token, server.url)
    page.goto(f"/t/{table.code}/s/target")
    page.get_by_role("button", name="Je suis Ana").click()
    expect(page.locator("[data-card='4']")).to_be_visible()
    ana.moves("hide", houses=[4, 7, 0])
    expect(page.locator("body")).to_have_attribute("data-curtain", "1")
    expect(page.locator("#decision, #hand")).to_have_count(0)
    expect(page.locator("#lost")).to_be_hidden()
    ben.moves("hide", houses=[3, 8, 5])  # on a phone of his own: this one goes on being told
    is_told(page, table.code, 4)


@pytest.mark.parametrize("seed", [11, 4711])
def test_whatever_is_sent_the_page_becomes_that(playing: Game, seed: int) -> None:
    assert playing.ana.page.evaluate(MORPHS.replace("SEED", str(seed))) == []


TICKS = """(() => {
  const holding = (tag, text) => Object.assign(document.createElement(tag), { innerHTML: text });
  const boxes = ["a", "b"].map((name) => `<input type="checkbox" name="${name}">`).join("");
  const form = (word) => `<form><p>${word}</p>${boxes}</form>`;
  const live = holding("div", form("before"));
  live.querySelector("[name=b]").checked = true;
  const [was, now] = ["before", "after"].map((word) => holding("template", form(word)).content);
  window.morph(live, was, now, () => {});
  return [live.textContent, ...[...live.querySelectorAll("input")].map((box) => box.checked)];
})()"""


def test_a_box_that_was_ticked_stays_so_in_a_form_that_is_replaced(playing: Game) -> None:
    assert playing.ana.page.evaluate(TICKS) == ["after", False, True]


# ---- the same in WebKit


@pytest.fixture(scope="module")
def driver() -> Iterator[Driver]:
    with webkit() as driver:
        yield driver


@pytest.fixture(scope="module")
def iphone(driver: Driver) -> Iterator[Iphone]:
    with driver.window() as window:
        yield window


def test_in_webkit_too_nothing_moves_and_an_open_fold_is_brought_up_to_date(
    iphone: Iphone, server: Running
) -> None:
    table = server.client.open_table(desk=None, options={"first": "target"})
    ana, ben = table.join("target", "Ana"), table.join("mask", "Ben")
    _opens(iphone, table, ana, server.url)
    assert iphone.asks(MORPHS.replace("SEED", "7")) == []
    for card in (4, 7):
        iphone.taps(f"[data-card='{card}']")
    iphone.taps("details[data-fold=history] summary")
    iphone.asks("document.querySelector('[data-card=\"9\"]').focus()")
    before = iphone.asks(HANDS)
    assert before["slots"][:2] == ["4", "7"] and before["hasFocus"]
    lines = iphone.asks("document.querySelectorAll('#history li').length")
    ben.moves("hide", houses=[3, 8, 5])
    iphone.waits_until(f"document.body.dataset.stamp === '{table.code}:3'")
    iphone.waits_until(f"document.querySelectorAll('#history li').length > {lines}")
    assert iphone.asks(HANDS) == before
    assert iphone.asks("document.querySelector('details[data-fold=history]').open")


def test_in_webkit_too_what_changes_behind_an_answer_does_not_take_the_focus(
    iphone: Iphone, server: Running
) -> None:
    table = server.client.open_table(desk=None, options={"first": "target"})
    ana, ben = table.join("target", "Ana"), table.join("mask", "Ben")
    _opens(iphone, table, ana, server.url)
    ana.moves("hide", houses=[4, 7, 0])
    ben.moves("hide", houses=[3, 8, 5])
    iphone.sees("#decision h1", "À vous de jouer")
    ana.moves("attack_from_hand", card=2, house=1)
    iphone.sees(".answer h1", "PLUS")
    iphone.waits_until("document.activeElement.id === 'answer-word'")
    iphone.asks("document.querySelector('.answer a.button').focus()")
    ben.moves("attack_from_hand", card=9, house=1)
    iphone.waits_until("document.body.dataset.mine === '1'")
    iphone.asks("void requestAnimationFrame(() => setTimeout(() => (window.isDue = false), 100))")
    iphone.waits_until("window.isDue === false")
    assert iphone.asks("document.activeElement.matches('.answer a.button')")
    iphone.taps(".answer a.button")
    iphone.sees(".answer h1", "MOINS")


def test_in_webkit_too_the_curtain_of_a_shared_phone_falls_by_itself(iphone: Iphone, server: Running) -> None:
    table = server.client.open_table(desk=None, options={"first": "target"})
    ana, ben = table.join("target", "Ana"), table.join("mask", "Ben")
    iphone.open(server.url)
    for phone in (ana, ben):
        iphone.holds_cookie(f"seat_{table.code}_{phone.seat}", phone.token)
    iphone.open(f"{server.url}/t/{table.code}/s/target")
    iphone.taps("#curtain button")
    iphone.waits_until("!!document.querySelector('[data-card=\"4\"]')")
    ana.moves("hide", houses=[4, 7, 0])
    iphone.waits_until("document.body.dataset.curtain === '1'")
    assert iphone.asks("document.querySelectorAll('#decision, #hand').length") == 0


def _opens(iphone: Iphone, table: Table, phone: Phone, url: str) -> None:
    iphone.open(url)
    iphone.holds_cookie(f"seat_{table.code}_{phone.seat}", phone.token)
    iphone.open(f"{url}/t/{table.code}/s/{phone.seat}")
    iphone.sees("h1", "Cachez vos espions")
