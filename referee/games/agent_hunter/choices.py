"""What a seat may do now in Agent Hunter."""

from referee.core.game import Slice
from referee.core.moves import Arrange, Choice, Choices, One, Shape
from referee.games.agent_hunter.table import HOUSES, VALUES, HunterHand, HunterTable, other

HunterSlice = Slice[HunterTable, HunterHand]
MOVES = {
    "hide": Shape({"houses": (int,)}, secret=frozenset({"houses"})),
    "attack_from_hand": Shape({"card": int, "house": int}),
    "attack_from_house": Shape({"from": int, "house": int}),
    "swap": Shape({"house": int, "card": int, "decoy": int}, secret=frozenset({"card"})),
    "refill": Shape({"house": int, "card": int}, secret=frozenset({"card"})),
}


def choices(seen: HunterSlice) -> Choices:
    table, seat = seen.table, seen.seat
    if table.outcome or seat is None:
        return ()
    if table.step == "hide":
        return () if table.sides[seat].hidden else (HIDE,)
    if table.owed:
        return (_refill(seen.mine(), table.owed.house),) if table.owed.seat == seat else ()
    return _actions(seen) if table.turn == seat else ()


def _refill(mine: HunterHand, house: int) -> Choice:
    return Choice("refill", (ONE_HOUSE[house], _card(mine.cards, secret=True)))


def _actions(seen: HunterSlice) -> Choices:
    mine, side = seen.mine(), seen.table.sides[str(seen.seat)]
    targets, live = seen.table.sides[other(str(seen.seat))].live, side.live
    swaps = [_swap(house, mine.with_house_card(house)) for house in live if side.decoys_left]
    return (_attack_from_hand(mine.cards, targets), _attack_from_house(live, targets), *swaps)


def _attack_from_hand(cards: frozenset[int], targets: tuple[int, ...]) -> Choice:
    return Choice("attack_from_hand", (_card(cards), _houses("house", targets)))


def _attack_from_house(live: tuple[int, ...], targets: tuple[int, ...]) -> Choice:
    return Choice("attack_from_house", (_houses("from", live), _houses("house", targets)))


def _houses(name: str, houses: tuple[int, ...]) -> One:
    return One(name, houses)


def _swap(house: int, cards: frozenset[int]) -> Choice:
    return Choice("swap", (ONE_HOUSE[house], _card(cards, secret=True), DECOY))


def _card(cards: frozenset[int], secret: bool = False) -> One:
    return One("card", tuple(sorted(cards)), secret)


HIDE = Choice("hide", (Arrange("houses", VALUES, len(HOUSES), secret=True),))
ONE_HOUSE = {house: One("house", (house,)) for house in HOUSES}
DECOY = One("decoy", HOUSES)
