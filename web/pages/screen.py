"""The table screen, for a TV, a tablet or a laptop in the room: what everyone at the table may know."""

from dataclasses import replace
from typing import Any

from flask import Blueprint, Response, g, make_response, request

from referee.questions import HOST
from web import qr
from web.api import caller, desks, house
from web.caller import host_cookie
from web.pages import hosts, mend, moved
from web.pages.device import this_device
from web.pages.page import (
    go,
    host_token,
    keep,
    language,
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
    wants_regions,
)
from web.pages.screen_regions import context, folds, page_state, regions
from web.refusals import Refusal
from web.table import LiveTable

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
        house().wait(mend.send(house(), found, caller(token), language(), request.form))
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
    voice, device = speech(match.seen_by()), this_device(table)
    if desk:
        device = replace(device, held=(), is_host=False)
    about = context(table, match, voice, device, desk, shows_keys)
    if wants_regions():
        wanted = request.args.get("fold")
        pieces = folds(about, voice, match, device, [wanted]) if wanted else regions(about)
        return make_response({"v": match.version, "page": page_state(about), "regions": pieces})
    return show_again(
        "screen.html",
        refusal,
        **about,
        regions=regions(about),
        folds=folds(about, voice, match, device),
        state=page_state(about),
        host=_hand_over(table, token) if token and match.state is None else None,
        nonce=nonce(),
        stream=f"/t/{table.code}/live" + (f"?desk={desk}" if desk else ""),
        printed=_printed(table),
        moved=moved.way_back(table, HOST) if token else None,
    )


def _hand_over(table: LiveTable, token: str) -> dict[str, Any]:
    key = hosts.host_keys().key(table, token)
    link = f"{desks().base()}/t/{table.code}/host/{key}"
    return {"key": key, "link": link, "code": qr.svg(link, say("page.host.code"))}


def _printed(table: LiveTable) -> str | None:
    """What becomes of a paper that was just sent: is there a desk to print it?"""
    if "printed" not in request.args:
        return None
    return print_notice(table.row.desk)
