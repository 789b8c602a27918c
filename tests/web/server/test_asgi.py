"""The ASGI requests that granian makes: what is normalized, and how faults are answered."""

import asyncio
import logging
from typing import Any

import pytest

from tests.support.web.event_loops import run_in_loop
from web.server import asgi
from web.server.application import AsgiApplication
from web.server.asgi import MOST_PIECES, DisconnectWatch, address, check_head, environ_of, headers, read_body
from web.server.request import MAX_FIELDS
from web.service.tables import TableService
from web.wire.errors import ApiError

HOST = (b"host", b"localhost")


def scope(path: str = "/", *sent: tuple[bytes, bytes], **more: Any) -> dict[str, Any]:
    return {
        "path": path,
        "raw_path": path.encode(),
        "method": "GET",
        "query_string": b"",
        "scheme": "http",
        "http_version": "1.1",
        "headers": [*(sent or (HOST,))],
        "client": ("127.0.0.9", "4711"),
        "server": ("127.0.0.1", "8000"),
        **more,
    }


@pytest.mark.parametrize(
    ("peer", "named", "caller"),
    [
        ("192.168.1.9", "", "192.168.1.9"),
        ("::ffff:192.168.1.9", "", "192.168.1.9"),
        ("192.168.1.9", "10.0.0.1", "192.168.1.9"),
        ("127.0.0.1", "10.0.0.1", "10.0.0.1"),
        ("::1", "1.1.1.1, 2001:db8::1", "2001:db8::1"),
        ("::ffff:127.0.0.1", "10.0.0.1, 127.0.0.1", "10.0.0.1"),
        ("127.0.0.1", "nobody", "127.0.0.1"),
        ("127.0.0.1", "", "127.0.0.1"),
    ],
)
def test_a_caller_is_the_peer_or_whom_a_proxy_on_this_machine_names(
    peer: str, named: str, caller: str
) -> None:
    assert address(scope(client=(peer, "1")), {"x-forwarded-for": named}) == caller


def test_of_many_addresses_that_a_caller_makes_up_only_the_proxys_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_at = list[str]()

    def looks_at(name: str) -> str:
        looked_at.append(name)
        return name

    monkeypatch.setattr(asgi, "caller_key", looks_at)
    named = "::1," * 8000 + "10.0.0.1"
    assert address(scope(client=("127.0.0.1", "1")), {"x-forwarded-for": named}) == "10.0.0.1"
    assert looked_at == ["127.0.0.1", "10.0.0.1"]


@pytest.mark.parametrize("path", ["/api/tables/ABCDE/moves", "/api/tables/ABCDE/events"])
def test_a_query_of_too_many_fields_is_refused(service: TableService, path: str) -> None:
    query = b"&".join([b"a=1"] * (MAX_FIELDS + 1))
    method = "POST" if path.endswith("moves") else "GET"
    start, body = answered(service, None, path, query_string=query, method=method)
    assert (start["status"], b'"code": "malformed"' in body["body"]) == (400, True)


def test_an_empty_host_header_counts_as_absent() -> None:
    assert headers(scope("/", (b"host", b""))) == {}


@pytest.mark.parametrize(
    "strange",
    [scope("/", HOST, HOST), scope("localhost:80"), scope("")],
    ids=["two hosts", "authority", "none"],
)
def test_a_head_with_two_meanings_is_refused(strange: dict[str, Any]) -> None:
    with pytest.raises(ApiError, match="malformed"):
        check_head(strange)


@pytest.mark.parametrize(("version", "protocol"), [("1", "HTTP/1.0"), ("1.1", "HTTP/1.1")])
def test_the_wsgi_environ_is_complete(version: str, protocol: str) -> None:
    asked = scope("/caf%C3%A9", http_version=version)
    environ = environ_of(asked, headers(asked), b"x", "10.0.0.1")
    assert environ["SERVER_PROTOCOL"] == protocol
    assert (environ["SERVER_PORT"], environ["REMOTE_ADDR"]) == ("8000", "10.0.0.1")
    assert environ["PATH_INFO"] == "/café".encode().decode("latin-1")
    assert environ["wsgi.input"].read() == b"x"


def answered(service: TableService, flask: Any, path: str, **more: Any) -> list[Any]:
    """What the application sends if this is its Flask application."""
    sent: list[Any] = []
    nobody: Any = None

    async def receive() -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    async def send(message: Any) -> None:
        sent.append(message)

    run_in_loop(AsgiApplication(service, nobody, flask)(scope(path, **more), receive, send))
    return sent


def test_a_fault_is_logged_and_answered(service: TableService, caplog: pytest.LogCaptureFixture) -> None:
    def broken(*_: Any) -> Any:
        raise ValueError("on purpose")

    with caplog.at_level(logging.ERROR, "referee"):
        start, body = answered(service, broken, "/api/games")
    assert (start["status"], b'"code": "broken"' in body["body"]) == (500, True)
    assert "on purpose" in caplog.text


@pytest.mark.parametrize(("size", "pieces"), [(1, 256), (64 * 1024, 1)])
def test_whoever_sends_a_body_that_is_not_wanted_counts_as_gone(size: int, pieces: int) -> None:
    received = 0

    async def receive() -> dict[str, Any]:
        nonlocal received
        received += 1
        return {"type": "http.request", "body": b"x" * size, "more_body": True}

    async def story() -> None:
        await DisconnectWatch(receive).watch()

    run_in_loop(story())
    assert received == pieces


def test_a_body_in_crumbs_is_refused() -> None:
    received = 0

    async def receive() -> dict[str, Any]:
        nonlocal received
        received += 1
        return {"type": "http.request", "body": b"x", "more_body": True}

    with pytest.raises(ApiError, match="too-large"):
        run_in_loop(read_body(scope("/open"), {"transfer-encoding": "chunked"}, receive))
    assert received == MOST_PIECES


def test_a_caller_is_watched_by_one_task_however_many_ask() -> None:
    receiving = 0

    async def receive() -> dict[str, Any]:
        nonlocal receiving
        receiving += 1
        await asyncio.sleep(0)
        return {"type": "http.disconnect"}

    async def story() -> None:
        departure = DisconnectWatch(receive)
        first, second = departure.watch(), departure.watch()
        await asyncio.wait([first, second])
        departure.stop()
        assert first is second and first.done() and not first.cancelled()

    run_in_loop(story())
    assert receiving == 1
