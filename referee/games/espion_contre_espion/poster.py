"""The final board of Espion contre Espion: walls and pieces, and both spies with the ways they came."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from referee.core.game import Finished
from referee.core.moves import Seat
from referee.games.espion_contre_espion.board import COLUMNS, HEIGHT, SEATS, WIDTH
from referee.games.espion_contre_espion.drawing import AHEAD
from referee.games.espion_contre_espion.sheet import way
from referee.presentation.poster import SIDES, Box, Disc, Drawn, Path, Text

SIDE = 72
LEFT, TOP = 1000 / 2 - WIDTH * SIDE / 2, 8
COLOUR: Mapping[Seat, str] = dict(zip(SEATS, SIDES, strict=True))
CAMP = 4  # lines of a camp
CAMERAS = {"column": "↕", "line": "↔"}


def poster(game: Finished) -> Iterator[Drawn]:
    yield from _ground()
    for wall in game.public["walls"]:
        yield _wall(wall)
    yield from _pieces(game.public)
    for n, seat in enumerate(SEATS):
        yield from _spy(way(game.debrief[seat]), COLOUR[seat], -7 if n == 0 else 7)


def _ground() -> Iterator[Drawn]:
    wide, tall = WIDTH * SIDE, CAMP * SIDE
    yield Box(LEFT, TOP, wide, tall, "two-light", round=0)
    yield Box(LEFT, TOP + (HEIGHT - CAMP) * SIDE, wide, tall, "one-light", round=0)
    for n in range(WIDTH + 1):
        x = LEFT + n * SIDE
        yield Path(((x, TOP), (x, TOP + HEIGHT * SIDE)), "line", 2)
    for n in range(HEIGHT + 1):
        y = TOP + n * SIDE
        yield Path(((LEFT, y), (LEFT + wide, y)), "line", 2)
    for n, letter in enumerate(COLUMNS):
        yield Text(LEFT + (n + 0.5) * SIDE, TOP + HEIGHT * SIDE + 24, letter, 26, "muted")
    for n in range(HEIGHT):
        yield Text(LEFT - 24, TOP + (n + 0.5) * SIDE, str(HEIGHT - n), 26, "muted")


def _centre(cell: str, dx: float = 0, dy: float = 0) -> tuple[float, float]:
    x = LEFT + (COLUMNS.index(cell[0]) + 0.5) * SIDE
    return x + dx, TOP + (HEIGHT - int(cell[1]) + 0.5) * SIDE + dy


def _wall(wall: str) -> Drawn:
    (x, y), (across, down), half = _centre(wall[:2]), AHEAD[wall[3]], SIDE / 2
    x, y = x + across * half, y + down * half
    return Path(((x - down * half, y - across * half), (x + down * half, y + across * half)), "ink", 9)


def _pieces(public: Mapping[str, Any]) -> Iterator[Drawn]:
    for seat, cells in public["documents"].items():
        for x, y in (_centre(cell, -14, 16) for cell in cells):
            yield Box(x - 15, y - 11, 30, 22, COLOUR[seat], "paper", 4, 2)
    for camera in public["cameras"]:
        yield from _camera(camera["kind"], COLOUR[camera["owner"]], *_centre(camera["cell"], -12, -12))
    for seat, killer in public["killers"].items():
        if killer:
            yield _killer(killer["facing"], COLOUR[seat], *_centre(killer["cell"], 16, 16))


def _camera(kind: str, colour: str, x: float, y: float) -> Iterable[Drawn]:
    yield Disc(x, y, 18, "paper", colour, 4)
    yield Text(x, y, CAMERAS.get(kind, "✳"), 26, colour)


def _killer(facing: str, colour: str, x: float, y: float) -> Drawn:
    """An arrowhead that points in the direction the killer faces."""
    ahead, down = AHEAD[facing]
    feet = [(x - 14 * ahead + s * 13 * down, y - 14 * down + s * 13 * ahead) for s in (-1, 1)]
    return Path(((x + 18 * ahead, y + 18 * down), *feet), "paper", 3, colour)


def _spy(squares: Sequence[str], colour: str, off: float) -> Iterator[Drawn]:
    """The way of a spy, and a hat where it stands at the end."""
    points = tuple(_centre(cell, off, off) for cell in squares)
    if len(points) > 1:
        yield Path(points, colour, 8)
    for x, y in points[-1:]:
        yield Disc(x, y, 20, colour, "paper")
        yield Box(x - 28, y - 8, 56, 12, colour, "paper", 6, 3)
