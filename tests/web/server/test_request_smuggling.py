"""Request smuggling and path traversal: ambiguous requests are refused."""

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from tests.support.fixtures import Start
from tests.support.web.http_client import Table
from tests.support.web.journal import sizes
from tests.support.web.raw_sockets import read_until_closed, socket_to
from tests.support.web.server_process import Running

# ---- strange addresses

OUTSIDE = (
    "../app.py",
    "../../pyproject.toml",
    "/etc/passwd",
    "../templates/base.html",
    "../../../../etc/passwd",
)
DOTS = ("..", "%2e%2e", "%252e%252e", "..%c0%af", "%c0%ae%c0%ae", "..;", "..%00", "..\\", "%5c..%5c")


def strange() -> Iterator[str]:
    for path in OUTSIDE:
        yield f"/static/{path}"
        yield f"/static/{quote(path, safe='')}"
        for dots in DOTS:
            yield f"/static/{path.replace('..', dots)}"
    for name in ("desk.js%00.css", "desk.js%0a", "desk.js/", "DESK.JS", ".", "%00", "", "x" * 4000):
        yield f"/static/{name}"
    for path in (
        "//",
        "/;",
        "/%00",
        "/%ff",
        "/%",
        "/%zz",
        "/./",
        "/../",
        "//evil.example",
        "/\\evil",
        "/?%00=%ff",
    ):
        yield path
    for path in (
        "//healthz",
        "/healthz/",
        "/HEALTHZ",
        "/healthz;x=1",
        "/healthz%20",
        "/api//games",
        "/API/games",
    ):
        yield path
    for path in (
        "/t/%F0%9F%8E%B2",
        "/t/İİİİİ",
        "/t/ſſſſſ",
        "/j/a/b/%00",
        "/t/AAAAA/s/%2e%2e",
        "/desk/%00",
        "/desk/..%2fmain",
    ):
        yield quote(path, safe="/%")
    for path in (
        "/desk/main/paper/99999999999999999999999.png",
        "/desk/main/paper/-1.png",
        "/desk/main/paper/0.png",
    ):
        yield path
    yield "/join?code=" + "%F0%9F%8E%B2" * 300
    yield "/api/tables/AAAAA/me?seat=" + "%00" * 50


HARMLESS = ("/?", "//", "/./", "/../", "/%", "/;", "/static/desk.js/")


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS", "TRACE", "DELETE", "PUT", "PATCH"])
def test_no_address_leads_outside_or_breaks_anything(server: Running, method: str) -> None:
    secrets = [b"create_app", b"[build-system]", b"root:", b"{% block", b"Traceback"]
    for path in strange():
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        with socket_to(server.port, head.encode()) as line:
            said = read_until_closed(line)
        status = int(said.split()[1])
        assert status < 500, (method, path)
        assert status >= 300 or path.startswith(HARMLESS) or method == "OPTIONS", (method, path, said[:300])
        assert not any(secret in said for secret in secrets), (method, path)
        location = re.search(rb"\r\nlocation: ([^\r]*)", said)
        assert location is None or re.match(rb"/[^/\\]|/$", location[1]), (path, location)


def test_headers_that_claim_another_method_or_address_are_not_believed(server: Running, table: Table) -> None:
    client = table.client.with_(X_HTTP_Method_Override="DELETE", X_Original_URL="/t/x", X_Rewrite_URL="/t/x")
    assert client.get(table.path).status == 200
    claims = {"X_Forwarded_Host": "evil.example", "X_Forwarded_Proto": "https", "X_Forwarded_Prefix": "/evil"}
    assert client.with_(**claims).get("/healthz").status == 200
    page = client.with_(**claims).get("/").content
    assert b"evil" not in page
    assert table.client.with_(Host="evil.example", X_Forwarded_Host="localhost").get("/").status == 403


# ---- two meanings of one request

LENGTH = b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\n"
WISH = b'{"game":"agent_hunter"}'
SMUGGLED = {
    "two lengths": LENGTH + b"Content-Length: 23\r\nContent-Length: 5\r\n\r\n" + WISH,
    "a list of lengths": LENGTH + b"Content-Length: 23, 23\r\n\r\n" + WISH,
    "length and chunks": LENGTH + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + WISH,
    "chunks twice": LENGTH + b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    "unknown coding": LENGTH + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "a negative length": LENGTH + b"Content-Length: -1\r\n\r\n" + WISH,
    "a length with a sign": LENGTH + b"Content-Length: +23\r\n\r\n" + WISH,
    "a length in hex": LENGTH + b"Content-Length: 0x17\r\n\r\n" + WISH,
    "a space before the colon": LENGTH + b"Content-Length : 23\r\n\r\n" + WISH,
    "a folded header": LENGTH + b"X: a\r\n b\r\nContent-Length: 23\r\n\r\n" + WISH,
    "a chunk of nonsense": LENGTH + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
    "a chunk longer than all": LENGTH + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n\r\n",
    "a zero in a header": LENGTH + b"X: a\x00b\r\nContent-Length: 23\r\n\r\n" + WISH,
    "no version": b"POST /api/tables\r\nHost: localhost\r\n\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "an authority": b"GET localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a tunnel": b"CONNECT localhost:22 HTTP/1.1\r\nHost: localhost\r\n\r\nSSH-2.0",
}


@pytest.mark.parametrize("how", SMUGGLED)
def test_an_ambiguous_request_is_refused(start: Start, how: str) -> None:
    server = start(modifications=["short_timeouts"])  # where the connection stays open, its end is soon
    before = sizes(server)["tables"]
    with socket_to(server.port, SMUGGLED[how]) as line:
        heard = read_until_closed(line)
    assert re.fullmatch(rb"(HTTP/1.1 40[0345] .*)?", heard.partition(b"\r\n")[0]), heard
    assert heard.count(b"HTTP/1.1") <= 1
    assert sizes(server)["tables"] == before
    assert server.client.get("/healthz").status == 200


@pytest.mark.parametrize("path", ["/", "/api/games", "/api/tables/ZZZZZ/events"])
def test_no_host_is_refused(server: Running, path: str) -> None:
    with socket_to(server.port, f"GET {path} HTTP/1.1\r\nConnection: close\r\n\r\n".encode()) as line:
        assert read_until_closed(line).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("path", ["/api/games", "/api/tables/ZZZZZ/events"])
def test_two_hosts_are_none(server: Running, path: str) -> None:
    for hosts in (b"Host: localhost\r\nHost: evil.example", b"Host: evil.example\r\nHost: localhost"):
        with socket_to(
            server.port, b"GET %s HTTP/1.1\r\n%s\r\nConnection: close\r\n\r\n" % (path.encode(), hosts)
        ) as line:
            assert read_until_closed(line).startswith((b"HTTP/1.1 403", b"HTTP/1.1 400")), hosts


@pytest.mark.parametrize(
    "head",
    [
        b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n",
        b"GET /healthz HTTP/1.1\nHost: localhost\nConnection: close\n\n",
        b"GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n",
    ],
)
def test_old_http_and_upgrade_requests_are_answered_as_usual(server: Running, head: bytes) -> None:
    with socket_to(server.port, head) as line:
        assert re.match(rb"HTTP/1.[01] 200 OK\r\n", line.recv(65536))
