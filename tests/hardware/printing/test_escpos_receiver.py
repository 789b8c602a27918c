"""The receiver of these tests is strict: it refuses what a printer should not be sent."""

from io import BytesIO

import pytest

from tests.support.hardware.escpos_receiver import CommandReader, Line, Unknown


def execute(*commands: bytes, columns: int = 32) -> CommandReader:
    reader = CommandReader(columns)
    reader.execute(BytesIO(b"".join(commands)).read, lambda _answer: None)
    return reader


def test_it_reads_text_by_the_selected_page() -> None:
    assert execute(b"\x1b@\x1c.\x1bt\x10", b"\x9c \xc9 \x80\n").slips[0].lines == [Line("œ É €")]
    assert execute(b"\x1b@\x1c.\x1bt\x13", b"\x90 \xd5\n").slips[0].lines == [Line("É €")]


def test_a_reset_forgets_the_page() -> None:
    with pytest.raises(UnicodeDecodeError):
        execute(b"\x1bt\x10\x1b@\x1c.", b"\xc9\n")


@pytest.mark.parametrize(
    "commands",
    [
        b"\x1bZ",
        b"\x07",
        b"\x7f",
        b"\x1c&",
        b"\xc9\n",
        b"\x1d(k\x03\x00",
        b"x" * 33 + b"\n",
        b"\x1d!\x11" + b"x" * 17 + b"\n",
        b"text without end",
        b"text\x1bd\x06",
        b"text\n\x1dV\x01",
        b"\x1dv0\x00\x31\x00\x01\x00" + bytes(49),
        b"\x1dv0\x00\x30\x00\x02\x00" + bytes(48),
    ],
)
def test_it_refuses_everything_else(commands: bytes) -> None:
    with pytest.raises(Unknown):
        execute(b"\x1b@", commands)
