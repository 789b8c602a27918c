"""The scenes of a game that are worth a picture, the same for every game, from open table to sheet."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.support.browser.page_tour import Cookies, held, past
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.random_player import picked, play_on

AT_LEAST, AT_MOST = 10, 60  # moves before a game is in full swing, and when it is tried anew
TRIES = 20
PEOPLE = (("Ana", "fox"), ("Bo", "owl"), ("Chloé", "cat"), ("Dan", "bear"))
LONG = 300  # moves after which a random game is stopped
EVERY, PHONES, SCREENS = ("phone", "tablet", "tv"), ("phone", "tablet"), ("tablet", "tv")


@dataclass(frozen=True)
class Scene:
    """A page, who looks at it, and on what."""

    name: str
    path: str
    cookies: Cookies
    sizes: tuple[str, ...]


def scenes(client: Client, game: str) -> Iterator[Scene]:
    """Each is to be looked at before the next is asked for: the game goes on meanwhile."""
    table = client.open_table(game=game, desk=None)
    screen, host = f"/t/{table.code}", {f"host_{table.code}": table.host}
    yield Scene("home", "/", {}, EVERY)
    (first, who), *others = zip(table.keys, PEOPLE, strict=False)
    phones = {first: _sits(table, first, *who)}
    yield Scene("joining", screen, host, EVERY)
    yield Scene("join", f"/j/{table.code}/{table.key}", {}, PHONES)
    phones |= {seat: _sits(table, seat, *who) for seat, who in others}
    mover = phones[table.view()["waiting_for"][0]]
    yield Scene("begin", _seat(mover), past(mover), PHONES)
    yield Scene("set-up", screen, host, SCREENS)
    yield _secret(phones, Random(1))
    yield from _in_full_swing(client, game)


def _sits(table: Table, seat: str, name: str, avatar: str) -> Phone:
    return Phone(table, seat, table.take(seat, name, avatar=avatar).json["token"])


def _secret(phones: Mapping[str, Phone], dice: Random) -> Scene:
    """The first time that somebody enters a secret."""
    while True:
        waiting = next(iter(phones.values())).table.view()["waiting_for"]
        phone = phones[waiting[0]]
        choices = phone.view()["me"]["choices"]
        hidden = [each for each in choices if any(field.get("secret") for field in each["fields"])]
        if hidden:
            return Scene("secret", f"{_seat(phone)}?do={hidden[0]['type']}", past(phone), PHONES)
        _moves(phone, dice)


def _in_full_swing(client: Client, game: str) -> Iterator[Scene]:
    """Another table, where an answer has just been given; then what is left when it is over."""
    tries = (_answered(client, game, Random(seed)) for seed in range(1, TRIES))
    table, phones, asked = next(found for found in tries if found)
    mover = phones[table.view()["waiting_for"][0]]
    screen, phone = f"/t/{table.code}", next(iter(phones.values()))
    yield Scene("screen", screen, {}, EVERY)
    yield Scene("answer", _seat(asked), held(asked), PHONES)
    yield Scene("act", _seat(mover), past(mover), PHONES)
    yield Scene("wait", _seat(asked), past(asked), PHONES)
    _ends(table, phones)
    yield Scene("over", screen, {}, EVERY)
    yield Scene("result", _seat(phone), past(phone), PHONES)
    yield Scene("sheet", f"{screen}/sheet", past(phone), PHONES)
    yield Scene("record", f"{screen}/record?step=9", past(phone), PHONES)


def _answered(client: Client, game: str, dice: Random) -> tuple[Table, dict[str, Phone], Phone] | None:
    """A table in the middle of a game, and somebody who waits and reads the answer; none if it never came."""
    table = client.open_table(game=game, desk=None)
    phones = table.everybody()
    for moves in range(AT_MOST):
        waiting = table.view()["waiting_for"]
        idle = [phone for seat, phone in phones.items() if seat not in waiting]
        if not waiting:
            return None
        if moves >= AT_LEAST and idle and _has_answer(idle[0]):
            return table, phones, idle[0]
        _moves(phones[waiting[0]], dice)
    return None


def _ends(table: Table, phones: Mapping[str, Phone]) -> None:
    """Play to the end, or agree to stop a game that finds none."""
    if play_on(phones, Random(1), LONG)["status"] == "over":
        return
    asks, *others = phones.values()
    version = table.view()["version"]
    asks.client.post(f"{table.path}/ask", {"version": version, "kind": "abandon", "show": True})
    for phone in others:
        phone.client.post(f"{table.path}/answer", {"accept": True})


def _has_answer(phone: Phone) -> bool:
    cookie = "; ".join(f"{name}={value}" for name, value in held(phone).items())
    page = phone.table.client.with_(Cookie=cookie).get(_seat(phone)).content.decode()
    last: dict[str, Any] = phone.table.view()["news"][-1]
    shown = re.search(r'data-answer="(\d+)"', page)
    return bool(shown) and last["n"] - int(shown[1] if shown else 0) < 8  # several are told of one move


def _moves(phone: Phone, dice: Random) -> None:
    view = phone.view()
    move = picked(view["me"]["choices"], dice)
    if "name" in move:
        move["name"] = "Fouineur"
    phone.moves(move.pop("type"), view["version"], **move)


def _seat(phone: Phone) -> str:
    return f"/t/{phone.table.code}/s/{phone.seat}"
