"""Answers what phones send most, in the event loop: moves, forms of a seat's page, parts of that page."""

import re
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote

from flask import Flask

from web.pages.device import Device, curtain_cookie, device_of, held_by
from web.pages.live_pages import LivePages
from web.pages.play import drafts
from web.pages.play.curtain import is_drawn
from web.pages.play.seat import REJECTED, check_seat
from web.pages.play.seat_forms import NotDone, SeatForms
from web.pages.rendering import in_language
from web.security.caller import seat_cookie, seat_token
from web.server.asgi import DisconnectWatch, Send, call_wsgi, environ_of
from web.server.request import Request, fields_of
from web.server.responses import (
    COMMON_HEADERS,
    JSON_HEADERS,
    SHORT_HEADERS,
    respond,
    respond_accepted,
    respond_to_form,
)
from web.server.workers import LoopTurns, Workers
from web.service.idempotency import idempotency_key
from web.service.live_table import LiveTable
from web.service.tables import TableService
from web.wire.json_bytes import json_bytes
from web.wire.parsing import parse, whole

SEAT_PAGE = re.compile(r"/t/(?P<table>[^/]+)/s/(?P<seat>[^/]+)")
MOVE = re.compile(r"/api/tables/(?P<table>[^/]+)/moves")
SHOWN_VERSION = "x-shown-version"  # the header in which a page's script sends the version that the page shows
SLOW_ARGS = frozenset({"fold", "correct"})  # query arguments whose cost grows with the number of moves


class SeatEndpoints:
    """Moves by JSON, and the forms and parts of a seat's page."""

    def __init__(self, service: TableService, flask: Flask, live: LivePages, workers: Workers) -> None:
        self._service, self._app, self._live, self._workers = service, flask, live, workers
        self._forms = SeatForms(service, flask)
        self._turns = LoopTurns(service.settings.limits.exempt)

    async def respond(self, request: Request, body: bytes, disconnect: DisconnectWatch, send: Send) -> bool:
        """Answer the request, if it is one of these."""
        if move := MOVE.fullmatch(request.path):
            answer = await self._move(request, move["table"], body)
            await respond(send, 200, JSON_HEADERS, answer)
            return True
        page = SEAT_PAGE.fullmatch(request.path)
        if page and request.method == "POST":
            await self._turns.wait(request.address, disconnect.watch)
            await self._form(request, page["table"], page["seat"], body, disconnect, send)
            return True
        is_part = page and request.method == "GET" and request.is_from_script
        if page and is_part and page["table"].upper() == page["table"]:
            await self._turns.wait(request.address, disconnect.watch)
            await self._part(request, page["table"], page["seat"], disconnect, send)
            return True
        return False

    async def _move(self, request: Request, code: str, body: bytes) -> bytes:
        """`POST /api/tables/T/moves`."""
        request.check_method("POST")
        request.check_origin(self._service.settings.server)
        wanted = request.query_lists().get("seat", [None])[0]
        caller = request.caller(seat_token(request.headers, request.cookies, code, wanted))
        retry = idempotency_key(request.headers.get("idempotency-key"), request.path, body)
        return json_bytes(await self._service.move(code, parse(body), caller, request.language, retry))

    async def _form(
        self, request: Request, code: str, seat: str, body: bytes, disconnect: DisconnectWatch, send: Send
    ) -> None:
        """A form of a seat's page. The page's script gets JSON here and the effect through its stream; a
        browser without script gets a redirect to the page."""
        request.check_origin(self._service.settings.server)
        path = quote(f"/t/{code.upper()}/s/{seat}")
        if code != code.upper():
            query: bytes = request.scope["query_string"]
            there = path.encode() + (b"?" + query if query else b"")
            return await respond(send, 308, [(b"location", there), *COMMON_HEADERS], b"")
        held, is_script = request.cookies, request.is_from_script
        table = await self._seated_table(request, code, seat)
        device = Device(held_by(table, held), curtain=held.get(curtain_cookie(code), ""), is_live=True)
        if is_drawn(table.match, seat, device):
            return await respond_to_form(send, path, is_script, {"curtain": 1})
        args, form = request.query(), fields_of(body.decode("utf-8", "replace"))
        who = request.caller(held.get(seat_cookie(code, seat)))
        try:
            checked = await self._forms.send(table, seat, who, request.language, form, args)
        except NotDone as not_done:
            return await self._refused_form(request, table, seat, device, args, not_done, disconnect, send)
        is_secure = request.is_secure(self._service.settings.server)
        if checked:
            where, draft = checked
            cookie = drafts.set_cookie(code, seat, draft, path, is_secure)
            return await respond_to_form(send, f"{path}{where}", is_script, {"go": where}, cookie)
        had_draft = drafts.cookie_name(code, seat) in held
        erased = drafts.erase_cookie(code, seat, path, is_secure) if had_draft else None
        if is_script:
            return await respond_accepted(send, table.match.version, erased)
        return await respond_to_form(send, path, is_script, {}, erased)

    async def _refused_form(
        self,
        request: Request,
        table: LiveTable,
        seat: str,
        device: Device,
        args: dict[str, str],
        not_done: NotDone,
        disconnect: DisconnectWatch,
        send: Send,
    ) -> None:
        """The response to a form that was refused: the regions of its page, or the whole page by Flask."""
        rejected = not_done.rejected
        if request.is_from_script:
            asking = replace(device, args=args, draft=rejected.draft)
            payload = self._live.seat_part(table, seat, request.language, asking, rejected.problem)
            return await respond(send, rejected.status, JSON_HEADERS, json_bytes(payload))
        is_secure = request.is_secure(self._service.settings.server)
        scope = {**request.scope, "method": "GET"}
        environ = environ_of(scope, request.headers, b"", request.address, is_secure)
        call = partial(call_wsgi, self._app, {**environ, REJECTED: rejected})
        return await respond(send, *await self._workers.run(request.address, disconnect.watch, call))

    async def _part(
        self, request: Request, code: str, seat: str, disconnect: DisconnectWatch, send: Send
    ) -> None:
        """Regions of a seat's page that its script requests. If the cost grows with the length of the game, a
        worker thread renders them."""
        request.check_host(self._service.settings.server)
        table = await self._seated_table(request, code, seat)
        device = device_of(table, seat, request.cookies, request.query(), is_live=True)
        for other in device.held:
            table.note_call(other)
        shown = whole(request.headers.get(SHOWN_VERSION, ""))
        make = partial(self._live.seat_part, table, seat, request.language, device, shown=shown)
        if is_drawn(table.match, seat, device):
            payload: dict[str, Any] = {"curtain": 1}
        elif SLOW_ARGS.isdisjoint(device.args):
            payload = make()
        else:
            payload = await self._workers.run(request.address, disconnect.watch, make)
        await respond(send, 200, SHORT_HEADERS, json_bytes(payload))

    async def _seated_table(self, request: Request, code: str, seat: str) -> LiveTable:
        """The table, if the device of this request holds the seat."""
        who = request.caller(request.cookies.get(seat_cookie(code, seat)))
        table = await self._service.find_async(code, who)
        with in_language(self._app, request.language):
            check_seat(self._service, table, seat, who)
        return table
