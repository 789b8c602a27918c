"""The public table and the private hands of Agent Double, and their JSON form."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from referee.core.frozen import replaced
from referee.core.game import Hand, Table
from referee.core.moves import Seat
from referee.games.agent_double.deck import HIDDEN, Deck

SEATS = ("red", "blue")
NOBODY = "nobody"
TO_BOX, TO_HAND = "box", "hand"  # where the card of an action goes
TOKENS = (1, 2, 2, 3, 4, 5)
TRACK = (-2, -1, 1, 2)  # from red's dark space to blue's
DARK = {-2: "red", 2: "blue"}
HAND, MARKERS = 5, 2
NEED, NEED_BESIDE = 4, 3  # documents needed for a delivery; next to an agent that has delivered
ENOUGH = 5  # the game ends with the turn in which this many agents have delivered
INFLUENCE_TURNS = 3


def other(seat: Seat) -> Seat:
    return SEATS[1 - SEATS.index(seat)]


def side_of(position: int) -> Seat:
    """The player on whose side of the track this space is."""
    return "red" if position < 0 else "blue"


def step_toward(position: int, seat: Seat) -> int | None:
    """The next space of the track towards a player, or None at its end."""
    n = TRACK.index(position) + (-1 if seat == "red" else 1)
    return TRACK[n] if 0 <= n < len(TRACK) else None


@dataclass(frozen=True)
class File:
    """A document as everyone sees it: face down. It is the `n`th that its owner laid, which identifies it."""

    owner: Seat
    back: str
    n: int

    def wire(self) -> dict[str, str]:
        return {"owner": self.owner, "back": self.back}


@dataclass(frozen=True)
class Agent:
    """One agent as everyone sees it. After its delivery it has no documents or markers."""

    name: str
    influence: int  # the space of its counter
    delivered: bool = False
    moved: bool = False  # the counter was turned over by an end-of-turn move
    markers: int = 0
    files: tuple[File, ...] = ()
    tokens: Mapping[Seat, str] = field(default_factory=dict)  # each named by the agent it was assigned to

    def has_hidden(self) -> bool:
        return HIDDEN in [file.back for file in self.files]

    def of(self, owner: Seat) -> tuple[File, ...]:
        return tuple([file for file in self.files if file.owner == owner])


@dataclass(frozen=True)
class Effect:
    """A primitive of an action with its targets (fields as in its move), and the document it targets."""

    type: str
    fields: Mapping[str, Any]
    file: File | None = None


@dataclass(frozen=True)
class Draft:
    """An action that is being composed or waits for an answer. None of it has been applied."""

    name: str
    effects: tuple[Effect, ...] = ()
    returns: bool = False  # to the hand, not to the box

    @property
    def card(self) -> str:
        """Where the card goes after the action."""
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
    """A document turned face up, and the same document face down."""

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
    """An effect card that needs a ruling: its owner must say what its text does."""

    owner: Seat
    card: str


@dataclass(frozen=True)
class Delivery:
    """A delivery with everything it has revealed. It is pending while `asks` is not empty. `why` is the
    reason for the taker."""

    agent: str
    loyalty: Mapping[Seat, Loyalty]
    files: tuple[Shown, ...]
    taker: str
    why: str
    asks: tuple[Asks, ...] = ()
    proposed: str = ""  # the taker proposed by the owner of the first of these cards
    disagreed: int = 0  # how often the other player refused

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
    deck: Deck | None = field(default=None, repr=False)  # from the options; too long for a repr
    trapped: str = "ask"
    personal: str = "plus_one"
    assigned: tuple[Seat, ...] = ()
    hands: Mapping[Seat, int]
    decks: Mapping[Seat, int]
    boxed: Mapping[Seat, int]  # cards out of the game: actions, documents removed or taken by nobody
    acted: Mapping[Seat, tuple[str, ...]]  # the names of the actions played
    spent: Mapping[Seat, tuple[str, ...]]  # of these, those whose cards went to the box
    laid: Mapping[Seat, int]  # the number of documents laid, wherever they are now
    markers: int = MARKERS  # markers in the supply
    turns: Mapping[Seat, int]  # completed turns
    drew: Seat | None = None  # who drew at the end of the last move
    draft: Draft | None = None
    origin: int | None = None  # where a chain of deliveries began
    pending: Delivery | None = None
    deliveries: tuple[Delivery, ...] = ()

    def index(self, agent: str) -> int:
        return next(n for n, each in enumerate(self.agents) if each.name == agent)

    def need(self, n: int) -> int:
        """The number of documents that this agent needs to deliver."""
        beside = [agent.delivered for agent in self.agents[max(n - 1, 0) : n + 2]]
        return (NEED_BESIDE if True in beside else NEED) + self.agents[n].markers

    def live(self) -> tuple[Agent, ...]:
        return tuple([agent for agent in self.agents if not agent.delivered])

    def with_agent(self, agent: Agent) -> Self:
        n = self.index(agent.name)
        return replaced(self, agents=(*self.agents[:n], agent, *self.agents[n + 1 :]))

    def cards_left(self, seat: Seat) -> int:
        return self.hands[seat] + self.decks[seat]

    def answering(self) -> Seat | None:
        """The seat that must agree or disagree, in the step `agree`."""
        if self.pending:
            return other(self.pending.asks[0].owner)
        return other(str(self.turn)) if self.draft else None

    def pile(self, seat: Seat) -> tuple[int, int]:
        """The points and the number of cards of a score pile."""
        mine = [delivery for delivery in self.deliveries if delivery.taker == seat]
        return sum(each.points for each in mine), sum(len(each.files) for each in mine)


@dataclass(frozen=True)
class Placed:
    """A document as its owner laid it."""

    agent: str
    back: str
    file: str


@dataclass(frozen=True)
class Peek:
    """What an action showed to one seat alone: the other player's documents before an agent, or token."""

    agent: str
    files: tuple[tuple[str, str], ...] = ()  # backs and faces
    token: int | None = None

    def wire(self) -> dict[str, Any]:
        if self.token is not None:
            return {"agent": self.agent, "loyalty": self.token}
        return {"agent": self.agent, "files": [{"back": back, "file": file} for back, file in self.files]}


@dataclass(frozen=True, repr=False)
class DoubleHand(Hand):
    """One player's tokens and documents before the live agents, and all that it entered or peeked at."""

    seat: Seat
    loyalty: Mapping[str, int]
    files: Mapping[str, tuple[str, ...]]  # in the order in which this seat's files lie there
    peeked: tuple[Peek, ...] = ()
    assigned: Mapping[str, int] | None = None  # the tokens as first entered
    placed: tuple[Placed, ...] = ()

    def at(self, agent: str) -> tuple[str, ...]:
        return self.files.get(agent, ())

    def with_files(self, agent: str, files: tuple[str, ...]) -> Self:
        left = {name: held for name, held in self.files.items() if name != agent}
        return replaced(self, files={**left, agent: files} if files else left)

    def without(self, agent: str) -> Self:
        """The hand without the token and documents of an agent that has delivered."""
        loyalty = {name: token for name, token in self.loyalty.items() if name != agent}
        return replaced(self.with_files(agent, ()), loyalty=loyalty)

    def first(self) -> "DoubleHand":
        """The hand as this seat entered it, before any effect."""
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
    """A pending delivery: what it has revealed, whose card needs a ruling, and the ruling so far."""
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
