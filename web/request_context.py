"""Helpers for the current Flask request: services, caller, language, body, idempotency key."""

from typing import Any

from flask import current_app, g, request

from web.security.caller import Caller, any_token, language, seat_token
from web.service.desks import Desks
from web.service.idempotency import IdempotencyKey, idempotency_key
from web.service.tables import TableService
from web.wire.parsing import parse


def service() -> TableService:
    return current_app.extensions["service"]  # type: ignore[no-any-return]


def desks() -> Desks:
    return current_app.extensions["desks"]  # type: ignore[no-any-return]


def caller(token: str | None = None) -> Caller:
    return Caller(request.remote_addr or "", token)


def seat_caller(code: str) -> Caller:
    return caller(seat_token(request.headers, request.cookies, code, request.args.get("seat")))


def any_caller(code: str) -> Caller:
    """The caller with a seat's token, else with the host's."""
    return caller(any_token(request.headers, request.cookies, code, request.args.get("seat")))


def my_language() -> str:
    """The language of the caller, cached for the request: a page needs it for every phrase."""
    if "language" not in g:
        g.language = language(request.headers, request.cookies)
    return str(g.language)


def body() -> Any:
    return parse(request.get_data())


def retry() -> IdempotencyKey | None:
    """The Idempotency-Key of this request, bound to its path and body."""
    return idempotency_key(request.headers.get("Idempotency-Key"), request.path, request.get_data())
