"""Journal entries and their text form: one line per entry, written and read back exactly.

target joins "Ana"
mask joins "Bo" nonce="5f3a…" avatar="fox"
mask hide houses=[4,7,0] #9f86d081…
target attack_from_hand card=3 house=2
mask asks undo of=["target"]
target answers yes
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from referee.core.moves import Move, Seat, Value, canonical, freeze


@dataclass(frozen=True)
class Joined:
    """A player took a seat. `nonce` is a random number of the phone, in hexadecimal digits, for the dice.

    `avatar` is the drawing that the player chose. Like the name it is outside the chain and can be deleted.
    """

    seat: Seat
    name: str
    nonce: str = ""
    avatar: str = ""


@dataclass(frozen=True)
class Moved:
    """A seat made a move. If it has secret fields, `salt` (64 hex digits) is that of their commitment."""

    seat: Seat
    move: Move
    salt: str = field(default="", repr=False)


@dataclass(frozen=True)
class DeskTaken:
    """The desk of this table was assigned to a newer table."""


@dataclass(frozen=True)
class Closed:
    """An unplayed rematch was closed; the game before it goes on."""


@dataclass(frozen=True)
class Returned:
    """A seat or the host came back by a return ticket; the old token is no longer valid."""

    seat: Seat


@dataclass(frozen=True)
class Asked:
    """A seat or the host asked a question: undo, correct, reissue or abandon.

    `of` lists the seats that must agree. `fields` may hold a corrected secret, committed to with `salt`.
    """

    by: Seat
    kind: str
    of: tuple[Seat, ...]
    fields: Mapping[str, Value] = field(default_factory=dict, repr=False)
    salt: str = field(default="", repr=False)


@dataclass(frozen=True)
class Answered:
    """A seat agreed to the open question, refused it or withdrew it."""

    seat: Seat
    accept: bool


Entry = Joined | Moved | Asked | Answered | Returned | DeskTaken | Closed


DESK_TAKEN = "desk taken"
CLOSED = "table closed"


class Unreadable(ValueError):
    """A line that is not a journal entry."""


def write(entry: Entry) -> str:
    match entry:
        case Joined(seat, name, nonce, avatar):
            sent = {"nonce": nonce, "avatar": avatar}
            given = {field: value for field, value in sent.items() if value}
            return " ".join((seat, "joins", canonical(name), *_written(given, "")))
        case Moved(seat, move, salt):
            return " ".join((seat, move.type, *_written(move.fields, salt)))
        case Asked(by, kind, of, fields, salt):
            return " ".join((by, "asks", kind, *_written({"of": of, **fields}, salt)))
        case Answered(seat, accept):
            return f"{seat} answers {'yes' if accept else 'no'}"
        case Returned(seat):
            return f"{seat} returns"
        case DeskTaken():
            return DESK_TAKEN
        case Closed():
            return CLOSED


def _written(fields: Mapping[str, Value], salt: str) -> Iterator[str]:
    yield from (f"{name}={canonical(value)}" for name, value in fields.items())
    yield from [f"#{salt}"] if salt else []


def read(line: str) -> Entry:
    """Parse a line. Each entry has exactly one text form; any other spelling is refused."""
    try:
        entry = _entry(line)
        written = write(entry)
    except (ValueError, LookupError, RecursionError) as error:
        raise _unreadable(line) from error
    if written != line:
        raise _unreadable(line)
    return entry


def _unreadable(line: str) -> Unreadable:
    """An error that quotes only the first word of the line: the rest may be secret."""
    return Unreadable(f"not a journal entry: the line that begins with {line.partition(' ')[0][:20]!r}")


def _entry(line: str) -> Entry:
    if line == DESK_TAKEN:
        return DeskTaken()
    if line == CLOSED:
        return Closed()
    seat, kind, *rest = line.split(" ", 2)
    if not _ID.fullmatch(seat) or not _ID.fullmatch(kind):
        raise ValueError("not a seat and a type of move")
    text = "".join(rest)
    match kind:
        case "joins":
            return _joined(seat, text)
        case "asks":
            return _asked(seat, text)
        case "answers":
            return Answered(seat, {"yes": True, "no": False}[text])
        case "returns":
            return Returned(seat)
    fields, salt = _fields(text)
    return Moved(seat, Move(kind, fields), salt)


def _joined(seat: Seat, text: str) -> Joined:
    name, end = _JSON.raw_decode(text)
    fields, _ = _fields(text[end:].removeprefix(" "))
    if not isinstance(name, str):
        raise ValueError("the name is not a string")  # noqa: TRY004
    return Joined(seat, name, checked_nonce(fields.get("nonce", "")), _avatar(fields.get("avatar", "")))


def _avatar(name: Value) -> str:
    """The name of an avatar, or ValueError. It may be one that is no longer offered."""
    if not isinstance(name, str) or not (name == "" or _ID.fullmatch(name)):
        raise ValueError("not an avatar")
    return name


def checked_nonce(nonce: Value) -> str:
    """The number that a phone sent for the dice, or ValueError."""
    if not isinstance(nonce, str) or not NONCE.fullmatch(nonce):
        raise ValueError("not a nonce")
    return nonce


def _asked(seat: Seat, text: str) -> Asked:
    kind, _, rest = text.partition(" ")
    fields, salt = _fields(rest)
    if not _ID.fullmatch(kind):
        raise ValueError("not a kind of question")
    return Asked(seat, kind, fields.pop("of"), fields, salt)


def _fields(text: str) -> tuple[dict[str, Value], str]:
    """Parse the fields of a line and the salt at its end."""
    fields = {}
    while text and not text.startswith("#"):
        name, _, value = text.partition("=")
        if not _ID.fullmatch(name):
            raise ValueError("not a field name")
        fields[name], end = _JSON.raw_decode(value)
        text = value[end:].removeprefix(" ")
    if not _SALT.fullmatch(text):
        raise ValueError("not a salt")
    return {name: freeze(value) for name, value in fields.items()}, text[1:]


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is not a JSON number")


_ID = re.compile(r"[a-z][a-z0-9_]*")
NONCE = re.compile(r"[0-9a-f]{0,64}")
_SALT = re.compile(r"(#[0-9a-f]{64})?")
_JSON = json.JSONDecoder(parse_constant=_no_number)
