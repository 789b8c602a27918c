"""The ASGI application: serves streams, moves and seat forms in the event loop, everything else by Flask.

It routes by path. A stream needs no thread, a disconnect is noticed at once, and shutdown waits for no
client. Flask runs in worker threads.
"""

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import parse_qs, parse_qsl, quote
from wsgiref.types import WSGIApplication, WSGIEnvironment

from flask import Flask

from referee.core.questions import HOST
from referee.presentation.words import LANGUAGES, words
from web.pages import drafts
from web.pages.curtain import is_drawn
from web.pages.device import Device, curtain_cookie, device_of, held_by
from web.pages.live_pages import Audience, LivePages
from web.pages.rendering import in_language
from web.pages.seat import REJECTED, check_seat
from web.pages.seat_forms import NotDone, SeatForms
from web.security.caller import (
    LANGUAGE_COOKIE,
    SCREEN_COOKIE,
    Caller,
    any_token,
    bearer,
    host_cookie,
    language,
    seat_cookie,
    seat_token,
)
from web.security.hosts import caller_key, known_host, same_origin
from web.server.asgi import (
    DisconnectWatch,
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
from web.server.flask_app import HEADERS, REFUSAL
from web.server.workers import CallerGone, Quota, Workers, unless_gone
from web.service.bounded_cache import BoundedCache
from web.service.desks import Desks
from web.service.idempotency import idempotency_key
from web.service.live_table import LiveTable
from web.service.tables import TableService
from web.streams.stream_limits import OpenStreams
from web.streams.subscribers import Subscriber, event
from web.wire.errors import ApiError, malformed
from web.wire.json_bytes import json_bytes
from web.wire.parsing import parse, whole

Leave = Callable[[Subscriber], None]
Answer = tuple[int, list[Header], bytes]

log = logging.getLogger("referee")

HEARTBEAT = 15.0  # seconds of silence after which a stream sends a heartbeat
KEEPALIVE = b": still here\n"
SEND_TIMEOUT = 10.0  # seconds a client may take to accept an event before its stream is closed
WORKERS = 16  # Flask threads: enough that some can wait for the disk while others work
PAPER = re.compile(r"/(sheet(\.\w+)?|paper/\d+\.png|history\.\w+)$")  # sheets, pictures, exports
STREAM = re.compile(
    r"/(?:api/tables/(?P<table>[^/]+)(?P<me>/me)?|api/desks/(?P<desk>[^/]+)|desk/(?P<screen>[^/]+))/events"
)
PAGE_STREAM = re.compile(r"/t/(?P<table>[^/]+)(/s/(?P<seat>[^/]+))?/live")
SEAT_PAGE = re.compile(r"/t/(?P<table>[^/]+)/s/(?P<seat>[^/]+)")
MOVE = re.compile(r"/api/tables/(?P<table>[^/]+)/moves")
SLOW_ARGS = frozenset({"fold", "correct"})  # query arguments whose cost grows with the number of moves
MAX_FIELDS = 500  # of a form or a query; our own forms have some dozens
TABLE = re.compile(r"/(?:t|api/tables)/(?P<table>[2-9A-Z]{5})(?=/|$)|/(?:api/desks|desk)/(?P<desk>[^/]+)")
REFUSAL_PAGE_LIMITS = (64, 1024 * 1024)  # limits of the cache of error pages: how many, how many bytes
CLOSES_CONNECTION = ("too-large", "too-slow")  # errors after which part of the body is unread
COMMON_HEADERS = [
    (b"cache-control", b"no-store"),
    *((name.lower().encode(), value.encode()) for name, value in HEADERS.items()),
]
SHORT_HEADERS = [
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"server", b"referee"),
]
JSON_HEADERS = [(b"content-type", b"application/json"), *COMMON_HEADERS]
STREAM_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"x-accel-buffering", b"no"),
    *COMMON_HEADERS,
]


class AsgiApplication:
    """The whole server as one ASGI application."""

    def __init__(self, service: TableService, desks: Desks, flask: Flask) -> None:
        self._service, self._desks, self._app = service, desks, flask
        self._flask: WSGIApplication = flask
        self._live, self._forms = LivePages(service, desks, flask), SeatForms(service, flask)
        limits = service.settings.limits
        self._workers = Workers("flask", WORKERS, limits.exempt)
        self._paper_workers = Workers("paper", 1, limits.exempt)  # slow documents wait only for each other
        self._bodies = Quota(limits.exempt)  # requests whose body is being received
        self._reading = Quota(limits.exempt)  # requests that wait for a table to be loaded
        self._open = OpenStreams(limits.streams, limits.exempt)
        self.refusal_pages: BoundedCache[Answer] = BoundedCache()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sent = headers(scope)
        spoken, disconnect = language(sent, cookies(sent)), DisconnectWatch(receive)
        try:
            check_head(scope)
            if stream := STREAM.fullmatch(scope["path"]) or PAGE_STREAM.fullmatch(scope["path"]):
                await self._stream(scope, sent, disconnect, send, stream)
            else:
                await self._page(scope, sent, receive, disconnect, send)
        except CallerGone:
            pass
        except ApiError as refusal:
            await self._refuse(scope, send, refusal, spoken)
            if refusal.code in CLOSES_CONNECTION:
                await linger(receive)
        except Exception:
            log.exception("a request failed")
            with suppress(Exception):  # the response may have begun already
                await self._refuse(scope, send, ApiError("broken"), spoken)
        finally:
            disconnect.stop()

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Make this loop the owner of the tables."""
        self._service.loop = loop

    def close_streams(self) -> None:
        """End every stream. Called in the loop when the server stops."""
        self._open.stop()

    # ---- streams

    async def _stream(
        self, scope: Scope, sent: dict[str, str], disconnect: DisconnectWatch, send: Send, path: re.Match[str]
    ) -> None:
        spoken = language(sent, cookies(sent))
        subscriber = Subscriber(None, spoken, asyncio.get_running_loop(), address=address(scope, sent))
        table = await self._load_table(scope["path"], caller_key(subscriber.address), disconnect)
        leave = await self._admit(scope, sent, path, subscriber)
        del table  # the subscription keeps it in memory
        self._open.add(subscriber)
        try:
            await _run(subscriber, disconnect.watch(), send)
        finally:
            self._open.discard(subscriber)
            leave(subscriber)

    async def _admit(
        self, scope: Scope, sent: dict[str, str], path: re.Match[str], subscriber: Subscriber
    ) -> Leave:
        """Authorize a stream and subscribe it. Returns the function that unsubscribes it."""
        self._check_host(sent)
        if scope["method"] != "GET":
            raise ApiError("wrong-method", extra={"allow": "GET"})
        held, query = cookies(sent), parse_qs(scope["query_string"].decode("latin-1"))
        if path.re is PAGE_STREAM:
            return await self._admit_page(path["table"], path["seat"], sent, held, query, subscriber)
        subscriber.wants_seats, subscriber.wants_beats = "seats" in query, "beats" in query
        if desk := path["desk"] or path["screen"]:
            shown = held.get(SCREEN_COOKIE, "")
            subscriber.is_screen = not path["desk"] and self._desks.is_screen(desk, shown)
            caller = Caller(subscriber.address, bearer(sent))
            return await self._admit_desk(desk, bool(path["desk"]), caller, subscriber)
        code = path["table"]
        find = seat_token if path["me"] else any_token
        token = find(sent, held, code, query.get("seat", [None])[0])
        caller = Caller(subscriber.address, token)
        table = await self._service.find_async(code, caller)
        subscriber.seat = self._service.seat(table, caller) if path["me"] else None
        subscriber.holder = (table.code, subscriber.seat) if subscriber.seat else _holder(table, token)
        table.watch(subscriber)
        self._tell_if_cut(table, subscriber, query, sent.get("last-event-id", ""))
        return table.leave

    def _tell_if_cut(
        self, table: LiveTable, subscriber: Subscriber, query: dict[str, list[str]], last: str = ""
    ) -> None:
        """Tell a client that saw a later version, or another head, than the journal has: what it saw was cut
        off or written anew. `last` is the version of the last event that it got."""
        version, head = whole(query.get("version", [last])[0]), query.get("head", [""])[0]
        if version is None or not self._service.has_less(table, version, head):
            return
        log.warning(
            "table %s: somebody saw version %d, the journal has %d", table.code, version, table.match.version
        )
        about = {"seen": version, "version": table.match.version}
        text = words(subscriber.language).say("page.cut", about)
        subscriber.push(event("cut", json_bytes({**about, "text": text})))

    async def _admit_page(
        self,
        code: str,
        seat: str | None,
        sent: dict[str, str],
        held: dict[str, str],
        query: dict[str, list[str]],
        subscriber: Subscriber,
    ) -> Leave:
        """Subscribe an open page: a seat's page, its curtain, or a screen."""
        token = held.get(seat_cookie(code, seat)) if seat else any_token(sent, held, code, None)
        caller = Caller(subscriber.address, token)
        table = await self._service.find_async(code, caller)
        mine = held_by(table, held)
        is_host = table.is_host(held.get(host_cookie(code)))
        switched = held.get(LANGUAGE_COOKIE, "")
        spoken_there = switched if switched in LANGUAGES else table.match.options["language"]
        spoken = language(sent, held) if seat else spoken_there
        subscriber.wants_beats, subscriber.is_host = True, is_host and "desk" not in query
        if seat:
            if self._service.seat(table, caller) != seat:
                raise ApiError("not-allowed")
            subscriber.seat = None if "curtain" in query else seat
            subscriber.held, subscriber.holder = frozenset(mine), (table.code, seat)
            page = "curtain" if "curtain" in query else "seat"
            audience = Audience(page, seat, spoken, mine, is_host)
        else:
            subscriber.holder = _holder(table, token)
            desk = query.get("desk", [""])[0]
            shows_keys = bool(desk) and self._desks.is_screen(desk, held.get(SCREEN_COOKIE, ""))
            audience = Audience("screen", None, spoken, mine, is_host, desk, shows_keys)
            if desk:
                self._desks.check(desk)
                audience = audience._replace(held=(), is_host=False)
        subscriber.language = spoken
        self._tell_if_cut(table, subscriber, query)  # first: the page drops regions older than those it shows
        self._live.watch(table, subscriber, audience, held.get(curtain_cookie(code), ""))
        return lambda gone: self._live.leave(table, gone)

    async def _admit_desk(self, desk: str, itself: bool, caller: Caller, subscriber: Subscriber) -> Leave:
        """Subscribe a desk. The desk process must send its key; a page of the virtual desk gets public data
        only."""
        if itself:
            self._desks.check_key(desk, caller)
        else:
            self._desks.check(desk)
        subscriber.trusted = itself
        subscriber.holder = ("desk", desk) if itself else None
        await self._desks.watch(desk, subscriber)
        return lambda gone: self._desks.leave(desk, gone)

    def _check_host(self, sent: dict[str, str]) -> None:
        if "host" not in sent:
            raise malformed("Host")
        if not known_host(sent["host"], self._service.settings.server):
            raise ApiError("not-allowed")

    # ---- everything else

    async def _page(
        self, scope: Scope, sent: dict[str, str], receive: Receive, disconnect: DisconnectWatch, send: Send
    ) -> None:
        caller = address(scope, sent)
        share = caller_key(caller)
        with self._bodies.hold(share):
            body = await read_body(scope, sent, receive)
        _table = await self._load_table(scope["path"], share, disconnect)  # in memory until the response
        move = MOVE.fullmatch(scope["path"])
        if move:
            return await _answer(send, 200, JSON_HEADERS, await self._move(move["table"], scope, sent, body))
        seat = SEAT_PAGE.fullmatch(scope["path"])
        if seat and scope["method"] == "POST":
            return await self._seat_form(seat["table"], seat["seat"], scope, sent, body, caller, send)
        if seat and scope["method"] == "GET" and _is_script(sent) and seat["table"].upper() == seat["table"]:
            who = Caller(caller, cookies(sent).get(seat_cookie(seat["table"], seat["seat"])))
            return await self._seat_part(seat["table"], seat["seat"], scope, sent, who, disconnect, send)
        workers = self._paper_workers if PAPER.search(scope["path"]) else self._workers
        call = partial(call_wsgi, self._flask, environ_of(scope, sent, body, caller))
        answer = await workers.run(share, disconnect.watch, call)
        return await _answer(send, *answer)

    async def _load_table(self, path: str, share: str, disconnect: DisconnectWatch) -> LiveTable | None:
        """Load the table that a path names before a Flask thread is taken, so that requests for a long
        journal do not occupy the threads."""
        found = TABLE.match(path)
        code = found and (found["table"] or self._service.at_desk.get(found["desk"]))
        if not code:
            return None
        if table := self._service.cached(code):
            return table
        try:
            with self._reading.hold(share):
                return await unless_gone(self._service.load(code), disconnect.watch)
        except ApiError as refusal:
            if found and found["desk"] and refusal.code == "broken":
                return None  # a desk works without a table that cannot be read
            raise

    async def _move(self, code: str, scope: Scope, sent: dict[str, str], body: bytes) -> bytes:
        """`POST /api/tables/T/moves`."""
        self._check_host(sent)
        if scope["method"] != "POST":
            raise ApiError("wrong-method", extra={"allow": "POST"})
        self._check_origin(sent)
        held, query = cookies(sent), parse_qs(scope["query_string"].decode("latin-1"))
        token = seat_token(sent, held, code, query.get("seat", [None])[0])
        caller = Caller(address(scope, sent), token)
        retry = idempotency_key(sent.get("idempotency-key"), scope["path"], body)
        return json_bytes(await self._service.move(code, parse(body), caller, language(sent, held), retry))

    async def _seat_form(
        self, code: str, seat: str, scope: Scope, sent: dict[str, str], body: bytes, address_: str, send: Send
    ) -> None:
        """A form of a seat's page. The page's script gets JSON here and the effect through its stream; a
        browser without script gets a redirect to the page."""
        self._check_origin(sent)
        held, path = cookies(sent), quote(f"/t/{code.upper()}/s/{seat}")
        if code != code.upper():
            there = path.encode() + (b"?" + scope["query_string"] if scope["query_string"] else b"")
            return await _answer(send, 308, [(b"location", there), *COMMON_HEADERS], b"")
        who = Caller(address_, held.get(seat_cookie(code, seat)))
        table, spoken = await self._service.find_async(code, who), language(sent, held)
        with in_language(self._app, spoken):
            check_seat(self._service, table, seat, who)
        is_script = _is_script(sent)
        device = Device(held_by(table, held), curtain=held.get(curtain_cookie(code), ""), is_live=True)
        if is_drawn(table.match, seat, device):
            return await _answer_form(send, path, is_script, {"curtain": 1})
        args, form = (
            _fields(scope["query_string"].decode("latin-1")),
            _fields(body.decode("utf-8", "replace")),
        )
        try:
            checked = await self._forms.send(table, seat, who, spoken, form, args)
        except NotDone as not_done:
            if is_script:
                rejected = not_done.rejected
                asking = replace(device, args=args, draft=rejected.draft)
                payload = self._live.seat_part(table, seat, spoken, asking, rejected.problem)
                return await _answer(send, rejected.status, JSON_HEADERS, json_bytes(payload))
            environ = environ_of({**scope, "method": "GET"}, sent, b"", address_)
            call = partial(call_wsgi, self._flask, {**environ, REJECTED: not_done.rejected})
            return await _answer(send, *await self._workers.at_once(call))
        if checked:
            where, draft = checked
            kept = drafts.set_cookie(code, seat, draft, path)
            return await _answer_form(send, f"{path}{where}", is_script, {"go": where}, kept)
        had_draft = drafts.cookie_name(code, seat) in held
        erased = drafts.erase_cookie(code, seat, path) if had_draft else None
        return await _answer_form(send, path, is_script, {"v": table.match.version}, erased)

    async def _seat_part(
        self,
        code: str,
        seat: str,
        scope: Scope,
        sent: dict[str, str],
        who: Caller,
        disconnect: DisconnectWatch,
        send: Send,
    ) -> None:
        """Regions of a seat's page that its script requests. If the cost grows with the length of the game, a
        worker thread renders them."""
        self._check_host(sent)
        table, held, spoken = (
            await self._service.find_async(code, who),
            cookies(sent),
            language(sent, cookies(sent)),
        )
        with in_language(self._app, spoken):
            check_seat(self._service, table, seat, who)
        device = device_of(table, seat, held, _fields(scope["query_string"].decode("latin-1")), is_live=True)
        for other in device.held:
            table.called(other)
        make = partial(self._live.seat_part, table, seat, spoken, device)
        if is_drawn(table.match, seat, device):
            payload: dict[str, Any] = {"curtain": 1}
        elif SLOW_ARGS.isdisjoint(device.args):
            payload = make()
        else:
            payload = await self._workers.run(caller_key(who.address), disconnect.watch, make)
        await _answer(send, 200, SHORT_HEADERS, json_bytes(payload))

    def _check_origin(self, sent: dict[str, str]) -> None:
        """Refuse a change with a foreign Host header, or from a page of another origin (CSRF)."""
        self._check_host(sent)
        if not same_origin(sent.get("origin"), sent.get("sec-fetch-site"), sent["host"]):
            raise ApiError("not-allowed")

    # ---- refusals

    async def _refuse(self, scope: Scope, send: Send, refusal: ApiError, spoken: str) -> None:
        """Send an error without a Flask request: problem+json to scripts, a page to browsers."""
        is_script = is_api(scope) or STREAM.fullmatch(scope["path"])
        word = _problem if is_script else self.refusal_page
        status, response_headers, content = word(refusal, spoken)
        closing = [(b"connection", b"close")] if refusal.code in CLOSES_CONNECTION else []
        await _answer(send, status, [*response_headers, *closing], content)

    def refusal_page(self, refusal: ApiError, spoken: str) -> Answer:
        """The page of an error, cached by sentence and language: it is needed when the server is
        overloaded."""
        name = json.dumps((refusal.code, refusal.sentence, refusal.title, spoken))
        page = self.refusal_pages.get(name) or call_wsgi(self._flask, _environ_of_refusal(refusal, spoken))
        self.refusal_pages.put(name, page, len(page[2]), *REFUSAL_PAGE_LIMITS)
        return page


async def _run(subscriber: Subscriber, gone: asyncio.Future[None], send: Send) -> None:
    """Send queued events, and heartbeats in between, until either side ends the stream. If the client accepts
    nothing for `SEND_TIMEOUT`, the stream ends; TCP_USER_TIMEOUT then closes the connection."""
    gone.add_done_callback(lambda _: subscriber.stop())
    heartbeat = _Heartbeat(subscriber)
    try:
        await send({"type": "http.response.start", "status": 200, "headers": STREAM_HEADERS})
        while (what := await subscriber.next()) is not None:
            await _within_time(send({"type": "http.response.body", "body": what, "more_body": True}))
            del what  # so that an idle stream does not hold the last event
        await _within_time(send({"type": "http.response.body", "body": b""}))
    except TimeoutError:
        pass
    finally:
        heartbeat.stop()


async def _within_time(sending: Awaitable[None]) -> None:
    """Wait until the client accepts what is sent, at most `SEND_TIMEOUT`."""
    async with asyncio.timeout(SEND_TIMEOUT):
        await sending


class _Heartbeat:
    """Heartbeats of an idle stream: one timer, which is not rescheduled for each event sent."""

    def __init__(self, subscriber: Subscriber) -> None:
        self._subscriber = subscriber
        self._sign = KEEPALIVE + (event("beat", "{}") if subscriber.wants_beats else b"\n")
        self._timer = subscriber.loop.call_later(HEARTBEAT, self._check)

    def _check(self) -> None:
        loop = self._subscriber.loop
        if loop.time() - self._subscriber.last >= HEARTBEAT:
            self._subscriber.push(self._sign)
        self._timer = loop.call_at(self._subscriber.last + HEARTBEAT, self._check)

    def stop(self) -> None:
        self._timer.cancel()


def _problem(refusal: ApiError, spoken: str) -> Answer:
    problem = refusal.problem(words(spoken))
    response_headers = [(b"content-type", b"application/problem+json"), *COMMON_HEADERS]
    if wait := problem.pop("retry_after", None):
        response_headers.append((b"retry-after", str(wait).encode()))
    if allow := problem.pop("allow", None):
        response_headers.append((b"allow", allow.encode()))
    return refusal.status, response_headers, json.dumps(problem).encode()


def _environ_of_refusal(refusal: ApiError, spoken: str) -> WSGIEnvironment:
    """A synthetic request that Flask answers with this error."""
    scope = {"method": "GET", "raw_path": b"/", "query_string": b"", "server": ("localhost", 80)}
    sent = {"host": "localhost", "accept-language": spoken}
    return {**environ_of({**scope, "http_version": "1.1", "scheme": "http"}, sent, b""), REFUSAL: refusal}


async def _answer(send: Send, status: int, response_headers: list[Header], content: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": response_headers})
    await send({"type": "http.response.body", "body": content})


async def _answer_form(
    send: Send, path: str, is_script: bool, payload: dict[str, Any], cookie: str | None = None
) -> None:
    """The response to an accepted form: a redirect, or JSON for a script."""
    kept = [(b"set-cookie", cookie.encode("latin-1"))] if cookie else []
    if is_script:
        await _answer(send, 200, [*SHORT_HEADERS, *kept], json_bytes(payload))
    else:
        await _answer(send, 303, [(b"location", path.encode()), *COMMON_HEADERS, *kept], b"")


def _is_script(sent: dict[str, str]) -> bool:
    """Whether the script of a page sent this request. It gets the regions of the page, as JSON."""
    return sent.get("accept") == "application/json"


def _fields(text: str) -> dict[str, str]:
    """The fields of a form or a query; the first value of a repeated field counts."""
    fields: dict[str, str] = {}
    for name, value in parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS):
        fields.setdefault(name, value)
    return fields


def _holder(table: LiveTable, token: str | None) -> tuple[str, str] | None:
    """The table and seat (or host) whose stream limit counts a screen's stream, if it sent a token."""
    who = table.seat_of(token) or (HOST if table.is_host(token) else None)
    return (table.code, who) if who else None
