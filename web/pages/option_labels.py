"""The labels of a table's options and of their values."""

from collections.abc import Iterator, Mapping
from typing import Any

from referee.core.moves import canonical
from referee.core.options import Data, OneOf
from referee.presentation.views import Localizer
from referee.presentation.words import own_name
from web.pages.rendering import say
from web.request_context import service
from web.service.presets import permitted_presets


def chosen_options(options: Mapping[str, Any], localizer: Localizer) -> Iterator[tuple[str, str]]:
    """The options of a table as (label, value) rows, without those added after it was opened."""
    for option in localizer.game.options:
        if option.name not in options:
            continue
        value = options[option.name]
        if isinstance(option, OneOf):
            text = value_label(option, value, localizer)
        elif isinstance(option, Data):
            text = _data_label(option, value, localizer)
        else:
            text = say("page.option.none") if value is None else str(value)
        yield option_label(option.name, localizer), text


def option_label(name: str, localizer: Localizer) -> str:
    common = f"page.option.{name}"
    return say(common) if common in localizer.words else localizer.of_game(f"option.{name}")


def value_label(option: OneOf, value: Any, localizer: Localizer) -> str:
    """The label of an option's value: a language or seat by name, else the game's or the common text."""
    said = str(value).lower()
    if option.name == "language":
        return own_name(value)
    seat, own = f"{localizer.game.id}.seat.{value}", f"{localizer.game.id}.option.{option.name}.{said}"
    if seat in localizer.words and option.name == "first":
        return localizer.title(value)
    for key in (own, f"page.option.{option.name}.{said}", f"page.value.{said}"):
        if key in localizer.words:
            return say(key)
    return str(value)


def own_values(option: Data, localizer: Localizer) -> list[tuple[str, str]]:
    """(JSON, label) of the values that the game itself supplies for an option."""
    own = {"default": option.default, **option.ready}
    return [(canonical(v), localizer.of_game(f"option.{option.name}.{name}")) for name, v in own.items()]


def _data_label(option: Data, value: Any, localizer: Localizer) -> str:
    """The label of a value: the game's, a preset's name, or the text for a custom value."""
    kept = permitted_presets(service(), localizer.game.id, option.name)
    names = {**{canonical(v): name for name, v in kept.items()}, **dict(own_values(option, localizer))}
    return names.get(canonical(value), say("page.rules.own"))
