"""Reads ASGI requests (headers, client address, body) and converts them for WSGI.

Hides granian's peculiarities: it calls HTTP/1.0 "1", adds an empty Host header to a request without one, and
gives ports as text. It limits neither the size of a body nor the time to receive it; the limits are here.
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

from web.security.hosts import PROXIES, caller_key
from web.wire.errors import ApiError, malformed
from web.wire.parsing import MAX_BODY, MAX_FORM

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Header = tuple[bytes, bytes]

BODY_TIME = 10.0  # seconds within which a body must arrive
MOST_PIECES = 1024  # chunks of a body: each costs as much work as a short request, even if it has few bytes
LINGER_TIME = 1.0  # seconds for which the rest of a refused body is read, so that the response arrives
LINGER = 1024 * 1024  # bytes of that rest
PIECE = 63  # bytes that each chunk of an unexpected body counts in addition to its own
UNWANTED = 16 * 1024  # bytes of an unexpected body after which the caller counts as gone


# ---- bodies


async def read_body(scope: Scope, sent: dict[str, str], receive: Receive) -> bytes:
    """Receive the whole body. Refuses one that is too long, too slow, or incomplete."""
    if "content-length" not in sent and "transfer-encoding" not in sent:
        return b""
    most = MAX_BODY if is_api(scope) else MAX_FORM
    declared = None if "transfer-encoding" in sent else _declared(sent)
    if declared is not None and declared > most:
        raise ApiError("too-large", {"n": most // 1024})
    if declared == 0:
        return b""
    try:
        async with asyncio.timeout(BODY_TIME):
            return await _read(receive, most, declared)
    except TimeoutError:
        raise ApiError("too-slow", {"n": round(BODY_TIME)}) from None


def _declared(sent: dict[str, str]) -> int:
    length = sent.get("content-length", "")
    return int(length) if length.isascii() and length.isdecimal() else 0


async def _read(receive: Receive, most: int, declared: int | None) -> bytes:
    """Receive up to `most` bytes. With a declared length, it does not wait for the end of the message."""
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
    raise ApiError("too-large", {"n": most // 1024})


async def linger(receive: Receive) -> None:
    """Read and discard for a moment after a refusal. Closing a socket with unread data resets the
    connection, and the caller might not receive the response."""
    left = LINGER
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER_TIME):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if not message.get("more_body"):
                    return


class DisconnectWatch:
    """Detects that the caller of one request disconnected. All users share one task, because overlapping
    `receive` calls can make granian report a disconnect that did not happen."""

    __slots__ = ("_receive", "_task")

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._task: asyncio.Task[None] | None = None

    def watch(self) -> asyncio.Future[None]:
        """A future that is done when the caller has disconnected. Call it after the body was read, or if no
        body is expected: a caller that sends more than `UNWANTED` bytes of one counts as gone."""
        if self._task is None:
            self._task = asyncio.ensure_future(self._until_gone())
        return self._task

    def stop(self) -> None:
        """Stop watching: the request is over."""
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
    """Refuse a request target that is not a path, and two Host headers."""
    if not scope["raw_path"].startswith((b"/", b"*")):
        raise malformed("HTTP")
    if sum(name == b"host" for name, _ in scope["headers"]) > 1:
        raise malformed("Host")


def cookies(sent: dict[str, str]) -> dict[str, str]:
    return dict(parse_cookie(sent["cookie"])) if "cookie" in sent else {}


def headers(scope: Scope) -> dict[str, str]:
    """The headers by lower-case name. Repeated headers are joined, so all readers see the same value."""
    found: dict[str, str] = {}
    for raw, value in scope["headers"]:
        name, text = raw.decode("latin-1"), value.decode("latin-1")
        separator = ";" if name == "cookie" else ","
        found[name] = f"{found[name]}{separator}{text}" if name in found else text
    if not found.get("host"):
        found.pop("host", None)
    return found


def address(scope: Scope, sent: dict[str, str]) -> str:
    """The caller's IP address; IPv4-mapped IPv6 addresses as IPv4. A proxy on this machine is trusted: the
    caller is the last address in its X-Forwarded-For that is not a proxy's own."""
    peer = _peer(scope)
    if peer not in PROXIES:
        return peer
    named = (caller_key(name.strip()) for name in reversed(sent.get("x-forwarded-for", "").split(",")))
    return next((name for name in named if name not in PROXIES and _is_address(name)), peer)


def is_https(scope: Scope, sent: dict[str, str], own_address: str) -> bool:
    """Whether the caller uses HTTPS: our own, or that of a proxy on this machine. The proxy says so, or it is
    at our `https://` address and says nothing."""
    if scope.get("scheme") == "https":
        return True
    if _peer(scope) not in PROXIES:
        return False
    named = f"https://{sent.get('host')}" == own_address.lower().rstrip("/")
    return sent.get("x-forwarded-proto", "https" if named else "").strip().lower() == "https"


def _peer(scope: Scope) -> str:
    """The address at the other end of the connection."""
    return caller_key(str(scope["client"][0])) if scope.get("client") else ""


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def environ_of(
    scope: Scope, sent: dict[str, str], body: bytes, caller: str = "", is_secure: bool = False
) -> WSGIEnvironment:
    """Convert an ASGI scope to a WSGI environment (PEP 3333)."""
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
        "wsgi.url_scheme": "https" if is_secure else scope["scheme"],
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
    environ.pop("HTTP_TRANSFER_ENCODING", None)  # the body is complete
    return environ


def call_wsgi(app: WSGIApplication, environ: WSGIEnvironment) -> tuple[int, list[Header], bytes]:
    """Run a WSGI application; return status, headers and the whole body."""
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
