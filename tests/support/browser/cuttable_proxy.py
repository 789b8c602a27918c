"""The air between phones and server: a wire that can be cut, cut in mid-word, or go dead without a word."""

import re
import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self

CHUNK = 65536


class Wire:
    """A port that leads to a server's, until something happens to it."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._lines: list[_Line] = []
        self.is_dead = False
        self.words: int | None = None  # bytes of a stream that get through before it is cut
        self.cuts = 0  # how often that happened
        self.brought = list[bytes]()  # all that came down from the server
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    def dies(self) -> None:
        """From now on nothing gets through, and nobody is told: out of reach of the Wi-Fi."""
        self.is_dead = True
        for line in self._lines:
            line.is_dead = True

    def heals(self) -> None:
        """New connections get through; those that died stay dead."""
        self.is_dead = False

    def cut(self) -> None:
        """Every connection ends at once."""
        for line in self._lines:
            line.cut()

    def was_cut_since(self, cuts: int) -> bool:
        return self.cuts > cuts

    def streams(self) -> int:
        """How many streams were ever asked for."""
        return sum(line.is_stream for line in self._lines)

    def _listen(self) -> None:
        with suppress(OSError):  # it listens no more
            while True:
                phone, _ = self._listening.accept()
                self._lines.append(_Line(self, phone, self._to))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _where: TracebackType | None
    ) -> None:
        with suppress(OSError):  # some systems refuse to shut what only listens
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.cut()
        for line in self._lines:
            line.join()


class _Line:
    """One connection of a phone."""

    def __init__(self, wire: Wire, phone: socket.socket, port: int) -> None:
        self._wire, self._phone, self._port = wire, phone, port
        self._server: socket.socket | None = None
        self.is_dead, self.is_stream = wire.is_dead, False
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
                room = None if self._wire.words is None or not self.is_stream else self._wire.words - heard
                self._wire.brought.append(said[:room])
                self._phone.sendall(said[:room])
                heard += len(said)
                if room is not None and room <= len(said):
                    self._wire.cuts += 1
                    break
        if not self.is_dead:
            self.cut()
