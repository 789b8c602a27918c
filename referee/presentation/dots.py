"""Print geometry in dots: paper dimensions, and the dots of QR codes and drawings.

The printer and the on-screen preview share this code. Both draw with Pillow; since this package does not
import it, they pass in its drawing object.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol

from referee.presentation.sheets import Block, Code, Cut, Picture

CELL = (12, 24)  # width and height of a character; a large one has twice both
PITCH = 30  # dots from one line to the next
DOTS_PER_MM = 8
QUIET = 4  # width of a QR code's quiet zone, in modules
FINER = 4  # drawings are supersampled by this factor; at 1:1, circles would be ragged
BLACK, WHITE = 0, 255
GREY = 143  # the threshold: a dot that is seven sixteenths covered is black
_PAPER_MM = {32: 58, 48: 80}

Modules = Sequence[Sequence[bool]]


def width(columns: int) -> int:
    """The printable width in dots."""
    return columns * CELL[0]


def paper_mm(columns: int) -> int:
    """The width of the paper, which is a little more than the printable width."""
    return _PAPER_MM[columns]


def code_rows(modules: Modules, columns: int) -> bytes:
    """A QR code as packed rows of dots, eight to a byte: centred, with its quiet zone, as large as fits."""
    across = width(columns)
    side = across // (len(modules) + 2 * QUIET)  # dots of one module
    quiet = bytes(QUIET * side * across // 8)
    bits = ("".join("01"[cell] * side for cell in cells).center(across, "0") for cells in modules)
    return quiet + b"".join(int(row, 2).to_bytes(across // 8, "big") * side for row in bits) + quiet


class Pen(Protocol):
    """The part of Pillow's `ImageDraw` that is used here."""

    def line(self, xy: Sequence[tuple[float, float]], fill: int, width: int) -> None: ...

    def circle(self, xy: Sequence[float], radius: float, fill: int) -> None: ...


def canvas(picture: Picture, columns: int) -> tuple[int, int]:
    """The size of the supersampled image for `draw`."""
    across = width(columns)
    return across * FINER, max(1, round(picture.height * across / picture.width)) * FINER


def draw(pen: Pen, picture: Picture, columns: int) -> None:
    """Draw the strokes of a picture on a white canvas. Strokes of negative width are white."""
    scale = width(columns) * FINER / picture.width
    for x, y, a, b, thick in picture.strokes:
        shade = BLACK if thick >= 0 else WHITE
        across = max(round(abs(thick) * scale), FINER)
        ends = sorted(((x * scale - 0.5, y * scale - 0.5), (a * scale - 0.5, b * scale - 0.5)))
        pen.line(ends, fill=shade, width=across)
        for end in ends:
            pen.circle(end, (across - 1) / 2, fill=shade)


def dot(grey: int) -> int:
    """Threshold a pixel of the reduced canvas. Half covered counts as black, so that a thin line between two
    rows of dots is not lost."""
    return BLACK if grey <= GREY else WHITE


def slips(blocks: Iterable[Block]) -> Iterator[tuple[Block, ...]]:
    """Split blocks at the cuts. Empty slips and the cuts themselves are dropped."""
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
    """The same blocks with `write` applied to every text. QR codes stay unchanged."""
    for block in blocks:
        texts: dict[str, Any] = {name: write(text) for name, text in vars(block).items() if type(text) is str}
        yield block if isinstance(block, Code) else replace(block, **texts)
