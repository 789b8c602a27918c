"""The table screen, for a TV, a tablet or a laptop in the room: what everyone at the table may know."""

from typing import Any

from flask import Blueprint, Response, g, request

from referee.cues import SPOKEN
from referee.questions import HOST
from web import qr
from web.api import caller, desks, house
from web.caller import host_cookie
from web.pages import hosts, mend, moved
from web.pages.join import invitations
from web.pages.look import look
from web.pages.page import (
    desk_troubles,
    go,
    held,
    host_token,
    keep,
    may_print,
    nonce,
    print_notice,
    retry,
    say,
    show,
    show_again,
    speak_as,
    speech,
    table_of,
)
from web.pages.rules import passage_now
from web.refusals import Refusal
from web.table import LiveTable
from web.wifi import network

screen = Blueprint("screen", __name__)
hosts.add_to(screen)


@screen.get("/t/<code>")
def table(code: str) -> Response:
    return _page(table_of(code))


@screen.post("/t/<code>")
def ask(code: str) -> Response:
    """What the host asks of the seats, or takes back."""
    found = table_of(code)
    token = host_token(found)
    if token is None:
        raise Refusal("not-allowed")
    try:
        mend.send(found, caller(token), mend.version())
    except Refusal as refusal:
        return _page(found, refusal)
    return go(request.path)


@screen.post("/t/<code>/print")
def print_paper(code: str) -> Response:
    """Put a paper in the desk's queue, for whoever holds a seat or the table."""
    found = table_of(code)
    what = request.form.get("what")
    token = may_print(found, str(what))
    if what not in ("sheet", "join") or token is None:
        raise Refusal("not-allowed")
    house().wait(desks().print(found, what, token, retry(what)))
    return go(f"/t/{code}/sheet?printed=1" if what == "sheet" else f"/t/{code}?printed=1")


@screen.route("/t/<code>/host", methods=["GET", "POST"])
def claim(code: str) -> Response:
    """The key typed on another screen."""
    found = table_of(code)
    if request.method == "GET":
        return go(f"/t/{code}")
    g.back = f"/t/{code}"
    try:
        token = hosts.host_keys().token(found, request.form.get("key", ""))
    except Refusal as refusal:
        return _page(found, refusal)
    return keep(go(f"/t/{code}"), host_cookie(code), token)


@screen.route("/t/<code>/host/<key>", methods=["GET", "POST"])
def claim_by_link(code: str, key: str) -> Response:
    """The link of a host's screen: looking at it changes nothing, the button does."""
    found = table_of(code)
    speak_as(found)
    if host_token(found):
        return go(f"/t/{code}")
    token = hosts.host_keys().token(found, key)
    if request.method == "GET":
        return show("claim.html", code=code)
    return keep(go(f"/t/{code}"), host_cookie(code), token)


def screen_of(table: LiveTable, desk: str, shows_keys: bool) -> Response:
    """The screen that follows a desk: nobody taps it, so it shows what a host's would and no forms."""
    return _page(table, None, desk, shows_keys)


def _page(
    table: LiveTable, refusal: Refusal | None = None, desk: str = "", shows_keys: bool = False
) -> Response:
    speak_as(table)
    match, token = table.match, None if desk else host_token(table)
    shows_keys = shows_keys or bool(token)
    seen = match.seen_by()
    voice = speech(seen)
    looked = look(table, seen, voice)
    free = invitations(table, table.free_keys(), voice) if shows_keys else []
    return show_again(
        "screen.html",
        refusal,
        **looked,
        **mend.part(table, match, seen, HOST if token else None, voice, looked["news"]),
        stream=f"/desk/{desk}/events?beats=1" if desk else f"/api/tables/{table.code}/events?seats=1&beats=1",
        follows=desk,
        mine=[] if desk else held(table),
        is_host=bool(token),
        joins=free,
        keys=free if token and seen.status == "playing" else [],
        wifi=wifi_card() if free else None,
        host=_hand_over(table, token) if token and seen.status == "joining" else None,
        printed=_printed(table),
        rules=passage_now(seen, None),
        spoken_kinds=SPOKEN,
        troubles=desk_troubles(table.row.desk) if shows_keys else [],
        moved=moved.way_back(table, HOST) if token else None,
        nonce=nonce(),
    )


def wifi_card() -> dict[str, str] | None:
    """The Wi-Fi that phones join first, with its code. Only for the host's screen: it has the password."""
    wifi = network(house().settings.wifi)
    if wifi is None:
        return None
    code = qr.svg(wifi.code, say("page.wifi.code", ssid=wifi.ssid))
    return {"ssid": wifi.ssid, "password": wifi.password, "code": code}


def _hand_over(table: LiveTable, token: str) -> dict[str, Any]:
    key = hosts.host_keys().key(table, token)
    link = f"{desks().base()}/t/{table.code}/host/{key}"
    return {"key": key, "link": link, "code": qr.svg(link, say("page.host.code"))}


def _printed(table: LiveTable) -> str | None:
    """What becomes of a paper that was just sent: is there a desk to print it?"""
    if "printed" not in request.args:
        return None
    return print_notice(table.row.desk)
