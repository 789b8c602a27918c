"""Connections: what is sent without end, or never finished, costs little memory and holds up nobody else."""

import resource
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

import pytest

from tests.web.conftest import Start
from tests.web.raw import Neighbour, heard_on, line_to
from tests.web.server import Running

ATTACKER, OTHER = "127.0.0.9", "127.0.0.2"
FILES = 10_000
IDLE_MEGABYTES = 75.0
AT_MOST = 1.0  # seconds until somebody else has their page
ENDS_WITHIN = 2.0  # seconds for a server with callers who never finish
CHUNKED = b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
TRAILERS = b"X: y\r\n" * 10_000  # 60 kB
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def until_done() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture(autouse=True)
def many_files() -> Iterator[None]:
    """Thousands of connections, of this process too."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = FILES if hard == resource.RLIM_INFINITY else min(hard, FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def asked(server: Running) -> float:
    """How long somebody else waits for a page."""
    began = time.monotonic()
    assert Neighbour(server.url, OTHER).get("/").status == 200
    return time.monotonic() - began


@contextmanager
def nobody_waits(server: Running) -> Iterator[None]:
    """Somebody else asks for a page again and again, and is answered in time."""
    asked(server)  # whatever is made once is made
    waited, over = [0.0], threading.Event()

    def ask() -> None:
        while not over.wait(0.02):
            waited.append(asked(server))

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        yield
        waited.append(asked(server))
    finally:
        over.set()
        asking.join()
    assert max(waited) <= AT_MOST


@contextmanager
def grows_little(server: Running, megabytes: float) -> Iterator[None]:
    asked(server)
    before = server.share_of_memory()
    yield
    assert server.share_of_memory() - before <= megabytes


def pour(line: socket.socket, piece: bytes, times: int) -> None:
    """Send a piece over and over, as long as the other side takes it."""
    line.settimeout(0.5)
    with suppress(OSError):  # cut off, or no longer read
        for _ in range(times):
            line.sendall(piece)


# ---- too much


@pytest.mark.parametrize("kilobytes", [1_000, 10_000])
def test_trailers_are_cut_off(start: Start, until_done: ExitStack, kilobytes: int) -> None:
    server = start()
    with grows_little(server, 8), nobody_waits(server):
        for _ in range(3):
            line = until_done.enter_context(line_to(server.port, CHUNKED + b"0\r\n", ATTACKER))
            pour(line, TRAILERS, kilobytes // 60)
    assert server.client.get("/healthz").json["tables"] == 0


def test_requests_behind_a_stream_are_not_read(start: Start, until_done: ExitStack) -> None:
    server = start()
    table = server.client.open_table()
    stream = f"GET {table.path}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    with grows_little(server, 10), nobody_waits(server):
        for _ in range(10):
            line = until_done.enter_context(line_to(server.port, stream, ATTACKER))
            pour(line, GET * 600, 10)


@pytest.mark.parametrize("header", [b"X: y\r\n", b"X: " + b"y" * 695 + b"\r\n", b"X: " + b"y" * 59_993])
def test_long_heads_are_refused(start: Start, until_done: ExitStack, header: bytes) -> None:
    server = start()
    head = b"GET / HTTP/1.1\r\nHost: localhost\r\n" + header * (60_000 // len(header))
    with grows_little(server, 15), nobody_waits(server):
        for _ in range(150):
            pour(until_done.enter_context(line_to(server.port, b"", ATTACKER)), head, 1)


# ---- never finished


def test_idle_and_unfinished_connections_of_one_address_keep_nobody_out(
    start: Start, until_done: ExitStack
) -> None:
    server = start()
    with grows_little(server, 80), nobody_waits(server):
        for _ in range(2000):
            until_done.enter_context(line_to(server.port, b"", ATTACKER))
        for _ in range(2000):
            until_done.enter_context(line_to(server.port, GET[:-2] + b"X: " + b"y" * 450, ATTACKER))
    assert server.sockets() > 4000, "all of them were let in"


def test_unfinished_bodies_of_one_address_have_a_bound(start: Start, until_done: ExitStack) -> None:
    server = start()
    body = b"POST /open HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n" + b"x" * 59_000
    with grows_little(server, 15), nobody_waits(server):
        lines = [until_done.enter_context(line_to(server.port, body, ATTACKER)) for _ in range(200)]
        assert sum(_is_answered(line) for line in lines) >= 200 - 64


def test_an_idle_server_is_small(start: Start) -> None:
    server = start(before=["env"])
    asked(server)
    assert server.share_of_memory() <= IDLE_MEGABYTES


def unfinished_head(server: Running) -> socket.socket:
    return line_to(server.port, b"GET / HT")


def silent_body(server: Running) -> socket.socket:
    return line_to(server.port, CHUNKED + b"5\r\n")


def deaf(server: Running) -> socket.socket:
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    line.connect(("127.0.0.1", server.port))
    line.sendall(GET.replace(b"/ ", b"/api/openapi.json ") * 100)
    return line


@pytest.mark.parametrize("caller", [unfinished_head, silent_body, deaf])
def test_it_ends_in_time_with_callers_who_never_finish(
    start: Start, until_done: ExitStack, caller: Callable[[Running], socket.socket]
) -> None:
    server = start()
    for _ in range(20):
        until_done.enter_context(caller(server))
    asked(server)
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < ENDS_WITHIN
    assert server.said() == ""


def test_streams_that_are_opened_at_once_all_stay(start: Start, until_done: ExitStack) -> None:
    """Most of them wait for a worker first."""
    server = start()
    table = server.client.open_table()
    asks = f"GET {table.path}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    lines = [until_done.enter_context(line_to(server.port)) for _ in range(1000)]
    for line in lines:
        line.sendall(asks)
    for line in lines:
        assert line.recv(65536)[:12] == b"HTTP/1.1 200"
    before = server.sockets()
    table.join("mask")
    for line in lines:
        heard = b""
        while b"id: 1\n" not in heard:
            piece = line.recv(65536)
            assert piece, "the stream ended"
            heard += piece
    assert server.sockets() >= before


# ---- hung up


def test_pages_of_callers_who_hung_up_are_not_made(start: Start, until_done: ExitStack) -> None:
    server = start("limits.exempt = []")
    lines = [line_to(server.port, b"", ATTACKER) for _ in range(2000)]
    with nobody_waits(server):
        for line in lines:
            line.sendall(GET)
        for line in lines:
            line.close()


def sheets(server: Running) -> bytes:
    """The request for a paper that is drawn slowly."""
    over = server.client.open_table()
    over.join("mask").client.post(f"{over.path}/ask", {"version": 1, "kind": "abandon"})
    return f"GET {over.path}/sheet.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()


def test_who_asks_for_too_much_at_once_is_told_to_wait(start: Start) -> None:
    server = start(bends=["dawdle"])
    asks = sheets(server)
    lines = [line_to(server.port, asks, ATTACKER) for _ in range(80)]
    refused = [line for line in lines if _is_answered(line)]
    assert 10 <= len(refused) <= 80 - 64
    for line in refused:
        said = heard_on(line)
        assert said.startswith(b"HTTP/1.1 503")
        assert b"\r\nretry-after: 2\r\n" in said and b'"code": "busy"' in said
    began = time.monotonic()
    with line_to(server.port, asks, OTHER) as other:
        assert heard_on(other).startswith(b"HTTP/1.1 200"), "each caller has a turn"
    assert time.monotonic() - began < 10, "sixty papers of a second each went first"
    for line in lines:
        line.close()
    began = time.monotonic()
    with line_to(server.port, asks, ATTACKER) as again:
        assert heard_on(again).startswith(b"HTTP/1.1 200")
    assert time.monotonic() - began < 10, "papers were drawn for nobody"


def _is_answered(line: socket.socket) -> bool:
    """Whether there is an answer by now, or soon."""
    before = line.gettimeout()
    line.settimeout(0.02)
    try:
        return bool(line.recv(1, socket.MSG_PEEK))
    except TimeoutError:
        return False
    finally:
        line.settimeout(before)
