"""Every move that choices offer, one by one, and moves that are almost like them."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, permutations, product
from typing import Any

from referee.core.dice import Dice
from referee.core.errors import IllegalMove
from referee.core.game import Game
from referee.core.moves import TEXTS, Arrange, Choice, Choices, Field, Move, One, Text, canonical
from referee.presentation.words import Words

STRANGE: tuple[Any, ...] = (True, False, None, -1, 10**9, 0.5, "", "1", "target", (), (1,), ((),), {"a": 1})


def name_of(move: Move) -> str:
    """The one text of a move: two moves are the same when their names are."""
    return canonical({"type": move.type, "fields": dict(move.fields)})


def every_value(field: Field) -> Iterator[Any]:
    """All values of a field; of free text, which has no end, some."""
    if isinstance(field, Text):
        return iter(dict.fromkeys(text[: field.max].strip() for text in TEXTS))
    if isinstance(field, One):
        return iter(field.options)
    return iter(dict.fromkeys(permutations(field.options, field.count)))


def is_legal(choices: Choices, move: Move) -> bool:
    """Whether this is one of the moves that these choices offer, found by looking through all of them."""
    return any(_is_one_of(choice, move) for choice in choices if choice.type == move.type)


def _is_one_of(choice: Choice, move: Move) -> bool:
    named = [field.name for field in choice.fields]
    return sorted(named) == sorted(move.fields) and all(
        _is_value(field, move[field.name]) for field in choice.fields
    )


def _is_value(field: Field, value: Any) -> bool:
    if isinstance(field, Text):
        return isinstance(value, str) and len(value) <= field.max and _is_plain(value)
    return canonical(value) in _texts(field)


@lru_cache(maxsize=1024)
def _texts(field: One | Arrange) -> frozenset[str]:
    return frozenset(map(canonical, every_value(field)))


def _is_plain(text: str) -> bool:
    """One line of composed, visible characters that begins and ends with none but them."""
    hidden = any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in text)
    return not hidden and text.strip() == text and unicodedata.is_normalized("NFC", text)


def every_move(choice: Choice) -> Iterator[Move]:
    for values in product(*(every_value(field) for field in choice.fields)):
        yield Move(choice.type, {f.name: value for f, value in zip(choice.fields, values, strict=True)})


def some_moves(choices: Choices, dice: Dice, most: int, in_all: int = 60) -> list[Move]:
    """All the offered moves where there are few, else some of every choice, or some of these."""
    picked: list[Move] = []
    for choice in choices:
        moves = list(every_move(choice))
        picked += moves if len(moves) <= most else dice.arrange(moves, most)
    return picked if len(picked) <= in_all else list(dice.arrange(picked, in_all))


def almost(move: Move, game: Game[Any, Any], dice: Dice) -> Iterator[Move]:
    """Moves that differ from this one in one place: a value, a type of value, a field, the kind."""
    for name, value in move.fields.items():
        for other in _near(value, dice):
            yield Move(move.type, {**move.fields, name: other})
        yield Move(move.type, {n: v for n, v in move.fields.items() if n != name})
        yield Move(move.type, {f"{name}x" if n == name else n: v for n, v in move.fields.items()})
    yield Move(move.type, {**move.fields, "extra": 1})
    yield Move(move.type, {})
    for kind in (*game.moves, move.type.upper(), "", "no_such_move"):
        if kind != move.type:
            yield Move(kind, move.fields)


def _near(value: Any, dice: Dice) -> Iterator[Any]:
    yield from dice.arrange(STRANGE, 4)
    if isinstance(value, bool):
        yield int(value)
    elif isinstance(value, int):
        yield from (value - 1, value + 1, float(value), str(value), (value,))
        if value in (0, 1):
            yield bool(value)
    elif isinstance(value, str):
        yield from (value + "\n", f"\u202e{value}", value + "x" * 200)
        yield from (value.lower(), value.upper(), f"{value}x", value[:-1], (value,))
        yield from (_shifted(value, at, by) for at in (0, -1) if value for by in (-1, 1))
    elif isinstance(value, tuple):
        yield from (value[:-1], (*value, *value[:1]), (value[0],) * len(value), value[::-1])
        yield from ((item, *value[1:]) for item in islice(_near(value[0], dice), 12))


def _shifted(text: str, at: int, by: int) -> str:
    """The text with one letter or digit replaced by its neighbour: `D4` → `D5`."""
    letters = list(text)
    letters[at] = chr(ord(letters[at]) + by)
    return "".join(letters)


def worded(refused: IllegalMove, words: Words) -> str:
    """What a person is told of a refusal: its title and its sentence. KeyError: it cannot be said."""
    title = words.say(f"refusal.{refused.code}")
    if refused.why:
        return f"{title}: {words.say(refused.why.key, refused.why.fields)}"
    return f"{title}: {words.say(f'refusal.{refused.code}.detail')}"
