"""Parses JSON bodies strictly and validates them against their dataclass. Errors name the wrong field."""

import json
import math
from typing import Any, TypeVar

from referee.core.game import Game
from referee.core.moves import Move, freeze
from web.wire.errors import malformed
from web.wire.json_schema import misfits, schema_of
from web.wire.requests import ASK_REQUESTS, AskRequest

MAX_BODY = 16 * 1024
MAX_FORM = 64 * 1024  # of a page's form, whose encoding takes up to three bytes for one
MAX_BRACKETS = 512
MAX_DEPTH = 256  # of nested lists and objects: recursive code takes some frames per level
Shape = TypeVar("Shape")


def whole(text: str, digits: int = 9) -> int | None:
    """The non-negative integer in a form field or query string; None if it is not one, or too long."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None


def parse(text: bytes) -> Any:
    """A body as JSON; `None`, which no function below accepts, if it is malformed or too large."""
    brackets = text.count(b"[") + text.count(b"{")
    if len(text) > MAX_BODY or brackets > MAX_BRACKETS:
        return None
    try:
        value = _JSON.decode(text.decode("utf-8"))
        if b"\\u" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")  # refuses lone surrogates
    except (ValueError, RecursionError):
        return None
    return None if brackets > MAX_DEPTH and _is_too_deep(value) else value


def _is_too_deep(value: Any, left: int = MAX_DEPTH) -> bool:
    """Whether lists and objects are nested more than `left` levels deep."""
    if not isinstance(value, dict | list):
        return False
    items = value.values() if isinstance(value, dict) else value
    return left == 0 or any(_is_too_deep(item, left - 1) for item in items)


def json_or_text(text: str) -> Any:
    """A form field as JSON. Text that is not JSON is returned unchanged, for validation to refuse by name."""
    value = parse(text.encode())
    return text if value is None and text != "null" else value


def _finite(text: str) -> float:
    """A finite number: JSON has neither NaN nor infinity."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("no JSON number")
    return number


_JSON = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)


def request_in(shape: type[Shape], body: Any, **left_out: Any) -> Shape:
    """A body as one of the dataclasses in `web.wire.requests`. It must have every required field and no
    unknown one. Absent fields come from `left_out`, else from the defaults."""
    for name in misfits(_object(body), schema_of(shape)):
        raise malformed(name[:40])
    return shape(**{**left_out, **body})


def _object(body: Any) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise malformed("JSON")
    return body


def ask_in(body: Any) -> AskRequest:
    """The question in a body. Its fields depend on its kind."""
    kind = str(_object(body).get("kind"))
    return request_in(ASK_REQUESTS.get(kind, AskRequest), body)


def move_in(game: Game[Any, Any], body: Any) -> tuple[int, Move]:
    """The version and the move in a body. A type that the game does not know may have any fields."""
    version, kind = _object(body).get("version"), body.get("type")
    if type(version) is not int:
        raise malformed("version")
    if not isinstance(kind, str):
        raise malformed("type")
    fields = {name: freeze(value) for name, value in body.items() if name not in ("version", "type")}
    if kind in game.moves:
        fields = game.moves[kind].normalized(fields)
        for name in game.moves[kind].misfits(fields):
            raise malformed(name[:40])
    return version, Move(kind[:40], fields)
