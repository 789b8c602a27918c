"""ASGI requests as the server hands them over: headers, address, body, and their form for WSGI.

What granian does differently from other servers is evened out here: it names HTTP/1.0 "1", gives an empty
Host header to a request without one, and writes ports as text. It has no limit on a body's size or time; the
limits are here.
"""

import asyncio
import io
import ipaddress
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any
from urllib.parse import unquote
from wsgiref.types import WSGIApplication, WSGIEnvironment

from werkzeug.http import parse_cookie

from web.bodies import MAX_BODY, MAX_FORM
from web.refusals import Refusal, malformed

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Header = tuple[bytes, bytes]

BODY_TIME = 10.0  # seconds a caller may take to send its body
MOST_PIECES = 1024  # of a body: each costs as much work as a short request, however few bytes it has
LINGER_TIME = 1.0  # seconds in which the rest of a refused body is still read, so that the answer arrives
LINGER = 1024 * 1024  # bytes of it
PIECE = 63  # bytes that a piece of an unwanted body counts for besides its own
UNWANTED = 16 * 1024  # bytes of a body that nobody asked for, after which its caller is not listened to
PROXIES = ("127.0.0.1", "::1")  # believed when they say for whom they ask


# ---- bodies


async def read_body(scope: Scope, sent: dict[str, str], receive: Receive) -> bytes:
    """The whole body. Refuses one that is too long, too slow, or breaks off."""
    if "content-length" not in sent and "transfer-encoding" not in sent:
        return b""
    most = MAX_BODY if is_api(scope) else MAX_FORM
    declared = None if "transfer-encoding" in sent else _declared(sent)
    if declared is not None and declared > most:
        raise Refusal("too-large", {"n": most // 1024})
    if declared == 0:
        return b""
    try:
        async with asyncio.timeout(BODY_TIME):
            return await _read(receive, most, declared)
    except TimeoutError:
        raise Refusal("too-slow", {"n": round(BODY_TIME)}) from None


def _declared(sent: dict[str, str]) -> int:
    length = sent.get("content-length", "")
    return int(length) if length.isascii() and length.isdecimal() else 0


async def _read(receive: Receive, most: int, declared: int | None) -> bytes:
    """The body; where its length was declared, its end need not be waited for once all of it is here."""
    body = bytearray()
    for _ in range(MOST_PIECES):
        message = await receive()
        if message["type"] == "http.disconnect":
            raise malformed("HTTP")
        body += message.get("body", b"")
        if len(body) > most:
            break
        if len(body) == declared or not message.get("more_body"):
            return bytes(body)
    raise Refusal("too-large", {"n": most // 1024})


async def linger(receive: Receive) -> None:
    """Read on for a moment after a refusal. To close while something is unread resets the connection, and
    the caller might never see the answer."""
    left = LINGER
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER_TIME):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if not message.get("more_body"):
                    return


class Departure:
    """Notices that the caller of one request hung up. There is one task for it, however many ask: where a
    `receive` begins before another has ended, granian may report a disconnect that never happened."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._task: asyncio.Task[None] | None = None

    def watch(self) -> asyncio.Future[None]:
        """Done when the caller has hung up. The body must have been read, or not be wanted: whoever sends
        more than a little of an unwanted one counts as gone."""
        if self._task is None:
            self._task = asyncio.ensure_future(self._until_gone())
        return self._task

    def stop(self) -> None:
        """The request is over."""
        if self._task:
            self._task.cancel()

    async def _until_gone(self) -> None:
        left = UNWANTED
        while left > 0 and (message := await self._receive())["type"] != "http.disconnect":
            left -= PIECE + len(message.get("body", b""))


# ---- heads


def is_api(scope: Scope) -> bool:
    return str(scope["path"]).startswith("/api/")


def check_head(scope: Scope) -> None:
    """Refuse a request for something other than a path, and one that names two hosts."""
    if not scope["raw_path"].startswith((b"/", b"*")):
        raise malformed("HTTP")
    if sum(name == b"host" for name, _ in scope["headers"]) > 1:
        raise malformed("Host")


def cookies(sent: dict[str, str]) -> dict[str, str]:
    return dict(parse_cookie(sent["cookie"])) if "cookie" in sent else {}


def headers(scope: Scope) -> dict[str, str]:
    """The headers by their lower-case names; one that came twice is one, and so never means two things."""
    found: dict[str, str] = {}
    for raw, value in scope["headers"]:
        name, text = raw.decode("latin-1"), value.decode("latin-1")
        separator = ";" if name == "cookie" else ","
        found[name] = f"{found[name]}{separator}{text}" if name in found else text
    if not found.get("host"):
        found.pop("host", None)
    return found


def address(scope: Scope, sent: dict[str, str]) -> str:
    """Where a call comes from; an IPv4 address as such on a socket that hears both. A proxy on this machine
    is believed: the caller is the last address it names that is not its own."""
    peer = str(scope["client"][0]).removeprefix("::ffff:") if scope.get("client") else ""
    if peer not in PROXIES:
        return peer
    named = [name.strip() for name in sent.get("x-forwarded-for", "").split(",")]
    return next((name for name in reversed(named) if name not in PROXIES and _is_address(name)), peer)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def environ_of(scope: Scope, sent: dict[str, str], body: bytes, caller: str = "") -> WSGIEnvironment:
    """An ASGI scope as WSGI has it (PEP 3333)."""
    environ: WSGIEnvironment = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote(scope["raw_path"].decode("latin-1"), "latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": scope["server"][0],
        "SERVER_PORT": str(scope["server"][1]),
        "SERVER_PROTOCOL": "HTTP/1.0" if scope["http_version"] in ("1", "1.0") else "HTTP/1.1",
        "REMOTE_ADDR": caller,
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in sent.items():
        key = name.upper().replace("-", "_")
        environ[key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"] = value
    environ["CONTENT_LENGTH"] = str(len(body))
    environ.pop("HTTP_TRANSFER_ENCODING", None)  # the body is whole by now
    return environ


def call_wsgi(app: WSGIApplication, environ: WSGIEnvironment) -> tuple[int, list[Header], bytes]:
    """Run a WSGI application to the end: status, headers and the whole body."""
    started: dict[str, Any] = {}

    def start_response(status: str, headers: list[tuple[str, str]], _error: Any = None) -> Any:
        started["status"] = int(status[:3])
        started["headers"] = [(k.lower().encode("latin-1"), v.encode("latin-1")) for k, v in headers]

    chunks = app(environ, start_response)
    try:
        body = b"".join(chunks)
    finally:
        if hasattr(chunks, "close"):
            chunks.close()
    return started["status"], started["headers"], body
