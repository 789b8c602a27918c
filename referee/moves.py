"""Moves and choices: what a seat may do now, as data that is exact both ways."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from referee.dice import Dice
from referee.letters import plain

Seat = str
Side = str  # a seat, or the name of a team
Value = Any  # a JSON value whose lists are tuples: see freeze


def freeze(value: Any) -> Value:
    """A JSON value as moves hold it: lists become tuples, so that it can be shared safely."""
    if isinstance(value, list | tuple):
        return tuple(freeze(item) for item in value)
    if isinstance(value, dict):
        return {name: freeze(item) for name, item in value.items()}
    return value


def canonical(value: Any) -> str:
    """The one JSON text of a value: sorted keys, no spaces. Tells 1 from true and from 1.0."""
    if value is None:
        return "null"
    return str(value) if type(value) is int else _JSON.encode(value)


_JSON = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, check_circular=False)


def is_same(one: Value, two: Value) -> bool:
    """Equal, and of the same types all through: 1 is neither true nor 1.0."""
    if type(one) is not type(two) or one != two:
        return False
    return type(one) in PLAIN or canonical(one) == canonical(two)


PLAIN = (str, int, bool, type(None))


@dataclass(frozen=True)
class Move:
    """What a seat wants to do. Its repr shows no field: some are secret."""

    type: str
    fields: Mapping[str, Value] = field(default_factory=dict, repr=False)

    def __getitem__(self, name: str) -> Value:
        return self.fields[name]


@dataclass(frozen=True)
class One:
    """One of the options."""

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
    """`count` entries taken from the options, each used once, in an order that matters."""

    name: str
    options: tuple[Value, ...]
    count: int
    secret: bool = False

    def permits(self, value: Value) -> bool:
        if not isinstance(value, tuple) or len(value) != self.count:
            return False
        left = list(self.options)
        return all(_taken(left, item) for item in value)

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
    """Free text, tidied: it reads the same wherever it is shown or printed."""

    name: str
    max: int
    options: ClassVar[tuple[Value, ...]] = ()
    secret: ClassVar[bool] = False

    def permits(self, value: Value) -> bool:
        return isinstance(value, str) and len(value) <= self.max and value == tidied(value)

    def pick(self, dice: Dice) -> Value:
        return dice.pick(TEXTS)[: self.max].strip()

    def wire(self) -> dict[str, Any]:
        return {"name": self.name, "kind": "text", "max": self.max}


def _taken(left: list[Value], item: Value) -> bool:
    """Whether this was there to be taken; now it is gone."""
    at = next((n for n, option in enumerate(left) if is_same(option, item)), None)
    if at is not None:
        del left[at]
    return at is not None


TEXTS = (
    "Fouineur",
    "L’œuvre n° 2",
    "<b>&amp;</b>",
    "red",
    "=1+1",
    "{by}",
    '%s \\ "',
    "😀",
    "",
)  # random players'


LONGEST = 1000  # characters that are read of a free text, far more than any may have


def tidied(text: str) -> str:
    """A text without controls, direction marks and outer spaces."""
    return plain(text[:LONGEST]).strip()


Field = One | Arrange | Text


@dataclass(frozen=True)
class Choice:
    """A type of move with its fields: every combination of their values is legal."""

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
    """The choice that permits this move, if any does."""
    return next((choice for choice in choices if choice.permits(move)), None)


def random_move(choices: Choices, dice: Dice) -> Move:
    """What a random legal player does."""
    return dice.pick(choices).pick(dice)


@dataclass(frozen=True)
class Shape:
    """The fields a type of move has: their JSON types, which are secret, left out at will, free text."""

    fields: Mapping[str, type | tuple[type, ...]] = field(default_factory=dict)
    secret: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()  # free text

    def tidied(self, fields: Mapping[str, Value]) -> dict[str, Value]:
        """The same fields, whose free texts are fit to be shown and printed."""
        return {n: tidied(v) if n in self.texts and isinstance(v, str) else v for n, v in fields.items()}

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
