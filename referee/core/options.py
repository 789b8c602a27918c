"""Table options: what players choose before a game begins, with validation and defaults."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from referee.presentation.words import LANGUAGES

if TYPE_CHECKING:
    from referee.core.game import Say

Options = Mapping[str, Any]


def every_value(_value: Any, _others: Options) -> bool:
    """The default `goes_with`: every value may be chosen, whatever the other options are."""
    return True


@dataclass(frozen=True)
class OneOf:
    """An option with a fixed list of values; the first is the default.

    `goes_with` says whether a value may be chosen at a table with these options. The default always may.
    """

    name: str
    options: tuple[Any, ...]
    goes_with: Callable[[Any, Options], bool] = every_value

    @property
    def default(self) -> Any:
        return self.options[0]

    def values_at(self, others: Options) -> tuple[Any, ...]:
        """The values that may be chosen at a table with these options."""
        return tuple(value for value in self.options if self.goes_with(value, others))

    def permits(self, value: Any) -> bool:
        return any(type(value) is type(option) and value == option for option in self.options)

    def wire(self) -> dict[str, Any]:
        return {"name": self.name, "kind": "one", "options": list(self.options), "default": self.default}


LANGUAGE = OneOf("language", LANGUAGES)  # of the table screen and the prints; every game has it


@dataclass(frozen=True)
class Number:
    """An option that is an integer in a range, or None."""

    name: str
    min: int
    max: int
    default: int | None = None

    def permits(self, value: Any) -> bool:
        return value is None or (type(value) is int and self.min <= value <= self.max)

    def wire(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": "number",
            "min": self.min,
            "max": self.max,
            "default": self.default,
        }


def no_details(_value: Any) -> "Iterable[Say]":
    """The default `wrong`: no details beyond the fact that the value is invalid."""
    return ()


@dataclass(frozen=True)
class Data:
    """An option with structured data that the game validates, such as the cards of the owner's copy.

    `wrong` lists everything wrong with an invalid value. `ready` are named alternatives to the default;
    `samples` are further valid values for random games.
    """

    name: str
    default: Any
    fits: Callable[[Any], bool]
    samples: tuple[Any, ...] = ()
    ready: Mapping[str, Any] = field(default_factory=dict)
    wrong: "Callable[[Any], Iterable[Say]]" = no_details

    def permits(self, value: Any) -> bool:
        return self.fits(value)

    def why(self, value: Any) -> "Say | None":
        """The first thing wrong with the value."""
        return next(iter(self.wrong(value)), None)

    def wire(self) -> dict[str, Any]:
        return {"name": self.name, "kind": "data", "default": self.default}


Option = OneOf | Number | Data

PLAYERS = "players"  # the name of the option that says how many players there are, where a game has one
AIDS = OneOf("aids", (False, True))  # whether seats get a deduction sheet; off by default
GUIDE = OneOf("guide", (False, True))  # whether phones explain each step of a first game; off by default


class BadOption(ValueError):
    """An unknown option or an invalid value. `why` gives details if there are any."""

    def __init__(self, name: str, why: "Say | None" = None) -> None:
        super().__init__(name)
        self.name, self.why = name, why


def with_defaults(offered: Iterable[Option], chosen: Options) -> dict[str, Any]:
    """All options of a table: the chosen values and the defaults of the others. Raises BadOption."""
    by_name = {option.name: option for option in offered}
    for name, value in chosen.items():
        option = by_name.get(name)
        if option is None or not option.permits(value):
            raise BadOption(name, option.why(value) if isinstance(option, Data) else None)
    complete = {name: chosen.get(name, option.default) for name, option in by_name.items()}
    for name, option in by_name.items():
        if isinstance(option, OneOf) and not option.goes_with(complete[name], complete):
            raise BadOption(name)
    return complete
