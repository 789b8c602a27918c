"""The public table and the private hands of Agent Hunter, and their JSON form."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from referee.core.game import Hand, News, State, Table
from referee.core.moves import Seat

SEATS = ("target", "mask")
VALUES = tuple(range(10))
HOUSES = (1, 2, 3)
DECOYS = 5


def other(seat: Seat) -> Seat:
    return SEATS[1 - SEATS.index(seat)]


@dataclass(frozen=True)
class House:
    """A safe house as everyone sees it. `value` is known once the house is destroyed."""

    decoys: int = 0
    value: int | None = None

    @property
    def destroyed(self) -> bool:
        return self.value is not None

    def with_decoy(self) -> Self:
        return type(self)(self.decoys + 1, self.value)


@dataclass(frozen=True)
class Side:
    """One agency as everyone sees it."""

    hidden: bool = False  # whether its three houses are laid out
    houses: Mapping[int, House] = field(default_factory=lambda: {house: House() for house in HOUSES})
    hand_size: int = len(VALUES)
    decoys_left: int = DECOYS
    known_in_hand: frozenset[int] = frozenset()
    live: tuple[int, ...] = HOUSES  # the houses that stand

    def lost(self) -> int:
        return len(HOUSES) - len(self.live)


@dataclass(frozen=True)
class Owed:
    """An empty house that its side must refill before the turn passes."""

    seat: Seat
    house: int


class Bounds(NamedTuple):
    """The card of a house is higher than `above` and lower than `below`, as far as they are known."""

    above: int | None = None
    below: int | None = None


Clues = Mapping[Seat, Mapping[int, Bounds]]  # by seat and house; a house without a clue is left out


@dataclass(frozen=True, kw_only=True)
class HunterTable(Table):
    sides: Mapping[Seat, Side]
    first: Seat
    owed: Owed | None = None
    turns: int = 0  # completed turns of both sides together
    turn_cap: int | None
    refill_after_final: bool
    clues: Clues = field(default_factory=dict)

    def ending(self) -> News | None:
        """The news of the outcome, with the side that lost its three houses, if one did."""
        over = super().ending()
        lost = [seat for seat, side in self.sides.items() if not side.live]
        return News(over.kind, {**over.fields, "side": lost[0]}) if over and lost else over


@dataclass(frozen=True, repr=False)
class HunterHand(Hand):
    """The cards of one agency: in its houses (None: empty or destroyed) and in hand."""

    houses: Mapping[int, int | None]
    cards: frozenset[int]

    def lay(self, house: int, card: int) -> Self:
        """Put a hand card into a house, face down."""
        return type(self)({**self.houses, house: card}, self.cards - {card})

    def empty(self, house: int) -> Self:
        """The card of this house leaves the game."""
        return type(self)({**self.houses, house: None}, self.cards)

    def with_house_card(self, house: int) -> frozenset[int]:
        """The cards in hand and the one in this house: what a swap may lay there."""
        card = self.houses[house]
        return self.cards if card is None else self.cards | {card}

    def swap(self, house: int, card: int) -> Self:
        """The card of a house goes to hand, and a card from hand, perhaps the same, is laid there."""
        return type(self)({**self.houses, house: card}, self.with_house_card(house) - {card})

    def drop(self, card: int) -> Self:
        """A hand card leaves the game."""
        return type(self)(self.houses, self.cards - {card})

    def house_of(self, value: int) -> int | None:
        return next((house for house, card in self.houses.items() if card == value), None)


HunterState = State[HunterTable, HunterHand]


def faces(table: HunterTable) -> dict[str, tuple[int, ...]]:
    """The values that both sides still have. They are always the same, and public."""
    gone = {house.value for side in table.sides.values() for house in side.houses.values()}
    return {"card": tuple(value for value in VALUES if value not in gone)}


def public(table: HunterTable) -> dict[str, Any]:
    return {
        "turn": table.turn,
        "step": table.step,
        "owed": {"seat": table.owed.seat, "house": table.owed.house} if table.owed else None,
        "turns": table.turns,
        "sides": {seat: _side(side) for seat, side in table.sides.items()},
    }


def _side(side: Side) -> dict[str, Any]:
    houses = [
        {"house": number, "destroyed": house.destroyed, "decoys": house.decoys, "value": house.value}
        for number, house in side.houses.items()
    ]
    return {
        "hidden": side.hidden,
        "houses": houses,
        "hand_size": side.hand_size,
        "decoys_left": side.decoys_left,
        "known_in_hand": sorted(side.known_in_hand),
    }


def hand(cards: HunterHand) -> dict[str, Any]:
    return {
        "houses": {str(house): card for house, card in cards.houses.items()},
        "cards": sorted(cards.cards),
    }
