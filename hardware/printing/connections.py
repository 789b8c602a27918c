"""Connections to a printer: network, USB, serial line, device file. Each sends bytes and reads the status.

How python-escpos is used, and where it is not:

- Its `Usb` and `Serial` classes find, open and close a printer. Bytes go through their public `device`.
- Its constants name the ESC/POS commands, in `hardware/printing/escpos_commands.py` and
  `hardware/printing/printer.py`.
- `Network` is not used: its `open` leaks a socket when the connection fails, and supports only IPv4.
- `File` is not used: its writes block in the kernel while the printer accepts no data.
- `query_status` is not used on a serial line: it waits for sixteen bytes, and an answer has one.
- `text`, `qr`, `image` and `cut` are not used. `text` changes the code page in the middle of a line, by a
  list that the printer may not share (“€” goes to a Greek page); `qr` leaves too little white around a code.
  The command that switches off two-byte characters is missing, and no public method sends bytes, so it
  cannot be added. `hardware/printing/escpos_commands.py` builds the commands instead.

Importing its printer classes takes 0.2 s on a laptop and 15 MB, so that is done when one is opened.
"""

import os
import select
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from hardware.printing.escpos_commands import PIECE
from referee.program import settings

TIMEOUT = 3.0  # seconds for any answer; a slower printer counts as offline
PRINTING = 20.0  # seconds for an answer after a job: some printers answer only when it is printed
ANSWER = 16  # bytes at most
PRINTER_CLASS = 7  # of USB interfaces
IN = 0x80  # the direction bit of a USB endpoint address


class ConnectionEnded(ConnectionError):
    """The printer closed the connection cleanly."""


class Connection(Protocol):
    """A connection to a printer. Every failure is an OSError."""

    def send(self, data: bytes) -> None: ...

    def ask(self, question: bytes) -> bytes:
        """Send a status request; the answer, of which the first byte counts. Empty if none comes."""
        ...

    def wait_for_paper(self) -> None:
        """Allow later answers as long as printing the job takes."""
        ...

    def close(self) -> None: ...


class NetworkConnection:
    """A network printer. It may close the connection itself."""

    def __init__(self, printer: settings.PrinterSettings) -> None:
        self._socket = socket.create_connection((printer.host, printer.port), TIMEOUT)

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def ask(self, question: bytes) -> bytes:
        self.send(question)
        answer = self._socket.recv(ANSWER)
        if not answer:
            raise ConnectionEnded("The printer closed the connection.")
        return answer

    def wait_for_paper(self) -> None:
        self._socket.settimeout(PRINTING)

    def close(self) -> None:
        with suppress(OSError):  # already closed by the printer
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


class UsbConnection:
    """The USB printer with the vendor and product ids in the settings; without them, any USB printer."""

    def __init__(self, printer: settings.PrinterSettings) -> None:
        from escpos.printer import Usb

        found = {} if printer.vendor else {"custom_match": _is_printer}
        self._printer = Usb(printer.vendor, printer.product, usb_args=found, timeout=int(TIMEOUT * 1000))
        self._printer.open()
        self._device = self._printer.device
        for endpoint in self._device.get_active_configuration()[(0, 0)]:
            if endpoint.bEndpointAddress & IN:
                self._printer.in_ep = endpoint.bEndpointAddress
            else:
                self._printer.out_ep = endpoint.bEndpointAddress

    def send(self, data: bytes) -> None:
        self._device.write(self._printer.out_ep, data, self._printer.timeout)

    def ask(self, question: bytes) -> bytes:
        return bytes(self._printer.query_status(question))

    def wait_for_paper(self) -> None:
        self._device.default_timeout = int(PRINTING * 1000)

    def close(self) -> None:
        _close(self._printer)


def _is_printer(device: Any) -> bool:
    return any(
        interface.bInterfaceClass == PRINTER_CLASS for configuration in device for interface in configuration
    )


class SerialConnection:
    """A printer on a serial line."""

    def __init__(self, printer: settings.PrinterSettings) -> None:
        from escpos.printer import Serial

        self._printer = Serial(printer.device, printer.baud, timeout=TIMEOUT)
        self._printer.open()
        self._line = self._printer.device
        self._line.write_timeout = TIMEOUT + PIECE * 10 / printer.baud

    def send(self, data: bytes) -> None:
        self._line.write(data)

    def ask(self, question: bytes) -> bytes:
        self.send(question)
        return bytes(self._line.read(1))

    def wait_for_paper(self) -> None:
        self._line.timeout = PRINTING

    def close(self) -> None:
        _close(self._printer)


def _close(printer: Any) -> None:
    try:
        printer.close()
    except OSError:
        printer.device = None  # unplugged meanwhile: nothing is left to close


class FileConnection:
    """A device file, which is only written to. Writes are non-blocking and time out if the printer accepts no
    data."""

    def __init__(self, printer: settings.PrinterSettings) -> None:
        self._file = os.open(printer.device, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_TRUNC)

    def send(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            _, ready, _ = select.select([], [self._file], [], TIMEOUT)
            if not ready:
                raise TimeoutError("The printer accepts no more data.")
            rest = rest[os.write(self._file, rest) :]

    def ask(self, _question: bytes) -> bytes:
        return b""

    def wait_for_paper(self) -> None:
        pass

    def close(self) -> None:
        os.close(self._file)


CONNECTIONS: Mapping[str, Callable[[settings.PrinterSettings], Connection]] = {
    "network": NetworkConnection,
    "usb": UsbConnection,
    "serial": SerialConnection,
    "file": FileConnection,
}
