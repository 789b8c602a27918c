"""The front: an ASGI application that serves the live streams itself and hands the rest to Flask.

A stream costs no thread, a phone that is gone is noticed at once, and closing does not wait for anyone.
"""

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from urllib.parse import parse_qs
from wsgiref.types import WSGIApplication, WSGIEnvironment

from referee.questions import HOST
from referee.words import words
from web.app import HEADERS, REFUSAL
from web.asgi import (
    Departure,
    Header,
    Receive,
    Scope,
    Send,
    address,
    call_wsgi,
    check_head,
    cookies,
    environ_of,
    headers,
    is_api,
    linger,
    read_body,
)
from web.bodies import parse
from web.caller import SCREEN_COOKIE, Caller, any_token, bearer, language, seat_token, seat_tokens
from web.desks import Desks
from web.door import known_host, neighbourhood, same_origin
from web.house import House
from web.recent import Recent
from web.refusals import Refusal, malformed
from web.streams import Streams
from web.table import LiveTable
from web.watchers import Watcher, event
from web.workers import HungUp, Quota, Workers, unless_gone

Leave = Callable[[Watcher], None]
Answer = tuple[int, list[Header], bytes]

log = logging.getLogger("referee")

HEARTBEAT = 15.0  # seconds between two signs of life on a quiet stream
STILL_HERE = b": still here\n"
TAKE_TIME = 10.0  # seconds a phone may take to accept an event before its stream is closed
WORKERS = 16  # threads for Flask: enough that some wait for the disk while others work
PAPER = re.compile(r"/(sheet(\.\w+)?|paper/\d+\.png|history\.\w+)$")  # what is made for whoever asks
STREAM = re.compile(
    r"/(?:api/tables/(?P<table>[^/]+)(?P<me>/me)?|api/desks/(?P<desk>[^/]+)|desk/(?P<screen>[^/]+))/events"
)
TABLE = re.compile(r"/(?:t|api/tables)/(?P<table>[2-9A-Z]{5})(?=/|$)|/(?:api/desks|desk)/(?P<desk>[^/]+)")
MOVE = re.compile(r"/api/tables/(?P<table>[^/]+)/moves")
REFUSAL_PAGES = (64, 1024 * 1024)  # kept: how many, and how many bytes
CLOSING = ("too-large", "too-slow")  # what is still to come of such a body is not waited for
COMMON_HEADERS = [
    (b"cache-control", b"no-store"),
    *((name.lower().encode(), value.encode()) for name, value in HEADERS.items()),
]
JSON_HEADERS = [(b"content-type", b"application/json"), *COMMON_HEADERS]
STREAM_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"x-accel-buffering", b"no"),
    *COMMON_HEADERS,
]


class Front:
    """All of the referee as one ASGI application."""

    def __init__(self, house: House, desks: Desks, flask: WSGIApplication) -> None:
        self._house, self._desks, self._flask = house, desks, flask
        limits = house.settings.limits
        self._workers = Workers("flask", WORKERS, limits.exempt)
        self._easel = Workers("paper", 1, limits.exempt)  # pictures wait for each other alone
        self._bodies = Quota(limits.exempt)  # requests whose bodies are still on their way
        self._reading = Quota(limits.exempt)  # requests that wait until their table is read
        self._open = Streams(limits.streams, limits.exempt)
        self.refusal_pages: Recent[Answer] = Recent()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sent = headers(scope)
        spoken, departure = language(sent, cookies(sent)), Departure(receive)
        try:
            check_head(scope)
            if stream := STREAM.fullmatch(scope["path"]):
                await self._stream(scope, sent, departure, send, stream)
            else:
                await self._page(scope, sent, receive, departure, send)
        except HungUp:
            pass
        except Refusal as refusal:
            await self._refuse(scope, send, refusal, spoken)
            if refusal.code in CLOSING:
                await linger(receive)
        except Exception:
            log.exception("a request failed")
            with suppress(Exception):  # the answer has begun already
                await self._refuse(scope, send, Refusal("broken"), spoken)
        finally:
            departure.stop()

    def close_streams(self) -> None:
        """End every stream now; called in the loop when the server stops."""
        self._open.stop()

    # ---- streams

    async def _stream(
        self, scope: Scope, sent: dict[str, str], departure: Departure, send: Send, path: re.Match[str]
    ) -> None:
        spoken = language(sent, cookies(sent))
        caller = address(scope, sent)
        watcher = Watcher(None, spoken, asyncio.get_running_loop(), address=caller)
        admit = partial(self._admit, scope, sent, path, watcher)
        share = neighbourhood(caller)
        table = await self._at_hand(scope["path"], share, departure)
        leave = await self._workers.run(share, departure.watch, admit)
        del table  # whoever watches it keeps it in memory
        self._open.add(watcher)
        try:
            await _run(watcher, departure.watch(), send)
        finally:
            self._open.discard(watcher)
            await self._workers.at_once(leave, watcher)

    def _admit(self, scope: Scope, sent: dict[str, str], path: re.Match[str], watcher: Watcher) -> Leave:
        """Check who asks for a stream and let it watch; the answer is how to leave again."""
        if "host" not in sent:
            raise malformed("Host")
        if not known_host(sent["host"], self._house.settings.server):
            raise Refusal("not-allowed")
        if scope["method"] != "GET":
            raise Refusal("wrong-method")
        held, query = cookies(sent), parse_qs(scope["query_string"].decode("latin-1"))
        watcher.wants_seats, watcher.wants_beats = "seats" in query, "beats" in query
        if desk := path["desk"] or path["screen"]:
            shown = held.get(SCREEN_COOKIE, "")
            watcher.is_screen = not path["desk"] and self._desks.is_screen(desk, shown)
            return self._admit_desk(desk, bool(path["desk"]), Caller(watcher.address, bearer(sent)), watcher)
        code = path["table"]
        find = seat_token if path["me"] else any_token
        token = find(sent, held, code, query.get("seat", [None])[0])
        caller = Caller(watcher.address, token)
        table = self._house.find(code, caller)
        tokens = seat_tokens(held, code, table.seats) if "held" in query else ()
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

    async def _page(
        self, scope: Scope, sent: dict[str, str], receive: Receive, departure: Departure, send: Send
    ) -> None:
        caller = address(scope, sent)
        share = neighbourhood(caller)
        with self._bodies.hold(share):
            body = await read_body(scope, sent, receive)
        _table = await self._at_hand(scope["path"], share, departure)  # in memory until we have answered
        if await self._moved(scope, sent, body, send):
            return
        workers = self._easel if PAPER.search(scope["path"]) else self._workers
        call = partial(call_wsgi, self._flask, environ_of(scope, sent, body, caller))
        answer = await workers.run(share, departure.watch, call)
        await _answer(send, *answer)

    async def _at_hand(self, path: str, share: str, departure: Departure) -> LiveTable | None:
        """The table that a path is about, read before a thread is taken for whoever asks: however many ask
        for a long one, they leave the threads to others."""
        found = TABLE.match(path)
        code = found and (found["table"] or self._house.at_desk.get(found["desk"]))
        if not code:
            return None
        if table := self._house.at_hand(code):
            return table
        try:
            with self._reading.hold(share):
                return await unless_gone(self._house.reading(code), departure.watch)
        except Refusal as refusal:
            if found and found["desk"] and refusal.code == "broken":
                return None  # a desk goes on without a table that cannot be read
            raise

    async def _moved(self, scope: Scope, sent: dict[str, str], body: bytes, send: Send) -> bool:
        """Make a move here and now, if it is one and nothing about it is out of the ordinary. Whatever else
        there is to say about a call, Flask says it."""
        path = MOVE.fullmatch(scope["path"])
        if path is None or scope["method"] != "POST" or not self._is_plain(scope, sent):
            return False
        held = cookies(sent)
        caller = Caller(address(scope, sent), seat_token(sent, held, path["table"], None))
        answer = await self._house.move_now(path["table"], parse(body), caller, language(sent, held))
        if answer is not None:
            await _answer(send, 200, JSON_HEADERS, answer)
        return answer is not None

    def _is_plain(self, scope: Scope, sent: dict[str, str]) -> bool:
        """Whether a call comes through the door as most do, and is not one that may come twice."""
        host = sent.get("host", "")
        ours = same_origin(sent.get("origin"), sent.get("sec-fetch-site"), host)
        again = "idempotency-key" in sent
        return (
            ours and not again and not scope["query_string"] and known_host(host, self._house.settings.server)
        )

    # ---- refusals

    async def _refuse(self, scope: Scope, send: Send, refusal: Refusal, spoken: str) -> None:
        """Refuse before Flask was asked: as a problem for scripts, as a page for people."""
        is_script = is_api(scope) or STREAM.fullmatch(scope["path"])
        word = _problem if is_script else self.refusal_page
        status, told, content = word(refusal, spoken)
        closing = [(b"connection", b"close")] if refusal.code in CLOSING else []
        await _answer(send, status, [*told, *closing], content)

    def refusal_page(self, refusal: Refusal, spoken: str) -> Answer:
        """The page of a refusal, drawn once for each sentence and language: it is needed when all is busy."""
        name = json.dumps((refusal.code, refusal.sentence, refusal.title, spoken))
        page = self.refusal_pages.get(name) or call_wsgi(self._flask, _environ_of_refusal(refusal, spoken))
        self.refusal_pages.put(name, page, len(page[2]), *REFUSAL_PAGES)
        return page


async def _run(watcher: Watcher, gone: asyncio.Future[None], send: Send) -> None:
    """Send what is queued, and a sign of life when there is nothing, until either side ends. A phone that
    takes nothing for long is given up; its connection ends by TCP_USER_TIMEOUT."""
    gone.add_done_callback(lambda _: watcher.stop())
    beat = _Beat(watcher)
    try:
        await send({"type": "http.response.start", "status": 200, "headers": STREAM_HEADERS})
        while (what := await watcher.next()) is not None:
            await _take(send({"type": "http.response.body", "body": what, "more_body": True}))
            del what  # a quiet stream need not hold the last view
        await _take(send({"type": "http.response.body", "body": b""}))
    except TimeoutError:
        pass
    finally:
        beat.stop()


async def _take(sending: Awaitable[None]) -> None:
    """Wait until a phone takes what it is sent, but not for ever."""
    async with asyncio.timeout(TAKE_TIME):
        await sending


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


def _problem(refusal: Refusal, spoken: str) -> Answer:
    problem = refusal.problem(words(spoken))
    told = [(b"content-type", b"application/problem+json"), *COMMON_HEADERS]
    if wait := problem.pop("retry_after", None):
        told.append((b"retry-after", str(wait).encode()))
    if refusal.code == "wrong-method":
        told.append((b"allow", b"GET"))
    return refusal.status, told, json.dumps(problem).encode()


def _environ_of_refusal(refusal: Refusal, spoken: str) -> WSGIEnvironment:
    """A request that Flask answers with this refusal, whoever asks."""
    scope = {"method": "GET", "raw_path": b"/", "query_string": b"", "server": ("localhost", 80)}
    sent = {"host": "localhost", "accept-language": spoken}
    return {**environ_of({**scope, "http_version": "1.1", "scheme": "http"}, sent, b""), REFUSAL: refusal}


async def _answer(send: Send, status: int, told: list[Header], content: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": told})
    await send({"type": "http.response.body", "body": content})


def _holder(table: LiveTable, token: str | None) -> tuple[str, str] | None:
    """Whose the stream of a screen is, if it came with a token of this table."""
    who = table.seat_of(token) or (HOST if table.is_host(token) else None)
    return (table.code, who) if who else None
