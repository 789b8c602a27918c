"""The ASGI application: routes each request by its path to a stream, a seat's page or Flask.

Streams, moves and the pages of seats are served in the event loop. Flask runs in worker threads.
"""

import asyncio
import json
import logging
import re
from contextlib import suppress
from functools import partial
from wsgiref.types import WSGIApplication, WSGIEnvironment

from flask import Flask

from web.pages.live_pages import LivePages
from web.server.asgi import (
    DisconnectWatch,
    Receive,
    Scope,
    Send,
    call_wsgi,
    check_head,
    environ_of,
    is_api,
    linger,
    read_body,
)
from web.server.flask_app import REFUSAL
from web.server.request import Request
from web.server.responses import Answer, problem_response, respond
from web.server.seat_endpoints import SeatEndpoints
from web.server.stream_endpoints import STREAM, OpenStream, StreamEndpoints, stream_path
from web.server.workers import CallerGone, Quota, Workers, unless_gone
from web.service.bounded_cache import BoundedCache
from web.service.desks import Desks
from web.service.live_table import LiveTable
from web.service.tables import TableService
from web.wire.errors import ApiError

log = logging.getLogger("referee")

WORKERS = 16  # Flask threads: enough that some can wait for the disk while others work
PAPER = re.compile(r"/(sheet(\.\w+)?|picture\.png|paper/\d+\.png|history\.\w+)$")  # sheets, pictures, exports
TABLE = re.compile(r"/(?:t|api/tables)/(?P<table>[2-9A-Z]{5})(?=/|$)|/(?:api/desks|desk)/(?P<desk>[^/]+)")
REFUSAL_PAGE_LIMITS = (64, 1024 * 1024)  # limits of the cache of error pages: how many, how many bytes
CLOSES_CONNECTION = ("too-large", "too-slow")  # errors after which part of the body is unread


class AsgiApplication:
    """The whole server as one ASGI application."""

    def __init__(self, service: TableService, desks: Desks, flask: Flask) -> None:
        self._service, self._app = service, flask
        self._flask: WSGIApplication = flask
        limits = service.settings.limits
        self._workers = Workers("flask", WORKERS, limits.exempt)
        self._paper_workers = Workers("paper", 1, limits.exempt)  # slow documents wait only for each other
        self._bodies = Quota(limits.exempt)  # requests whose body is being received
        self._reading = Quota(limits.exempt)  # requests that wait for a table to be loaded
        live = LivePages(service, desks, flask)
        self._streams = StreamEndpoints(service, desks, live)
        self._seats = SeatEndpoints(service, flask, live, self._workers)
        self.refusal_pages: BoundedCache[Answer] = BoundedCache()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        disconnect = DisconnectWatch(receive)
        try:
            if stream := await self._handle(scope, receive, disconnect, send):
                scope.clear()  # granian keeps it until the stream ends: 3 kB of headers
                await self._streams.run(*stream, disconnect.watch(), send)
        except Exception:
            log.exception("a stream failed")
        finally:
            disconnect.stop()

    async def _handle(
        self, scope: Scope, receive: Receive, disconnect: DisconnectWatch, send: Send
    ) -> OpenStream | None:
        """Respond to a request, or subscribe a stream and return it."""
        request = Request(scope)
        try:
            check_head(scope)
            if path := stream_path(request.path):
                table = await self._load_table(request, disconnect)
                stream = await self._streams.admit(request, path)
                del table  # the subscription keeps it in memory
                return stream
            await self._respond(request, receive, disconnect, send)
        except CallerGone:
            pass
        except ApiError as refusal:
            await self._refuse(request, send, refusal)
            if refusal.code in CLOSES_CONNECTION:
                await linger(receive)
        except Exception:
            log.exception("a request failed")
            with suppress(Exception):  # the response may have begun already
                await self._refuse(request, send, ApiError("broken"))
        return None

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Make this loop the owner of the tables."""
        self._service.loop = loop

    def close_streams(self) -> None:
        """End every stream. Called in the loop when the server stops."""
        self._streams.stop()

    async def _respond(
        self, request: Request, receive: Receive, disconnect: DisconnectWatch, send: Send
    ) -> None:
        caller, sent = request.address, request.headers
        with self._bodies.hold(caller):
            body = await read_body(request.scope, sent, receive)
        _table = await self._load_table(request, disconnect)  # in memory until the response
        if await self._seats.respond(request, body, disconnect, send):
            return
        workers = self._paper_workers if PAPER.search(request.path) else self._workers
        is_secure = request.is_secure(self._service.settings.server)
        environ = environ_of(request.scope, sent, body, caller, is_secure)
        call = partial(call_wsgi, self._flask, environ)
        await respond(send, *await workers.run(caller, disconnect.watch, call))

    async def _load_table(self, request: Request, disconnect: DisconnectWatch) -> LiveTable | None:
        """Load the table that a path names before a Flask thread is taken, so that requests for a long
        journal do not occupy the threads."""
        found = TABLE.match(request.path)
        code = found and (found["table"] or self._service.at_desk.get(found["desk"]))
        if not code:
            return None
        if table := self._service.cached(code):
            return table
        try:
            with self._reading.hold(request.address):
                return await unless_gone(self._service.load(code), disconnect.watch)
        except ApiError as refusal:
            if found and found["desk"] and refusal.code == "broken":
                return None  # a desk works without a table that cannot be read
            raise

    async def _refuse(self, request: Request, send: Send, refusal: ApiError) -> None:
        """Send an error without a Flask request: problem+json to scripts, a page to browsers."""
        is_script = is_api(request.scope) or STREAM.fullmatch(request.path)
        make = problem_response if is_script else self.refusal_page
        status, response_headers, content = make(refusal, request.language)
        closing = [(b"connection", b"close")] if refusal.code in CLOSES_CONNECTION else []
        await respond(send, status, [*response_headers, *closing], content)

    def refusal_page(self, refusal: ApiError, language: str) -> Answer:
        """The page of an error, cached by sentence and language: it is needed when the server is
        overloaded."""
        name = json.dumps((refusal.code, refusal.sentence, refusal.title, language))
        page = self.refusal_pages.get(name) or call_wsgi(self._flask, _environ_of_refusal(refusal, language))
        self.refusal_pages.put(name, page, len(page[2]), *REFUSAL_PAGE_LIMITS)
        return page


def _environ_of_refusal(refusal: ApiError, language: str) -> WSGIEnvironment:
    """A synthetic request that Flask answers with this error."""
    scope = {"method": "GET", "raw_path": b"/", "query_string": b"", "server": ("localhost", 80)}
    sent = {"host": "localhost", "accept-language": language}
    return {**environ_of({**scope, "http_version": "1.1", "scheme": "http"}, sent, b""), REFUSAL: refusal}
