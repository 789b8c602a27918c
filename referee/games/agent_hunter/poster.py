"""The final position of Agent Hunter: both sides' houses with their agents, and the hands."""

from collections.abc import Iterator
from typing import Any

from referee.core.game import Finished
from referee.core.moves import Seat
from referee.games.agent_hunter.table import SEATS
from referee.presentation.poster import SIDES, Box, Disc, Drawn, Path, card

TALL, HOUSE = 340, 190  # of a side, and of a house's card


def poster(game: Finished) -> Iterator[Drawn]:
    for n, seat in enumerate(SEATS):
        yield from _side(game, seat, SIDES[n], n * (TALL + 20))


def _side(game: Finished, seat: Seat, colour: str, top: float) -> Iterator[Drawn]:
    yield Box(0, top, 1000, TALL, f"{colour}-light", colour)
    end = game.debrief[seat]["end"]
    for n, house in enumerate(game.public["sides"][seat]["houses"]):
        yield from _house(house, end["houses"][str(house["house"])], 130 + n * 300, top + 20, colour)
    hand = end["cards"]
    for n, value in enumerate(hand):
        yield from card(500 - len(hand) * 35 + n * 70, top + TALL - 108, str(value), 84)


def _house(house: Any, value: int | None, x: float, y: float, colour: str) -> Iterator[Drawn]:
    """A house: its agent, crossed out if it was destroyed, and its decoys beside it."""
    gone = house["destroyed"]
    shown = house["value"] if gone else value
    yield from card(x, y, "–" if shown is None else str(shown), HOUSE, "gone" if gone else "card")
    if gone:
        yield Path(((x + 12, y + HOUSE - 16), (x + HOUSE * 0.72 - 12, y + 16)), "stamp", 10)
    for n in range(house["decoys"]):
        yield Disc(x + HOUSE * 0.72 + 34, y + 34 + n * 52, 19, "gold", colour, 8)
