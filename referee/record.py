"""The record: what happened at a table, one line of text an entry, and back.

target joins "Ana"
mask hide houses=[4,7,0] #9f86d081…
target attack_from_hand card=3 house=2
"""

import json
from dataclasses import dataclass, field

from referee.moves import Move, Seat, canonical, freeze


@dataclass(frozen=True)
class Joined:
    """Somebody took a seat."""

    seat: Seat
    name: str


@dataclass(frozen=True)
class Moved:
    """A seat made a move; one with secret fields was bound with this salt (64 hex digits)."""

    seat: Seat
    move: Move
    salt: str = field(default="", repr=False)


@dataclass(frozen=True)
class DeskTaken:
    """The desk of this table went to a newer one."""


Entry = Joined | Moved | DeskTaken


DESK_TAKEN = "desk taken"


class Unreadable(ValueError):
    """A line that is no entry of a record."""


def write(entry: Entry) -> str:
    match entry:
        case Joined(seat, name):
            return f"{seat} joins {canonical(name)}"
        case Moved(seat, move, salt):
            fields = (f"{name}={canonical(value)}" for name, value in move.fields.items())
            return " ".join((seat, move.type, *fields, *([f"#{salt}"] if salt else [])))
        case DeskTaken():
            return DESK_TAKEN


def read(line: str) -> Entry:
    if line == DESK_TAKEN:
        return DeskTaken()
    try:
        seat, kind, *rest = line.split(" ", 2)
        return _joined(seat, rest[0]) if kind == "joins" else _moved(seat, kind, "".join(rest))
    except (ValueError, IndexError, TypeError) as error:
        raise Unreadable(f"not an entry of a record: {line!r}") from error


def _joined(seat: Seat, text: str) -> Joined:
    return Joined(seat, json.loads(text))


def _moved(seat: Seat, kind: str, text: str) -> Moved:
    fields = {}
    while text and not text.startswith("#"):
        name, _, value = text.partition("=")
        fields[name], end = json.JSONDecoder().raw_decode(value)
        text = value[end:].removeprefix(" ")
    return Moved(seat, Move(kind, {name: freeze(value) for name, value in fields.items()}), text[1:])
