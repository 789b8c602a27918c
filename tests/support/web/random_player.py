"""Players that choose at random from the choices in their views."""

from collections.abc import Mapping
from random import Random
from typing import Any

from tests.support.web.http_client import Phone

LONGEST = 2000  # moves after which a random game has gone astray
TEXTS = ("Fouineur", "", "<b>x</b>", "  a\tb\u202e ", "\x1b@", "é" * 400)  # what people may write anywhere


def picked(choices: list[dict[str, Any]], dice: Random) -> dict[str, Any]:
    """A move that these choices offer."""
    choice = dice.choice(choices)
    return {"type": choice["type"], **{f["name"]: _value(f, dice) for f in choice["fields"]}}


def _value(field: Mapping[str, Any], dice: Random) -> Any:
    if field["kind"] == "arrange":
        return dice.sample(field["options"], field["count"])
    if field["kind"] == "text":
        return dice.choice(TEXTS)[: field["max"]]
    return dice.choice(field["options"])


def play_on(phones: Mapping[str, Phone], dice: Random, moves: int = LONGEST) -> dict[str, Any]:
    """Play so many random moves, or to the end; the public view then."""
    view = next(iter(phones.values())).view()
    while moves and view["status"] == "playing":
        phone = phones[dice.choice(view["waiting_for"])]
        if phone.seat != view["me"]["seat"]:
            view = phone.view()
        move = picked(view["me"]["choices"], dice)
        phone.moves(move.pop("type"), view["version"], **move)
        view, moves = phone.view(), moves - 1
    return {**view, "me": None}


def hide(phones: Mapping[str, Phone]) -> None:
    """Both agencies lay out their houses: 1 2 3 and 4 5 6."""
    phones["target"].moves("hide", houses=[1, 2, 3])
    phones["mask"].moves("hide", houses=[4, 5, 6])
