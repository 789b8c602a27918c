"""Serves event streams: authorizes each, subscribes it to a table or desk, and sends its events.

A stream needs no thread, a disconnect is noticed at once, and shutdown waits for no client.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable

from referee.core.questions import HOST
from referee.presentation.words import LANGUAGES, words
from web.pages.device import curtain_cookie, held_by
from web.pages.live_pages import Audience, LivePages
from web.security.caller import (
    LANGUAGE_COOKIE,
    SCREEN_COOKIE,
    Caller,
    any_token,
    bearer,
    host_cookie,
    seat_cookie,
    seat_token,
)
from web.server.asgi import Send
from web.server.request import Request
from web.server.responses import COMMON_HEADERS
from web.service.damaged_tables import has_less
from web.service.desks import Desks
from web.service.live_table import LiveTable
from web.service.tables import TableService
from web.streams.compression import EventCompressor
from web.streams.stream_limits import Leave, OpenStreams
from web.streams.subscribers import Subscriber, event
from web.wire.errors import ApiError
from web.wire.json_bytes import json_bytes
from web.wire.parsing import whole

log = logging.getLogger("referee")

OpenStream = tuple[Subscriber, Leave]  # and the function that unsubscribes it

HEARTBEAT = 15.0  # seconds of silence after which a stream sends a heartbeat
KEEPALIVE = b": still here\n"
SEND_TIMEOUT = 10.0  # seconds a client may take to accept an event before its stream is closed
STREAM = re.compile(
    r"/(?:api/tables/(?P<table>[^/]+)(?P<me>/me)?|api/desks/(?P<desk>[^/]+)|desk/(?P<screen>[^/]+))/events"
)
PAGE_STREAM = re.compile(r"/t/(?P<table>[^/]+)(/s/(?P<seat>[^/]+))?/live")
STREAM_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"x-accel-buffering", b"no"),
    *COMMON_HEADERS,
]
GZIP = (b"content-encoding", b"gzip")


def stream_path(path: str) -> re.Match[str] | None:
    """Whether this is the path of a stream."""
    return STREAM.fullmatch(path) or PAGE_STREAM.fullmatch(path)


class StreamEndpoints:
    """All open streams."""

    def __init__(self, service: TableService, desks: Desks, live: LivePages) -> None:
        self._service, self._desks, self._live = service, desks, live
        self._open = OpenStreams(service.settings.limits.streams, service.settings.limits.exempt)

    def stop(self) -> None:
        """End every stream. Called in the loop when the server stops."""
        self._open.stop()

    async def admit(self, request: Request, path: re.Match[str]) -> OpenStream:
        """Authorize a stream and subscribe it."""
        request.check_host(self._service.settings.server)
        request.check_method("GET")
        loop = asyncio.get_running_loop()
        subscriber = Subscriber(None, request.language, loop, address=request.address)
        if path.re is PAGE_STREAM:
            return subscriber, await self._admit_page(request, path["table"], path["seat"], subscriber)
        query = request.query_lists()
        subscriber.wants_seats, subscriber.wants_beats = "seats" in query, "beats" in query
        if desk := path["desk"] or path["screen"]:
            screen_key = request.cookies.get(SCREEN_COOKIE, "")
            subscriber.is_screen = not path["desk"] and self._desks.is_screen(desk, screen_key)
            caller = request.caller(bearer(request.headers))
            return subscriber, await self._admit_desk(desk, bool(path["desk"]), caller, subscriber)
        code = path["table"]
        find = seat_token if path["me"] else any_token
        token = find(request.headers, request.cookies, code, query.get("seat", [None])[0])
        caller = request.caller(token)
        table = await self._service.find_async(code, caller)
        subscriber.seat = self._service.seat(table, caller) if path["me"] else None
        subscriber.holder = (table.code, subscriber.seat) if subscriber.seat else _holder(table, token)
        table.watch(subscriber)
        self._tell_if_cut(table, subscriber, query, request.headers.get("last-event-id", ""))
        return subscriber, table.leave

    def _tell_if_cut(
        self, table: LiveTable, subscriber: Subscriber, query: dict[str, list[str]], last: str = ""
    ) -> None:
        """Tell a client that saw a later version, or another head, than the journal has: what it saw was cut
        off or written anew. `last` is the version of the last event that it got."""
        version, head = whole(query.get("version", [last])[0]), query.get("head", [""])[0]
        if version is None or not has_less(self._service.store, table, version, head):
            return
        log.warning(
            "table %s: somebody saw version %d, the journal has %d", table.code, version, table.match.version
        )
        about = {"seen": version, "version": table.match.version}
        text = words(subscriber.language).say("page.cut", about)
        subscriber.push(event("cut", json_bytes({**about, "text": text})))

    async def run(self, subscriber: Subscriber, leave: Leave, gone: asyncio.Future[None], send: Send) -> None:
        """Send the events of a subscribed stream until either side ends it."""
        self._open.add(subscriber, leave)
        try:
            await _send_events(subscriber, gone, send)
        finally:
            self._open.remove(subscriber)

    async def _admit_page(
        self, request: Request, code: str, seat: str | None, subscriber: Subscriber
    ) -> Leave:
        """Subscribe an open page: a seat's page, its curtain, or a screen."""
        held, query = request.cookies, request.query_lists()
        token = held.get(seat_cookie(code, seat)) if seat else any_token(request.headers, held, code, None)
        caller = request.caller(token)
        table = await self._service.find_async(code, caller)
        mine = held_by(table, held)
        is_host = table.is_host(held.get(host_cookie(code)))
        subscriber.wants_beats, subscriber.is_host = True, is_host and "desk" not in query
        if seat:
            if self._service.seat(table, caller) != seat:
                raise ApiError("not-allowed")
            page = "curtain" if "curtain" in query else "seat"
            subscriber.seat = seat if page == "seat" else None
            subscriber.held, subscriber.holder = frozenset(mine), (table.code, seat)
            audience = Audience(page, seat, request.language, mine, is_host)
        else:
            subscriber.holder = _holder(table, token)
            switched = held.get(LANGUAGE_COOKIE, "")
            spoken = switched if switched in LANGUAGES else table.match.options["language"]
            desk = query.get("desk", [""])[0]
            shows_keys = bool(desk) and self._desks.is_screen(desk, held.get(SCREEN_COOKIE, ""))
            audience = Audience("screen", None, spoken, mine, is_host, desk, shows_keys)
            if desk:
                self._desks.check(desk)
                audience = audience._replace(held=(), is_host=False)
        subscriber.language = audience.language
        if request.accepts_gzip and not request.is_secure(self._service.settings.server):
            subscriber.compressor = EventCompressor()  # over https, lengths would tell about secrets (BREACH)
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


def _holder(table: LiveTable, token: str | None) -> tuple[str, str] | None:
    """The table and seat (or host) whose stream limit counts a screen's stream, if it sent a token."""
    who = table.seat_of(token) or (HOST if table.is_host(token) else None)
    return (table.code, who) if who else None


async def _send_events(subscriber: Subscriber, gone: asyncio.Future[None], send: Send) -> None:
    """Send queued events, and heartbeats in between, until either side ends the stream. If the client accepts
    nothing for `SEND_TIMEOUT`, the stream ends; TCP_USER_TIMEOUT then closes the connection."""
    gone.add_done_callback(lambda _: subscriber.stop())
    heartbeat, compressor = _Heartbeat(subscriber), subscriber.compressor
    headers = [*STREAM_HEADERS, GZIP] if compressor else STREAM_HEADERS
    try:
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        while (what := await subscriber.next()) is not None:
            body = compressor.compress(what) if compressor else what
            await _within_time(send({"type": "http.response.body", "body": body, "more_body": True}))
            del what, body  # so that an idle stream does not hold the last event
        end = compressor.end() if compressor else b""
        await _within_time(send({"type": "http.response.body", "body": end}))
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

    __slots__ = ("_sign", "_subscriber", "_timer")

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
