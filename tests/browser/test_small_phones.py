"""Small phones, upright and on their side, with the longest names, in both languages, with larger letters.

In every step of every game the decision and its button are in sight, no word breaks, nothing sticks out.
"""

import re
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from referee.games import GAMES
from referee.presentation.words import LANGUAGES
from tests.support.browser.layout import BROKEN_WORDS, LONG_NAMES, sizes
from tests.support.browser.page_tour import held, open_as, past
from tests.support.browser.windows import Window
from tests.support.web.http_client import Client, Phone
from tests.support.web.random_player import picked
from tests.support.web.server_process import Running
from web.security.caller import LANGUAGE_COOKIE

SIZES = ((320, 568), (568, 320), (740, 360))
MOVES = 60
SAME_TO_THE_EYE = re.compile(r'(?:value|href|id|for|name|content|data-[\w-]+)="[^"]*"')
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
    .reduce((sum, e) => sum + e.getBoundingClientRect().height, 0) > 48 ? ["high headers"] : []"""
WIDE = """() => document.documentElement.scrollWidth > innerWidth ? ["scrolls sideways"] : []"""
ALL = f"() => [{OUT_OF_SIGHT}, {HEADERS}, {BROKEN_WORDS}, {WIDE}].flatMap((flaws) => flaws())"
WHATEVER_THE_SIZE = f"() => [{BROKEN_WORDS}, {WIDE}].flatMap((flaws) => flaws())"
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


def sights(client: Client, game: str) -> Iterator[Shown]:
    """The states whose pages do not look like one before: they differ in more than what a form sends."""
    met = set[str]()
    for kind, path, cookies in states(client, game):
        cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
        html = client.with_(Cookie=cookie).get(path).content.decode()
        looks = SAME_TO_THE_EYE.sub("", html[html.index("<main") :])
        if looks not in met:
            met.add(looks)
            yield kind, path, cookies


@pytest.mark.parametrize("game", GAMES)
def test_the_decision_is_in_sight_and_no_word_breaks(window: Window, server: Running, game: str) -> None:
    page, found = window(SIZES[0]), list[str]()
    for kind, path, cookies in sights(server.client, game):
        for language in LANGUAGES:
            open_as(page, server.url, path, {**cookies, LANGUAGE_COOKIE: language})
            for _ in sizes(page, *SIZES):
                found += [f"{kind} {language} {page.viewport_size}: {flaw}" for flaw in page.evaluate(ALL)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("game", GAMES)
def test_no_word_breaks_in_letters_twice_as_large(large_letters: Page, server: Running, game: str) -> None:
    found = []
    for kind, path, cookies in sights(server.client, game):
        open_as(large_letters, server.url, path, {**cookies, LANGUAGE_COOKIE: "fr"})
        found += [f"{kind}: {flaw}" for flaw in large_letters.evaluate(WHATEVER_THE_SIZE)]
    assert not found, "\n".join(found)
