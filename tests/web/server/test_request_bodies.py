"""Request bodies and headers: what is accepted, refused, and not waited for."""

import json
import socket
from collections.abc import Iterable
from contextlib import closing, suppress
from http.client import HTTPResponse
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.fixtures import Start
from tests.support.soak import examples
from tests.support.waiting import TIMEOUT
from tests.support.web.http_client import Answer, Client, Phone, Table
from tests.support.web.raw_sockets import read_until_closed
from tests.support.web.server_process import Running
from web.server.request import MAX_FIELDS
from web.wire.parsing import parse

# ---- bodies


def on_the_line(server: Running, *pieces: bytes) -> Answer:
    """Send these bytes as they are."""
    with socket.create_connection(("127.0.0.1", server.port), TIMEOUT) as line:
        for piece in pieces:
            line.sendall(piece)
        return heard(line)


def heard(line: socket.socket) -> Answer:
    with closing(HTTPResponse(line)) as response:
        response.begin()
        return Answer(response.status, response.headers, response.read())


def chunks(body: bytes, size: int) -> Iterable[bytes]:
    for i in range(0, len(body), size):
        piece = body[i : i + size]
        yield b"%x\r\n%s\r\n" % (len(piece), piece)
    yield b"0\r\n\r\n"


HEAD = b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
WISH = json.dumps({"game": "agent_hunter"}).encode()


def test_a_body_in_chunks_is_as_good_as_another(server: Running) -> None:
    assert on_the_line(server, CHUNKED, *chunks(WISH, 5)).status == 201


def test_a_body_of_exactly_16_kib_is_taken(client: Client) -> None:
    assert client.call("POST", "/api/tables", WISH.ljust(16 * 1024)).status == 201
    assert client.call("POST", "/api/tables", WISH.ljust(16 * 1024 + 1)).code == "too-large"


@pytest.mark.parametrize("size", [16 * 1024 + 1, 100_000])
def test_a_large_body_in_chunks_is_refused(server: Running, size: int) -> None:
    answer = on_the_line(server, CHUNKED, *chunks(WISH.ljust(size), 4096))
    assert (answer.status, answer.code, answer.headers["Connection"]) == (413, "too-large", "close")


def test_an_endless_body_is_refused_before_it_ends(server: Running) -> None:
    answer = on_the_line(server, HEAD + b"Content-Length: 1000000000\r\n\r\n", b" " * 20_000)
    assert (answer.status, answer.code) == (413, "too-large")


def test_a_body_that_never_comes_is_not_waited_for_and_blocks_nobody(start: Start) -> None:
    server = start(modifications=["short_timeouts"])
    lines = [socket.create_connection(("127.0.0.1", server.port), TIMEOUT) for _ in range(40)]
    for line in lines:
        line.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
    assert server.client.post("/api/tables", {"game": "agent_hunter"}).status == 201
    for line in lines:
        with line:
            assert heard(line).code == "too-slow"
            line.sendall(b"}")  # one more byte does not keep the connection open
            assert read_until_closed(line) == b""


def test_a_caller_who_hangs_up_in_mid_body_changes_nothing(start: Start) -> None:
    server = start()
    with socket.create_connection(("127.0.0.1", server.port), TIMEOUT) as line:
        line.sendall(HEAD + b"Content-Length: 100\r\n\r\n" + WISH)
        line.shutdown(socket.SHUT_WR)
        assert read_until_closed(line)[:12] in (b"", b"HTTP/1.1 400")
    assert server.client.get("/healthz").json["tables"] == 0
    server.stop()
    assert server.said() == ""


def test_a_large_body_is_refused_in_words_and_the_connection_ends(server: Running) -> None:
    with socket.create_connection(("127.0.0.1", server.port), TIMEOUT) as line:
        line.sendall(HEAD + b"Content-Length: 500000\r\n\r\n" + b"x" * 500_000)
        assert heard(line).code == "too-large"
        assert read_until_closed(line) == b""


def test_a_large_form_is_refused_on_a_page(server: Running) -> None:
    answer = server.client.call("POST", "/open", b"x" * 100_000)
    assert (answer.status, answer.kind) == (413, "text/html")
    assert b"</html>" in answer.content


@pytest.mark.parametrize("where", ["form", "query"])
def test_too_many_fields_are_refused_in_words(playing: dict[str, Phone], table: Table, where: str) -> None:
    many = [(f"f{n}", "") for n in range(MAX_FIELDS + 1)]
    page, phone = f"/t/{table.code}/s/target", playing["target"].browser
    answer = phone.post_form(page, *many) if where == "form" else phone.post_form(f"{page}?{urlencode(many)}")
    assert (answer.status, answer.kind) == (400, "text/html")
    assert table.view()["version"] == 4


@examples(100)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_body_or_none(body: bytes) -> None:
    json.dumps(parse(body), allow_nan=False, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "body",
    [
        *(
            b"NaN",
            b"[Infinity]",
            b'{"a":-Infinity}',
            b"1e999",
            b'"\\ud800"',
            b'{"\\udfff":1}',
            b"\xff\xfe{\x00}\x00",
        ),
        *(b"\xef\xbb\xbf{}", b"\xed\xa0\x80", b"[" * 513 + b"]" * 513, b"1" * 5000, b"{}{}", b"", b"\x00"),
    ],
)
def test_what_is_no_json_is_none(body: bytes) -> None:
    assert parse(body) is None


@pytest.mark.parametrize(("left", "right"), [(b"[", b"]"), (b'{"":', b"}"), (b'[{"":', b"}]")])
def test_lists_and_objects_are_256_levels_deep_at_most(left: bytes, right: bytes) -> None:
    levels = 256 // (left.count(b"[") + left.count(b"{"))
    assert parse(left * levels + b"0" + right * levels) is not None
    assert parse(left * levels + b"[]" + right * levels) is None
    assert parse(b"[" + b"[]," * 500 + b"[]]") == [[]] * 501, "side by side there may be more"


def test_valid_json_is_parsed_unchanged() -> None:
    for value in (
        {"a": [1, 2.5, "é\U0001f3b2", None, True]},
        "\ud83c\udfb2".encode("utf-16", "surrogatepass").decode("utf-16"),
    ):
        assert parse(json.dumps(value).encode()) == value
        assert parse(json.dumps(value, ensure_ascii=False).encode()) == value


# ---- heads


@pytest.mark.parametrize("piece", [b"x" * 65536, b"X: y\r\n" * 10_000])
def test_a_head_without_end_is_cut_off(server: Running, piece: bytes) -> None:
    before = server.megabytes()
    with socket.create_connection(("127.0.0.1", server.port), TIMEOUT) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ")
        with suppress(ConnectionError):  # cut off in the middle, as it should be
            for _ in range(400):  # some 25 MB
                line.sendall(piece)
        assert read_until_closed(line)[:12] in (b"HTTP/1.1 431", b"")  # a reset may swallow the answer
    assert server.megabytes() < before + 10
    assert server.client.get("/healthz").status == 200


def test_a_long_head_is_taken(client: Client) -> None:
    assert (
        client.with_(Cookie="; ".join(f"seat_{n}={'x' * 40}" for n in range(600))).get("/healthz").status
        == 200
    )


def test_a_line_on_which_nothing_is_asked_is_closed(start: Start) -> None:
    server = start(modifications=["short_timeouts"])
    table = server.client.open_table()
    with table.events() as stream:
        for sent in (b"", b"GET /heal", HEAD):
            with socket.create_connection(("127.0.0.1", server.port), TIMEOUT) as line:
                line.sendall(sent)
                assert read_until_closed(line) == b""
        with socket.create_connection(("127.0.0.1", server.port), TIMEOUT) as line:
            line.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert heard(line).status == 200
            line.sendall(b"GET /heal")  # a second one that never comes
            assert read_until_closed(line) == b""
        table.join("mask")
        assert stream.view(1), "a stream has asked, and stays"
