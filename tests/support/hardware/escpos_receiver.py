"""A strict ESC/POS receiver: a thermal printer on a TCP port that refuses every byte it does not know."""

import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from PIL import Image, ImageDraw, ImageFont

PAGES = {16: "cp1252", 71: "cp1252", 19: "cp858"}
WAIT = 10.0  # seconds after which a test gives up

READY, OFFLINE = b"\x12", b"\x1a"
PLENTY, LOW, OUT = b"\x12", b"\x1e", b"\x72"


class Unknown(Exception):
    """Bytes that are no command of ours, or text that the page or the paper does not hold."""


@dataclass(frozen=True)
class Line:
    text: str
    bold: bool = False
    large: bool = False


@dataclass(frozen=True)
class Raster:
    """A band of dots: its bytes across and its rows."""

    across: int
    rows: bytes

    @property
    def height(self) -> int:
        return len(self.rows) // self.across


@dataclass
class Slip:
    """What came out between two cuts."""

    printed: list[Line | Raster] = field(default_factory=list)
    feed: int = 0
    cut: bool = False

    @property
    def lines(self) -> list[Line]:
        return [item for item in self.printed if isinstance(item, Line)]

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)

    @property
    def rasters(self) -> list[Raster]:
        return [item for item in self.printed if isinstance(item, Raster)]

    @property
    def dots(self) -> list[bytes]:
        """All rows of dots, band after band."""
        return [
            band.rows[start : start + band.across]
            for band in self.rasters
            for start in range(0, len(band.rows), band.across)
        ]


Read = Callable[[int], bytes]
Answer = Callable[[bytes], object]


class CommandReader:
    """Reads bytes as a printer does, with the state a printer has."""

    def __init__(self, columns: int = 32) -> None:
        self.columns = columns
        self.slips: list[Slip] = []
        self.online, self.paper = READY, PLENTY
        self.answers = True
        self.lines_left: int | None = None  # then the paper runs out, or what else is said here
        self.then = OFFLINE, OUT
        self.jobs = 0
        self._reset()

    def _reset(self) -> None:
        self._page: str | None = None
        self._kanji = True  # as some come from the factory: two bytes make a character
        self._bold = self._large = False
        self._text = b""

    def execute(self, read: Read, answer: Answer) -> None:
        """Do what the bytes say until they end."""
        while byte := read(1):
            self._command(byte, read, answer)
        if self._text:
            raise Unknown(f"text without the end of its line: {self._text!r}")

    def _command(self, byte: bytes, read: Read, answer: Answer) -> None:
        command = byte + read(1) if byte in b"\x1b\x1c\x1d\x10" else byte
        match command:
            case b"\n":
                self._end_line()
            case b"\x10\x04":
                self._question(read(1), answer)
            case b"\x1b@":
                self.jobs += 1
                self._reset()
            case b"\x1c.":
                self._kanji = False
            case b"\x1bt":
                self._page = PAGES[ord(read(1))]
            case b"\x1bE":
                self._bold = bool((0, 1).index(ord(read(1))))
            case b"\x1d!":
                self._large = {0x00: False, 0x11: True}[ord(read(1))]
            case b"\x1bd":
                self._feed(ord(read(1)))
            case b"\x1dV":
                self._cut(read(1))
            case b"\x1dv":
                self._raster(read)
            case _ if len(command) == 1 and command >= b" " and command != b"\x7f":
                self._text += command
            case _:
                raise Unknown(f"{command!r} is no command")

    def _question(self, what: bytes, answer: Answer) -> None:
        answers = {b"\x01": self.online, b"\x04": self.paper}
        if self.answers:
            answer(answers[what])

    def _slip(self) -> Slip:
        if not self.slips or self.slips[-1].feed:
            self.slips.append(Slip())
        return self.slips[-1]

    def _end_line(self) -> None:
        if self._kanji and not self._text.isascii():
            raise Unknown(f"accents that such a printer takes for Kanji: {self._text!r}")
        text = self._text.decode(self._page or "ascii")
        if len(text) > self.columns // (2 if self._large else 1):
            raise Unknown(f"a line too long for {self.columns} columns: {text!r}")
        self._text = b""
        self._slip().printed.append(Line(text, self._bold, self._large))
        if self.lines_left is not None:
            self.lines_left -= 1
            if self.lines_left <= 0:
                self.online, self.paper = self.then

    def _feed(self, lines: int) -> None:
        self._at_line_start()
        self._slip().feed += lines

    def _cut(self, how: bytes) -> None:
        if how != b"\x01" or not self.slips or not self.slips[-1].feed:
            raise Unknown("a cut through what was just printed, or of an unknown kind")
        self.slips[-1].cut = True

    def _raster(self, read: Read) -> None:
        self._at_line_start()
        header = read(6)
        across, high = (int.from_bytes(header[at : at + 2], "little") for at in (2, 4))
        if header[:2] != b"0\x00" or not 0 < across * 8 <= self.columns * 12 or not high:
            raise Unknown(f"no raster for this paper: {header!r}")
        rows = read(across * high)
        if len(rows) < across * high:
            raise Unknown("a raster that ends too soon")
        self._slip().printed.append(Raster(across, rows))

    def _at_line_start(self) -> None:
        if self._text:
            raise Unknown(f"a command in the middle of a line: {self._text!r}")

    def picture(self) -> Image.Image:
        """All paper so far, as one would see it."""
        paper = Image.new("L", (self.columns * 12, sum(_height(s) for s in self.slips) + 1), "white")
        pen, top = ImageDraw.Draw(paper), 0
        for slip in self.slips:
            y = top
            for item in slip.printed:
                if isinstance(item, Raster):
                    size = (item.across * 8, item.height)
                    paper.paste(Image.frombytes("1", size, item.rows, "raw", "1;I"), (0, y))
                else:
                    pen.text((0, y), item.text, font=ImageFont.load_default(40 if item.large else 20))
                y += _high(item)
            top += _height(slip)
        return paper


def _high(item: Line | Raster) -> int:
    if isinstance(item, Raster):
        return item.height
    return 48 if item.large else 30


def _height(slip: Slip) -> int:
    return sum(map(_high, slip.printed)) + slip.feed * 30


class Receiver(CommandReader):
    """The mechanism behind a TCP port. Leaving its `with` block tells what it did not understand."""

    def __init__(self, columns: int = 32, port: int = 0) -> None:
        super().__init__(columns)
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port: int = self._listener.getsockname()[1]
        self._error: BaseException | None = None
        self._changed = threading.Condition()
        self._whole = 0  # slips whose sender has hung up
        self.hangs_up = False
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join(WAIT)
        self._listener.close()

    def await_slips(self, count: int) -> list[Slip]:
        """The slips, once so many are cut or torn off and their sender has hung up."""
        with self._changed:
            done = self._changed.wait_for(lambda: self._whole >= count or self._error, WAIT)
        if self._error is not None:
            raise self._error
        assert done, f"only {len(self.slips)} slips came"
        return self.slips

    def _serve(self) -> None:
        while True:
            try:
                line, _ = self._listener.accept()
            except OSError:  # switched off
                return
            with line, line.makefile("rb") as file:
                self._take(line, file.read)

    def _take(self, line: socket.socket, read: Read) -> None:
        line.settimeout(WAIT)
        try:
            with suppress(ConnectionError):  # a printer does not mind that its sender is gone
                if not self.hangs_up:
                    self.execute(read, line.sendall)
        except Exception as error:  # noqa: BLE001  (told to the test at its end)
            self._error = self._error or error
        finally:
            with self._changed:
                self._whole = len(self.slips)
                self._changed.notify_all()


class Abrupt(Receiver):
    """Resets the connection when the paper is cut, with the next question unread."""

    is_abrupt = True

    def _take(self, line: socket.socket, read: Read) -> None:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", self.is_abrupt, 0))
        super()._take(line, read)

    def _cut(self, how: bytes) -> None:
        super()._cut(how)
        if self.is_abrupt:
            raise ConnectionError
