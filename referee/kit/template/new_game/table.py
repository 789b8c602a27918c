"""The public table and the private hands, and their JSON form."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.core.game import Hand, State, Table
from referee.core.moves import Seat
from referee.core.options import PLAYERS, Options

ALL_SEATS = ("player_1", "player_2", "player_3", "player_4")
NUMBERS = (1, 2, 3, 4, 5, 6)


@dataclass(frozen=True, kw_only=True)
class NewTable(Table):
    """What everybody knows."""

    seats: tuple[Seat, ...]
    first: Seat
    hidden: frozenset[Seat] = frozenset()  # who has hidden a number
    guessed: Mapping[Seat, tuple[int, ...]] = field(default_factory=dict)  # wrong guesses, by whose number
    found: Mapping[Seat, int] = field(default_factory=dict)  # the numbers that were found

    def alive(self) -> tuple[Seat, ...]:
        return tuple(seat for seat in self.seats if seat not in self.found)

    def left(self, seat: Seat) -> tuple[int, ...]:
        """The numbers that a seat may still hold, as far as everybody knows."""
        return tuple(number for number in NUMBERS if number not in self.guessed.get(seat, ()))


@dataclass(frozen=True, repr=False)
class NewHand(Hand):
    """What one seat alone knows."""

    number: int | None = None


NewState = State[NewTable, NewHand]


def seats(options: Options) -> tuple[Seat, ...]:
    return ALL_SEATS[: options[PLAYERS]]


def public(table: NewTable) -> dict[str, Any]:
    return {
        "turn": table.turn,
        "step": table.step,
        "hidden": [seat for seat in table.seats if seat in table.hidden],
        "guessed": {seat: list(numbers) for seat, numbers in table.guessed.items()},
        "found": dict(table.found),
    }


def hand(mine: NewHand) -> dict[str, Any]:
    return {"number": mine.number}
