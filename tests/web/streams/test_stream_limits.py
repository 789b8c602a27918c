"""Limits of streams, connections and workers: nobody holds them all; who has most loses first."""

import asyncio
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from tests.support.fixtures import Start
from tests.support.soak import SOAK
from tests.support.waiting import TIMEOUT, eventually
from tests.support.web.event_loops import run_in_loop
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.random_player import hide
from tests.support.web.raw_sockets import ClientAtAddress, first_bytes, socket_to
from tests.support.web.server_process import Running
from tests.support.web.sse_reader import Stream
from web.streams.stream_limits import PER_HOLDER, OpenStreams
from web.streams.subscribers import Subscriber

THOUSANDS = 4000 if SOAK else 2000
MOST_MEGABYTES = 250.0
ENDS_WITHIN = 3.0  # seconds for a server with thousands of streams


def answers_a_move(table: Table, phones: dict[str, Phone]) -> None:
    """The one whose turn it is makes a move and is answered."""
    seat = table.view()["public"]["turn"]
    assert phones[seat].tries("attack_from_hand", card=0, house=1).status == 200


def in_play(server: Running, client: Client | None = None) -> tuple[Table, dict[str, Phone]]:
    table = (client or server.client).open_table(options={"first": "target"})
    phones = table.everybody()
    hide(phones)
    return table, phones


def ended(streams: list[Stream], number: int) -> list[int]:
    """Which streams have ended, once so many have."""
    eventually(lambda: sum(stream.ended for stream in streams) >= number)
    return [n for n, stream in enumerate(streams) if stream.ended]


@pytest.fixture
def until_done() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


# ---- streams


def test_a_phone_that_opens_more_than_its_share_loses_its_oldest(
    playing: dict[str, Phone], table: Table, until_done: ExitStack
) -> None:
    other = until_done.enter_context(playing["target"].events())
    mine = [until_done.enter_context(playing["mask"].events()) for _ in range(PER_HOLDER + 3)]
    assert ended(mine, 3) == [0, 1, 2]
    playing["target"].moves("attack_from_hand", card=0, house=1)
    for stream in (other, *mine[3:]):
        assert stream.view(5)
    assert ended([other, *mine], 3) == [1, 2, 3]


def test_so_does_a_desk(start: Start, until_done: ExitStack) -> None:
    server = start()
    desk = server.client.bearing(server.desk_key())
    mine = [until_done.enter_context(desk.follow("/api/desks/main/events")) for _ in range(PER_HOLDER + 1)]
    assert ended(mine, 1) == [0]


def test_an_address_that_opens_more_than_its_share_loses_its_oldest(
    start: Start, until_done: ExitStack
) -> None:
    server = start("limits.streams = 20")
    crowd, neighbour = ClientAtAddress(server.url, "127.0.0.9"), ClientAtAddress(server.url, "127.0.0.8")
    table = server.client.open_table()
    path = f"{table.path}/events"
    calm = until_done.enter_context(neighbour.follow(path))
    many = [until_done.enter_context(crowd.follow(path)) for _ in range(25)]
    here = [until_done.enter_context(server.client.follow(path)) for _ in range(25)]
    assert ended(many, 5) == [0, 1, 2, 3, 4]
    table.join("mask")
    for stream in (calm, *many[5:], *here):
        assert stream.view(1)


def test_strangers_at_the_same_address_close_no_stream_that_came_with_a_token(
    start: Start, until_done: ExitStack
) -> None:
    server = start("limits.streams = 20")
    here = ClientAtAddress(server.url, "127.0.0.9")
    table, phones = in_play(server, here)
    phone = until_done.enter_context(phones["mask"].events())
    host = until_done.enter_context(here.bearing(table.host).follow(f"{table.path}/events"))
    strangers = [until_done.enter_context(here.follow(f"{table.path}/events")) for _ in range(25)]
    assert ended(strangers, 5) == [0, 1, 2, 3, 4]
    assert table.view()["seats"]["mask"]["connected"]
    answers_a_move(table, phones)
    for stream in (phone, host, *strangers[5:]):
        assert stream.view(5)


def test_screens_are_told_who_is_there_only_when_that_changes(
    playing: dict[str, Phone], table: Table, until_done: ExitStack
) -> None:
    playing["mask"].goes_away()
    path = f"{table.path}/events?seats=1"
    screens = [until_done.enter_context(table.client.follow(path)) for _ in range(10)]
    until_done.enter_context(playing["mask"].events())
    for screen in screens:
        screen.wait(lambda event: event.kind == "seats" and event.json["mask"])
        assert len(screen.all("seats")) == 2


# ---- thousands


async def opened(server: Running, path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    await reader.readuntil(b"data: ")
    return reader, writer


async def crowd(server: Running, table: Table, phones: dict[str, Phone]) -> tuple[float, float]:
    """Thousands watch, a move is answered and told to all of them, the server ends: how long it took to let
    them in, and to end."""
    loop, path = asyncio.get_running_loop(), f"{table.path}/events?seats=1"
    streams, began = [], time.monotonic()
    for _ in range(THOUSANDS // 100):
        streams += await asyncio.gather(*(opened(server, path) for _ in range(100)))
    let_in = time.monotonic() - began
    await loop.run_in_executor(None, answers_a_move, table, phones)
    await asyncio.gather(*(reader.readuntil(b"id: 5\n") for reader, _ in streams))
    assert server.megabytes() < MOST_MEGABYTES
    began = time.monotonic()
    assert await loop.run_in_executor(None, server.stop) == 0
    took = time.monotonic() - began
    await asyncio.gather(*(reader.read() for reader, _ in streams), return_exceptions=True)
    for _, writer in streams:
        writer.close()
    return let_in, took


def test_thousands_of_streams_leave_the_table_playing_and_end_at_once(start: Start) -> None:
    server = start()
    table, phones = in_play(server)
    let_in, took = run_in_loop(asyncio.wait_for(crowd(server, table, phones), 4 * TIMEOUT))
    assert took < max(ENDS_WITHIN, let_in), "on a machine as busy as this one"
    assert server.said() == ""


# ---- connections

FEW_FILES = ["sh", "-c", 'ulimit -n 160 && exec "$@"', "sh"]


def test_who_takes_all_the_connections_loses_them_and_others_are_answered(
    start: Start, until_done: ExitStack
) -> None:
    server = start("limits.streams = 20", before=FEW_FILES, modifications=["short_timeouts"])
    table, phones = in_play(server, ClientAtAddress(server.url, "127.0.0.8"))
    stream = until_done.enter_context(phones["mask"].events())
    asks = f"GET {table.path}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    for n in range(400):
        until_done.enter_context(socket_to(server.port, asks if n % 2 else b"GET /", "127.0.0.9"))
    answers_a_move(table, phones)
    assert stream.view(5)["version"] == 5
    assert server.sockets() < 160
    server.stop()
    assert server.said() == ""


def test_many_addresses_that_take_all_the_connections_do_not_stop_it(
    start: Start, until_done: ExitStack
) -> None:
    server = start(before=FEW_FILES, modifications=["short_timeouts"])
    table, phones = in_play(server)
    for n in range(300):
        until_done.enter_context(socket_to(server.port, b"GET /", f"127.0.{n % 100}.9"))
    answers_a_move(table, phones)


# ---- slow callers


def test_pictures_wait_for_each_other_alone(start: Start, until_done: ExitStack) -> None:
    server = start(modifications=["slow_sheets"])
    over = server.client.open_table()
    asked = over.join("mask").client.post(f"{over.path}/ask", {"version": 1, "kind": "abandon"})
    assert asked.json["version"] == 2
    table, phones = in_play(server)
    for n in range(40):
        form = ("sheet.png", "sheet.pdf", "sheet.txt")[n % 3]
        asks = f"GET {over.path}/{form} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        until_done.enter_context(socket_to(server.port, asks))
    began = time.monotonic()
    answers_a_move(table, phones)
    assert time.monotonic() - began < 10, "forty pictures of a second each went first"


def test_who_never_takes_a_picture_holds_up_nobody(start: Start, until_done: ExitStack) -> None:
    server, began = start(), time.monotonic()
    table, phones = in_play(server)
    before = server.megabytes()
    asks = b"GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50
    for _ in range(40):
        deaf = until_done.enter_context(socket.socket())
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        deaf.connect(("127.0.0.1", server.port))
        deaf.sendall(asks)
    answers_a_move(table, phones)
    assert server.megabytes() < before + 60
    full = time.monotonic()
    server.stop()
    took, played = time.monotonic() - full, full - began
    assert took < max(ENDS_WITHIN, played), "on a machine as busy as this one"


def test_heads_and_bodies_a_byte_at_a_time_hold_up_nobody(start: Start) -> None:
    server = start(modifications=["short_timeouts"])
    table, phones = in_play(server)
    head = b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
    slow = [socket_to(server.port) for _ in range(30)] + [socket_to(server.port, head) for _ in range(30)]
    with ThreadPoolExecutor(1) as beside:
        drips = beside.submit(drip, slow, head + b" " * 1000)
        answers_a_move(table, phones)
        drips.result(TIMEOUT)
    for line in slow:
        with line:
            assert first_bytes(line) in (b"", b"HTTP/1.1 400", b"HTTP/1.1 408")


def drip(lines: list[socket.socket], what: bytes) -> None:
    """A byte at a time on every line, until the other side has had enough of them all."""
    tired: set[socket.socket] = set()
    for n in range(len(what)):
        for line in set(lines) - tired:
            try:
                line.sendall(what[n : n + 1])
            except ConnectionError:
                tired.add(line)
        if len(tired) == len(lines):
            return


def test_a_stream_that_is_closed_for_a_newer_one_is_unsubscribed_at_once_and_once() -> None:
    async def story() -> None:
        loop, streams, left = asyncio.get_running_loop(), OpenStreams(100, ()), list[Subscriber]()
        opened = [Subscriber("mask", "en", loop, holder=("ABCDE", "mask")) for _ in range(PER_HOLDER + 50)]
        for subscriber in opened:
            streams.add(subscriber, left.append)
        assert left == opened[:50] and all(subscriber.stopped for subscriber in left)
        for subscriber in opened:
            streams.remove(subscriber)
        assert left == opened

    run_in_loop(story())
