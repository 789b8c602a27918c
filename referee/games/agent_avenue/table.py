"""The public table and the private hands of Agent Avenue, and their JSON form."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from referee.core.frozen import replaced
from referee.core.game import Hand, Table
from referee.core.moves import Seat, Side
from referee.games.agent_avenue.cards import AGENTS, MARKET, SIDES, space

Counts = tuple[int, ...]  # how many of each agent, in the order of AGENTS

NONE: Counts = (0,) * len(AGENTS)
SEATS: Mapping[int, tuple[Seat, ...]] = {
    2: ("green", "blue"),
    3: ("green_1", "green_2", "blue"),
    4: ("green_1", "green_2", "blue_1", "blue_2"),
}
DISCARDS = {1: 4, 2: 2}  # players of a side → discards per player and game
INDEX = {agent: i for i, agent in enumerate(AGENTS)}


def side_of(seat: Seat) -> Side:
    return seat.partition("_")[0]


def sides(seats: tuple[Seat, ...]) -> dict[Side, tuple[Seat, ...]]:
    return {side: tuple(seat for seat in seats if side_of(seat) == side) for side in SIDES}


def added(counts: Counts, agent: str, n: int) -> Counts:
    """The counts with `n` added for an agent, never below zero."""
    i = INDEX[agent]
    return (*counts[:i], max(0, counts[i] + n), *counts[i + 1 :])


@dataclass(frozen=True)
class Team:
    """One side as everyone sees it."""

    progress: int = 0  # spaces from home, not reduced modulo the loop
    zone: Counts = NONE
    permanents: tuple[str, ...] = ()
    bought: tuple[str, ...] = ()  # every market card it ever took

    def has(self, agent: str) -> int:
        return self.zone[INDEX[agent]]

    def with_agent(self, agent: str, n: int = 1) -> Self:
        return replaced(self, zone=added(self.zone, agent, n))


def in_zone(team: Team) -> tuple[str, ...]:
    """The agents that a side has in play, without duplicates."""
    return tuple(agent for agent, n in zip(AGENTS, team.zone, strict=True) if n)


@dataclass(frozen=True)
class Holding:
    """What is publicly known of one seat's cards.

    `certain` counts agents that must be in hand: everyone saw them go there. `marked` counts agents that can
    only be in this hand or among its own discards, so no other seat can hold them.
    """

    hand: int
    discards_left: int
    discarded: int = 0
    certain: Counts = NONE
    marked: Counts = NONE

    def gains(self, agent: str) -> Self:
        """A known agent goes to this hand."""
        certain, marked = added(self.certain, agent, 1), added(self.marked, agent, 1)
        return replaced(self, hand=self.hand + 1, certain=certain, marked=marked)

    def without(self, agent: str) -> Self:
        """An agent that left this hand becomes known."""
        return replaced(self, certain=added(self.certain, agent, -1), marked=added(self.marked, agent, -1))

    def shows(self, agent: str) -> Self:
        """An agent leaves this hand face up."""
        return replaced(self.without(agent), hand=self.hand - 1)

    def has_pair(self, agent: str) -> Self:
        """The seat shows two copies of this agent in its hand."""
        certain, marked = self.certain[INDEX[agent]], self.marked[INDEX[agent]]
        return replaced(
            self,
            certain=added(self.certain, agent, max(0, 2 - certain)),
            marked=added(self.marked, agent, max(0, 2 - marked)),
        )

    def discards(self) -> Self:
        """A card is laid face down and replaced. It may be any: one copy fewer of each agent is certain."""
        return replaced(
            self,
            discards_left=self.discards_left - 1,
            discarded=self.discarded + 1,
            certain=tuple(max(0, n - 1) for n in self.certain),
        )


@dataclass(frozen=True)
class Market:
    """The black market: the face-up row, the number of cards in the deck, and the discard pile."""

    row: tuple[str, ...] = ()
    deck: int = len(MARKET)
    discard: tuple[str, ...] = ()


@dataclass(frozen=True)
class Resolving:
    """An immediate market card being resolved, and the seat that took it."""

    seat: Seat
    card: str


class Place(NamedTuple):
    """The place of a real card. `whose` is the owner of a hand, a zone and the like."""

    kind: str
    whose: Side = ""


FACE_UP, FACE_DOWN, DECK = Place("face_up"), Place("face_down"), Place("deck")
ROW, MARKET_DECK, USED = Place("row"), Place("market_deck"), Place("used")


class Went(NamedTuple):
    """A public movement from one place to another: a known card, or `n` face-down cards."""

    card: str | None
    source: Place
    to: Place
    n: int = 1


@dataclass(frozen=True, kw_only=True)
class AvenueTable(Table):
    first: Side
    teams: Mapping[Side, Team]
    holdings: Mapping[Seat, Holding]
    deck: int
    market: Market | None = None
    face_up: str | None = None
    shower: Seat | None = None
    concealer: Seat | None = None
    reserved: bool = False  # the deck has one card, reserved for the face-up player of the pair
    must_show: Seat | None = None  # the seat that took that card by a discard, and so must play face up
    landed: tuple[Side, ...] = ()  # the sides that may take a market card, in order
    resolving: Resolving | None = None
    drawn: Mapping[Seat, int] = field(default_factory=dict)  # cards drawn in the last move
    went: tuple[Went, ...] = ()  # every movement of a card since the deal
    turns: int = 0  # completed turns

    def members(self, side: Side) -> tuple[Seat, ...]:
        return tuple(seat for seat in self.holdings if side_of(seat) == side)

    def is_pair(self, side: Side) -> bool:
        return len(self.members(side)) > 1


@dataclass(frozen=True, repr=False)
class AvenueHand(Hand):
    """The card that a seat laid face down. The referee never knows the rest of a hand."""

    face_down: str | None = None


@dataclass(frozen=True)
class Concealed:
    """A card laid face down, and whether its player declared the whole hand identical."""

    agent: str
    whole_hand: bool


def public(table: AvenueTable) -> dict[str, Any]:
    effect = table.resolving if table.step == "effect" else None
    return {
        "turn": table.turn,
        "step": table.step,
        "turns": table.turns,
        "sides": {side: _team(side, team) for side, team in table.teams.items()},
        "hands": {seat: held.hand for seat, held in table.holdings.items()},
        "discards_left": {seat: held.discards_left for seat, held in table.holdings.items()},
        "discarded": sum(held.discarded for held in table.holdings.values()),
        "deck": table.deck,
        "offer": {"face_up": table.face_up} if table.face_up else None,
        "resolving": {"seat": effect.seat, "card": effect.card} if effect else None,
        "market": _market(table.market) if table.market else None,
    }


def _team(side: Side, team: Team) -> dict[str, Any]:
    return {
        "progress": team.progress,
        "space": space(side, team.progress),
        "zone": {agent: n for agent, n in zip(AGENTS, team.zone, strict=True) if n},
        "permanents": list(team.permanents),
        "market_cards": list(team.bought),
    }


def _market(market: Market) -> dict[str, Any]:
    return {"row": list(market.row), "deck": market.deck, "discard": list(market.discard)}


def hand(held: AvenueHand) -> dict[str, Any]:
    return {"face_down": held.face_down}
