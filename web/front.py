"""The front: an ASGI application that serves the live streams itself and hands the rest to Flask.

A stream costs no thread, a phone that is gone is noticed at once, and closing does not wait for anyone.
"""

import asyncio
import io
import json
import logging
import re
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qs, unquote
from wsgiref.types import WSGIApplication, WSGIEnvironment

from werkzeug.http import parse_cookie

from referee.questions import HOST
from referee.words import words
from web.app import HEADERS
from web.bodies import MAX_BODY, MAX_FORM, parse
from web.caller import SCREEN_COOKIE, Caller, any_token, bearer, language, seat_token, seat_tokens
from web.desks import Desks
from web.door import known_host, same_origin
from web.house import House
from web.refusals import Refusal, malformed
from web.streams import Streams
from web.table import LiveTable
from web.watchers import Watcher, event

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Leave = Callable[[Watcher], None]

log = logging.getLogger("referee")

HEARTBEAT = 15.0  # seconds between two signs of life on a quiet stream
STILL_HERE = b": still here\n"
BODY_TIME = 10.0  # seconds a caller may take to send its body
TAKE_TIME = 10.0  # seconds a phone may take to accept an event before its stream is closed
WORKERS = 16  # threads for Flask: enough that some wait for the disk while others work
PAPER = re.compile(r"/(sheet(\.\w+)?|paper/\d+\.png|record|history\.\w+)$")  # what is made for whoever asks
STREAM = re.compile(
    r"/(?:api/tables/(?P<table>[^/]+)(?P<me>/me)?|api/desks/(?P<desk>[^/]+)|desk/(?P<screen>[^/]+))/events"
)
MOVE = re.compile(r"/api/tables/(?P<table>[^/]+)/moves")
COMMON_HEADERS = [
    (b"cache-control", b"no-store"),
    *((name.lower().encode(), value.encode()) for name, value in HEADERS.items()),
]
JSON_HEADERS = [(b"content-type", b"application/json"), *COMMON_HEADERS]
JSON_HEAD = b"HTTP/1.1 200 OK\r\n" + b"".join(b"%b: %b\r\n" % header for header in JSON_HEADERS)
STREAM_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"x-accel-buffering", b"no"),
    *COMMON_HEADERS,
]


class Front:
    """All of the referee as one ASGI application."""

    def __init__(self, house: House, desks: Desks, flask: WSGIApplication) -> None:
        self._house, self._desks, self._flask = house, desks, flask
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="flask")
        self._easel = ThreadPoolExecutor(1, thread_name_prefix="paper")  # pictures wait for each other alone
        limits = house.settings.limits
        self._open = Streams(limits.streams, limits.exempt)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if stream := STREAM.fullmatch(scope["path"]):
            await self._stream(scope, receive, send, stream)
        else:
            await self._page(scope, receive, send)

    def close_streams(self) -> None:
        """End every stream now; called in the loop when the server stops."""
        self._open.stop()

    # ---- streams

    async def _stream(self, scope: Scope, receive: Receive, send: Send, path: re.Match[str]) -> None:
        watcher = _watcher(scope)
        try:
            leave = await self._in_pool(self._admit, scope, path, watcher)
        except Refusal as refusal:
            await _refuse(send, refusal, watcher.language)
            return
        except Exception:
            log.exception("a stream could not be opened")
            await _refuse(send, Refusal("broken"), watcher.language)
            return
        self._open.add(watcher)
        try:
            await _run(watcher, receive, send, scope["extensions"]["hang_up"])
        finally:
            self._open.discard(watcher)
            await self._in_pool(leave, watcher)

    def _admit(self, scope: Scope, path: re.Match[str], watcher: Watcher) -> Leave:
        """Check who asks for a stream and let it watch; the answer is how to leave again."""
        headers = _headers(scope)
        if "host" not in headers:
            raise malformed("Host")
        if not known_host(headers["host"], self._house.settings.server):
            raise Refusal("not-allowed")
        if scope["method"] != "GET":
            raise Refusal("wrong-method")
        query = parse_qs(scope["query_string"].decode("latin-1"))
        watcher.wants_seats, watcher.wants_beats = "seats" in query, "beats" in query
        if desk := path["desk"] or path["screen"]:
            shown = _cookies(headers).get(SCREEN_COOKIE, "")
            watcher.is_screen = not path["desk"] and self._desks.is_screen(desk, shown)
            return self._admit_desk(desk, bool(path["desk"]), _caller(scope, bearer(headers)), watcher)
        code = path["table"]
        find = seat_token if path["me"] else any_token
        token = find(headers, _cookies(headers), code, query.get("seat", [None])[0])
        caller = _caller(scope, token)
        table = self._house.find(code, caller)
        tokens = seat_tokens(_cookies(headers), code, table.seats) if "held" in query else ()
        if path["me"]:
            table.watch(watcher, lambda: self._house.seat(table, caller), tokens)
            watcher.holder = (table.code, str(watcher.seat))
        else:
            table.watch(watcher, tokens=tokens)
            watcher.holder = _holder(table, token)
        return table.leave

    def _admit_desk(self, desk: str, itself: bool, caller: Caller, watcher: Watcher) -> Leave:
        """The desk itself shows its key; a page that shows the virtual desk sees what all may see."""
        if itself:
            self._desks.check_key(desk, caller)
        else:
            self._desks.check(desk)
        watcher.trusted = itself
        watcher.holder = ("desk", desk) if itself else None
        self._desks.watch(desk, watcher)
        return lambda gone: self._desks.leave(desk, gone)

    # ---- everything else

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _body_in_time(scope, receive)
        if body is None or await self._moved(scope, body, send):
            return
        pool = self._easel if PAPER.search(scope["path"]) else self._pool
        asked = self._flask, _environ(scope, body)
        status, headers, content = await asyncio.get_running_loop().run_in_executor(pool, _call, *asked)
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    async def _moved(self, scope: Scope, body: bytes, send: Send) -> bool:
        """Make a move here and now, if it is one and nothing about it is out of the ordinary. Whatever else
        there is to say about a call, Flask says it."""
        path, headers = MOVE.fullmatch(scope["path"]), _headers(scope)
        if path is None or scope["method"] != "POST" or not self._is_plain(scope, headers):
            return False
        cookies = _cookies(headers)
        spoken = language(headers, cookies)
        token = seat_token(headers, cookies, path["table"], None)
        try:
            answer = await self._house.move_now(path["table"], parse(body), token, spoken)
        except Refusal as refusal:
            await _refuse(send, refusal, spoken)
            return True
        except Exception:
            log.exception("a move could not be made")
            await _refuse(send, Refusal("broken"), spoken)
            return True
        if answer is not None and not scope["extensions"]["answer"](scope, JSON_HEAD, answer):
            await _answer(send, 200, JSON_HEADERS, answer)
        return answer is not None

    def _is_plain(self, scope: Scope, headers: dict[str, str]) -> bool:
        """Whether a call comes through the door as most do, and is not one that may come twice."""
        host = headers.get("host", "")
        ours = same_origin(headers.get("origin"), headers.get("sec-fetch-site"), host)
        again = "idempotency-key" in headers
        return (
            ours and not again and not scope["query_string"] and known_host(host, self._house.settings.server)
        )

    async def _in_pool(self, work: Callable[..., Any], *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *args)


def _watcher(scope: Scope) -> Watcher:
    headers = _headers(scope)
    spoken, write = language(headers, _cookies(headers)), scope["extensions"]["write"]
    return Watcher(None, spoken, asyncio.get_running_loop(), write, address=_address(scope))


async def _run(watcher: Watcher, receive: Receive, send: Send, hang_up: Callable[[], None]) -> None:
    """Send what is queued, and a sign of life when there is nothing, until either side ends. Most events
    never queue: they are written at once while we wait here."""
    gone = asyncio.ensure_future(_gone(receive, watcher))
    beat = _Beat(watcher)
    try:
        await send({"type": "http.response.start", "status": 200, "headers": STREAM_HEADERS})
        while (what := await watcher.next()) is not None:
            await _take(
                watcher, hang_up, send({"type": "http.response.body", "body": what, "more_body": True})
            )
            del what  # a quiet stream need not hold the last view
        await _take(watcher, hang_up, send({"type": "http.response.body", "body": b""}))
    finally:
        gone.cancel()
        beat.stop()


async def _take(watcher: Watcher, hang_up: Callable[[], None], sending: Awaitable[None]) -> None:
    """Wait until a phone takes what it is sent; whoever takes nothing for long will take no end either."""
    patience = watcher.loop.call_later(TAKE_TIME, hang_up)
    await sending
    patience.cancel()


class _Beat:
    """Signs of life on a stream that has been quiet for a while: one timer, however much is sent."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._sign = STILL_HERE + (event("beat", "{}") if watcher.wants_beats else b"\n")
        self._next = watcher.loop.call_later(HEARTBEAT, self._look)

    def _look(self) -> None:
        loop = self._watcher.loop
        if loop.time() - self._watcher.last >= HEARTBEAT:
            self._watcher.push(self._sign)
        self._next = loop.call_at(self._watcher.last + HEARTBEAT, self._look)

    def stop(self) -> None:
        self._next.cancel()


async def _gone(receive: Receive, watcher: Watcher) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    watcher.stop()


async def _refuse(send: Send, refusal: Refusal, language_: str) -> None:
    problem = refusal.problem(words(language_))
    headers = [(b"content-type", b"application/problem+json"), *COMMON_HEADERS]
    if wait := problem.pop("retry_after", None):
        headers.append((b"retry-after", str(wait).encode()))
    if refusal.code == "wrong-method":
        headers.append((b"allow", b"GET"))
    await _answer(send, refusal.status, headers, json.dumps(problem).encode())


async def _answer(send: Send, status: int, headers: list[tuple[bytes, bytes]], content: bytes) -> None:
    length = (b"content-length", str(len(content)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": content})


def _most(path: str) -> int:
    """How long a body may be."""
    return MAX_BODY if path.startswith("/api/") else MAX_FORM


async def _body_in_time(scope: Scope, receive: Receive) -> bytes | None:
    """The body; nothing of one that takes too long. Most have come as a whole by now and need no timer."""
    whole = _body(receive, _most(scope["path"]))
    if "whole" in scope["extensions"]:
        return await whole
    try:
        async with asyncio.timeout(BODY_TIME):
            return await whole
    except TimeoutError:
        return b""


async def _body(receive: Receive, most: int) -> bytes | None:
    """The whole body, or just more of it than we accept; none of a caller who hung up before its end."""
    body = b""
    while len(body) <= most:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    return body


def _holder(table: LiveTable, token: str | None) -> tuple[str, str] | None:
    """Whose the stream of a screen is, if it came with a token of this table."""
    who = table.seat_of(token) or (HOST if table.is_host(token) else None)
    return (table.code, who) if who else None


def _cookies(headers: dict[str, str]) -> dict[str, str]:
    return dict(parse_cookie(headers["cookie"])) if "cookie" in headers else {}


def _headers(scope: Scope) -> dict[str, str]:
    """The headers by their small names; one that came twice is one, and so never means two things."""
    headers: dict[str, str] = {}
    for raw, value in scope["headers"]:
        name, text = raw.decode("latin-1"), value.decode("latin-1")
        separator = ";" if name == "cookie" else ","
        headers[name] = f"{headers[name]}{separator}{text}" if name in headers else text
    return headers


def _caller(scope: Scope, token: str | None) -> Caller:
    return Caller(_address(scope), token)


def _address(scope: Scope) -> str:
    """Where a call comes from; an IPv4 address as such on a socket that hears both."""
    return str(scope["client"][0]).removeprefix("::ffff:") if scope.get("client") else ""


def _environ(scope: Scope, body: bytes) -> WSGIEnvironment:
    """An ASGI scope as WSGI has it (PEP 3333)."""
    environ: WSGIEnvironment = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote(scope["raw_path"].decode("latin-1").partition("?")[0], "latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": scope["server"][0],
        "SERVER_PORT": str(scope["server"][1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": _address(scope),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in _headers(scope).items():
        key = name.upper().replace("-", "_")
        environ[key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"] = value
    environ["CONTENT_LENGTH"] = str(len(body))
    environ.pop("HTTP_TRANSFER_ENCODING", None)  # the body is whole by now
    return environ


def _call(app: WSGIApplication, environ: WSGIEnvironment) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
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
