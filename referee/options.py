"""Options of a table: what a game lets people settle before it begins."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from referee.words import LANGUAGES

if TYPE_CHECKING:
    from referee.game import Say

Options = Mapping[str, Any]


@dataclass(frozen=True)
class OneOf:
    """One of some values; the first is the default."""

    name: str
    options: tuple[Any, ...]

    @property
    def default(self) -> Any:
        return self.options[0]

    def permits(self, value: Any) -> bool:
        return any(type(value) is type(option) and value == option for option in self.options)

    def wire(self) -> dict[str, Any]:
        return {"name": self.name, "kind": "one", "options": list(self.options), "default": self.default}


LANGUAGE = OneOf("language", LANGUAGES)  # of the table screen and the prints, in every game


@dataclass(frozen=True)
class Number:
    """A whole number between two others, or none at all."""

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


def no_more_to_say(_value: Any) -> "Iterable[Say]":
    """The default `wrong`: that it does not fit says it all."""
    return ()


@dataclass(frozen=True)
class Data:
    """A value with a form of its own, which the game checks: what owners of a copy draw or write once.

    `wrong` tells everything that is wrong with a value that does not fit. `ready` are other values to pick,
    by name; `samples` are more that fit, for random games.
    """

    name: str
    default: Any
    fits: Callable[[Any], bool]
    samples: tuple[Any, ...] = ()
    ready: Mapping[str, Any] = field(default_factory=dict)
    wrong: "Callable[[Any], Iterable[Say]]" = no_more_to_say

    def permits(self, value: Any) -> bool:
        return self.fits(value)

    def why(self, value: Any) -> "Say | None":
        """The first thing that is wrong with it."""
        return next(iter(self.wrong(value)), None)

    def wire(self) -> dict[str, Any]:
        return {"name": self.name, "kind": "data", "default": self.default}


Option = OneOf | Number | Data

AIDS = OneOf("aids", (False, True))  # whether seats are shown what they could work out: never unasked


class BadOption(ValueError):
    """An option that is unknown or has a value it cannot have; `why` says more where there is more to say."""

    def __init__(self, name: str, why: "Say | None" = None) -> None:
        super().__init__(name)
        self.name, self.why = name, why


def settle(offered: Iterable[Option], chosen: Options) -> dict[str, Any]:
    """All options of a table: what was chosen, and the default of everything else."""
    by_name = {option.name: option for option in offered}
    for name, value in chosen.items():
        option = by_name.get(name)
        if option is None or not option.permits(value):
            raise BadOption(name, option.why(value) if isinstance(option, Data) else None)
    return {name: chosen.get(name, option.default) for name, option in by_name.items()}
