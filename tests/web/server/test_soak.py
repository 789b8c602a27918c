"""A long run: tables of every game play and play again while phones drop and reconnect, and the server is
stopped, killed and started again. After a warm-up its memory does not grow. 200 tables under REFEREE_SOAK=1.
"""

import socket
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from random import Random
from statistics import median
from typing import Any
from urllib.parse import urlencode

from referee.games import GAMES
from tests.support.fixtures import Start
from tests.support.soak import MINUTES, SOAK
from tests.support.waiting import eventually
from tests.support.web.checked_tables import FORM, as_form
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.random_player import picked
from tests.support.web.raw_sockets import socket_to
from tests.support.web.server_process import ROOT, Running
from web.security.caller import seat_cookie
from web.server.application import WORKERS

TABLES = 200 if SOAK else 4
ROUNDS, A_FEW = 80, 6  # of a whole life, at least: its first half warms it up; and of one after a restart
AT_ONCE = 8  # tables where somebody plays at the same time: all the load there ever is
MOST_THREADS = WORKERS + 7  # the loop, the writer, the easel, two aside, the bots, and one for the store
# What warms up: the tables at hand that are over (16), what the rules remember (a thousand answers each at
# most), and the games themselves, which all begin at once and are of all lengths only when the longest are
# over, after some 150 rounds. From then on what is in use stays the same; holes in the heap still come, ever
# more slowly.
MORE_MEGABYTES = 2.0 if SOAK else 3.5  # from a quarter of a life to the next: a short one still warms up
MORE_FILES = 3 * AT_ONCE  # a thread that reads for the first time opens the games


@dataclass(frozen=True)
class Size:
    """How large a server is."""

    megabytes: float
    threads: int
    files: int


def environment_of(unit: str) -> list[str]:
    """What the system gives a server along."""
    lines = (ROOT / "systemd" / unit).read_text().splitlines()
    return [line.partition("=")[2] for line in lines if line.startswith("Environment=")]


def size(server: Running) -> Size:
    process = Path(f"/proc/{server.process.pid}")
    files, threads = (len(list((process / what).iterdir())) for what in ("fd", "task"))
    return Size(server.megabytes(), threads, files)


def typical(sizes: Sequence[Size]) -> Size:
    """The memory that most of them have; the most threads and files that any has."""
    megabytes = median(size.megabytes for size in sizes)
    return Size(megabytes, max(size.threads for size in sizes), max(size.files for size in sizes))


class Line:
    """A phone's stream, open until the phone drops."""

    def __init__(self, port: int, phone: Phone) -> None:
        asked = f"GET {phone.table.path}/me/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        self._socket: socket.socket = socket_to(
            port, f"{asked}Authorization: Bearer {phone.token}\r\n\r\n".encode()
        )
        self._heard = b""

    def hears(self, version: int) -> None:
        """Wait until the table has told this version."""
        before, told, self._heard = self._heard.partition(b"id: %d\n" % version)
        while not told:
            piece = self._socket.recv(65536)
            assert piece, f"it ended before version {version} was told: {before!r}"
            before, told, self._heard = (before + piece).partition(b"id: %d\n" % version)

    def drops(self) -> None:
        self._socket.close()


class Circle:
    """The people of one table, who play game after game."""

    def __init__(self, server: Running, game: str, number: int) -> None:
        self._dice = Random(number)
        self._phones = server.client.open_table(game=game, desk=None).everybody()
        self._lines: dict[str, Line] = {}
        self.version = self.phone.view()["version"]

    @property
    def phone(self) -> Phone:
        return next(iter(self._phones.values()))

    @property
    def lines(self) -> int:
        return len(self._lines)

    def comes_to(self, server: Running) -> None:
        """The server was started anew: every stream is gone, and nothing else."""
        self.leaves()
        self._phones = {seat: phone.at(server.url) for seat, phone in self._phones.items()}
        assert self.phone.view()["version"] == self.version

    def plays(self, server: Running) -> None:
        """Some phones drop without a word, all come back, somebody moves, and everybody hears of it and sees
        the new page."""
        self._drop([seat for seat in self._lines if self._dice.random() < 0.3])
        for seat in self._phones.keys() - self._lines.keys():
            self._lines[seat] = Line(server.port, self._phones[seat])
            self._lines[seat].hears(self.version)
        self._move(self.phone.view())
        for seat, line in self._lines.items():
            line.hears(self.version)
            self._looks(seat)
        if self.phone.view()["status"] == "over":
            self._looks_back()
            self._again(server.client)

    def _move(self, view: Mapping[str, Any]) -> None:
        phone = self._phones[self._dice.choice(view["waiting_for"])]
        move = {"version": self.version, **picked(phone.view()["me"]["choices"], self._dice)}
        if self._dice.random() < 0.5:
            assert phone.client.post(f"{phone.table.path}/moves", move).status == 200
        else:
            self._submits(phone, move)
        self.version += 1

    def _submits(self, phone: Phone, move: dict[str, Any]) -> None:
        """The same by the form of its page."""
        form = urlencode({**as_form(move), "nonce": self._dice.randbytes(8).hex()}).encode()
        browser = self._browser(phone).with_(Content_Type=FORM)
        assert browser.call("POST", self._page(phone), form).status == 303

    def _looks(self, seat: str) -> None:
        phone = self._phones[seat]
        assert self._browser(phone).get(self._page(phone)).status == 200

    def _looks_back(self) -> None:
        for paper in ("sheet.png", "record"):
            assert self.phone.client.get(f"{self.phone.table.path}/{paper}").status == 200

    def _browser(self, phone: Phone) -> Client:
        return phone.table.client.with_(Cookie=f"{seat_cookie(phone.table.code, phone.seat)}={phone.token}")

    def _page(self, phone: Phone) -> str:
        return f"/t/{phone.table.code}/s/{phone.seat}"

    def _again(self, client: Client) -> None:
        """The same people with the same tokens at the next table."""
        self.leaves()
        asked = self.phone.client.post(f"{self.phone.table.path}/rematch", {})
        assert asked.status == 201, asked.content
        table = Table(client, {**asked.json, "host": self.phone.table.host, "seats": []})
        self._phones = {seat: Phone(table, seat, phone.token) for seat, phone in self._phones.items()}
        self.version = self.phone.view()["version"]

    def leaves(self) -> None:
        self._drop(list(self._lines))

    def _drop(self, seats: Iterable[str]) -> None:
        for seat in seats:
            self._lines.pop(seat).drops()


def play_on(server: Running, circles: Sequence[Circle], rounds: int, minutes: float = 0.0) -> list[Size]:
    """Round after round at every table, some at once; how large the server was after each."""
    sizes: list[Size] = []
    ends = time.monotonic() + 60 * minutes
    with ThreadPoolExecutor(AT_ONCE) as pool:
        while len(sizes) < rounds or time.monotonic() < ends:
            list(pool.map(lambda circle: circle.plays(server), circles))
            open_lines = sum(circle.lines for circle in circles)
            eventually(partial(lambda most: server.sockets() <= most, open_lines + AT_ONCE))
            sizes.append(size(server))
    return sizes


def has_not_grown(before: Size, after: Size) -> None:
    assert after.threads <= MOST_THREADS, (before, after)
    assert after.files <= before.files + MORE_FILES, (before, after)
    assert after.megabytes <= before.megabytes + MORE_MEGABYTES, (before, after)


def test_hours_of_dropping_phones_and_restarts_leave_nothing_behind(start: Start) -> None:
    server = start(modifications=["nosync"], before=["env", *environment_of("referee.service")])
    with ThreadPoolExecutor(AT_ONCE) as pool:
        games = islice(cycle(GAMES), TABLES)
        circles = list(pool.map(partial(Circle, server), games, range(TABLES)))
    life = play_on(server, circles, ROUNDS, MINUTES)
    quarter = len(life) // 4
    before, warm = typical(life[-2 * quarter : -quarter]), typical(life[-quarter:])
    has_not_grown(before, warm)
    for end in (server.stop, server.kill):
        end()
        server.again()
        for circle in circles:
            circle.comes_to(server)
        has_not_grown(warm, typical(play_on(server, circles, A_FEW)))
    for circle in circles:
        circle.leaves()
    assert server.stop() == 0
    assert server.said() == ""
