"""Joining: the page a seat's QR code opens. Looking at it changes nothing; sitting down is a POST."""

from flask import Blueprint, Response, request

from web.annals import suggestions
from web.api import caller, house
from web.caller import seat_cookie
from web.door import NAME_LENGTH
from web.pages.page import go, held, keep, nonce, problem, retry, say, show, speech, table_of
from web.refusals import Refusal
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
    name = request.form.get("name", "")
    try:
        token = house().join(table.code, seat, {"key": key, "name": name}, caller(), retry("join"))
    except Refusal as refusal:
        if refusal.code != "malformed":
            raise
        return _page(table, seat, refusal)
    response = keep(go(f"/t/{table.code}/s/{seat}"), seat_cookie(table.code, seat), token)
    return keep(response, NAME_COOKIE, name[:NAME_LENGTH])


def _page(table: LiveTable, seat: str, refusal: Refusal | None = None) -> Response:
    marked = f"joining_{table.code}_{seat}"
    mark = request.cookies.get(marked)
    if table.seats[seat].token and mark is None:
        raise Refusal("seat-taken")
    mark = mark or nonce()
    voice = speech(table.seen())
    was = table.match.names[seat] if table.match.state else None  # who sits here, with a phone that is lost
    others = [voice.name(other) for other in table.match.taken if other != seat]
    response = show(
        "join.html",
        refusal.status if refusal else 200,
        problem={**problem(refusal), "detail": say("page.join.nameless")} if refusal else None,
        code=table.code,
        voice=voice,
        seat=seat,
        number=voice.number(seat),
        others=others,
        nonce=mark,
        was=was,
        name=request.form.get("name") or was or request.cookies.get(NAME_COOKIE, ""),
        longest=NAME_LENGTH,
        names=suggestions(house().store),
    )
    return keep(response, marked, mark, path=request.path, age=DAY)
