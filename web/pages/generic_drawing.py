"""What is shown of a game without templates of its own: the parts of its table and of a hand, in words.

A part is named by `page.ID.name.PART` if the game has that, else by its own name.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from referee.presentation.views import Localizer
from web.pages.rendering import no_break, say

SHOWN_ELSEWHERE = ("turn", "step")  # parts of every public table


class Part(NamedTuple):
    """A part of a table or a hand: its name and its value, in words."""

    name: str
    text: str


class PublicParts(NamedTuple):
    """The parts of a public table: those of each seat or side, and the others."""

    of_seats: Mapping[str, list[Part]]
    others: list[Part]


def hand_parts(hand: Mapping[str, Any], localizer: Localizer) -> list[Part]:
    return [Part(_name(name, localizer), _text(value, localizer)) for name, value in hand.items()]


def public_parts(public: Mapping[str, Any], localizer: Localizer) -> PublicParts:
    """A part with a value for each of some seats, or with a list of them, is told with those seats."""
    here = {*localizer.names, *localizer.sides()}
    of_seats: dict[str, list[Part]] = {seat: [] for seat in localizer.names}
    others = []
    for name, value in public.items():
        if name in SHOWN_ELSEWHERE:
            continue
        label = _name(name, localizer)
        if isinstance(value, Mapping) and value.keys() and value.keys() <= here:
            for seat, each in _by_seat(value, localizer):
                of_seats[seat] += _parts(label, each, localizer)
        elif isinstance(value, list) and value and all(each in list(localizer.names) for each in value):
            for seat in of_seats:
                of_seats[seat] += [Part(label, say("page.value.true"))] if seat in value else []
        elif value not in (None, [], {}):
            others.append(Part(label, _text(value, localizer)))
    return PublicParts(of_seats, others)


def _by_seat(value: Mapping[str, Any], localizer: Localizer) -> Iterator[tuple[str, Any]]:
    """The values by seat; that of a side is told with its first seat."""
    for side, each in value.items():
        yield (side if side in localizer.names else localizer.sides()[side][0]), each


def _parts(label: str, value: Any, localizer: Localizer) -> list[Part]:
    if isinstance(value, Mapping):
        return [Part(_name(name, localizer), _text(each, localizer)) for name, each in value.items()]
    return [Part(label, _text(value, localizer))]


def _name(name: str, localizer: Localizer) -> str:
    key = f"page.{localizer.game.id}.name.{name}"
    return say(key) if key in localizer.words else name.replace("_", " ").capitalize()


def _text(value: Any, localizer: Localizer) -> str:
    if value is None or value in ([], {}, ""):
        return "\N{EN DASH}"
    if isinstance(value, bool):
        return say(f"page.value.{str(value).lower()}")
    if isinstance(value, list):
        return ", ".join(_text(each, localizer) for each in value)
    if isinstance(value, Mapping):
        pairs = (f"{_word(name, localizer)} : {_text(each, localizer)}" for name, each in value.items())
        return no_break(", ".join(pairs))
    return str(localizer.told(value))


def _word(name: str, localizer: Localizer) -> str:
    """A key of a value: a player, a number or a word of the game."""
    told = str(localizer.told(name))
    return told if told != name or name.isdecimal() else _name(name, localizer)
