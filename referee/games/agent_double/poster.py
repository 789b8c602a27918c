"""The final position of Agent Double: the six agents with both loyalties and documents, and who took them."""

from collections.abc import Iterator, Mapping
from typing import Any

from referee.core.game import Finished
from referee.core.moves import Seat
from referee.presentation.poster import Box, Disc, Drawn, Text

WIDE, EACH = 156, 4  # of a column, and the most documents of a side that fit in it
COLOURS: Mapping[Seat, str] = {"red": "one", "blue": "two"}
SIGNS = {"personal": "♥", "trapped": "✸"}


def poster(game: Finished) -> Iterator[Drawn]:
    done = {each["agent"]: each for each in game.public["deliveries"]}
    for n, agent in enumerate(game.public["agents"]):
        yield from _column(game, agent["agent"], done.get(agent["agent"]), n * (1000 - WIDE) / 5)


def _column(game: Finished, name: str, done: Any, x: float) -> Iterator[Drawn]:
    """One agent: blue above, red below, and between them its name and what its documents were worth."""
    colour = COLOURS.get(done["taker"], "") if done else ""
    yield Box(x, 0, WIDE, 700, f"{colour}-light" if colour else "card", colour or "line")
    yield Text(x + WIDE / 2, 318, name, 64)
    if done:
        yield Text(x + WIDE / 2, 388, f"+{done['points']}", 46, colour or "muted")
    for seat, centre, away in (("blue", 250, -1), ("red", 450, 1)):
        loyalty, files = _held(game, name, seat, done)
        yield Disc(x + WIDE / 2, centre, 34, COLOURS[seat])
        yield Text(x + WIDE / 2, centre, loyalty, 40, "card")
        for n, file in enumerate(files[: 2 * EACH]):
            yield from _file(file, COLOURS[seat], x + 42 + n % 2 * 72, centre + away * (80 + n // 2 * 56))


def _held(game: Finished, agent: str, seat: Seat, done: Any) -> tuple[str, list[str]]:
    """A side's loyalty at an agent, and its documents there."""
    if done:
        files = [file["file"] for file in done["files"] if file["owner"] == seat]
        return str(done["loyalty"][seat]["total"]), files
    end = game.debrief[seat]["end"]
    return str(end["loyalty"].get(agent, "–")), list(end["files"].get(agent, ()))


def _file(file: str, colour: str, x: float, y: float) -> Iterator[Drawn]:
    yield Box(x - 30, y - 24, 60, 48, "paper", colour, 8)
    yield Text(x, y, SIGNS.get(file, file), 32)
