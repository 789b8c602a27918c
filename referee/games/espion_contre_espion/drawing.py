"""The final board of Espion contre Espion as a printable drawing: walls, pieces and both spies' paths."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from referee.games.espion_contre_espion.board import COLUMNS, HEIGHT, QG, SEATS, WIDTH, names
from referee.presentation.sheets import Picture

Point = tuple[float, float]
Stroke = tuple[float, float, float, float, float]

SIDE = 44  # units per square
LEFT, TOP = 24, 4
ACROSS, DOWN = LEFT + WIDTH * SIDE + 8, TOP + HEIGHT * SIDE + 26
THIN, WALL, WAY = 0, 7, 4
AHEAD = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
KILLER = {"dia": (-13, 13), "kcb": (13, -13)}  # offsets within a square, so that no piece covers another
CAMERA, DOCUMENT = (-13, -13), (14, 13)
SPY = {"dia": (-4, 4), "kcb": (4, -4)}
GLYPHS = {  # polylines on a 4 × 6 grid, separated by dashes
    "A": "06 20 46 - 14 34",
    "B": "06 00 30 41 42 33 03 - 33 44 45 36 06",
    "C": "41 30 10 01 05 16 36 45",
    "D": "06 00 20 42 44 26 06",
    "E": "40 00 06 46 - 03 33",
    "F": "40 00 06 - 03 33",
    "G": "41 30 10 01 05 16 36 45 43 23",
    "H": "00 06 - 40 46 - 03 43",
    "1": "12 30 36 - 16 46",
    "2": "01 10 30 41 42 06 46",
    "3": "01 10 30 41 42 33 13 - 33 44 45 36 16 05",
    "4": "36 30 04 44",
    "5": "40 00 03 33 44 45 36 06",
    "6": "41 30 10 01 05 16 36 45 44 33 13 04",
    "7": "00 40 16",
    "8": "13 02 01 10 30 41 42 33 13 04 05 16 36 45 44 33",
    "9": "05 16 36 45 41 30 10 01 02 13 33 42",
}


def drawing(public: Mapping[str, Any], ways: Mapping[str, Sequence[str]], words: str) -> Picture:
    """Draw the board. `ways` are the squares of each spy's path, from the first to the last."""
    strokes = [*_grid(), *_walls(public["walls"]), *_pieces(public)]
    for seat in SEATS:
        strokes += _way(seat, ways[seat])
    rounded = tuple((round(x, 1), round(y, 1), round(a, 1), round(b, 1), w) for x, y, a, b, w in strokes)
    return Picture(ACROSS, DOWN, rounded, words)


def _centre(name: str, offset: Point = (0, 0)) -> Point:
    column, line = COLUMNS.index(name[0]), int(name[1])
    return LEFT + (column + 0.5) * SIDE + offset[0], TOP + (HEIGHT - line + 0.5) * SIDE + offset[1]


def _line(points: Iterable[Point], thick: float, closed: bool = False) -> Iterator[Stroke]:
    corners = list(points)
    for (x, y), (a, b) in pairwise([*corners, corners[0]] if closed else corners):
        yield x, y, a, b, thick


def _grid() -> Iterator[Stroke]:
    right, bottom = LEFT + WIDTH * SIDE, TOP + HEIGHT * SIDE
    for n in range(WIDTH + 1):
        yield LEFT + n * SIDE, TOP, LEFT + n * SIDE, bottom, THIN
    for n in range(HEIGHT + 1):
        yield LEFT, TOP + n * SIDE, right, TOP + n * SIDE, THIN
    for n, letter in enumerate(COLUMNS):
        yield from _glyph(letter, (LEFT + (n + 0.5) * SIDE, bottom + 14))
    for n in range(HEIGHT):
        yield from _glyph(str(HEIGHT - n), (LEFT - 14, TOP + (n + 0.5) * SIDE))
    for name in (name for seat in SEATS for name in names(QG[seat])):
        x, y = _centre(name, (-SIDE / 2, -SIDE / 2))
        for far in range(11, 2 * SIDE, 11):
            over = max(0, far - SIDE)
            yield x + far - over, y + over, x + over, y + far - over, THIN


def _glyph(char: str, at: Point, size: float = 2.4) -> Iterator[Stroke]:
    for part in GLYPHS[char].split(" - "):
        yield from _line(
            ((at[0] + (int(p[0]) - 2) * size, at[1] + (int(p[1]) - 3) * size) for p in part.split()), 2
        )


def _walls(walls: Iterable[str]) -> Iterator[Stroke]:
    half = SIDE / 2
    for wall in walls:
        (x, y), (across, down) = _centre(wall[:2]), AHEAD[wall[3]]
        x, y = x + across * half, y + down * half
        yield x - down * half, y - across * half, x + down * half, y + across * half, WALL


def _pieces(public: Mapping[str, Any]) -> Iterator[Stroke]:
    for cell in (cell for cells in public["documents"].values() for cell in cells):
        yield from _document(_centre(cell, DOCUMENT))
    for camera in public["cameras"]:
        yield from _camera(camera["kind"], _centre(camera["cell"], CAMERA), camera["owner"] == SEATS[1])
    for seat, killer in public["killers"].items():
        if killer:
            yield from _killer(_centre(killer["cell"], KILLER[seat]), killer["facing"], seat == SEATS[1])


def _document(at: Point) -> Iterator[Stroke]:
    x, y = at
    yield x, y - 3, x, y + 3, -14
    yield from _line(((x - 5, y - 6), (x + 5, y - 6), (x + 5, y + 6), (x - 5, y + 6)), 2, closed=True)
    for n in (-3, 0, 3):
        yield x - 2, y + n, x + 2, y + n, THIN


def _camera(kind: str, at: Point, filled: bool) -> Iterator[Stroke]:
    """A frame with a sign for what the camera sees: a column, a line or all around. If filled, the sign is
    white."""
    x, y = at
    yield from ((x - 4, y + n, x + 4, y + n, 6 if filled else -6) for n in (-4, 0, 4))
    yield from _line(((x - 7, y - 7), (x + 7, y - 7), (x + 7, y + 7), (x - 7, y + 7)), 2, closed=True)
    ink = -2 if filled else 2
    if kind == "column":
        yield x, y - 4, x, y + 4, 2 * ink
    elif kind == "line":
        yield x - 4, y, x + 4, y, 2 * ink
    else:
        yield from _line(_round(at, 4), ink, closed=True)


def _round(at: Point, radius: float) -> list[Point]:
    corner = radius * 0.7071
    x, y = at
    return [
        *((x + radius, y), (x + corner, y + corner), (x, y + radius), (x - corner, y + corner)),
        *((x - radius, y), (x - corner, y - corner), (x, y - radius), (x + corner, y - corner)),
    ]


def _killer(at: Point, facing: str, filled: bool) -> Iterator[Stroke]:
    """An arrowhead that points in the direction the killer faces."""
    (x, y), (ahead, down) = at, AHEAD[facing]
    tip = x + 8 * ahead, y + 8 * down
    feet = [(x - 7 * ahead + s * 7 * down, y - 7 * down + s * 7 * ahead) for s in (-1, 1)]
    yield x, y, x, y, -18
    if filled:
        spokes = (-0.8, -0.4, 0.0, 0.4, 0.8)
        inner = [(x - 6 * ahead + s * 7 * down, y - 6 * down + s * 7 * ahead) for s in spokes]
        yield from ((*tip, *foot, 3.0) for foot in inner)
    yield from _line((tip, *feet), 2, closed=True)


def _way(seat: str, way: Sequence[str]) -> Iterator[Stroke]:
    """A spy's path: solid with round ends for the DIA, dashed with pointed ends for the KCB. The last end is
    filled."""
    if not way:
        return
    points = [_centre(name, SPY[seat]) for name in way]
    yield from _line(points, -(WAY + 4))
    for start, end in pairwise(points):
        yield from ((*start, *end, WAY),) if seat == SEATS[0] else _dashed(start, end)
    for point, filled in ((points[0], False), (points[-1], True)):
        yield from _end(seat, point, filled)


def _dashed(start: Point, end: Point, pieces: int = 4) -> Iterator[Stroke]:
    (x, y), (a, b) = start, end
    across, down = (a - x) / pieces, (b - y) / pieces
    for n in range(pieces):
        yield x + n * across, y + n * down, x + (n + 0.4) * across, y + (n + 0.4) * down, WAY


def _end(seat: str, at: Point, filled: bool) -> Iterator[Stroke]:
    x, y = at
    yield x, y, x, y, -18
    outline = _round(at, 7) if seat == SEATS[0] else [(x, y - 8), (x + 8, y), (x, y + 8), (x - 8, y)]
    if filled:
        yield from ((x, y, a, b, 5) for a, b in outline)
    yield from _line(outline, 3, closed=True)
