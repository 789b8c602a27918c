"""Callers that keep to no rule: bytes as they are, from any address of this machine."""

import socket
from contextlib import suppress
from http.client import HTTPConnection
from typing import Any

from tests.web.client import PATIENCE, Client


def line_to(port: int, sent: bytes = b"", address: str = "127.0.0.1") -> socket.socket:
    """A line on which these bytes were sent, from one of the many addresses of this machine."""
    line = socket.create_connection(("127.0.0.1", port), PATIENCE, (address, 0))
    line.sendall(sent)
    return line


def heard_on(line: socket.socket) -> bytes:
    """All that was heard until the other side hung up, however it did."""
    heard = b""
    with suppress(ConnectionError):
        while piece := line.recv(65536):
            heard += piece
    return heard


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
