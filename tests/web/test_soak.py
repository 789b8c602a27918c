"""A long evening: tables play on while phones drop and come back and the server is started anew; nothing
grows. 200 tables and many rounds under REFEREE_SOAK=1."""

import os
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.web.client import Phone, eventually
from tests.web.conftest import Start
from tests.web.play import hide
from tests.web.raw import first_heard, line_to
from tests.web.server import Running
from web.front import WORKERS

SOAK = os.environ.get("REFEREE_SOAK") == "1"
TABLES, ROUNDS, STARTS = (200, 30, 4) if SOAK else (10, 4, 2)
WARM = 3  # rounds after which nothing has reason to grow
AT_ONCE = 16
MOST_THREADS = WORKERS + 4  # the loop, the writer, the easel, and one that looks after the store
MORE_MEGABYTES = 8.0 if SOAK else 4.0  # the moves themselves are kept: some two kilobytes each
MORE_FILES = 3 * AT_ONCE  # a thread that reads for the first time opens the games

People = dict[str, Phone]


@dataclass(frozen=True)
class Size:
    """How large a server is."""

    megabytes: float
    threads: int
    files: int


def size(server: Running) -> Size:
    process = Path(f"/proc/{server.process.pid}")
    files, threads = (len(list((process / what).iterdir())) for what in ("fd", "task"))
    return Size(server.megabytes(), threads, files)


def sit_down(server: Running, _number: int) -> People:
    table = server.client.open_table(options={"first": "target"}, desk=None)
    phones = table.everybody()
    hide(phones)
    return phones


def follow(port: int, phone: Phone) -> socket.socket:
    """Open a stream and wait until it is let in."""
    asked = f"GET {phone.table.path}/me/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    line = line_to(port, f"{asked}Authorization: Bearer {phone.token}\r\n\r\n".encode())
    assert first_heard(line).endswith(b"200")
    return line


def play(server: Running, people: People) -> None:
    """Both phones come back, whoever's turn it is attacks and misses, and both drop without a word."""
    here = {seat: phone.at(server.url) for seat, phone in people.items()}
    lines = [follow(server.port, phone) for phone in here.values()]
    view = next(iter(here.values())).view()
    here[view["public"]["turn"]].moves("attack_from_hand", view["version"], card=0, house=1)
    for line in lines:
        line.close()


def play_rounds(server: Running, tables: Sequence[People], rounds: int) -> Size:
    """So many rounds at every table, some at once; how large the server is when all phones have gone."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in range(rounds):
            list(pool.map(partial(play, server), tables))
    eventually(lambda: server.sockets() <= AT_ONCE)
    return size(server)


def test_an_evening_of_dropping_phones_and_restarts_leaves_nothing_behind(start: Start) -> None:
    server = start(bends=["nosync"])
    with ThreadPoolExecutor(AT_ONCE) as pool:
        tables = list(pool.map(partial(sit_down, server), range(TABLES)))
    for _ in range(STARTS):
        before = play_rounds(server, tables, WARM)
        after = play_rounds(server, tables, ROUNDS)
        assert after.threads <= MOST_THREADS, (before, after)
        assert after.files <= before.files + MORE_FILES, (before, after)
        assert after.megabytes <= before.megabytes + MORE_MEGABYTES, (before, after)
        assert server.stop() == 0
        server = server.again()
    played = 4 + STARTS * (WARM + ROUNDS)
    assert {phone.at(server.url).view()["version"] for people in tables for phone in people.values()} == {
        played
    }
    assert server.stop() == 0
