"""Small phones, upright and on their side, with the longest names, in both languages, with larger letters.

In every step of every game the decision and its button are in sight, no word breaks, nothing sticks out.
"""

import shutil
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page

from referee.games import GAMES
from tests.support.browser.layout import BROKEN_WORDS, LONG_NAMES
from tests.support.browser.page_tour import held, past
from tests.support.browser.windows import FLAGS, TIMEOUT, Window, goes_to
from tests.support.web.http_client import Client, Phone
from tests.support.web.random_player import picked
from tests.support.web.server_process import Running
from web.security.caller import LANGUAGE_COOKIE

SIZES = ((320, 568), (568, 320), (740, 360))
MOVES = 60
LARGE = "--blink-settings=defaultFontSize=32,defaultFixedFontSize=26"
OUT_OF_SIGHT = """() => {
    const isIn = (from, to, size) => from >= -1 && to <= size + 1;
    const isSeen = (box) => isIn(box.top, box.bottom, innerHeight) && isIn(box.left, box.right, innerWidth);
    const isCovered = (e) => {
        const { left, top, width, height } = e.getBoundingClientRect();
        const found = document.elementFromPoint(left + width / 2, top + height / 2);
        return !found || !(e.contains(found) || found.contains(e));
    };
    const answer = document.querySelector("#answer > .answer");
    const asked = document.querySelector("#question > .asked");
    const whole = answer || asked || document.querySelector("#decision, #curtain");
    if (!whole) return [];
    const parts = "h1:not(.waiting), .move > button.button, .answer > a.button, [name=accept], .tapped, "
        + ".pass .button";
    const main = [...whole.querySelectorAll(parts)];
    const first = answer || asked ? [] : [whole.querySelector(".action, .pick, [data-card]")];
    const boxOf = (name) => whole.querySelector(name)?.getBoundingClientRect();
    const [board, button] = [".tapped", ".move > button.button"].map(boxOf);
    const isUpright = innerHeight > innerWidth;
    if (board && button && isUpright && board.bottom > button.top + 1) return ["a button on the board"];
    return [...main, ...first].filter((e) => e?.checkVisibility())
        .filter((e) => !isSeen(e.getBoundingClientRect()) || (e.matches("button, a") && isCovered(e)))
        .map((e) => e.outerHTML.slice(0, 90));
}"""
HEADERS = """() => [...document.querySelectorAll("header")].filter((e) => e.checkVisibility())
    .reduce((sum, e) => sum + e.getBoundingClientRect().height, 0)"""
WIDE = "() => document.documentElement.scrollWidth > innerWidth"
Shown = tuple[str, str, Mapping[str, str]]


def states(client: Client, game: str) -> Iterator[Shown]:
    """What phones show in a random game, each kind once: its name, its path, the cookies."""
    table = client.open_table(game=game, desk=None)
    phones = {seat: table.join(seat, name) for seat, name in zip(table.keys, LONG_NAMES, strict=True)}
    dice, met = Random(4), set[str]()
    for moves in range(MOVES):
        view = table.view()
        if view["status"] != "playing":
            break
        mover = phones[dice.choice(view["waiting_for"])]
        for kind, phone, query, cookies in _around(view, mover, phones):
            if kind not in met:
                met.add(kind)
                yield kind, _path(phone) + query, cookies
        if moves == 5:
            yield from _asked(mover, phones)
            shared = {name: value for phone in phones.values() for name, value in past(phone).items()}
            yield "curtain", _path(mover), shared
        mine = mover.view()
        move = picked(mine["me"]["choices"], dice)
        mover.moves(move.pop("type"), mine["version"], **move)
    for phone in phones.values():
        yield f"{phone.seat} last answer", _path(phone), held(phone)
        yield f"{phone.seat} at the end", _path(phone), past(phone)
    for page in ("rules", "sheet", "record?step=3"):
        yield page, f"/t/{table.code}/{page}", past(phone)
    yield "person", f"/person?name={quote(LONG_NAMES[1])}", {}


def _around(
    view: Mapping[str, Any], mover: Phone, phones: Mapping[str, Phone]
) -> Iterator[tuple[str, Phone, str, Mapping[str, str]]]:
    step = view["public"]["step"]
    choices = mover.view()["me"]["choices"]
    types = sorted({choice["type"] for choice in choices})
    yield f"{step} {types}", mover, "", past(mover)
    for type_ in types:
        yield f"{step} do {type_}", mover, f"?do={type_}", past(mover)
        yield f"{step} case {type_}", mover, f"?do={type_}&case=0", past(mover)
    for phone in phones.values():
        told = view["news"][-1]["kind"]
        yield f"answer {told} {phone is mover}", phone, "", held(phone)
        yield f"{step} waits {phone is mover}", phone, "", past(phone)


def _asked(asks: Phone, phones: Mapping[str, Phone]) -> Iterator[Shown]:
    path = asks.table.path
    version = asks.table.view()["version"]
    asks.client.post(f"{path}/ask", {"version": version, "kind": "abandon", "show": True})
    for phone in phones.values():
        yield f"question {phone is asks}", _path(phone), past(phone)
    next(p for p in phones.values() if p is not asks).client.post(f"{path}/answer", {"accept": False})


def _path(phone: Phone) -> str:
    return f"/t/{phone.table.code}/s/{phone.seat}"


def opens(page: Page, url: str, path: str, cookies: Mapping[str, str], language: str) -> None:
    goes_to(page, f"{url}/healthz")
    page.context.clear_cookies()
    given = {**cookies, LANGUAGE_COOKIE: language}
    page.context.add_cookies([{"name": n, "value": v, "url": url} for n, v in given.items()])
    goes_to(page, url + path)


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("game", GAMES)
def test_the_decision_is_in_sight_and_no_word_breaks(
    window: Window, server: Running, game: str, language: str
) -> None:
    page, found = window(SIZES[0]), []
    for kind, path, cookies in states(server.client, game):
        opens(page, server.url, path, cookies, language)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            flaws = [*page.evaluate(OUT_OF_SIGHT), *page.evaluate(BROKEN_WORDS)]
            flaws += ["scrolls sideways"] if page.evaluate(WIDE) else []
            flaws += ["high headers"] if page.evaluate(HEADERS) > 48 else []
            found += [f"{kind} {width}×{height}: {flaw}" for flaw in flaws]
    assert not found, "\n".join(found)


@pytest.fixture(scope="module")
def large(browser: Browser) -> Iterator[Page]:
    """A browser whose letters are twice as large."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    running = browser.browser_type.launch(executable_path=chromium, args=[*FLAGS, LARGE])
    page = running.new_page(locale="fr-FR", viewport={"width": 360, "height": 740})
    page.set_default_timeout(TIMEOUT)
    yield page
    running.close()


@pytest.mark.parametrize("game", GAMES)
def test_no_word_breaks_in_letters_twice_as_large(large: Page, server: Running, game: str) -> None:
    found = []
    for kind, path, cookies in states(server.client, game):
        opens(large, server.url, path, cookies, "fr")
        flaws = [*large.evaluate(BROKEN_WORDS), *(["scrolls sideways"] if large.evaluate(WIDE) else [])]
        found += [f"{kind}: {flaw}" for flaw in flaws]
    assert not found, "\n".join(found)
