"""Connections: what is sent without end, or never finished, costs little memory and holds up nobody else.

Every attack comes from an address of its own, and no address is exempt from the limits. How much memory an
attack takes is looked at while its connections are still open.
"""

import re
import resource
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.support.fixtures import Start
from tests.support.waiting import TIMEOUT, eventually
from tests.support.web.random_player import hide
from tests.support.web.raw_sockets import ClientAtAddress, first_bytes, read_until_closed, socket_to
from tests.support.web.server_process import Running
from web.server.http_server import MOST_CONNECTIONS

ATTACKER, OTHER = "127.0.0.9", "127.0.0.2"
FILES = 10_000
IDLE_MEGABYTES = 75.0
STARTS_WITHIN = 1.0  # seconds from the start of the process to the first page
AT_MOST = 1.0  # seconds until somebody else has their page
HARDLY = 0.1  # the same, where an attack is not to be noticed at all
TRIES = 3  # where the time is short and this machine may have other things to do
NOBODY_EXEMPT = "limits.exempt = []"
ENDS_WITHIN = 2.0  # seconds for a server with callers who never finish
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
    assert ClientAtAddress(server.url, OTHER).get("/").status == 200
    return time.monotonic() - began


def warm_up(server: Running) -> None:
    """Have made whatever is made once."""
    for _ in range(5):
        asked(server)


@contextmanager
def somebody_asks(server: Running) -> Iterator[list[float]]:
    """Somebody else asks for a page again and again; how long they wait each time."""
    warm_up(server)
    waits, over = list[float](), threading.Event()

    def ask() -> None:
        while not over.wait(0.02):
            waits.append(asked(server))

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        yield waits
        waits.append(asked(server))
    finally:
        over.set()
        asking.join()


@contextmanager
def nobody_waits(server: Running) -> Iterator[None]:
    """Somebody else asks for a page again and again, and is answered in time."""
    with somebody_asks(server) as waits:
        yield
    assert max(waits) <= AT_MOST


def longest_wait(server: Running, attack: Callable[[], None]) -> float:
    """How long somebody else waits at most, when the attack goes best for them. What an attack does to others
    it does each time; a machine that is busy with something else is not always."""

    def attacked() -> float:
        with somebody_asks(server) as waits:
            attack()
        return max(waits)

    return min(attacked() for _ in range(TRIES))


@contextmanager
def grows_little(server: Running, megabytes: float) -> Iterator[None]:
    warm_up(server)
    before = server.heap()
    yield
    assert server.heap() - before <= megabytes


def pour(line: socket.socket, piece: bytes, times: int) -> int:
    """Send a piece over and over, as long as the other side takes it; how often it did."""
    line.settimeout(0.5)
    for done in range(times):
        try:
            line.sendall(piece)
        except OSError:  # cut off, or no longer read
            return done
    return times


# ---- too much


def in_chunks(path: str, method: str = "POST") -> bytes:
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".encode()


TRAILERS = {
    "one name": b"X: y\r\n" * 10_000,
    "many names": b"".join(b"X%d: y\r\n" % n for n in range(6_000)),
    "one line": b"y" * 60_000,
}


@pytest.mark.parametrize("trailers", TRAILERS.values(), ids=TRAILERS)
@pytest.mark.parametrize("megabytes", [1, 10])
def test_trailers_are_cut_off(start: Start, until_done: ExitStack, trailers: bytes, megabytes: int) -> None:
    server = start(NOBODY_EXEMPT)
    stream = f"{server.client.open_table().path}/events"
    lines: list[socket.socket] = []

    def attack() -> None:
        for head in (in_chunks("/api/tables"), in_chunks("/open"), in_chunks(stream, "GET")):
            line = until_done.enter_context(socket_to(server.port, head + b"0\r\nX: ", ATTACKER))
            pour(line, trailers, megabytes * 17)
            lines.append(line)

    with grows_little(server, 2):
        assert longest_wait(server, attack) <= HARDLY
    for line in lines:
        assert re.match(rb"(HTTP/1.1 (400|200) |$)", read_until_closed(line)), "refused, or just cut off"
    assert server.client.get("/healthz").json["tables"] == 1


def test_requests_behind_a_stream_are_not_read(start: Start, until_done: ExitStack) -> None:
    server = start(NOBODY_EXEMPT)
    table = server.client.open_table()
    stream = f"GET {table.path}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    with grows_little(server, 5), nobody_waits(server):
        lines = [until_done.enter_context(socket_to(server.port, stream, ATTACKER)) for _ in range(10)]
        for line in lines:
            assert pour(line, GET * 600, 10) == 10
        table.join("mask")
        for line in lines:
            hears(line, b"id: 1\n")
    with nobody_waits(server):
        for line in lines:
            line.close()


def test_requests_behind_streams_that_end_are_answered_in_turn_with_others(
    start: Start, until_done: ExitStack
) -> None:
    server = start("[limits]\nexempt = []\nstreams = 1")
    stream = f"GET {server.client.open_table().path}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    with grows_little(server, 15), nobody_waits(server):
        lines = [until_done.enter_context(socket_to(server.port, stream, ATTACKER)) for _ in range(10)]
        for line in lines:
            pour(line, GET * 600, 10)
        hears(lines[0], b"</html>")  # its stream has ended: the pages behind it are made, one at a time


@pytest.mark.parametrize("header", [b"X: y\r\n", b"X: " + b"y" * 695 + b"\r\n", b"X: " + b"y" * 59_993])
def test_long_heads_are_refused(start: Start, until_done: ExitStack, header: bytes) -> None:
    server = start(NOBODY_EXEMPT)
    head = b"GET / HTTP/1.1\r\nHost: localhost\r\n" + header * (60_000 // len(header))
    with grows_little(server, 3), nobody_waits(server):
        lines = [until_done.enter_context(socket_to(server.port, b"", ATTACKER)) for _ in range(150)]
        for line in lines:
            pour(line, head, 1)
        for line in lines:
            assert first_bytes(line) in (b"HTTP/1.1 431", b"")


ENDLESS = {
    "head": (b"GET / HTTP/1.1\r\nX: ", b"y" * 65_536),
    "headers": (b"GET / HTTP/1.1\r\n", b"X: y\r\n" * 10_000),
    "body of a page": (
        b"POST /open HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1%s\r\n\r\n" % (b"0" * 15),
        b"x" * 65_536,
    ),
    "chunks of a page": (in_chunks("/open"), b"8000\r\n%s\r\n" % (b"x" * 0x8000)),
    "small chunks of a page": (in_chunks("/open"), b"1\r\nx\r\n" * 10_000),
    "chunks nobody wants": (in_chunks("/", "GET"), b"8000\r\n%s\r\n" % (b"x" * 0x8000)),
    "chunks of a stream": (
        in_chunks("/api/tables/{code}/events", "GET"),
        b"8000\r\n%s\r\n" % (b"x" * 0x8000),
    ),
    "small chunks of a stream": (in_chunks("/api/tables/{code}/events", "GET"), b"1\r\nx\r\n" * 10_000),
}


@pytest.mark.parametrize(("head", "piece"), ENDLESS.values(), ids=ENDLESS)
def test_an_endless_request_is_cut_off(
    start: Start, until_done: ExitStack, head: bytes, piece: bytes
) -> None:
    server = start(NOBODY_EXEMPT)
    head = head.replace(b"{code}", server.client.open_table().code.encode())
    with grows_little(server, 6), nobody_waits(server):
        lines = [until_done.enter_context(socket_to(server.port, head, ATTACKER)) for _ in range(3)]
        for line in lines:
            assert pour(line, piece, 1000) < 1000, "all was taken"
        for line in lines:
            line.settimeout(TIMEOUT)
            read_until_closed(line)  # to the end


# ---- never finished


@pytest.mark.parametrize(
    ("sent", "kilobytes_each"),
    [(b"", 4), (GET[:-2] + b"X: " + b"y" * 450, 24), (GET[:-2] + b"X: " + b"y" * 31_000, 60)],
    ids=["idle", "unfinished", "unfinished and long"],
)
def test_connections_of_one_address_keep_nobody_out(
    start: Start, until_done: ExitStack, sent: bytes, kilobytes_each: int
) -> None:
    server = start(NOBODY_EXEMPT)
    with grows_little(server, 2000 * kilobytes_each / 1024), nobody_waits(server):
        for _ in range(2000):
            until_done.enter_context(socket_to(server.port, sent, ATTACKER))
        eventually(lambda: server.sockets() > 2000)


def test_idle_and_unfinished_connections_together_keep_nobody_out(
    start: Start, until_done: ExitStack
) -> None:
    server = start(NOBODY_EXEMPT)
    with nobody_waits(server):
        for sent in (b"", GET[:-2]):
            for _ in range(2000):
                until_done.enter_context(socket_to(server.port, sent, ATTACKER))
        eventually(lambda: server.sockets() > 4000)


@pytest.mark.parametrize("addresses", [1, 20])
def test_all_the_connections_there_may_be_keep_nobody_out(
    start: Start, until_done: ExitStack, addresses: int
) -> None:
    """Those who have most lose theirs, long before their time to send a head is over."""
    server = start(NOBODY_EXEMPT)
    table = ClientAtAddress(server.url, OTHER).open_table()
    with table.events() as stream, nobody_waits(server):
        for n in range(MOST_CONNECTIONS + 1000):
            until_done.enter_context(socket_to(server.port, b"", f"127.0.9.{n % addresses + 1}"))
        table.join("mask")
        assert stream.view(1), "the stream of somebody who has few connections stays"


def test_unfinished_bodies_of_one_address_have_a_bound(start: Start, until_done: ExitStack) -> None:
    server = start(NOBODY_EXEMPT)
    body = b"POST /open HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n" + b"x" * 59_000
    with grows_little(server, 15), nobody_waits(server):
        lines = [until_done.enter_context(socket_to(server.port, body, ATTACKER)) for _ in range(200)]
        assert sum(_is_answered(line) for line in lines) >= 200 - 64


def test_an_idle_server_is_small(start: Start) -> None:
    """The server and its desk."""
    server = start(before=["env"], desk="auto")
    asked(server)
    english = server.client.with_(Accept_Language="en")
    eventually(lambda: b"No desk is connected" not in english.get("/overview").content)
    assert server.share_of_memory() <= IDLE_MEGABYTES


def test_it_answers_within_a_second_of_its_start(start: Start) -> None:
    def took() -> float:
        began = time.monotonic()
        server = start(before=["env"])
        asked(server)
        seconds = time.monotonic() - began - server.kept_waiting()
        server.stop()
        return seconds

    assert any(took() <= STARTS_WITHIN for _ in range(TRIES))


def unfinished_head(server: Running) -> socket.socket:
    return socket_to(server.port, b"GET / HT")


def silent_body(server: Running) -> socket.socket:
    return socket_to(server.port, in_chunks("/api/tables") + b"5\r\n")


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
    lines = [until_done.enter_context(socket_to(server.port)) for _ in range(1000)]
    for line in lines:
        line.sendall(asks)
    for line in lines:
        assert line.recv(65536)[:12] == b"HTTP/1.1 200"
    before = server.sockets()
    table.join("mask")
    for line in lines:
        hears(line, b"id: 1\n")
    assert server.sockets() >= before


# ---- hung up


FORM = (
    "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 27\r\n\r\ntype=hide&check=1&version=4"
)
ASKED_AND_HUNG_UP = {
    "page": ("GET / ", ""),
    "stream": ("GET /api/tables/{code}/events ", ""),
    "record": ("GET /t/{code}/record ", ""),
    "part of a seat's page": ("GET /t/{own}/s/mask ", "Accept: application/json\r\n\r\n"),
    "stream of it": ("GET /t/{own}/s/mask/live ", "\r\n"),
    "form of it": ("POST /t/{own}/s/mask ", "Accept: application/json\r\n" + FORM),
}


@pytest.mark.parametrize(("begin", "more"), ASKED_AND_HUNG_UP.values(), ids=ASKED_AND_HUNG_UP)
def test_pages_of_callers_who_hung_up_are_not_made(start: Start, begin: str, more: str) -> None:
    server = start(NOBODY_EXEMPT)
    table = ClientAtAddress(server.url, OTHER).open_table(options={"first": "target"})
    phones = table.everybody()
    hide(phones)
    own = ClientAtAddress(server.url, ATTACKER).open_table()
    tokens = {seat: phone.token for seat, phone in own.everybody().items()}
    cookie = f"Cookie: seat_{own.code}_mask={tokens['mask']}\r\n"
    head = f"{begin.format(code=table.code, own=own.code)}HTTP/1.1\r\nHost: localhost\r\n"
    asks = (head + (cookie + more if more else "\r\n")).encode()
    moves: list[float] = []

    def attack() -> None:
        lines = [socket_to(server.port, b"", ATTACKER) for _ in range(2000)]
        for line in lines:
            line.sendall(asks)
        for line in lines:
            line.close()
        version = 4 + len(moves)
        began = time.monotonic()
        phones["target" if version % 2 == 0 else "mask"].moves("attack_from_hand", version, card=0, house=1)
        assert stream.view(version + 1)
        moves.append(time.monotonic() - began)

    with phones["mask"].events() as stream:
        assert longest_wait(server, attack) <= AT_MOST
    assert min(moves) <= AT_MOST, "a move, and who hears of it"


def sheets(server: Running) -> bytes:
    """The request for a paper that is drawn slowly."""
    over = server.client.open_table()
    over.join("mask").client.post(f"{over.path}/ask", {"version": 1, "kind": "abandon"})
    return f"GET {over.path}/sheet.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()


def test_who_asks_for_too_much_at_once_is_told_to_wait(start: Start) -> None:
    server = start(NOBODY_EXEMPT, modifications=["slow_sheets"])
    asks = sheets(server)
    lines = [socket_to(server.port, asks, ATTACKER) for _ in range(80)]
    refused = [line for line in lines if _is_answered(line)]
    assert 10 <= len(refused) <= 80 - 64
    for line in refused:
        said = read_until_closed(line)
        assert said.startswith(b"HTTP/1.1 503")
        assert b"\r\nretry-after: 2\r\n" in said and b'"code": "busy"' in said
    began = time.monotonic()
    with socket_to(server.port, asks, OTHER) as other:
        assert read_until_closed(other).startswith(b"HTTP/1.1 200"), "each caller has a turn"
    assert time.monotonic() - began < 10, "sixty papers of a second each went first"
    for line in lines:
        line.close()
    began = time.monotonic()
    with socket_to(server.port, asks, ATTACKER) as again:
        assert read_until_closed(again).startswith(b"HTTP/1.1 200")
    assert time.monotonic() - began < 10, "papers were drawn for nobody"


def hears(line: socket.socket, what: bytes) -> None:
    """Wait until this has come."""
    line.settimeout(TIMEOUT)
    heard = b""
    while what not in heard:
        piece = line.recv(65536)
        assert piece, "the stream ended"
        heard = heard[-len(what) :] + piece


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
