"""What lies on the table and in the hands of Agent Double, and how both go on the wire."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from referee.altered import altered
from referee.game import Hand, Table
from referee.games.agent_double.deck import HIDDEN, Deck
from referee.moves import Seat

SEATS = ("red", "blue")
NOBODY = "nobody"
TO_BOX, TO_HAND = "box", "hand"  # where the card of an action goes
TOKENS = (1, 2, 2, 3, 4, 5)
TRACK = (-2, -1, 1, 2)  # from red's dark space to blue's
DARK = {-2: "red", 2: "blue"}
HAND, MARKERS = 5, 2
NEED, NEED_BESIDE = 4, 3  # documents for a delivery; beside an agent that has delivered
ENOUGH = 5  # agents delivered: the game ends with the turn
INFLUENCE_TURNS = 3


def other(seat: Seat) -> Seat:
    return SEATS[1 - SEATS.index(seat)]


def side_of(position: int) -> Seat:
    """On whose side of the track this space lies."""
    return "red" if position < 0 else "blue"


def step_toward(position: int, seat: Seat) -> int | None:
    """The next space of the track towards a player; none past its end."""
    n = TRACK.index(position) + (-1 if seat == "red" else 1)
    return TRACK[n] if 0 <= n < len(TRACK) else None


@dataclass(frozen=True)
class File:
    """A document as everyone sees it: face down. It is the `n`th that its owner laid, wherever it lies."""

    owner: Seat
    back: str
    n: int

    def wire(self) -> dict[str, str]:
        return {"owner": self.owner, "back": self.back}


@dataclass(frozen=True)
class Agent:
    """One agent as everyone sees it. One that has delivered has nothing left."""

    name: str
    influence: int  # the space of its counter
    delivered: bool = False
    moved: bool = False  # the counter was turned over by an end-of-turn move
    markers: int = 0
    files: tuple[File, ...] = ()
    tokens: Mapping[Seat, str] = field(default_factory=dict)  # by the agents they were first given to

    def has_hidden(self) -> bool:
        return HIDDEN in [file.back for file in self.files]

    def of(self, owner: Seat) -> tuple[File, ...]:
        return tuple([file for file in self.files if file.owner == owner])


@dataclass(frozen=True)
class Effect:
    """A primitive of an action with its targets, by the names of its move, and the document it names."""

    type: str
    fields: Mapping[str, Any]
    file: File | None = None


@dataclass(frozen=True)
class Draft:
    """An action that is being composed, or waits for an answer: nothing of it has happened."""

    name: str
    effects: tuple[Effect, ...] = ()
    returns: bool = False  # to the hand, not to the box

    @property
    def card(self) -> str:
        """Where the card goes in the end."""
        return TO_HAND if self.returns else TO_BOX


@dataclass(frozen=True)
class Loyalty:
    """The parts of the sum for one player."""

    token: int
    influence: int
    personal: int

    @property
    def total(self) -> int:
        return self.token + self.influence + self.personal

    def wire(self) -> dict[str, int]:
        return {**vars(self), "total": self.total}


@dataclass(frozen=True)
class Shown:
    """A document turned face up, and how it lay there."""

    lay: File
    file: str
    value: int

    @property
    def owner(self) -> Seat:
        return self.lay.owner

    def wire(self) -> dict[str, Any]:
        return {"owner": self.owner, "file": self.file, "value": self.value}


@dataclass(frozen=True)
class Asks:
    """An effect card whose owner must say what its text does."""

    owner: Seat
    card: str


@dataclass(frozen=True)
class Delivery:
    """All that a delivery has shown; while cards still ask, it waits. `why` tells what decided."""

    agent: str
    loyalty: Mapping[Seat, Loyalty]
    files: tuple[Shown, ...]
    taker: str
    why: str
    asks: tuple[Asks, ...] = ()
    proposed: str = ""  # what the owner of the first of these cards says
    disagreed: int = 0  # how often the other did not agree

    @property
    def points(self) -> int:
        return sum(file.value for file in self.files)

    def wire(self) -> dict[str, Any]:
        return {
            "agent": self.agent,
            "loyalty": {seat: part.wire() for seat, part in self.loyalty.items()},
            "files": [file.wire() for file in self.files],
            "taker": self.taker,
            "points": self.points if self.taker != NOBODY else 0,
            "why": self.why,
        }


@dataclass(frozen=True, kw_only=True)
class DoubleTable(Table):
    first: Seat
    agents: tuple[Agent, ...]
    deck: Deck | None = field(default=None, repr=False)  # 22 cards that the options name already
    trapped: str = "ask"
    personal: str = "plus_one"
    assigned: tuple[Seat, ...] = ()
    hands: Mapping[Seat, int]
    decks: Mapping[Seat, int]
    boxed: Mapping[Seat, int]  # cards out of the game: actions, documents removed or taken by nobody
    acted: Mapping[Seat, tuple[str, ...]]  # the names of the actions played
    spent: Mapping[Seat, tuple[str, ...]]  # of these, those whose cards went to the box
    laid: Mapping[Seat, int]  # documents, wherever they are now
    markers: int = MARKERS  # not yet laid
    turns: Mapping[Seat, int]  # wholly played
    drew: Seat | None = None  # who drew at the end of the last move
    draft: Draft | None = None
    origin: int | None = None  # where a chain of deliveries began
    pending: Delivery | None = None
    deliveries: tuple[Delivery, ...] = ()

    def index(self, agent: str) -> int:
        return next(n for n, each in enumerate(self.agents) if each.name == agent)

    def need(self, n: int) -> int:
        """The documents for which this agent delivers."""
        beside = [agent.delivered for agent in self.agents[max(n - 1, 0) : n + 2]]
        return (NEED_BESIDE if True in beside else NEED) + self.agents[n].markers

    def live(self) -> tuple[Agent, ...]:
        return tuple([agent for agent in self.agents if not agent.delivered])

    def with_agent(self, agent: Agent) -> Self:
        n = self.index(agent.name)
        return altered(self, agents=(*self.agents[:n], agent, *self.agents[n + 1 :]))

    def cards_left(self, seat: Seat) -> int:
        return self.hands[seat] + self.decks[seat]

    def answering(self) -> Seat | None:
        """Who has to agree or not, in the step `agree`."""
        if self.pending:
            return other(self.pending.asks[0].owner)
        return other(str(self.turn)) if self.draft else None

    def pile(self, seat: Seat) -> tuple[int, int]:
        """The points and the cards of a score pile."""
        mine = [delivery for delivery in self.deliveries if delivery.taker == seat]
        return sum(each.points for each in mine), sum(len(each.files) for each in mine)


@dataclass(frozen=True)
class Placed:
    """A document as its owner laid it down."""

    agent: str
    back: str
    file: str


@dataclass(frozen=True)
class Peek:
    """What an action showed to one seat alone: the other's documents there, or its token."""

    agent: str
    files: tuple[tuple[str, str], ...] = ()  # backs and faces
    token: int | None = None

    def wire(self) -> dict[str, Any]:
        if self.token is not None:
            return {"agent": self.agent, "loyalty": self.token}
        return {"agent": self.agent, "files": [{"back": back, "file": file} for back, file in self.files]}


@dataclass(frozen=True, repr=False)
class DoubleHand(Hand):
    """One player's tokens and documents before the live agents, and all that was entered or seen."""

    seat: Seat
    loyalty: Mapping[str, int]
    files: Mapping[str, tuple[str, ...]]  # in the order in which this seat's files lie there
    peeked: tuple[Peek, ...] = ()
    assigned: Mapping[str, int] | None = None  # as first entered; none before
    placed: tuple[Placed, ...] = ()

    def at(self, agent: str) -> tuple[str, ...]:
        return self.files.get(agent, ())

    def with_files(self, agent: str, files: tuple[str, ...]) -> Self:
        left = {name: held for name, held in self.files.items() if name != agent}
        return altered(self, files={**left, agent: files} if files else left)

    def without(self, agent: str) -> Self:
        """Token and documents of an agent that has delivered are gone."""
        loyalty = {name: token for name, token in self.loyalty.items() if name != agent}
        return altered(self.with_files(agent, ()), loyalty=loyalty)

    def first(self) -> "DoubleHand":
        """What this seat entered, as it entered it."""
        files: dict[str, tuple[str, ...]] = {}
        for each in self.placed:
            files[each.agent] = (*files.get(each.agent, ()), each.file)
        return DoubleHand(self.seat, self.assigned or {}, files)


def public(table: DoubleTable) -> dict[str, Any]:
    return {
        "turn": table.turn,
        "step": table.step,
        "agents": [_agent(table, n) for n in range(len(table.agents))],
        "hands": dict(table.hands),
        "decks": dict(table.decks),
        "piles": {seat: dict(zip(("points", "cards"), table.pile(seat), strict=True)) for seat in SEATS},
        "assigned": list(table.assigned),
        "turns": dict(table.turns),
        "markers": table.markers,
        "acted": {seat: list(names) for seat, names in table.acted.items()},
        "action": _draft(table.draft) if table.draft else None,
        "ruling": _ruling(table.pending) if table.pending else None,
        "deliveries": [delivery.wire() for delivery in table.deliveries],
    }


def _agent(table: DoubleTable, n: int) -> dict[str, Any]:
    agent = table.agents[n]
    return {
        "agent": agent.name,
        "delivered": agent.delivered,
        "influence": None if agent.delivered else agent.influence,
        "moved": agent.moved,
        "markers": agent.markers,
        "need": None if agent.delivered else table.need(n),
        "files": [file.wire() for file in agent.files],
    }


def _draft(draft: Draft) -> dict[str, Any]:
    effects = [{"type": effect.type, **effect.fields} for effect in draft.effects]
    return {"name": draft.name, "effects": effects, "card": draft.card}


def _ruling(pending: Delivery) -> dict[str, Any]:
    """A delivery that waits: what it has shown, whose card asks, what was said so far."""
    asks = pending.asks[0]
    shown = {name: value for name, value in pending.wire().items() if name not in ("taker", "points", "why")}
    proposed = {"proposed": pending.proposed or None, "disagreed": pending.disagreed}
    return {"owner": asks.owner, "card": asks.card, **proposed, **shown}


def hand(mine: DoubleHand) -> dict[str, Any]:
    return {
        "loyalty": dict(mine.loyalty),
        "files": {agent: list(files) for agent, files in mine.files.items()},
        "peeked": [peek.wire() for peek in mine.peeked],
    }


def shown_in_private(mine: DoubleHand) -> tuple[Peek, ...]:
    return mine.peeked
