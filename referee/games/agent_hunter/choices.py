"""What a seat may do now in Agent Hunter, and which rule forbids what it may not."""

from functools import lru_cache

from referee.game import Say, Slice
from referee.games.agent_hunter.table import HOUSES, VALUES, HunterHand, HunterTable, other
from referee.moves import Arrange, Choice, Choices, Move, One, Shape

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


@lru_cache(maxsize=1024)
def _attack_from_hand(cards: frozenset[int], targets: tuple[int, ...]) -> Choice:
    return Choice("attack_from_hand", (_card(cards), _houses("house", targets)))


@lru_cache(maxsize=64)
def _attack_from_house(live: tuple[int, ...], targets: tuple[int, ...]) -> Choice:
    return Choice("attack_from_house", (_houses("from", live), _houses("house", targets)))


@lru_cache(maxsize=64)
def _houses(name: str, houses: tuple[int, ...]) -> One:
    return One(name, houses)


@lru_cache(maxsize=1024)
def _swap(house: int, cards: frozenset[int]) -> Choice:
    return Choice("swap", (ONE_HOUSE[house], _card(cards, secret=True), DECOY))


@lru_cache(maxsize=1024)
def _card(cards: frozenset[int], secret: bool = False) -> One:
    return One("card", tuple(sorted(cards)), secret)


HIDE = Choice("hide", (Arrange("houses", VALUES, len(HOUSES), secret=True),))
ONE_HOUSE = {house: One("house", (house,)) for house in HOUSES}
DECOY = One("decoy", HOUSES)


def why_not(seen: HunterSlice, move: Move) -> Say | None:
    """The rule that forbids a well-formed move to a seat whose turn it is to act."""
    table, mine, side = seen.table, seen.mine(), seen.table.sides[str(seen.seat)]
    targets = table.sides[other(str(seen.seat))].live
    match move.type:
        case "hide" if table.step == "hide" and not side.hidden:
            return Say("hide")
        case "refill" if table.owed and table.owed.seat == seen.seat:
            return _laid(mine, move) or Say("refill", {"house": table.owed.house})
        case "attack_from_hand" | "attack_from_house" | "swap" if table.owed and table.owed.seat == seen.seat:
            return Say("owed", {"house": table.owed.house})
        case "attack_from_hand" if _may_act(seen) and move["card"] not in mine.cards:
            return _laid(mine, move) or Say("not_in_hand", {"card": move["card"]})
        case "attack_from_hand" | "attack_from_house" if _may_act(seen) and move["house"] not in targets:
            return Say("target", {"house": move["house"]})
        case "attack_from_house" if _may_act(seen):
            return Say("own_house", {"house": move["from"]})
        case "swap" if _may_act(seen) and not side.decoys_left:
            return Say("no_decoy")
        case "swap" if _may_act(seen) and move["house"] not in side.live:
            return Say("own_house", {"house": move["house"]})
        case "swap" if _may_act(seen) and move["decoy"] not in HOUSES:
            return Say("decoy")
        case "swap" if _may_act(seen):
            return _laid(mine, move) or Say("not_in_hand", {"card": move["card"]})
    return None


def _laid(mine: HunterHand, move: Move) -> Say | None:
    """That a card lies in one of the seat's own houses, and in which: nobody else is told."""
    house = mine.house_of(move["card"])
    return Say("in_house", {"card": move["card"], "house": house}) if house else None


def _may_act(seen: HunterSlice) -> bool:
    return seen.table.step == "act" and seen.table.turn == seen.seat
