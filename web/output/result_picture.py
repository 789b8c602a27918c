"""The picture of a result that people share: who won and why, the final position, names, scores and date."""

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING

from referee.presentation.poster import HEIGHT, LEFT, MIDDLE, RIGHT, WIDTH, Box, Disc, Drawn, Path, Text
from web.output.paper import drawable, font

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

PALETTE = {
    "paper": "#fffdf7",
    "card": "#fffdf4",
    "gone": "#e0d3ba",
    "ink": "#221c15",
    "muted": "#665a49",
    "line": "#cdbd9f",
    "gold": "#f5b731",
    "stamp": "#9b1226",
    "desk": "#f1e6d1",
}
LIGHT = 0.14  # how much of a side's colour is in its background
ACROSS, EDGE = 1080, 40  # pixels
FINE = 2  # drawn so many times larger, then reduced: Pillow's lines have no smooth edges
ROW, HEAD, FOOT = 84, 300, 70
KEPT = 16  # pictures in the cache
LETTER = 0.602  # width of a character per unit of size
ANCHORS = {LEFT: "lm", MIDDLE: "mm", RIGHT: "rm"}


@dataclass(frozen=True)
class Side:
    """A line below the position: its number decides colour and emblem."""

    number: int
    name: str
    score: str
    won: bool


@dataclass(frozen=True)
class Result:
    """All that the picture shows."""

    game: str
    when: str
    ending: str
    table: str
    sides: tuple[Side, ...]
    position: tuple[Drawn, ...]
    colours: tuple[str, str]


@lru_cache(maxsize=KEPT)
def as_png(result: Result) -> bytes:
    from PIL import Image, ImageDraw

    tall = HEAD + (HEIGHT + EDGE if result.position else 0) + ROW * len(result.sides) + FOOT
    image = Image.new("RGB", (ACROSS * FINE, tall * FINE), PALETTE["desk"])
    pen = _Pen(ImageDraw.Draw(image), _palette(result.colours))
    pen.draw([Box(0, 0, ACROSS, 14, "ink", round=0), *_head(result)])
    top = HEAD
    if result.position:
        pen.draw(result.position, EDGE, top, (ACROSS - 2 * EDGE) / WIDTH)
        top += HEIGHT + EDGE // 2
    for n, side in enumerate(result.sides):
        pen.draw(_line(side), 0, top + n * ROW)
    pen.draw([Text(ACROSS / 2, tall - FOOT / 2 + 4, result.table, 26, "muted", bold=False)])
    file = BytesIO()
    image.resize((ACROSS, tall), Image.Resampling.LANCZOS).quantize(128).save(file, "PNG", optimize=True)
    return file.getvalue()


def _palette(colours: Iterable[str]) -> Mapping[str, str]:
    named = dict(zip(("one", "two"), colours, strict=True))
    light = {f"{name}-light": _mixed(colour, PALETTE["paper"]) for name, colour in named.items()}
    return {**PALETTE, "three": "#5a3d94", "four": "#5c5a12", **named, **light}


def _mixed(colour: str, paper: str) -> str:
    pairs = ((int(colour[i : i + 2], 16), int(paper[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(LIGHT * of + (1 - LIGHT) * on):02x}" for of, on in pairs)


def _head(result: Result) -> Iterable[Drawn]:
    yield Text(EDGE, 62, result.game, 40, "ink", LEFT)
    yield Text(ACROSS - EDGE, 62, result.when, 28, "muted", RIGHT, bold=False)
    yield Path(((EDGE, 100), (ACROSS - EDGE, 100)), "line", 3)
    lines, size = _fitted(result.ending)
    for n, line in enumerate(lines):
        yield Text(ACROSS / 2, 195 + (n - (len(lines) - 1) / 2) * size * 1.3, line, size)


def _fitted(text: str) -> tuple[list[str], int]:
    """The sentence in at most three lines, as large as fits."""
    for size in (56, 48, 42, 36, 30):
        lines = textwrap.wrap(text, int((ACROSS - 2 * EDGE) / (size * LETTER)))
        if len(lines) * size <= 130:
            return lines, size
    return lines[:4], size


def _line(side: Side) -> Iterable[Drawn]:
    colour = ("one", "two", "three", "four")[(side.number - 1) % 4]
    yield Box(EDGE, 6, ACROSS - 2 * EDGE, ROW - 12, "paper", colour if side.won else "line")
    yield from _emblem(side.number, colour, EDGE + 46, ROW / 2)
    name = textwrap.shorten(side.name, 34, placeholder="…") if " " in side.name else side.name[:34]
    yield Text(EDGE + 92, ROW / 2, name, 38, "ink", LEFT, bold=side.won)
    if side.won:
        yield from _star(ACROSS - EDGE - (190 if side.score else 50), ROW / 2)
    yield Text(ACROSS - EDGE - 26, ROW / 2, side.score, 46, colour, RIGHT)


def _emblem(number: int, colour: str, x: float, y: float) -> Iterable[Drawn]:
    if number == 1:
        return (Disc(x, y, 21, "", colour, 7), Disc(x, y, 8, colour))
    if number == 2:
        return (Path(((x, y - 24), (x + 24, y), (x, y + 24), (x - 24, y)), colour, 1, colour),)
    if number == 3:
        return (Path(((x, y - 22), (x + 24, y + 20), (x - 24, y + 20)), colour, 1, colour),)
    return (Box(x - 20, y - 20, 40, 40, colour, round=2),)


def _star(x: float, y: float) -> Iterable[Drawn]:
    tips = ((0, -24), (7, -8), (24, -7), (11, 4), (15, 21), (0, 12), (-15, 21), (-11, 4), (-24, -7), (-7, -8))
    yield Path(tuple((x + a, y + b) for a, b in tips), "ink", 2, "gold")


class _Pen:
    """Draws shapes, enlarged `FINE` times."""

    def __init__(self, pen: "ImageDraw", palette: Mapping[str, str]) -> None:
        self._pen, self._palette = pen, palette
        self._fonts: dict[float, FreeTypeFont] = {}

    def draw(self, shapes: Iterable[Drawn], left: float = 0, top: float = 0, scale: float = 1) -> None:
        self._left, self._top, self._scale = left * FINE, top * FINE, scale * FINE
        for shape in shapes:
            self._shape(shape)

    def _at(self, x: float, y: float) -> tuple[float, float]:
        return self._left + x * self._scale, self._top + y * self._scale

    def _thick(self, thick: float) -> int:
        return max(1, round(thick * self._scale))

    def _shape(self, shape: Drawn) -> None:
        match shape:
            case Box(x, y, width, height, fill, line, corner, thick):
                box = (*self._at(x, y), *self._at(x + width, y + height))
                edge = self._thick(thick) if line else 0
                self._pen.rounded_rectangle(
                    box, corner * self._scale, self._colour(fill), self._colour(line), edge
                )
            case Disc(x, y, radius, fill, line, thick):
                box = (*self._at(x - radius, y - radius), *self._at(x + radius, y + radius))
                self._pen.ellipse(
                    box, self._colour(fill), self._colour(line), self._thick(thick) if line else 0
                )
            case Path(points, line, thick, fill):
                there = [self._at(x, y) for x, y in points]
                if fill:
                    self._pen.polygon(there, self._colour(fill))
                    there = [*there, there[0]]
                self._pen.line(there, self._colour(line), self._thick(thick), joint="curve")
            case Text(x, y, text, size, fill, anchor, bold):
                at, letters, heavy = (
                    self._at(x, y),
                    self._font(size * self._scale),
                    self._thick(size * 0.02) if bold else 0,
                )
                said, where, ink = drawable(text), ANCHORS[anchor], self._colour(fill)
                self._pen.text(at, said, ink, letters, where, stroke_width=heavy, stroke_fill=ink)

    def _font(self, size: float) -> "FreeTypeFont":
        if size not in self._fonts:
            self._fonts[size] = font(size)
        return self._fonts[size]

    def _colour(self, name: str) -> str | None:
        return self._palette.get(name)
