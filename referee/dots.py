"""The paper: how many dots it has, and how large a code stands on it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from math import ceil, floor
from typing import Any

from referee.sheets import Block, Code, Cut, Picture

CELL = (12, 24)  # the dots of one character; a large one has twice as many both ways
PITCH = 30  # dots from one line to the next
DOTS_PER_MM = 8
QUIET = 4  # empty modules that a code needs on every side
_PAPER_MM = {32: 58, 48: 80}

Modules = Sequence[Sequence[bool]]


def width(columns: int) -> int:
    """The dots that can be printed across the paper."""
    return columns * CELL[0]


def paper_mm(columns: int) -> int:
    """The width of the paper itself: a little more than what can be printed."""
    return _PAPER_MM[columns]


def code_rows(modules: Modules, columns: int) -> list[bytes]:
    """A code as rows of dots, eight to a byte: as large as the paper allows, centred, quiet all around."""
    size = len(modules) + 2 * QUIET
    dots = width(columns) // size
    side = (width(columns) - dots * size) // 2
    rows = [_row(cells, dots, side, columns) for cells in _with_quiet(modules)]
    return [row for row in rows for _ in range(dots)]


def picture_rows(picture: Picture, columns: int) -> list[bytes]:
    """A drawing as rows of dots, eight to a byte, as wide as the paper."""
    across = width(columns)
    scale = across / picture.width
    rows = [0] * round(picture.height * scale)
    for x, y, a, b, thick in picture.strokes:
        half = max(abs(thick) * scale / 2, 0.5)
        for n, left, right in _spans((x * scale, y * scale), (a * scale, b * scale), half):
            span = _dots(max(left, 0), min(right, across), across)
            if 0 <= n < len(rows):
                rows[n] = rows[n] & ~span if thick < 0 else rows[n] | span
    return [row.to_bytes(across // 8, "big") for row in rows]


def _dots(left: int, right: int, across: int) -> int:
    return (1 << right - left) - 1 << across - right if right > left else 0


def _spans(
    start: tuple[float, float], end: tuple[float, float], half: float
) -> Iterator[tuple[int, int, int]]:
    """The dots of a stroke, row by row: from which to before which. Dots lie in the middle of their cells."""
    (x, y), (a, b) = start, end
    across, down = a - x, b - y
    length = (across**2 + down**2) ** 0.5 or 1.0
    aside, along = half * down / length, half * across / length
    sides = [(x + aside, y - along), (x - aside, y + along), (a - aside, b + along), (a + aside, b - along)]
    for n in range(floor(min(y, b) - half), ceil(max(y, b) + half) + 1):
        at = n + 0.5
        ends = [*_disc(x, y, half, at), *_disc(a, b, half, at), *_crossings(sides, at)]
        if ends:
            yield n, ceil(min(ends) - 0.5), floor(max(ends) - 0.5) + 1


def _disc(x: float, y: float, radius: float, at: float) -> list[float]:
    """Where a line across the paper enters and leaves a disc."""
    if abs(at - y) > radius:
        return []
    half = (radius**2 - (at - y) ** 2) ** 0.5
    return [x - half, x + half]


def _crossings(corners: list[tuple[float, float]], at: float) -> list[float]:
    """Where a line across the paper meets the sides of a polygon."""
    sides = zip(corners, [*corners[1:], corners[0]], strict=True)
    return [x + (at - y) * (a - x) / (b - y) for (x, y), (a, b) in sides if (y - at) * (b - at) < 0]


def _with_quiet(modules: Modules) -> Iterator[Sequence[bool]]:
    around = [False] * QUIET
    empty = [False] * (len(modules) + 2 * QUIET)
    yield from [empty] * QUIET
    yield from ([*around, *cells, *around] for cells in modules)
    yield from [empty] * QUIET


def _row(cells: Sequence[bool], dots: int, side: int, columns: int) -> bytes:
    drawn = "0" * side + "".join(("1" if cell else "0") * dots for cell in cells)
    drawn = drawn.ljust(width(columns), "0")
    return int(drawn, 2).to_bytes(width(columns) // 8, "big")


def slips(blocks: Iterable[Block]) -> Iterator[tuple[Block, ...]]:
    """The pieces that the paper is cut into, each without its cut."""
    slip: list[Block] = []
    for block in blocks:
        if not isinstance(block, Cut):
            slip.append(block)
        elif slip:
            yield tuple(slip)
            slip = []
    if slip:
        yield tuple(slip)


def rewrite(blocks: Iterable[Block], write: Callable[[str], str]) -> Iterator[Block]:
    """The same blocks with every text rewritten; what a code holds stays as it is."""
    for block in blocks:
        texts: dict[str, Any] = {name: write(text) for name, text in vars(block).items() if type(text) is str}
        yield block if isinstance(block, Code) else replace(block, **texts)
