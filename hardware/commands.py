"""Papers as ESC/POS commands, in pieces that a printer's small memory takes."""

from collections.abc import Iterable, Iterator

import qrcode

from hardware.code_pages import encode, legible
from referee import dots, settings
from referee.sheets import Block, Code, Cut, Line, Picture, lay_out

PIECE = 4096  # bytes sent at once

NO_KANJI = b"\x1c."  # FS .: a printer set to two-byte characters would eat accents in pairs
RESET = b"\x1b@"  # ESC @: also forgets the code page, so that one follows each time
FEED = b"\x1bd\x06"  # ESC d: six lines, from the head to the blade or the tear bar
PARTIAL_CUT = b"\x1dV\x01"  # GS V
RASTER = b"\x1dv0\x00"  # GS v 0, dots as they are


PAGES = (("cp1252", 16), ("cp1252", 71), ("cp858", 19), ("ascii", 0))  # where printers have them
ACCENTS = "é è à ç ù œ Œ € « »"


def accents(printer: settings.Printer) -> bytes:
    """A line in each code page there may be: the one that reads well is the printer's."""
    lines = [_select(page, slot) + encode(f"{page} {slot}: {ACCENTS}", page) + b"\n" for page, slot in PAGES]
    return RESET + NO_KANJI + b"".join(lines) + FEED + (PARTIAL_CUT if printer.cutter else b"")


def commands(blocks: Iterable[Block], printer: settings.Printer) -> Iterator[bytes]:
    """What this printer must be sent for these blocks, in pieces of at most 4 kB."""
    piece = b""
    for command in _commands(tuple(blocks), printer):
        if len(piece) + len(command) > PIECE:
            yield piece
            piece = b""
        piece += command
    yield piece


def _commands(blocks: tuple[Block, ...], printer: settings.Printer) -> Iterator[bytes]:
    page = printer.code_page
    yield RESET + NO_KANJI + _select(page, printer.code_page_slot)
    for slip in dots.slips(dots.rewrite(blocks, lambda text: legible(text, page))):
        for printed in lay_out(slip, printer.columns):
            match printed:
                case Line():
                    yield _line(printed, page)
                case Code(data):
                    yield from _code(data, printer.columns)
                case Picture():
                    yield from _raster(dots.picture_rows(printed, printer.columns))
                case Cut():
                    pass  # slips have none
        yield FEED + (PARTIAL_CUT if printer.cutter else b"")


def _select(page: str, slot: int) -> bytes:
    """ESC t: the page for all that follows; plain ASCII is the same on every page."""
    return b"" if page == "ascii" else b"\x1bt" + bytes([slot])


def _line(line: Line, page: str) -> bytes:
    bold = b"\x1bE" + bytes([line.bold])  # ESC E
    size = b"\x1d!" + (b"\x11" if line.large else b"\x00")  # GS !: twice as wide and high
    return bold + size + encode(line.text, page) + b"\n"


def _code(data: str, columns: int) -> Iterator[bytes]:
    """A QR code as a picture: printers that draw codes themselves do not agree on how."""
    return _raster(dots.code_rows(_modules(data), columns))


def _raster(rows: list[bytes]) -> Iterator[bytes]:
    """Rows of dots, in bands that a piece can hold."""
    across = len(rows[0])
    most = (PIECE - len(RASTER) - 4) // across
    for start in range(0, len(rows), most):
        band = rows[start : start + most]
        yield RASTER + across.to_bytes(2, "little") + len(band).to_bytes(2, "little") + b"".join(band)


def _modules(data: str) -> dots.Modules:
    code = qrcode.QRCode(border=0)
    code.add_data(data)
    return code.get_matrix()
