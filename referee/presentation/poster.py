"""The final position of a game as a few coloured shapes, for the picture of a result that people share.

Shapes lie in a box of `WIDTH` by `HEIGHT`, from the top left; later ones cover earlier ones. Colours are
names: `one` and `two` are those of the sides, `one-light` and `two-light` their backgrounds.
"""

from collections.abc import Iterable
from dataclasses import dataclass

WIDTH, HEIGHT = 1000, 700
Colour = str  # a key of the palette: see `web.output.result_picture`
SIDES = ("one", "two")

LEFT, MIDDLE, RIGHT = "left", "middle", "right"


@dataclass(frozen=True)
class Box:
    """A rectangle with round corners: filled, outlined or both."""

    x: float
    y: float
    width: float
    height: float
    fill: Colour = ""
    line: Colour = ""
    round: float = 14
    thick: float = 4


@dataclass(frozen=True)
class Text:
    """One line of text, centred in height on `y`."""

    x: float
    y: float
    text: str
    size: float = 40
    fill: Colour = "ink"
    anchor: str = MIDDLE
    bold: bool = True


@dataclass(frozen=True)
class Path:
    """A line through points; closed and filled if it has a fill."""

    points: tuple[tuple[float, float], ...]
    line: Colour = "ink"
    thick: float = 6
    fill: Colour = ""


@dataclass(frozen=True)
class Disc:
    x: float
    y: float
    radius: float
    fill: Colour = ""
    line: Colour = ""
    thick: float = 5


Drawn = Box | Text | Path | Disc


def card(x: float, y: float, text: str, size: float = 100, fill: Colour = "card") -> Iterable[Drawn]:
    """A card with a value, by its top left corner; `size` is its height."""
    yield Box(x, y, size * 0.72, size, fill, "line", size * 0.1, 3)
    yield Text(x + size * 0.36, y + size * 0.5, text, size * 0.5)
