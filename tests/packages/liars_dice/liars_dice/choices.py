"""What each seat may do: roll, bid higher, or doubt the last bid."""

from collections.abc import Iterator

from liars_dice.table import ACE, FACES, MOST, DiceHand, DiceTable
from referee.core.game import Say, Slice
from referee.core.moves import Choice, Choices, Move, One, Shape

DICE = tuple(f"die_{n}" for n in range(1, MOST + 1))
MOVES = {
    "roll": Shape(dict.fromkeys(DICE, int), secret=frozenset(DICE), optional=frozenset(DICE[1:])),
    "bid": Shape({"face": int, "count": int}),
    "doubt": Shape(),
}
DiceSlice = Slice[DiceTable, DiceHand]


def choices(seen: DiceSlice) -> Choices:
    table, seat = seen.table, seen.seat
    if table.outcome or seat is None or not table.dice[seat]:
        return ()
    if table.step == "roll":
        dice = tuple(One(name, FACES, secret=True) for name in DICE[: table.dice[seat]])
        return () if seat in table.rolled else (Choice("roll", dice),)
    if table.turn != seat:
        return ()
    return (*_bids(table, table.dice[seat]), *((Choice("doubt"),) if table.bid else ()))


def _bids(table: DiceTable, own: int) -> Iterator[Choice]:
    for face in FACES:
        least = lowest(table, face, own)
        if least is not None and least <= table.total():
            counts = tuple(range(least, table.total() + 1))
            yield Choice("bid", (One("face", (face,)), One("count", counts)))


def lowest(table: DiceTable, face: int, own: int) -> int | None:
    """The lowest count that may be bid of a face; None if the face may not be bid at all.

    `own` is how many dice the bidder has: in a palifico round only those with one die may change the face.
    """
    bid = table.bid
    if bid is None:
        return None if face == ACE and table.aces_are_wild() else 1
    if table.palifico:
        if face != bid.face and own > 1:
            return None
        return bid.count + (face <= bid.face)
    if not table.wild:
        return bid.count + (face <= bid.face)
    if face == ACE:
        return bid.count + 1 if bid.face == ACE else (bid.count + 1) // 2
    return 2 * bid.count + 1 if bid.face == ACE else bid.count + (face <= bid.face)


def why_not(seen: DiceSlice, move: Move) -> Say | None:
    """The rule that forbids a move which is not offered."""
    table, seat = seen.table, seen.seat
    if seat is None or table.step != "bid" or table.turn != seat:
        return None
    if move.type == "doubt" and not table.bid:
        return Say("no_bid")
    if move.type != "bid" or move["face"] not in FACES:
        return None
    least = lowest(table, move["face"], table.dice[seat])
    if least is None:
        return Say("fixed_face" if table.palifico else "no_aces")
    return (
        Say("too_low", {"least": least})
        if move["count"] < least
        else Say("too_many", {"dice": table.total()})
    )
