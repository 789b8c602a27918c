"""The rematch on the pages: its form, who asked for it, and the way to the newest table of a row."""

from flask import Blueprint, Response, request

from referee.presentation.views import Localizer
from web.pages.rendering import (
    held,
    host_token,
    redirect_to,
    say,
    seat_caller,
    set_cookie,
    table_of,
)
from web.request_context import caller, service
from web.security.caller import host_cookie, seat_cookie
from web.service.live_table import LiveTable
from web.service.rematch import open_rematch

rematches = Blueprint("rematches", __name__)


def rematch_asker(table: LiveTable, localizer: Localizer) -> str:
    """The notice that there is a rematch, and who opened it if that is still known; else empty."""
    if table.row.next is None:
        return ""
    if table.rematch_asked_by is None:
        return say("page.again.told", code=table.row.next)
    return say("page.again.told.by", name=localizer.name(table.rematch_asked_by), code=table.row.next)


@rematches.post("/t/<code>/again")
def again(code: str) -> Response:
    """Open the rematch, or find it if it is already open. Needs a seat's or the host's token.

    A request from a seat's page uses that seat's token, even if the phone is the host's as well.
    """
    table = table_of(code)
    seats = sorted(held(table), key=lambda seat: seat != request.form.get("seat"))
    own = [seat_caller(table, seat).token for seat in seats]
    tokens = (*own, host_token(table)) if request.form.get("seat") in seats else (host_token(table), *own)
    nonce = {"nonce": request.form.get("dice", "")}
    service().wait(open_rematch(service(), code, nonce, caller(next(filter(None, tokens), None))))
    return _redirect_to_newest(table)


@rematches.get("/t/<code>/next")
def follow(code: str) -> Response:
    table = table_of(code)
    return _redirect_to_newest(table) if table.row.next else redirect_to(f"/t/{code}")


def newest(table: LiveTable) -> LiveTable:
    """The last table in the chain of rematches."""
    passed = {table.code}
    while (after := service().readable(table.row.next)) and after.code not in passed:
        passed.add(after.code)
        table = after
    return table


def _redirect_to_newest(table: LiveTable) -> Response:
    """Redirect to the last rematch, and set this device's cookies there: its tokens are valid there too."""
    after = newest(table)
    tokens = {seat: str(seat_caller(table, seat).token) for seat in held(table)}
    mine = {seat: token for seat, token in tokens.items() if after.seat_of(token) == seat}
    seat = request.values.get("seat")
    response = redirect_to(f"/t/{after.code}/s/{seat}" if seat in mine else f"/t/{after.code}")
    for own, token in mine.items():
        set_cookie(response, seat_cookie(after.code, own), token)
    hosts = host_token(table)
    if hosts and after.is_host(hosts):
        set_cookie(response, host_cookie(after.code), hosts)
    return response
