"""Streams: first one's own view, then one for each change; gone and slow clients affect nobody else."""

import json
import socket
import sqlite3
import struct
import time
from collections.abc import Callable
from contextlib import ExitStack, closing

import pytest

from tests.support.fixtures import Start
from tests.support.waiting import TIMEOUT, eventually
from tests.support.web.http_client import Phone, Table
from tests.support.web.random_player import hide
from tests.support.web.raw_sockets import drop_incoming, socket_to
from tests.support.web.server_process import Running
from tests.support.web.sse_reader import Stream
from web.server.sockets import ACK_TIMEOUT
from web.server.stream_endpoints import HEARTBEAT
from web.store import statements

ENDS_WITHIN = 2.0  # seconds for a server with streams open
GONE_WITHIN = 45.0  # seconds after which a phone that vanished without a word counts as gone
SOCKETS = 8  # of a server that nobody calls: those that listen or hold the port, and what wakes the loops


def seats_of(table: Table) -> Stream:
    """A screen that is told who is connected."""
    return table.client.follow(f"{table.path}/events?seats=1")


def connected(stream: Stream, seat: str, is_there: bool) -> None:
    """Wait until the last that was told of this seat is this."""
    stream.wait(lambda _: [event.json[seat] for event in stream.all("seats")][-1:] == [is_there])


def test_the_current_view_comes_first_then_one_for_each_change(
    playing: dict[str, Phone], table: Table
) -> None:
    with playing["mask"].events() as phone, table.events() as screen:
        assert phone.view(4) == playing["mask"].view()
        assert screen.view(4) == table.view()
        playing["target"].moves("attack_from_hand", card=0, house=1)
        playing["mask"].moves("attack_from_hand", card=0, house=1)
        assert screen.view(6) == table.view()
        assert phone.view(6) == playing["mask"].view()
        for stream in (screen, phone):
            assert [event.id for event in stream.all("view")] == ["4", "5", "6"]
            assert all(event.id == str(event.json["version"]) for event in stream.all("view"))


def test_it_is_a_stream_of_events_one_line_of_json_each(table: Table) -> None:
    with table.events() as stream:
        assert stream.headers.get_content_type() == "text/event-stream"
        assert stream.headers["Cache-Control"] == "no-store"
        assert "\n" not in stream.first("view").data


def test_joins_are_told_too(table: Table) -> None:
    with table.events() as screen:
        table.join("target", "Ana")
        assert screen.view(1)["seats"]["target"]["name"] == "Ana"
        phone = table.join("mask", "Bo")
        assert screen.view(2)["status"] == "playing"
        with phone.events() as mine:
            assert mine.view(2)["me"]["choices"]


def test_each_seat_gets_its_own_view_in_its_own_language(playing: dict[str, Phone], table: Table) -> None:
    french = playing["target"].client.with_(Accept_Language="fr")
    with french.follow(f"{table.path}/me/events") as mine, playing["mask"].events() as theirs:
        mine.view(4), theirs.view(4)
        playing["target"].moves("attack_from_hand", card=0, house=1)
        ours, others = mine.view(5), theirs.view(5)
        assert ours["me"]["hand"]["houses"] == {"1": 1, "2": 2, "3": 3}
        assert others["me"]["hand"]["houses"] == {"1": 4, "2": 5, "3": 6}
        assert ours["news"][-1]["text"] != others["news"][-1]["text"]


def test_a_quiet_stream_gives_signs_of_life(start: Start) -> None:
    table = start(modifications=["fast_heartbeat"]).client.open_table()
    with table.events() as stream:
        stream.wait(lambda _: len(stream.all("")) >= 3)
        table.join("mask")
        assert stream.view(1)


def test_a_gone_phone_is_noticed_at_once(playing: dict[str, Phone], table: Table) -> None:
    with seats_of(table) as screen:
        with playing["mask"].events() as phone:
            phone.view(4)
            connected(screen, "mask", True)
            assert table.view()["seats"]["mask"]["connected"] is True
        connected(screen, "mask", False)
        assert table.view()["seats"]["mask"]["connected"] is False
        assert [event.id for event in screen.all("view")] == ["4"], (
            "being connected is no change of the table"
        )


def test_one_that_asked_for_more_behind_its_stream_is_noticed_with_the_next_sign_of_life(
    start: Start,
) -> None:
    server = start(modifications=["fast_heartbeat"])
    table = server.client.open_table()
    phone = table.join("mask")
    head = f"HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {phone.token}\r\n\r\n"
    asked = f"GET {table.path}/me/events {head}GET /healthz {head}".encode()
    with seats_of(table) as screen:
        phone.goes_away()
        with socket_to(server.port, asked) as line, line.makefile("rb") as heard:
            assert b"event: view\n" in iter(heard.readline, b"")
            connected(screen, "mask", True)
        connected(screen, "mask", False)
    server.stop()
    assert server.said() == ""


def test_a_seat_stays_connected_while_one_of_its_phones_is(playing: dict[str, Phone], table: Table) -> None:
    with seats_of(table) as screen, playing["mask"].events() as one:
        one.view(4)
        with playing["mask"].events() as two:
            two.view(4)
        with playing["target"].events():
            connected(screen, "target", True)
        connected(screen, "target", False)
        told = [event.json["mask"] for event in screen.all("seats")]
        assert told[-1] is True
        assert False not in told[told.index(True) :], "it was there all the time"
        assert table.view()["seats"]["mask"]["connected"] is True


def hangs_up(line: socket.socket) -> None:
    line.close()


def is_cut_off(line: socket.socket) -> None:
    """As by a router that forgot the connection: the other side is told by a reset."""
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    line.close()


def asks_no_more(line: socket.socket) -> None:
    """It could still hear, but a browser never does this."""
    line.shutdown(socket.SHUT_WR)


@pytest.mark.parametrize("leaves", [hangs_up, is_cut_off, asks_no_more])
def test_gone_phones_are_freed_within_a_heartbeat(
    start: Start, leaves: Callable[[socket.socket], None]
) -> None:
    server = start()
    table = server.client.open_table()
    phone = table.join("mask")
    eventually(lambda: server.sockets() <= SOCKETS)
    paths = [f"{table.path}/events"] * 24 + [f"{table.path}/me/events"] * 6
    with ExitStack() as until_done:
        lines = [until_done.enter_context(socket_to(server.port, asks(path, phone))) for path in paths]
        for line in lines:
            assert line.recv(12) == b"HTTP/1.1 200"
        assert server.sockets() >= 30
        began = time.monotonic()
        for line in lines:
            leaves(line)
        eventually(lambda: server.sockets() <= SOCKETS)
        eventually(lambda: not table.view()["seats"]["mask"]["connected"])
        assert time.monotonic() - began <= HEARTBEAT


def asks(path: str, phone: Phone) -> bytes:
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {phone.token}\r\n\r\n"
    return head.encode()


def test_a_phone_that_vanished_without_a_word_is_gone_when_a_sign_of_life_stays_unanswered(
    start: Start,
) -> None:
    server = start(modifications=["short_timeouts", "fast_heartbeat"])
    table = server.client.open_table()
    phone = table.join("mask")
    with seats_of(table) as screen:
        phone.goes_away()
        with socket_to(server.port, asks(f"{table.path}/me/events", phone)) as line:
            connected(screen, "mask", True)
            before = server.sockets()
            drop_incoming(line)
            connected(screen, "mask", False)
            eventually(lambda: server.sockets() < before)
    assert HEARTBEAT + ACK_TIMEOUT / 1000 <= GONE_WITHIN, "without the haste of this test"


def never_reads(server: Running, path: str, token: str) -> socket.socket:
    """A phone that asks for a stream and then takes nothing from it."""
    asleep = socket.socket()
    asleep.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    asleep.connect(("127.0.0.1", server.port))
    asleep.sendall(
        f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    )
    return asleep


def test_a_slow_phone_is_dropped_and_harms_nobody(start: Start) -> None:
    server = start(modifications=["short_timeouts"])
    table = server.client.open_table(options={"first": "target"})
    phones = table.everybody()
    hide(phones)
    with seats_of(table) as screen, phones["target"].events() as awake:
        asleep = never_reads(server, f"{table.path}/me/events", phones["mask"].token)
        with asleep:
            connected(screen, "mask", True)
            version, told = 4, len(screen.all("seats"))
            while all(event.json["mask"] for event in screen.all("seats")[told:]):
                seat = ("target", "mask")[version % 2]
                version = phones[seat].moves("attack_from_hand", version, card=0, house=1)["version"]
                assert version < 3000, "nobody was dropped"
            awake.view(version)
            numbers = [event.id for event in awake.all("view")]
            assert numbers == [str(n) for n in range(4, version + 1)]
            eventually(lambda: server.sockets() <= SOCKETS + 2)  # screen and awake
    server.stop()
    assert server.said() == ""


def test_a_dropped_phone_comes_back_to_the_current_view(playing: dict[str, Phone]) -> None:
    with playing["mask"].events() as stream:
        stream.view(4)
    playing["target"].moves("attack_from_hand", card=0, house=1)
    with playing["mask"].events() as stream:
        stream.view(5)
        assert len(stream.all("view")) == 1


@pytest.mark.parametrize("streams", [0, 50])
def test_it_ends_within_two_seconds_with_streams_open(start: Start, streams: int) -> None:
    began = time.monotonic()
    server = start()
    table = server.client.open_table()
    phone = table.join("mask")
    opened = [(table if n % 10 else phone).events() for n in range(streams)]
    full = time.monotonic()
    code = server.stop()
    took, ran = time.monotonic() - full, full - began
    for stream in opened:
        stream.until_end()
        stream.close()
    assert (code, server.said()) == (0, "")
    assert took < max(ENDS_WITHIN, ran), "on a machine as busy as this one"


def test_it_ends_in_time_with_a_phone_that_takes_nothing(start: Start) -> None:
    server, began = start(), time.monotonic()
    table = server.client.open_table(options={"first": "target"})
    phones = table.everybody()
    hide(phones)
    with never_reads(server, f"{table.path}/me/events", phones["mask"].token):
        for version in range(4, 400):
            seat = ("target", "mask")[version % 2]
            phones[seat].moves("attack_from_hand", version, card=0, house=1)
        full = time.monotonic()
        server.stop()
        took, played = time.monotonic() - full, full - began
        assert took < max(ENDS_WITHIN, played), "on a machine as busy as this one"


def test_there_is_room_for_more_streams_than_the_usual_limit(start: Start) -> None:
    server = start(before=["sh", "-c", 'ulimit -Sn 48 && exec "$@"', "sh"])
    table = server.client.open_table()
    with ExitStack() as until_done:
        for _ in range(60):
            stream = until_done.enter_context(table.events())
            stream.view(0)


def test_a_stream_that_fails_to_open_is_told_as_a_fault(start: Start) -> None:
    server = start()
    table = server.client.open_table()
    server.stop()
    with closing(sqlite3.connect(server.data / "referee.db")) as db, db:
        db.execute(*statements.entry_written(table.code, 1, "now", "mask hide houses=[7,8,9", "head"))
    with server.again() as later:
        for path in (table.path, f"{table.path}/events"):
            answer = later.client.get(path)
            assert (answer.status, answer.code) == (500, "broken")
        assert later.client.get("/healthz").status == 200
        later.stop()
        assert "[7,8,9" not in later.said(), "a secret in the log"


def test_a_head_of_a_stream_is_refused_without_opening_it(table: Table) -> None:
    answer = table.client.call("HEAD", f"{table.path}/events")
    assert (answer.status, answer.headers["Allow"]) == (405, "GET")


def test_requests_in_one_packet_are_answered_in_order(server: Running, table: Table) -> None:
    request = f"GET {table.path} HTTP/1.1\r\nHost: localhost\r\n\r\n"
    last = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), TIMEOUT) as line:
        line.sendall((request * 3 + last).encode())
        heard = b"".join(iter(lambda: line.recv(65536), b""))
    assert heard.count(b"HTTP/1.1 200 OK") == 4
    assert heard.count(f'"table":"{table.code}"'.encode()) == 3
    assert json.loads(heard.rpartition(b"\r\n\r\n")[2])["status"] == "ok"
