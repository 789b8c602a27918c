"""What stands on the paper, as blocks, and how blocks fall into lines of so many columns."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from referee.moves import freeze

FAULTS = ("", "paper-out", "offline")  # what a virtual printer can be made to suffer from


@dataclass(frozen=True)
class Heading:
    """Large, bold, centred."""

    text: str


@dataclass(frozen=True)
class Text:
    """A paragraph, wrapped at the paper's width."""

    text: str
    bold: bool = False
    centred: bool = False


@dataclass(frozen=True)
class Row:
    """Words at the left, a figure at the right."""

    left: str
    right: str
    bold: bool = False


@dataclass(frozen=True)
class Rule:
    """A line across the paper."""


@dataclass(frozen=True)
class Gap:
    """An empty line."""


@dataclass(frozen=True)
class Code:
    """A QR code, centred."""

    data: str


@dataclass(frozen=True)
class Picture:
    """A drawing as wide as the paper: strokes with round ends, on a sheet of so many units.

    A stroke is x, y, x, y from the top left and its width; one of no width at all is as thin as can be, and
    a negative width is white, to set one thing off from another. `words` tell what it shows.
    """

    width: int
    height: int
    strokes: tuple[tuple[float, float, float, float, float], ...]
    words: str


@dataclass(frozen=True)
class Cut:
    """The end of one slip: what follows is another piece of paper."""


Block = Heading | Text | Row | Rule | Gap | Code | Picture | Cut
_KINDS: dict[str, type[Block]] = {
    kind.__name__.lower(): kind for kind in (Heading, Text, Row, Rule, Gap, Code, Picture, Cut)
}


def to_wire(blocks: Iterable[Block]) -> list[dict[str, Any]]:
    return [{"kind": type(block).__name__.lower(), **asdict(block)} for block in blocks]


def from_wire(items: Iterable[Mapping[str, Any]]) -> tuple[Block, ...]:
    return tuple(
        _KINDS[item["kind"]](**{k: freeze(v) for k, v in item.items() if k != "kind"}) for item in items
    )


@dataclass(frozen=True)
class Line:
    """One printed line: its text, at most as many characters as fit (half as many when large)."""

    text: str
    bold: bool = False
    large: bool = False


Printed = Line | Code | Picture | Cut


def lay_out(blocks: Iterable[Block], columns: int) -> Iterator[Printed]:
    """Blocks as the lines a printer of so many columns prints, one after the other."""
    for block in blocks:
        match block:
            case Heading(text):
                for line in _wrap(text, columns // 2):
                    yield Line(_centre(line, columns // 2), bold=True, large=True)
            case Text(text, bold, centred):
                for line in _wrap(text, columns):
                    yield Line(_centre(line, columns) if centred else line, bold)
            case Row(left, right, bold):
                yield from (Line(line, bold) for line in _row(left, right, columns))
            case Rule():
                yield Line("-" * columns)
            case Gap():
                yield Line("")
            case Code() | Picture() | Cut():
                yield block


def _wrap(text: str, columns: int) -> list[str]:
    return textwrap.wrap(text, columns) or [""]


def _centre(text: str, columns: int) -> str:
    return text.center(columns).rstrip()


def _row(left: str, right: str, columns: int) -> Iterator[str]:
    """The figure stands on the first line that leaves it room; long words wrap before their figure."""
    *above, last = _wrap(left, columns)
    yield from above
    if len(last) + 1 + len(right) <= columns:
        yield last + right.rjust(columns - len(last))
    else:
        yield last
        yield from (line.rjust(columns) for line in _wrap(right, columns))
