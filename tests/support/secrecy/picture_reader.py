"""Reads pictures and PDFs: their letters, their QR codes, and their unpacked streams.

The paper has a cell for each letter, so a picture of it is read by the look of its cells.
"""

import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from io import BytesIO
from string import ascii_letters, digits, punctuation

import zxingcpp
from PIL import Image

from referee.presentation import dots
from referee.presentation.sheets import Block, Heading, Paragraph
from referee.presentation.words import words
from web.output import paper

SIGN = b"\x89PNG\r\n\x1a\n"
PDF = b"%PDF-"
LATIN = {chr(n) for n in range(0xA1, 0x100)} | {*"œŒ€’…"}
LETTERS = sorted({*ascii_letters, *digits, *punctuation} | LATIN | set(str(words("fr").messages)))
STREAM = re.compile(
    rb"<<(?P<about>(?:[^<>]|<<[^<>]*>>)*)>>\s*stream\r?\n(?P<data>.*?)\r?\nendstream", re.DOTALL
)
SIDE = 2  # dots of a cell into which a bold neighbour may reach
COLUMNS = re.compile(rb"/Columns (\d+)")
ROWS = re.compile(rb"/Rows (\d+)")


@cache
def seen(content: bytes) -> bytes:
    """All that can be read in an answer beyond its bytes; nothing where it holds no picture."""
    if (start := content.find(SIGN)) >= 0:
        return b"\n".join(_in_png(content[start:]))
    if (start := content.find(PDF)) >= 0:
        return b"\n".join(_in_pdf(content[start:]))
    return b""


# ---- what is packed


def _in_png(png: bytes) -> Iterator[bytes]:
    """What a viewer shows, and the notes beside the picture, which it does not."""
    yield from _shown(Image.open(BytesIO(png)))
    for kind, data in _chunks(png):
        if kind != b"IDAT":
            yield from _inflated(data)


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(SIGN)
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += length + 12


def _inflated(data: bytes) -> Iterator[bytes]:
    """What was packed with zlib, from wherever in these bytes it begins."""
    for start in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", data):
        with suppress(zlib.error):  # two bytes that happen to look like a beginning
            yield zlib.decompressobj().decompress(data[start.start() :])


def _in_pdf(pdf: bytes) -> Iterator[bytes]:
    for found in STREAM.finditer(pdf):
        about, data = found["about"], found["data"]
        yield from _inflated(data)
        if b"CCITTFaxDecode" in about:
            yield from _shown(_faxed(data, about))


def _faxed(data: bytes, about: bytes) -> Image.Image:
    """The picture of a page: as a fax sends it, so a TIFF once it has a head."""
    size = [int(found[1]) for found in (COLUMNS.search(about), ROWS.search(about)) if found]
    tags = {256: size[0], 257: size[1], 258: 1, 259: 4, 262: 1, 273: 0, 277: 1, 278: size[1], 279: len(data)}
    tags[273] = 8 + 2 + 12 * len(tags) + 4
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
    head = b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + bytes(4)
    return Image.open(BytesIO(head + data))


# ---- what is drawn


def _shown(image: Image.Image) -> Iterator[bytes]:
    """Its lines, also as one word: what is too long for a line goes on in the next. And its codes."""
    fine = max(1, image.width // dots.width(32))
    lines = list(_lines(image.convert("L"), fine))
    yield "\n".join(lines).encode()
    yield "".join("".join(lines).split()).encode()
    yield from (code.text.encode() for code in zxingcpp.read_barcodes(image.convert("L")))


def _lines(image: Image.Image, fine: int) -> Iterator[str]:
    across = dots.width(32) * fine
    left = (image.width - across) // 2  # a page of a PDF has margins
    image = image.crop((left, 0, left + across, image.height))
    top = 0
    while top < image.height:
        found = next((line for large in (False, True) if (line := _line(image, top, fine, large))), "")
        if found:
            yield found
        top += dots.PITCH * fine if found else 1


def _line(image: Image.Image, top: int, fine: int, large: bool) -> str:
    """The line whose cells begin at this row; nothing if there is none."""
    wide, high = _cell(fine, large)
    if image.crop((0, top, image.width, top + high)).getextrema() == (255, 255):
        return ""
    known, line = _look(fine, large), ""
    for left in range(0, image.width, wide):
        letter = known.get(_inside(image, left, top, wide, high, fine))
        if letter is None:
            return ""
        line += letter
    return line


def _cell(fine: int, large: bool) -> tuple[int, int]:
    return (
        (2 * dots.CELL[0] * fine, 2 * dots.CELL[1] * fine)
        if large
        else (dots.CELL[0] * fine, dots.PITCH * fine)
    )


@cache
def _look(fine: int, large: bool) -> dict[bytes, str]:
    """What a cell with each letter in it looks like."""
    wide, high = _cell(fine, large)
    looks = {b"\xff" * ((wide - 2 * SIDE * fine) * high): " "}
    for letter in filter(_has_ink, LETTERS):
        written: tuple[Block, ...] = (
            (Heading(letter),) if large else (Paragraph(letter), Paragraph(letter, bold=True))
        )
        for block in written:
            (picture,) = paper._pictures((block,), 32, fine)
            if fine > 1:
                picture = picture.convert("1", dither=Image.Dither.NONE).convert("L")
            middle = (dots.width(32) // (2 * dots.CELL[0]) - 1) // 2 * wide if large else 0
            looks[_inside(picture, middle, paper.MARGIN * fine, wide, high, fine)] = letter
    return looks


def _has_ink(letter: str) -> bool:
    return not letter.isspace() and paper.drawable(letter) == letter


def _inside(image: Image.Image, left: int, top: int, wide: int, high: int, fine: int) -> bytes:
    """A cell without its sides."""
    return image.crop((left + SIDE * fine, top, left + wide - SIDE * fine, top + high)).tobytes()
