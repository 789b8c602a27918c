"""A TCP proxy whose connections a test can cut, also in mid-event, or drop silently."""

import re
import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self

CHUNK = 65536


class CuttableProxy:
    """Forwards a port of its own to a server's."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._connections: list[_Connection] = []
        self.is_dead = False
        self.cut_after: int | None = None  # bytes of a stream that get through before it is cut
        self.cuts = 0  # how often that happened
        self.received = list[bytes]()  # all that the server sent
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    def drop_all(self) -> None:
        """Drop all traffic from now on without closing anything, as when a phone leaves the Wi-Fi."""
        self.is_dead = True
        for connection in self._connections:
            connection.is_dead = True

    def recover(self) -> None:
        """Forward new connections again; those that were dropped stay so."""
        self.is_dead = False

    def cut(self) -> None:
        """Close every connection."""
        for connection in self._connections:
            connection.cut()

    def was_cut_since(self, cuts: int) -> bool:
        return self.cuts > cuts

    def streams(self) -> int:
        """How many streams were ever asked for."""
        return sum(connection.is_stream for connection in self._connections)

    def _listen(self) -> None:
        with suppress(OSError):  # it no longer listens
            while True:
                phone, _ = self._listening.accept()
                self._connections.append(_Connection(self, phone, self._to))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _where: TracebackType | None
    ) -> None:
        with suppress(OSError):  # some systems refuse to shut what only listens
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.cut()
        for connection in self._connections:
            connection.join()


class _Connection:
    """One connection of a phone."""

    def __init__(self, proxy: CuttableProxy, phone: socket.socket, port: int) -> None:
        self._proxy, self._phone, self._port = proxy, phone, port
        self._server: socket.socket | None = None
        self.is_dead, self.is_stream = proxy.is_dead, False
        self._threads = [threading.Thread(target=self._up, daemon=True)]
        self._threads[0].start()

    def cut(self) -> None:
        for end in (self._phone, self._server):
            if end:
                with suppress(OSError):  # that end has hung up already
                    end.shutdown(socket.SHUT_RDWR)

    def join(self) -> None:
        for thread in self._threads:
            thread.join()
        for end in (self._phone, self._server):
            if end:
                end.close()

    def _up(self) -> None:
        with suppress(OSError):  # cut, by the test or by either end
            while said := self._phone.recv(CHUNK):
                if self.is_dead:
                    continue
                if self._server is None:
                    self._server = socket.create_connection(("127.0.0.1", self._port))
                    self._threads.append(
                        threading.Thread(target=self._down, args=(self._server,), daemon=True)
                    )
                    self._threads[-1].start()
                self.is_stream = self.is_stream or bool(re.search(rb"/live[ ?]", said.partition(b"\r\n")[0]))
                self._server.sendall(said)
        self.cut()

    def _down(self, server: socket.socket) -> None:
        heard = 0
        with suppress(OSError):  # cut, by the test or by either end
            while said := server.recv(CHUNK):
                if self.is_dead:
                    continue
                room = (
                    None
                    if self._proxy.cut_after is None or not self.is_stream
                    else self._proxy.cut_after - heard
                )
                self._proxy.received.append(said[:room])
                self._phone.sendall(said[:room])
                heard += len(said)
                if room is not None and room <= len(said):
                    self._proxy.cuts += 1
                    break
        if not self.is_dead:
            self.cut()
