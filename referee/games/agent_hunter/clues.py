"""The clues of Agent Hunter: what the answers so far tell everyone about each hidden card."""

from collections.abc import Iterable, Mapping
from typing import Any

from referee.core.game import News
from referee.core.moves import Seat
from referee.games.agent_hunter.table import Bounds, Clues, HunterTable, other


def clues_after(clues: Clues, said: Iterable[News]) -> Clues:
    """The clues after some more news. A house that gets another card, or none, loses its clues."""
    for news in said:
        match news.kind:
            case "attack":
                clues = _attacked(clues, news.fields)
            case "destroyed":
                clues = _without(clues, news.fields["side"], news.fields["house"])
            case "matched" if news.fields["origin"] == "house":
                clues = _without(clues, news.fields["by"], news.fields["house"])
            case "swapped" | "refilled":
                clues = _without(clues, news.fields["by"], news.fields["house"])
    return clues


def _attacked(clues: Clues, told: Mapping[str, Any]) -> Clues:
    """A miss narrows the range of the attacked house. After a hit from a house, that house is empty."""
    seat, house, card = other(told["by"]), told["house"], told["card"]
    above, below = clues.get(seat, {}).get(house, Bounds())
    if told["answer"] == "plus":
        narrowed = Bounds(card if above is None else max(above, card), below)
    elif told["answer"] == "moins":
        narrowed = Bounds(above, card if below is None else min(below, card))
    else:
        return _without(clues, told["by"], told["from"]) if told["origin"] == "house" else clues
    return {**clues, seat: {**clues.get(seat, {}), house: narrowed}}


def _without(clues: Clues, seat: Seat, house: int) -> Clues:
    if house not in clues.get(seat, {}):
        return clues
    return {**clues, seat: {each: known for each, known in clues[seat].items() if each != house}}


def sketch(table: HunterTable) -> dict[str, Any]:
    """The clues as signs, for the page's drawing of the table."""
    return {
        "clues": {
            seat: {str(house): _signs(known) for house, known in sorted(houses.items())}
            for seat, houses in table.clues.items()
        }
    }


def _signs(known: Bounds) -> str:
    signs = (f"{sign} {card}" for sign, card in zip("><", known, strict=True) if card is not None)
    return ", ".join(signs)
