"""Printable blocks, and their layout into lines of a given number of columns."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from referee.core.moves import freeze

FAULTS = ("", "paper-out", "offline")  # the states that a virtual printer can simulate


@dataclass(frozen=True)
class Heading:
    """Large, bold, centred."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, wrapped at the paper's width."""

    text: str
    bold: bool = False
    centred: bool = False


@dataclass(frozen=True)
class Row:
    """Text at the left, a value at the right."""

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
    """A drawing as wide as the paper: strokes with round ends in a `width` by `height` coordinate system.

    A stroke is x, y, x, y from the top left, and its width. Width 0 is the thinnest line; a negative width
    is white, to separate shapes. `words` is the text alternative.
    """

    width: int
    height: int
    strokes: tuple[tuple[float, float, float, float, float], ...]
    words: str


@dataclass(frozen=True)
class Cut:
    """The end of a slip: the printer cuts the paper here."""


Block = Heading | Paragraph | Row | Rule | Gap | Code | Picture | Cut
KINDS: dict[str, type[Block]] = {
    "heading": Heading,
    "text": Paragraph,
    "row": Row,
    "rule": Rule,
    "gap": Gap,
    "code": Code,
    "picture": Picture,
    "cut": Cut,
}
_NAMES = {kind: name for name, kind in KINDS.items()}


def to_wire(blocks: Iterable[Block]) -> list[dict[str, Any]]:
    return [{"kind": _NAMES[type(block)], **asdict(block)} for block in blocks]


def from_wire(items: Iterable[Mapping[str, Any]]) -> tuple[Block, ...]:
    return tuple(
        KINDS[item["kind"]](**{k: freeze(v) for k, v in item.items() if k != "kind"}) for item in items
    )


@dataclass(frozen=True)
class PrintedLine:
    """One printed line. Its text fits the paper's columns, or half as many if large."""

    text: str
    bold: bool = False
    large: bool = False


Printed = PrintedLine | Code | Picture | Cut


def lay_out(blocks: Iterable[Block], columns: int) -> Iterator[Printed]:
    """Lay blocks out as the lines of a printer with this many columns."""
    for block in blocks:
        match block:
            case Heading(text):
                for line in _wrap(text, columns // 2):
                    yield PrintedLine(_centre(line, columns // 2), bold=True, large=True)
            case Paragraph(text, bold, centred):
                for line in _wrap(text, columns):
                    yield PrintedLine(_centre(line, columns) if centred else line, bold)
            case Row(left, right, bold):
                yield from (PrintedLine(line, bold) for line in _row(left, right, columns))
            case Rule():
                yield PrintedLine("-" * columns)
            case Gap():
                yield PrintedLine("")
            case Code() | Picture() | Cut():
                yield block


def _wrap(text: str, columns: int) -> list[str]:
    return textwrap.wrap(text, columns) or [""]


def _centre(text: str, columns: int) -> str:
    return text.center(columns).rstrip()


def _row(left: str, right: str, columns: int) -> Iterator[str]:
    """A row as lines: the left text wraps, and the value goes on its last line or, without room, below."""
    *above, last = _wrap(left, columns)
    yield from above
    if len(last) + 1 + len(right) <= columns:
        yield last + right.rjust(columns - len(last))
    else:
        yield last
        yield from (line.rjust(columns) for line in _wrap(right, columns))
