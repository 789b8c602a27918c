"""The final position of Agent Avenue: the loop with both pawns, and whom each side has recruited."""

from collections.abc import Iterator
from typing import Any

from referee.core.game import Finished
from referee.games.agent_avenue.cards import SIDES as TEAMS
from referee.presentation.poster import LEFT, RIGHT, SIDES, Box, Disc, Drawn, Path, Text

PLACES = (
    *((2, 3), (1, 3), (0, 3), (0, 2), (0, 1), (0, 0), (1, 0), (2, 0)),
    *((3, 0), (4, 0), (4, 1), (4, 2), (4, 3), (3, 3)),
)  # of the spaces, by column and line, clockwise from the green home below
HOMES = {0: "one", 7: "two"}
SPACE = 100
ROWS = 9  # lines of a zone that fit


def poster(game: Finished) -> Iterator[Drawn]:
    for n in range(len(PLACES)):
        x, y = _corner(n)
        home = HOMES.get(n)
        yield Box(x, y, SPACE - 10, SPACE - 10, f"{home}-light" if home else "card", home or "line")
        yield Text(x + 14, y + 18, str(n), 20, "muted", LEFT, bold=False)
    for n, team in enumerate(TEAMS):
        yield from _pawn(game.public["sides"][team]["space"], n)
        yield from _zone(game, game.public["sides"][team], SIDES[n], 10 + n * 345)


def _corner(space: int) -> tuple[float, float]:
    column, line = PLACES[space]
    return column * SPACE, 150 + line * SPACE


def _pawn(space: int, n: int) -> Iterator[Drawn]:
    x, y = _corner(space)
    x, y = x + (32 if n == 0 else 60), y + (56 if n == 0 else 48)
    if n == 0:
        yield Disc(x, y, 25, "one", "card")
        yield Disc(x, y, 9, "card")
    else:
        yield Path(((x, y - 30), (x + 30, y), (x, y + 30), (x - 30, y)), "card", 5, "two")


def _zone(game: Finished, side: Any, colour: str, top: float) -> Iterator[Drawn]:
    yield Box(540, top, 460, 330, f"{colour}-light", colour)
    agents = [(game.say("agent", agent=agent), f"×{n}") for agent, n in side["zone"].items()]
    bought = [(game.say("card", card=card), "") for card in side["market_cards"]]
    for n, (name, copies) in enumerate([*agents, *bought][:ROWS]):
        yield Text(562, top + 30 + n * 35, name, 26, anchor=LEFT)
        yield Text(978, top + 30 + n * 35, copies, 26, colour, RIGHT)
