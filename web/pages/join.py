"""Joining: the page a seat's QR code opens. Looking at it changes nothing; sitting down is a POST."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, request

from referee.moves import Seat
from referee.views import Voice
from web import qr
from web.address import join_path
from web.api import caller, desks, house
from web.caller import seat_cookie
from web.door import whole_name
from web.pages.page import (
    go,
    held,
    host_token,
    keep,
    nonce,
    retry,
    say,
    show_again,
    speech,
    table_of,
)
from web.people import LONGEST
from web.refusals import Refusal
from web.store.annals import suggestions
from web.table import LiveTable

join = Blueprint("join", __name__)

NAME_COOKIE = "name"
DAY = 24 * 3600


@join.route("/j/<code>/<seat>/<key>", methods=["GET", "POST"])
def sit(code: str, seat: str, key: str) -> Response:
    fits = house().fits(code, seat, key)
    table = table_of(code, trusted=fits)
    if seat not in table.seats:
        raise Refusal("unknown-seat")
    if seat in held(table):
        return go(f"/t/{code}/s/{seat}")
    if not fits:
        raise house().failed(caller(), "bad-key")
    return _sit_down(table, seat, key) if request.method == "POST" else _page(table, seat)


def _sit_down(table: LiveTable, seat: str, key: str) -> Response:
    """The same form sent twice gets the same seat: its nonce says that it is the same phone."""
    name, code = request.form.get("name", ""), table.code
    people = {seat: (key, name), **_also_sit(table, seat)}
    try:
        for _, called in people.values():
            whole_name(called)  # all of them, before anybody sits
        tokens = {
            each: house().wait(
                house().join(code, each, {"key": k, "name": called}, caller(), retry("join", f".{each}"))
            )
            for each, (k, called) in people.items()
        }
    except Refusal as refusal:
        if refusal.code != "malformed":
            raise
        return _page(table, seat, refusal)
    response = keep(go(f"/t/{code}/s/{seat}"), NAME_COOKIE, whole_name(name))
    for each, token in tokens.items():
        keep(response, seat_cookie(code, each), token)
    return response


def _also_sit(table: LiveTable, seat: str) -> dict[str, tuple[str, str]]:
    """The other people who share this phone, by seat: their keys and names. Only the host's device knows
    the keys of free seats; any other scans their codes."""
    keys = table.free_keys() if host_token(table) else {}
    named = {other: request.form.get(f"name.{other}", "").strip() for other in keys if other != seat}
    return {other: (keys[other], name) for other, name in named.items() if name}


def invitations(table: LiveTable, keys: Mapping[Seat, str], voice: Voice) -> list[dict[str, Any]]:
    """Keys to hand on, each as a link and its QR code. Only for those who may know the keys."""
    links = {seat: desks().join_url(table.code, seat, key) for seat, key in keys.items()}
    return [
        {
            "seat": seat,
            "name": voice.name(seat),
            "path": join_path(table.code, seat, keys[seat]),
            "link": link,
            "code": qr.svg(link, say("page.join.code", seat=voice.title(seat))),
        }
        for seat, link in links.items()
    ]


def _free_here(table: LiveTable, voice: Voice) -> list[tuple[str, str, str]]:
    """The seats that this device may take too, because it is the host's."""
    return free_seats(table, voice) if host_token(table) and not table.match.state else []


def free_seats(table: LiveTable, voice: Voice) -> list[tuple[str, str, str]]:
    """The seats that the host's device may take too: seat, title and address."""
    keys = table.free_keys()
    return [(seat, voice.title(seat), join_path(table.code, seat, key)) for seat, key in keys.items()]


def _usual_name(table: LiveTable) -> str:
    """Whoever sat down with this phone last, unless they sit here already: then somebody else is to."""
    name = request.cookies.get(NAME_COOKIE, "")
    return "" if name in table.match.taken.values() else name


def _page(table: LiveTable, seat: str, refusal: Refusal | None = None) -> Response:
    marked = f"joining_{table.code}_{seat}"
    mark = request.cookies.get(marked)
    if table.seats[seat].token and mark is None:
        raise Refusal("seat-taken")
    mark = mark or nonce()
    voice = speech(table.seen())
    was = table.match.names[seat] if table.match.state else None  # who sits here, with a phone that is lost
    others = [voice.name(other) for other in table.match.taken if other != seat]
    response = show_again(
        "join.html",
        refusal,
        code=table.code,
        voice=voice,
        seat=seat,
        number=voice.number(seat),
        others=others,
        nonce=mark,
        was=was,
        also=[(other, title) for other, title, _ in _free_here(table, voice) if other != seat],
        written={name: text for name, text in request.form.items() if name.startswith("name.")},
        may_share=len(table.seats) > 1 and not table.match.state,
        name=request.form.get("name") or was or _usual_name(table),
        longest=LONGEST,
        names=suggestions(house().store),
    )
    return keep(response, marked, mark, path=request.path, age=DAY)
