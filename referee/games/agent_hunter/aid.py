"""The deduction sheet of Agent Hunter: exactly the layouts of the enemy's houses that are still possible."""

from collections.abc import Callable, Iterable, Iterator
from itertools import permutations
from typing import Any

from referee.core.game import Aid, News, Possible, Say
from referee.core.moves import Seat
from referee.games.agent_hunter.choices import HunterSlice
from referee.games.agent_hunter.table import HOUSES, HunterTable, faces, other

Layout = tuple[int | None, ...]  # the cards of houses 1, 2, 3; None: no hidden card
Layouts = Iterable[Layout]

FITS: dict[str, Callable[[int, int], bool]] = {
    "plus": lambda hidden, shown: hidden > shown,
    "moins": lambda hidden, shown: hidden < shown,
    "reussite": lambda hidden, shown: hidden == shown,
}


def _begun(seen: HunterSlice) -> frozenset[Layout]:
    return frozenset(_layouts(seen.table, other(str(seen.seat))))


def _seen(layouts: frozenset[Layout], _before: HunterSlice, now: HunterSlice) -> frozenset[Layout]:
    """The layouts that are still possible after a move."""
    enemy, left = other(str(now.seat)), _left(now.table)
    for news in now.table.said:
        layouts = frozenset(_after(layouts, news, enemy, left))
    return layouts


def _told(layouts: frozenset[Layout], now: HunterSlice) -> tuple[Possible, ...]:
    """For each enemy house that stands, the cards that it may hold."""
    side, among = now.table.sides[other(str(now.seat))], _left(now.table)
    held = {house: {layout[house - 1] for layout in layouts} for house in side.live}
    return tuple(
        Possible(Say("house", {"house": house}), among, tuple(card for card in among if card in cards))
        for house, cards in held.items()
        if cards != {None}
    )


AID = Aid(_begun, _seen, _told)


def _left(table: HunterTable) -> tuple[int, ...]:
    """The cards that both sides still have."""
    return faces(table)["card"]


def _layouts(table: HunterTable, enemy: Seat) -> Iterator[Layout]:
    """All layouts that the public table allows."""
    side = table.sides[enemy]
    owed = table.owed.house if table.owed and table.owed.seat == enemy else None
    filled = [house for house in side.live if side.hidden and house != owed]
    for cards in permutations((card for card in _left(table) if card not in side.known_in_hand), len(filled)):
        lying = dict(zip(filled, cards, strict=True))
        yield tuple(lying.get(house) for house in HOUSES)


def _after(layouts: Layouts, news: News, enemy: Seat, left: tuple[int, ...]) -> Layouts:
    """The layouts that are possible after a piece of news."""
    told = news.fields
    match news.kind:
        case "hidden" if told["by"] == enemy:
            return permutations(left, len(HOUSES))
        case "attack" if told["by"] == enemy:
            return _attacked(layouts, told)
        case "attack":
            fits = FITS[told["answer"]]
            return [lying for lying in layouts if _is(lying, told["house"], lambda w: fits(w, told["card"]))]
        case "destroyed" if told["side"] == enemy:
            return _emptied(layouts, told["house"], told["value"])
        case "matched" if told["by"] == enemy and told["origin"] == "house":
            return _emptied(layouts, told["house"], told["value"])
        case "matched" if told["by"] == enemy:
            return [lying for lying in layouts if told["value"] not in lying]
        case "swapped" if told["by"] == enemy:
            return _filled(_emptied(layouts, told["house"], told["shown"]), told["house"], left)
        case "refilled" if told["by"] == enemy:
            return _filled(layouts, told["house"], left)
    return layouts


def _attacked(layouts: Layouts, told: Any) -> Layouts:
    """The enemy shows a card from hand, or from a house, which is empty after a hit."""
    if told["origin"] == "hand":
        return [lying for lying in layouts if told["card"] not in lying]
    if told["answer"] == "reussite":
        return _emptied(layouts, told["from"], told["card"])
    return [lying for lying in layouts if lying[told["from"] - 1] == told["card"]]


def _is(lying: Layout, house: int, fits: Callable[[int], bool]) -> bool:
    card = lying[house - 1]
    return card is not None and fits(card)


def _emptied(layouts: Layouts, house: int, card: int) -> Layouts:
    """The layouts in which this house held this card, with the house now empty."""
    return [_with(lying, house, None) for lying in layouts if lying[house - 1] == card]


def _filled(layouts: Layouts, house: int, left: tuple[int, ...]) -> Layouts:
    """The layouts with any card that is in no other house put into this one."""
    return [_with(lying, house, card) for lying in layouts for card in left if card not in lying]


def _with(lying: Layout, house: int, card: int | None) -> Layout:
    return (*lying[: house - 1], card, *lying[house:])
