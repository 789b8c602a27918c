"""The front: an ASGI application that serves the live streams itself and hands the rest to Flask.

A stream costs no thread, a phone that is gone is noticed at once, and closing does not wait for anyone.
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

from referee.questions import HOST
from referee.words import LANGUAGES, words
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
from web.caller import (
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
from web.desks import Desks
from web.door import known_host, neighbourhood, same_origin
from web.house import House
from web.live import Audience, LivePages
from web.pages import drafts
from web.pages.curtain import is_drawn
from web.pages.device import Device, curtain_cookie
from web.pages.page import speaking
from web.pages.seat import REJECTED, check_seat
from web.pages.seat_forms import NotDone, SeatForms
from web.recent import Recent
from web.refusals import Refusal, malformed
from web.retries import retry_of
from web.streams import Streams
from web.table import LiveTable
from web.watchers import Watcher, event
from web.workers import HungUp, Quota, Workers, unless_gone
from web.written import written

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
PAGE_STREAM = re.compile(r"/t/(?P<table>[^/]+)(/s/(?P<seat>[^/]+))?/live")
SEAT_FORM = re.compile(r"/t/(?P<table>[^/]+)/s/(?P<seat>[^/]+)")
MOVE = re.compile(r"/api/tables/(?P<table>[^/]+)/moves")
MOST_FIELDS = 500  # of a form: a page of ours has some dozens
TABLE = re.compile(r"/(?:t|api/tables)/(?P<table>[2-9A-Z]{5})(?=/|$)|/(?:api/desks|desk)/(?P<desk>[^/]+)")
REFUSAL_PAGES = (64, 1024 * 1024)  # kept: how many, and how many bytes
CLOSING = ("too-large", "too-slow")  # what is still to come of such a body is not waited for
COMMON_HEADERS = [
    (b"cache-control", b"no-store"),
    *((name.lower().encode(), value.encode()) for name, value in HEADERS.items()),
]
SHORT_HEADERS = [
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    (b"server", b"referee"),
]
JSON_HEADERS = [(b"content-type", b"application/json"), *COMMON_HEADERS]
STREAM_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"x-accel-buffering", b"no"),
    *COMMON_HEADERS,
]


class Front:
    """All of the referee as one ASGI application."""

    def __init__(self, house: House, desks: Desks, flask: Flask) -> None:
        self._house, self._desks, self._app = house, desks, flask
        self._flask: WSGIApplication = flask
        self._live, self._forms = LivePages(house, desks, flask), SeatForms(house, flask)
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
            if stream := STREAM.fullmatch(scope["path"]) or PAGE_STREAM.fullmatch(scope["path"]):
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

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """This loop owns the tables from now on."""
        self._house.loop = loop

    def close_streams(self) -> None:
        """End every stream now; called in the loop when the server stops."""
        self._open.stop()

    # ---- streams

    async def _stream(
        self, scope: Scope, sent: dict[str, str], departure: Departure, send: Send, path: re.Match[str]
    ) -> None:
        spoken = language(sent, cookies(sent))
        watcher = Watcher(None, spoken, asyncio.get_running_loop(), address=address(scope, sent))
        table = await self._at_hand(scope["path"], neighbourhood(watcher.address), departure)
        leave = await self._admit(scope, sent, path, watcher)
        del table  # whoever watches it keeps it in memory
        self._open.add(watcher)
        try:
            await _run(watcher, departure.watch(), send)
        finally:
            self._open.discard(watcher)
            leave(watcher)

    async def _admit(
        self, scope: Scope, sent: dict[str, str], path: re.Match[str], watcher: Watcher
    ) -> Leave:
        """Check who asks for a stream and let it watch; the answer is how to leave again."""
        self._check_host(sent)
        if scope["method"] != "GET":
            raise Refusal("wrong-method", extra={"allow": "GET"})
        held, query = cookies(sent), parse_qs(scope["query_string"].decode("latin-1"))
        if path.re is PAGE_STREAM:
            return await self._admit_page(path["table"], path["seat"], sent, held, query, watcher)
        watcher.wants_seats, watcher.wants_beats = "seats" in query, "beats" in query
        if desk := path["desk"] or path["screen"]:
            shown = held.get(SCREEN_COOKIE, "")
            watcher.is_screen = not path["desk"] and self._desks.is_screen(desk, shown)
            caller = Caller(watcher.address, bearer(sent))
            return await self._admit_desk(desk, bool(path["desk"]), caller, watcher)
        code = path["table"]
        find = seat_token if path["me"] else any_token
        token = find(sent, held, code, query.get("seat", [None])[0])
        caller = Caller(watcher.address, token)
        table = await self._house.found(code, caller)
        watcher.seat = self._house.seat(table, caller) if path["me"] else None
        watcher.holder = (table.code, watcher.seat) if watcher.seat else _holder(table, token)
        table.watch(watcher)
        return table.leave

    async def _admit_page(
        self,
        code: str,
        seat: str | None,
        sent: dict[str, str],
        held: dict[str, str],
        query: dict[str, list[str]],
        watcher: Watcher,
    ) -> Leave:
        """An open page: a seat's, its curtain, or a screen."""
        token = held.get(seat_cookie(code, seat)) if seat else any_token(sent, held, code, None)
        caller = Caller(watcher.address, token)
        table = await self._house.found(code, caller)
        mine = _held(table, held)
        is_host = table.is_host(held.get(host_cookie(code)))
        switched = held.get(LANGUAGE_COOKIE, "")
        spoken_there = switched if switched in LANGUAGES else table.match.options["language"]
        spoken = language(sent, held) if seat else spoken_there
        watcher.wants_beats = True
        if seat:
            if self._house.seat(table, caller) != seat:
                raise Refusal("not-allowed")
            watcher.seat = None if "curtain" in query else seat
            watcher.held, watcher.holder = frozenset(mine), (table.code, seat)
            page = "curtain" if "curtain" in query else "seat"
            audience = Audience(page, seat, spoken, mine, is_host)
        else:
            watcher.holder = _holder(table, token)
            desk = query.get("desk", [""])[0]
            shows_keys = bool(desk) and self._desks.is_screen(desk, held.get(SCREEN_COOKIE, ""))
            audience = Audience("screen", None, spoken, mine, is_host, desk, shows_keys)
            if desk:
                self._desks.check(desk)
                audience = audience._replace(held=(), is_host=False)
        self._live.watch(table, watcher, audience, held.get(curtain_cookie(code), ""))
        return lambda gone: self._live.leave(table, gone)

    async def _admit_desk(self, desk: str, itself: bool, caller: Caller, watcher: Watcher) -> Leave:
        """The desk itself shows its key; a page that shows the virtual desk sees what all may see."""
        if itself:
            self._desks.check_key(desk, caller)
        else:
            self._desks.check(desk)
        watcher.trusted = itself
        watcher.holder = ("desk", desk) if itself else None
        await self._desks.watch(desk, watcher)
        return lambda gone: self._desks.leave(desk, gone)

    def _check_host(self, sent: dict[str, str]) -> None:
        if "host" not in sent:
            raise malformed("Host")
        if not known_host(sent["host"], self._house.settings.server):
            raise Refusal("not-allowed")

    # ---- everything else

    async def _page(
        self, scope: Scope, sent: dict[str, str], receive: Receive, departure: Departure, send: Send
    ) -> None:
        caller = address(scope, sent)
        share = neighbourhood(caller)
        with self._bodies.hold(share):
            body = await read_body(scope, sent, receive)
        _table = await self._at_hand(scope["path"], share, departure)  # in memory until we have answered
        move = MOVE.fullmatch(scope["path"])
        if move:
            return await _answer(send, 200, JSON_HEADERS, await self._move(move["table"], scope, sent, body))
        form = SEAT_FORM.fullmatch(scope["path"])
        if form and scope["method"] == "POST":
            return await self._seat_form(form["table"], form["seat"], scope, sent, body, caller, send)
        workers = self._easel if PAPER.search(scope["path"]) else self._workers
        call = partial(call_wsgi, self._flask, environ_of(scope, sent, body, caller))
        answer = await workers.run(share, departure.watch, call)
        return await _answer(send, *answer)

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

    async def _move(self, code: str, scope: Scope, sent: dict[str, str], body: bytes) -> bytes:
        """A move of the JSON contract."""
        self._check_host(sent)
        if scope["method"] != "POST":
            raise Refusal("wrong-method", extra={"allow": "POST"})
        self._check_ours(sent)
        held, query = cookies(sent), parse_qs(scope["query_string"].decode("latin-1"))
        token = seat_token(sent, held, code, query.get("seat", [None])[0])
        caller = Caller(address(scope, sent), token)
        retry = retry_of(sent.get("idempotency-key"), scope["path"], body)
        return written(await self._house.move(code, parse(body), caller, language(sent, held), retry))

    async def _seat_form(
        self, code: str, seat: str, scope: Scope, sent: dict[str, str], body: bytes, address_: str, send: Send
    ) -> None:
        """A form of a seat's page. The page's script is answered with JSON, and is sent what changed by its
        stream; without a script the page comes again."""
        self._check_ours(sent)
        held, path = cookies(sent), quote(f"/t/{code.upper()}/s/{seat}")
        if code != code.upper():
            there = path.encode() + (b"?" + scope["query_string"] if scope["query_string"] else b"")
            return await _answer(send, 308, [(b"location", there), *COMMON_HEADERS], b"")
        who = Caller(address_, held.get(seat_cookie(code, seat)))
        table, spoken = await self._house.found(code, who), language(sent, held)
        with speaking(self._app, spoken):
            check_seat(self._house, table, seat, who)
        is_script = sent.get("accept") == "application/json"
        mine = _held(table, held)
        device = Device(mine, curtain=held.get(curtain_cookie(code), ""), is_live=True)
        if is_drawn(table.match, seat, device):
            return await _seen_other(send, path, is_script, {"curtain": 1})
        args, form = (
            _fields(scope["query_string"].decode("latin-1")),
            _fields(body.decode("utf-8", "replace")),
        )
        try:
            checked = await self._forms.send(table, seat, who, spoken, form, args)
        except NotDone as not_done:
            if is_script:
                told = self._live.rejected(table, seat, spoken, replace(device, args=args), not_done.rejected)
                return await _answer(send, not_done.rejected.status, JSON_HEADERS, written(told))
            environ = environ_of({**scope, "method": "GET"}, sent, b"", address_)
            call = partial(call_wsgi, self._flask, {**environ, REJECTED: not_done.rejected})
            return await _answer(send, *await self._workers.at_once(call))
        if checked:
            where, draft = checked
            kept = drafts.set_cookie(code, seat, draft, path)
            return await _seen_other(send, f"{path}{where}", is_script, {"go": where}, kept)
        had_draft = drafts.cookie_name(code, seat) in held
        erased = drafts.erase_cookie(code, seat, path) if had_draft else None
        return await _seen_other(send, path, is_script, {"v": table.match.version}, erased)

    def _check_ours(self, sent: dict[str, str]) -> None:
        """Refuse a change that comes by another name, or from a page of somebody else."""
        self._check_host(sent)
        if not same_origin(sent.get("origin"), sent.get("sec-fetch-site"), sent["host"]):
            raise Refusal("not-allowed")

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
    if allow := problem.pop("allow", None):
        told.append((b"allow", allow.encode()))
    return refusal.status, told, json.dumps(problem).encode()


def _environ_of_refusal(refusal: Refusal, spoken: str) -> WSGIEnvironment:
    """A request that Flask answers with this refusal, whoever asks."""
    scope = {"method": "GET", "raw_path": b"/", "query_string": b"", "server": ("localhost", 80)}
    sent = {"host": "localhost", "accept-language": spoken}
    return {**environ_of({**scope, "http_version": "1.1", "scheme": "http"}, sent, b""), REFUSAL: refusal}


async def _answer(send: Send, status: int, told: list[Header], content: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": told})
    await send({"type": "http.response.body", "body": content})


async def _seen_other(
    send: Send, path: str, is_script: bool, told: dict[str, Any], cookie: str | None = None
) -> None:
    """The answer to a form that was taken: where to go, or what a script goes on with."""
    kept = [(b"set-cookie", cookie.encode("latin-1"))] if cookie else []
    if is_script:
        await _answer(send, 200, [*SHORT_HEADERS, *kept], written(told))
    else:
        await _answer(send, 303, [(b"location", path.encode()), *COMMON_HEADERS, *kept], b"")


def _held(table: LiveTable, held: dict[str, str]) -> tuple[str, ...]:
    """The seats of a table that a device holds, by its cookies."""
    tokens = {seat: held.get(seat_cookie(table.code, seat)) for seat in table.match.seats}
    return tuple(seat for seat, token in tokens.items() if table.seat_of(token) == seat)


def _fields(text: str) -> dict[str, str]:
    """The fields of a form or a query; of one that stands there twice the first counts."""
    fields: dict[str, str] = {}
    for name, value in parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS):
        fields.setdefault(name, value)
    return fields


def _holder(table: LiveTable, token: str | None) -> tuple[str, str] | None:
    """Whose the stream of a screen is, if it came with a token of this table."""
    who = table.seat_of(token) or (HOST if table.is_host(token) else None)
    return (table.code, who) if who else None
