"""Raw sockets and clients, from any loopback address of this machine."""

import ctypes
import socket
import struct
from contextlib import suppress
from http.client import HTTPConnection
from typing import Any

from tests.support.waiting import TIMEOUT
from tests.support.web.http_client import Client

IP_BIND_ADDRESS_NO_PORT = 24  # of Linux; Python has no name for it before 3.12


def socket_to(port: int, sent: bytes = b"", address: str = "127.0.0.1") -> socket.socket:
    """A connected socket on which these bytes were sent, from a loopback address. Its port is chosen on
    connect, so that ports recently used with other servers can be used again."""
    line = socket.socket()
    line.settimeout(TIMEOUT)
    line.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
    line.bind((address, 0))
    line.connect(("127.0.0.1", port))
    line.sendall(sent)
    return line


def read_until_closed(line: socket.socket) -> bytes:
    """All bytes until the other side closes or resets the connection."""
    heard = b""
    with suppress(ConnectionError):
        while piece := line.recv(65536):
            heard += piece
    return heard


SO_ATTACH_FILTER = 26  # of Linux; Python has no name for it
DROP = struct.pack("HBBI", 0x06, 0, 0, 0)  # the program `return 0`: keep no byte of any packet


def drop_incoming(line: socket.socket) -> None:
    """Drop whatever arrives on this socket from now on, without telling the sender: as if out of reach."""
    program = ctypes.create_string_buffer(DROP, len(DROP))
    line.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HP", 1, ctypes.addressof(program)))


def first_bytes(line: socket.socket) -> bytes:
    """The start of the status line; empty if the other side just closed the connection."""
    try:
        return line.recv(12)
    except ConnectionError:
        return b""


class ClientAtAddress(Client):
    """A client at another address of this machine."""

    def __init__(self, url: str, address: str, headers: Any = None) -> None:
        super().__init__(url, headers)
        self._address = address

    def connect(self) -> HTTPConnection:
        connection = super().connect()
        return HTTPConnection(
            connection.host, connection.port, timeout=TIMEOUT, source_address=(self._address, 0)
        )

    def with_(self, **headers: str) -> "ClientAtAddress":
        return ClientAtAddress(self.url, self._address, super().with_(**headers).headers)
