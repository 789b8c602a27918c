"""The four ways to a printer. The library behind them is slow to import: only once something is printed."""

import os
import select
import socket
from collections.abc import Callable, Mapping
from typing import Any

from hardware.commands import PIECE
from referee import settings

TIMEOUT = 3.0  # seconds for any answer; a printer that needs longer is not there
PRINTING = 20.0  # seconds for an answer after a job: some printers read on only when it is on paper
ANSWER = 16  # bytes at most
PRINTER_CLASS = 7  # of USB interfaces
IN = 0x80  # the bit of a USB endpoint that is read from


def _network(printer: settings.Printer) -> Any:
    from escpos.printer import Network

    device = Network(printer.host, printer.port, timeout=TIMEOUT)
    # Its own open() leaves a socket behind when nobody answers, and knows only IPv4.
    device.device = socket.create_connection((printer.host, printer.port), TIMEOUT)
    return device


def _usb(printer: settings.Printer) -> Any:
    """The printer with these numbers; without numbers, any USB printer."""
    from escpos.printer import Usb

    found = {} if printer.vendor else {"custom_match": _is_printer}
    device = Usb(printer.vendor, printer.product, usb_args=found, timeout=int(TIMEOUT * 1000))
    device.open()
    for endpoint in device.device.get_active_configuration()[(0, 0)]:
        if endpoint.bEndpointAddress & IN:
            device.in_ep = endpoint.bEndpointAddress
        else:
            device.out_ep = endpoint.bEndpointAddress
    return device


def _is_printer(device: Any) -> bool:
    return any(
        interface.bInterfaceClass == PRINTER_CLASS for configuration in device for interface in configuration
    )


def _serial(printer: settings.Printer) -> Any:
    from escpos.printer import Serial

    device = Serial(printer.device, printer.baud, timeout=TIMEOUT)
    device.open()
    device.device.write_timeout = TIMEOUT + PIECE * 10 / printer.baud
    return device


class Written:
    """A device file. One that takes nothing for a while is given up, rather than waited for in the kernel."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_TRUNC)

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            _, ready, _ = select.select([], [self._file], [], TIMEOUT)
            if not ready:
                raise TimeoutError("The printer takes nothing more.")
            rest = rest[os.write(self._file, rest) :]

    def close(self) -> None:
        os.close(self._file)


def _file(printer: settings.Printer) -> Any:
    return Written(printer.device)


def send(device: Any, connection: str, data: bytes) -> None:
    """Send bytes as they are."""
    if connection == "network":
        device.device.sendall(data)
    elif connection == "usb":
        device.device.write(device.out_ep, data, device.timeout)
    elif connection == "serial":
        device.device.write(data)
    else:
        device.write(data)


def receive(device: Any, connection: str) -> bytes:
    """The answer to a question, which is one byte; more may come with it from all but a serial printer."""
    if connection == "network":
        return bytes(device.device.recv(ANSWER))
    if connection == "usb":
        return bytes(device.device.read(device.in_ep, ANSWER))
    return bytes(device.device.read(1))


def wait_for_paper(device: Any, connection: str) -> None:
    """From now on an answer may take as long as all that was sent takes to print."""
    if connection == "network":
        device.device.settimeout(PRINTING)
    elif connection == "serial":
        device.device.timeout = PRINTING
    elif connection == "usb":
        device.device.default_timeout = int(PRINTING * 1000)


CONNECTIONS: Mapping[str, Callable[[settings.Printer], Any]] = {
    "network": _network,
    "usb": _usb,
    "serial": _serial,
    "file": _file,
}
