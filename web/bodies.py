"""Bodies: what callers send, read strictly; anything out of form is refused by the name of its field."""

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.game import Game
from referee.moves import Move, freeze
from web.refusals import malformed

MAX_BODY = 16 * 1024
MAX_FORM = 64 * 1024  # of a page: a form spells each byte with up to three
MAX_BRACKETS = 512
ASKED: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {  # the fields of each kind: needed, optional
    "undo": ((), ("n",)),
    "correct": (("n", "fields"), ()),
    "reissue": (("seat",), ()),
    "abandon": ((), ("show",)),
}
ASKED_TYPES = {"n": int, "fields": dict, "seat": str, "show": bool}
ASKED_UNSAID: Mapping[str, Mapping[str, Any]] = {"abandon": {"show": False}}  # meant where nothing is said


def whole(text: str, digits: int = 9) -> int | None:
    """A whole number that was typed, or that a form or an address carries; none if it is not, or too long."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None


def parse(text: bytes) -> Any:
    """A body as JSON, or `None`, which no reader below accepts."""
    if len(text) > MAX_BODY or text.count(b"[") + text.count(b"{") > MAX_BRACKETS:
        return None
    try:
        value = _JSON.decode(text.decode("utf-8"))
        if b"\\u" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")  # no half characters
    except (ValueError, RecursionError):
        return None
    return value


def typed(text: str) -> Any:
    """What was typed or picked in a form, as JSON; what is none is left as it is, to be refused by name."""
    value = parse(text.encode())
    return text if value is None and text != "null" else value


def _finite(text: str) -> float:
    """A number that JSON has: neither NaN nor beyond all numbers."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("no JSON number")
    return number


_JSON = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)


def fields_of(body: Any, required: Collection[str], optional: Collection[str] = ()) -> dict[str, Any]:
    """The fields of a body, which has all that are required and none that are unknown."""
    if not isinstance(body, dict):
        raise malformed("JSON")
    for name in required:
        if name not in body:
            raise malformed(name)
    for name in body:
        if name not in required and name not in optional:
            raise malformed(name[:40])
    return body


def text_in(fields: Mapping[str, Any], name: str) -> str:
    if not isinstance(fields[name], str):
        raise malformed(name)
    return str(fields[name])


@dataclass(frozen=True)
class Wish:
    """A table somebody wants to open."""

    game: str
    options: dict[str, Any] = field(default_factory=dict)
    desk: str | None = None
    bots: tuple[str, ...] = ()  # the seats that the referee itself plays


def wish_in(body: Any, desk: str | None) -> Wish:
    """The table a body asks for; where it names no desk, at this one."""
    fields = fields_of(body, ("game",), ("options", "desk", "bots"))
    options, wanted, bots = fields.get("options", {}), fields.get("desk", desk), fields.get("bots", [])
    if not isinstance(options, dict):
        raise malformed("options")
    if wanted is not None and not isinstance(wanted, str):
        raise malformed("desk")
    if not isinstance(bots, list) or not all(isinstance(seat, str) for seat in bots):
        raise malformed("bots")
    return Wish(text_in(fields, "game"), options, wanted, tuple(bots))


def move_in(game: Game[Any, Any], body: Any) -> tuple[int, Move]:
    """The version and the move in a body; a type the game does not know may have any fields."""
    if not isinstance(body, dict):
        raise malformed("JSON")
    version, kind = body.get("version"), body.get("type")
    if type(version) is not int:
        raise malformed("version")
    if not isinstance(kind, str):
        raise malformed("type")
    fields = {name: freeze(value) for name, value in body.items() if name not in ("version", "type")}
    if kind in game.moves:
        fields = game.moves[kind].tidied(fields)
        for name in game.moves[kind].misfits(fields):
            raise malformed(name[:40])
    return version, Move(kind[:40], fields)


def ask_in(body: Any) -> tuple[int, str, dict[str, Any]]:
    """The version, the kind and the fields of a question."""
    kind = str(body.get("kind")) if isinstance(body, dict) else ""
    required, optional = ASKED.get(kind, ((), ()))
    fields = fields_of(body, ("version", "kind", *required), optional)
    if type(fields["version"]) is not int:
        raise malformed("version")
    if not isinstance(kind, str) or kind not in ASKED:
        raise malformed("kind")
    about = {name: freeze(fields[name]) for name in (*required, *optional) if name in fields}
    for name, value in about.items():
        if type(value) is not ASKED_TYPES[name]:
            raise malformed(name)
    return fields["version"], kind, {**ASKED_UNSAID.get(kind, {}), **about}


def accept_in(body: Any) -> tuple[bool, int | None]:
    """Yes or no, and the version at which the question was seen, where it is told."""
    fields = fields_of(body, ("accept",), ("version",))
    if not isinstance(fields["accept"], bool):
        raise malformed("accept")
    if "version" in fields and type(fields["version"]) is not int:
        raise malformed("version")
    return fields["accept"], fields.get("version")
