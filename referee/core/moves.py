"""Moves and choices. Choices describe the legal moves of a seat exactly: no more and no fewer."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from referee.core.dice import Dice
from referee.presentation.letters import printable

Seat = str
Side = str  # a seat, or the name of a team
Value = Any  # a JSON value whose lists are tuples: see freeze


def freeze(value: Any) -> Value:
    """A JSON value with lists converted to tuples, as moves store it."""
    if isinstance(value, list | tuple):
        return tuple(freeze(item) for item in value)
    if isinstance(value, dict):
        return {name: freeze(item) for name, item in value.items()}
    return value


def canonical(value: Any) -> str:
    """The canonical JSON text of a value: sorted keys, no spaces. 1, true and 1.0 differ."""
    if value is None:
        return "null"
    return str(value) if type(value) is int else _JSON.encode(value)


_JSON = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, check_circular=False)


def is_same(one: Value, two: Value) -> bool:
    """Whether two values are equal and of the same types at every level: 1 is neither true nor 1.0."""
    if type(one) is not type(two) or one != two:
        return False
    return type(one) in PLAIN or canonical(one) == canonical(two)


PLAIN = (str, int, bool, type(None))


@dataclass(frozen=True)
class Move:
    """A move of a seat. Its repr hides the fields, since some are secret."""

    type: str
    fields: Mapping[str, Value] = field(default_factory=dict, repr=False)

    def __getitem__(self, name: str) -> Value:
        return self.fields[name]


@dataclass(frozen=True)
class One:
    """A field that takes one of the options."""

    name: str
    options: tuple[Value, ...]
    secret: bool = False

    def permits(self, value: Value) -> bool:
        return value in self.options and any(is_same(option, value) for option in self.options)

    def pick(self, dice: Dice) -> Value:
        return dice.pick(self.options)

    def wire(self) -> dict[str, Any]:
        return {"name": self.name, "kind": "one", "options": list(self.options), **_secret(self.secret)}


@dataclass(frozen=True)
class Arrange:
    """A field that takes an ordered selection of `count` options, each used once."""

    name: str
    options: tuple[Value, ...]
    count: int
    secret: bool = False

    def permits(self, value: Value) -> bool:
        if not isinstance(value, tuple) or len(value) != self.count:
            return False
        left = list(self.options)
        return all(_remove(left, item) for item in value)

    def pick(self, dice: Dice) -> Value:
        return dice.arrange(self.options, self.count)

    def wire(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": "arrange",
            "options": list(self.options),
            "count": self.count,
            **_secret(self.secret),
        }


@dataclass(frozen=True)
class Text:
    """A field of free text, normalized by `normalized_text` so that it is safe to show and print."""

    name: str
    max: int
    options: ClassVar[tuple[Value, ...]] = ()
    secret: ClassVar[bool] = False

    def permits(self, value: Value) -> bool:
        return isinstance(value, str) and len(value) <= self.max and value == normalized_text(value)

    def pick(self, dice: Dice) -> Value:
        return dice.pick(TEXTS)[: self.max].strip()

    def wire(self) -> dict[str, Any]:
        return {"name": self.name, "kind": "text", "max": self.max}


def _remove(left: list[Value], item: Value) -> bool:
    """Remove an item from the list. Returns whether it was there."""
    at = next((n for n, option in enumerate(left) if is_same(option, item)), None)
    if at is not None:
        del left[at]
    return at is not None


TEXTS = (  # free text that random players enter
    "Fouineur",
    "L’œuvre n° 2",
    "<b>&amp;</b>",
    "red",
    "=1+1",
    "{by}",
    '%s \\ "',
    "😀",
    "",
)


LONGEST = 1000  # free text is truncated to this before it is normalized; every field allows far less


def normalized_text(text: str) -> str:
    """The text without control characters, direction marks and surrounding spaces."""
    return printable(text[:LONGEST]).strip()


Field = One | Arrange | Text


@dataclass(frozen=True)
class Choice:
    """A type of move with its fields. Every combination of permitted values is legal."""

    type: str
    fields: tuple[Field, ...] = ()

    def permits(self, move: Move) -> bool:
        if move.type != self.type or len(move.fields) != len(self.fields):
            return False
        given = move.fields
        return all(f.name in given and f.permits(given[f.name]) for f in self.fields)

    def pick(self, dice: Dice) -> Move:
        return Move(self.type, {f.name: f.pick(dice) for f in self.fields})

    def secrets(self) -> frozenset[str]:
        return frozenset(f.name for f in self.fields if f.secret)

    def wire(self) -> dict[str, Any]:
        return {"type": self.type, "fields": [f.wire() for f in self.fields]}


Choices = tuple[Choice, ...]


def offered(choices: Choices, move: Move) -> Choice | None:
    """The choice that permits this move, or None."""
    return next((choice for choice in choices if choice.permits(move)), None)


def random_move(choices: Choices, dice: Dice) -> Move:
    """A random legal move."""
    return dice.pick(choices).pick(dice)


@dataclass(frozen=True)
class Shape:
    """The schema of a type of move: the JSON types of its fields, and which are secret or optional."""

    fields: Mapping[str, type | tuple[type, ...]] = field(default_factory=dict)
    secret: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()  # fields of free text

    def normalized(self, fields: Mapping[str, Value]) -> dict[str, Value]:
        """The same fields with free text normalized."""
        return {
            n: normalized_text(v) if n in self.texts and isinstance(v, str) else v for n, v in fields.items()
        }

    def misfits(self, fields: Mapping[str, Value]) -> Iterator[str]:
        """The names of the fields that are missing, unknown or of the wrong JSON type."""
        if self.fields.keys() != fields.keys():
            yield from sorted((self.fields.keys() ^ fields.keys()) - (self.optional - fields.keys()))
        for name in self.fields.keys() & fields.keys():
            if not _is_a(fields[name], self.fields[name]):
                yield name


def _is_a(value: Value, wanted: type | tuple[type, ...]) -> bool:
    if isinstance(wanted, tuple):  # a list whose entries are of this type
        return isinstance(value, tuple) and all(_is_a(item, wanted[0]) for item in value)
    return type(value) is wanted


def _secret(secret: bool) -> dict[str, bool]:
    return {"secret": True} if secret else {}
