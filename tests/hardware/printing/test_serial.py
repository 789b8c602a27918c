"""A serial printer: a real terminal device with the strict receiver at its other end."""

import os
import pty
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from hardware.devices.health import Health
from hardware.printing.printer import Printer, PrinterError
from referee.program import settings
from tests.support.hardware.escpos_receiver import WAIT, CommandReader
from tests.support.hardware.sample_papers import SHEET, SLIPS


@contextmanager
def line(mechanism: CommandReader) -> Iterator[str]:
    """The path of a serial line to this mechanism."""
    near, far = pty.openpty()
    troubles: list[Exception] = []

    def read(count: int) -> bytes:
        data = b""
        with suppress(OSError):  # the far end is closed
            while len(data) < count:
                data += os.read(near, count - len(data))
        return data

    def serve() -> None:
        try:
            mechanism.execute(read, lambda answer: os.write(near, answer))
        except Exception as error:  # noqa: BLE001  (told below)
            troubles.append(error)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield os.ttyname(far)
    finally:
        os.close(far)
        thread.join(WAIT)
        os.close(near)
    if troubles:
        raise troubles[0]


def test_a_sheet_over_a_serial_line() -> None:
    mechanism = CommandReader()
    with line(mechanism) as path:
        printer = Printer(settings.PrinterSettings("serial", device=path, baud=115200))
        assert printer.check() == Health(True, "ready")
        assert printer.print(SHEET) == Health(True, "ready")
    assert "« Œuvre d’été »" in mechanism.slips[0].text


def test_a_code_over_a_serial_line() -> None:
    mechanism = CommandReader(48)
    with line(mechanism) as path:
        Printer(settings.PrinterSettings("serial", device=path, columns=48)).print(SLIPS)
    assert len(mechanism.slips) == 2


def test_a_serial_printer_that_never_answers_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.printing.connections.TIMEOUT", 0.05)
    mechanism = CommandReader()
    mechanism.answers = False
    with line(mechanism) as path:
        assert Printer(settings.PrinterSettings("serial", device=path)).print(SHEET) == Health(True, "silent")
    assert len(mechanism.slips) == 1


def test_no_such_line() -> None:
    printer = Printer(settings.PrinterSettings("serial", device="/dev/no-such-line"))
    assert printer.check() == Health(False, "offline")
    with pytest.raises(PrinterError, match="offline"):
        printer.print(SHEET)
