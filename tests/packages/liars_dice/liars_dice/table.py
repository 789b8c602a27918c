"""The public table and the private hands of Liar's Dice, and their JSON form."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.core.game import Hand, State, Table
from referee.core.moves import Seat
from referee.core.options import PLAYERS, Options

CUPS = tuple(f"cup_{n}" for n in range(1, 9))
FACES = (1, 2, 3, 4, 5, 6)
ACE = 1
MOST = 5  # dice of a player at the start


@dataclass(frozen=True)
class Bid:
    """So many dice of this face, under all cups together."""

    count: int
    face: int


@dataclass(frozen=True, kw_only=True)
class DiceTable(Table):
    dice: Mapping[Seat, int]  # left to each player
    wild: bool  # aces count as every face
    has_palifico: bool
    starter: Seat  # of this round
    rolled: frozenset[Seat] = frozenset()
    bid: Bid | None = None
    bidder: Seat | None = None
    palifico: bool = False  # in this round aces are not wild, and the face is fixed
    been_palifico: frozenset[Seat] = frozenset()
    out: tuple[Seat, ...] = ()  # in the order in which they went out

    def alive(self) -> tuple[Seat, ...]:
        return tuple(seat for seat, dice in self.dice.items() if dice)

    def total(self) -> int:
        return sum(self.dice.values())

    def aces_are_wild(self) -> bool:
        return self.wild and not self.palifico

    def after(self, seat: Seat) -> Seat:
        """The next player at the left who still has dice."""
        around = tuple(self.dice)
        at = around.index(seat)
        return next(other for other in (*around[at + 1 :], *around[: at + 1]) if self.dice[other])


@dataclass(frozen=True, repr=False)
class DiceHand(Hand):
    """The dice under one cup, and those of earlier rounds."""

    dice: tuple[int, ...] = ()
    earlier: tuple[tuple[int, ...], ...] = field(default=())


DiceState = State[DiceTable, DiceHand]


def seats(options: Options) -> tuple[Seat, ...]:
    return CUPS[: options[PLAYERS]]


def count(state: DiceState, face: int) -> int:
    """How many dice under all cups count for a face."""
    wild = state.table.aces_are_wild()
    rolls = (state.hands[seat].dice for seat in state.table.alive())
    return sum(die == face or (wild and die == ACE) for roll in rolls for die in roll)


def faces(_table: DiceTable) -> dict[str, tuple[int, ...]]:
    """What a form of a roll shows: the same for everybody."""
    return {f"die_{n}": FACES for n in range(1, MOST + 1)}


def public(table: DiceTable) -> dict[str, Any]:
    return {
        "turn": table.turn,
        "step": table.step,
        "dice": dict(table.dice),
        "rolled": [seat for seat in table.dice if seat in table.rolled],
        "bid": {"count": table.bid.count, "face": table.bid.face, "by": table.bidder} if table.bid else None,
        "palifico": table.palifico,
        "out": list(table.out),
    }


def hand(mine: DiceHand) -> dict[str, Any]:
    return {"dice": list(mine.dice)}


def invariants(state: DiceState) -> Iterator[str]:
    table = state.table
    for seat, mine in state.hands.items():
        if seat in table.rolled and len(mine.dice) != table.dice[seat]:
            yield f"{seat} has rolled {len(mine.dice)} dice and owns {table.dice[seat]}"
    if table.bid and not 1 <= table.bid.count <= table.total():
        yield f"a bid of {table.bid.count} where {table.total()} dice are"
