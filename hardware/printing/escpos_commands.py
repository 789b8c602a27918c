"""Builds the ESC/POS commands of a paper, in pieces that fit a printer's small buffer.

`hardware/printing/connections.py` explains why only the constants of python-escpos are used.
"""

from collections.abc import Iterable, Iterator, Mapping

import qrcode
from escpos import constants
from escpos.constants import ESC, FS, GS

from hardware.printing.code_pages import encode, legible
from referee.presentation import dots
from referee.presentation.sheets import Block, Code, Cut, Picture, PrintedLine, lay_out
from referee.program import settings

PIECE = 4096  # bytes sent at once

RESET: bytes = constants.HW_INIT  # also resets the code page, so it is selected again each time
NO_KANJI: bytes = FS + b"."  # switches off two-byte characters, which would swallow accents in pairs
FEED: bytes = ESC + b"d\x06"  # six lines: the distance from the head to the cutter or the tear bar
PARTIAL_CUT: bytes = constants.PAPER_PART_CUT
BOLD: Mapping[bool, bytes] = constants.TXT_STYLE["bold"]
SIZE: Mapping[bool, bytes] = {  # large: twice as wide and high
    False: constants.TXT_SIZE + b"\x00",
    True: constants.TXT_SIZE + b"\x11",
}
RASTER: bytes = GS + b"v0\x00"  # raster graphics, unscaled

PAGES = (("cp1252", 16), ("cp1252", 71), ("cp858", 19), ("ascii", 0))  # with their usual slots
ACCENTS = "é è à ç ù œ Œ € « »"


def accents(printer: settings.PrinterSettings) -> bytes:
    """A test page with a line per possible code page. The line with correct accents shows the right one."""
    lines = [_select(page, slot) + encode(f"{page} {slot}: {ACCENTS}", page) + b"\n" for page, slot in PAGES]
    return RESET + NO_KANJI + b"".join(lines) + FEED + (PARTIAL_CUT if printer.cutter else b"")


def commands(blocks: Iterable[Block], printer: settings.PrinterSettings) -> Iterator[bytes]:
    """The bytes that print these blocks, in pieces of at most 4 kB."""
    piece = b""
    for command in _commands(tuple(blocks), printer):
        if len(piece) + len(command) > PIECE:
            yield piece
            piece = b""
        piece += command
    yield piece


def _commands(blocks: tuple[Block, ...], printer: settings.PrinterSettings) -> Iterator[bytes]:
    page = printer.code_page
    yield RESET + NO_KANJI + _select(page, printer.code_page_slot)
    for slip in dots.slips(dots.rewrite(blocks, lambda text: legible(text, page))):
        for printed in lay_out(slip, printer.columns):
            match printed:
                case PrintedLine():
                    yield _line(printed, page)
                case Code(data):
                    yield from _code(data, printer.columns)
                case Picture():
                    yield from _raster(_drawn(printed, printer.columns), printer.columns)
                case Cut():
                    pass  # slips contain no cuts
        yield FEED + (PARTIAL_CUT if printer.cutter else b"")


def _select(page: str, slot: int) -> bytes:
    """The command that selects a code page; none for ASCII, which is the same on every page."""
    change: bytes = constants.CODEPAGE_CHANGE
    return b"" if page == "ascii" else change + bytes([slot])


def _line(line: PrintedLine, page: str) -> bytes:
    return BOLD[line.bold] + SIZE[line.large] + encode(line.text, page) + b"\n"


def _code(data: str, columns: int) -> Iterator[bytes]:
    """A QR code as raster graphics: printers' own QR commands differ."""
    return _raster(dots.code_rows(_modules(data), columns), columns)


def _drawn(picture: Picture, columns: int) -> bytes:
    """The dots of a drawing, eight to a byte, a set bit for a black one."""
    from PIL import Image, ImageDraw

    canvas = Image.new("L", dots.canvas(picture, columns), "white")
    dots.draw(ImageDraw.Draw(canvas), picture, columns)
    return canvas.reduce(dots.FINER).point(dots.dot, "1").tobytes("raw", "1;I")


def _raster(rows: bytes, columns: int) -> Iterator[bytes]:
    """Rows of dots as raster commands, split into bands that fit a piece."""
    across = dots.width(columns) // 8
    most = (PIECE - len(RASTER) - 4) // across * across
    for start in range(0, len(rows), most):
        band = rows[start : start + most]
        high = len(band) // across
        yield RASTER + across.to_bytes(2, "little") + high.to_bytes(2, "little") + band


def _modules(data: str) -> dots.Modules:
    code = qrcode.QRCode(border=0)
    code.add_data(data)
    return code.get_matrix()
