"""What a table has settled, in words: each option by its label, each value by its name."""

from collections.abc import Iterator, Mapping
from typing import Any

from referee.moves import canonical
from referee.options import Data, OneOf
from referee.views import Voice
from referee.words import own_name
from web.api import house
from web.pages.page import say
from web.shelf import kept_values


def settled(options: Mapping[str, Any], voice: Voice) -> Iterator[tuple[str, str]]:
    """The options of a table, line by line; one that is younger than the table is left out."""
    for option in voice.game.options:
        if option.name not in options:
            continue
        value = options[option.name]
        if isinstance(option, OneOf):
            text = value_label(option, value, voice)
        elif isinstance(option, Data):
            text = _data_label(option, value, voice)
        else:
            text = say("page.option.none") if value is None else str(value)
        yield option_label(option.name, voice), text


def option_label(name: str, voice: Voice) -> str:
    common = f"page.option.{name}"
    return say(common) if common in voice.words else voice.of_game(f"option.{name}")


def value_label(option: OneOf, value: Any, voice: Voice) -> str:
    """An option's value in words: the pages' own, a seat's name, the game's, else as it is."""
    said = str(value).lower()
    if option.name == "language":
        return own_name(value)
    seat, own = f"{voice.game.id}.seat.{value}", f"{voice.game.id}.option.{option.name}.{said}"
    if seat in voice.words and option.name == "first":
        return voice.title(value)
    for key in (own, f"page.option.{option.name}.{said}", f"page.value.{said}"):
        if key in voice.words:
            return say(key)
    return str(value)


def own_values(option: Data, voice: Voice) -> list[tuple[str, str]]:
    """The values that the game itself has ready for such an option, each with its name."""
    own = {"default": option.default, **option.ready}
    return [(canonical(v), voice.of_game(f"option.{option.name}.{name}")) for name, v in own.items()]


def _data_label(option: Data, value: Any, voice: Voice) -> str:
    """The name of such a value: the game's, that on the shelf, or just "of one's own"."""
    kept = kept_values(house(), voice.game.id, option.name)
    names = {**{canonical(v): name for name, v in kept.items()}, **dict(own_values(option, voice))}
    return names.get(canonical(value), say("page.rules.own"))
