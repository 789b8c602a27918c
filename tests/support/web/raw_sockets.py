"""Callers that keep to no rule: bytes as they are, from any address of this machine."""

import ctypes
import socket
import struct
from contextlib import suppress
from http.client import HTTPConnection
from typing import Any

from tests.support.waiting import PATIENCE
from tests.support.web.http_client import Client

IP_BIND_ADDRESS_NO_PORT = 24  # of Linux; Python has no name for it before 3.12


def line_to(port: int, sent: bytes = b"", address: str = "127.0.0.1") -> socket.socket:
    """A line on which these bytes were sent, from one of the many addresses of this machine. Its own port is
    chosen when it connects: one that was used with another server a moment ago will do."""
    line = socket.socket()
    line.settimeout(PATIENCE)
    line.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
    line.bind((address, 0))
    line.connect(("127.0.0.1", port))
    line.sendall(sent)
    return line


def heard_on(line: socket.socket) -> bytes:
    """All that was heard until the other side hung up, however it did."""
    heard = b""
    with suppress(ConnectionError):
        while piece := line.recv(65536):
            heard += piece
    return heard


SO_ATTACH_FILTER = 26  # of Linux; Python has no name for it
DROP = struct.pack("HBBI", 0x06, 0, 0, 0)  # the program `return 0`: keep no byte of any packet


def vanish(line: socket.socket) -> None:
    """Lose whatever arrives on this line from now on, without a word to the sender: as if out of reach."""
    program = ctypes.create_string_buffer(DROP, len(DROP))
    line.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HP", 1, ctypes.addressof(program)))


def first_heard(line: socket.socket) -> bytes:
    """The first word and the status, or nothing where the other side just hung up."""
    try:
        return line.recv(12)
    except ConnectionError:
        return b""


class Neighbour(Client):
    """A device at another address of this machine."""

    def __init__(self, url: str, address: str, headers: Any = None) -> None:
        super().__init__(url, headers)
        self._address = address

    def connect(self) -> HTTPConnection:
        connection = super().connect()
        return HTTPConnection(
            connection.host, connection.port, timeout=PATIENCE, source_address=(self._address, 0)
        )

    def with_(self, **headers: str) -> "Neighbour":
        return Neighbour(self.url, self._address, super().with_(**headers).headers)
