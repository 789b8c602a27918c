"""The join page, which a seat's QR code opens. GET changes nothing; POST takes the seat."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, request

from referee.core.moves import Seat
from referee.core.questions import HOST
from referee.presentation.views import Localizer
from web.output import qr
from web.output.address import join_path
from web.pages.rendering import (
    held,
    host_token,
    localizer_of,
    nonce,
    redirect_to,
    render_with_error,
    retry,
    say,
    set_cookie,
    table_of,
)
from web.request_context import caller, desks, service
from web.security.caller import seat_cookie
from web.service.live_table import LiveTable
from web.store.history_queries import suggestions
from web.wire.errors import ApiError
from web.wire.names import checked_name
from web.wire.person_names import LONGEST

join = Blueprint("join", __name__)

NAME_COOKIE = "name"
DAY = 24 * 3600


@join.route("/j/<code>/<seat>/<key>", methods=["GET", "POST"])
def sit(code: str, seat: str, key: str) -> Response:
    fits = service().is_seat_key(code, seat, key)
    table = table_of(code, trusted=fits)
    if seat not in table.seats:
        raise ApiError("unknown-seat")
    if seat in held(table):
        return redirect_to(f"/t/{code}/s/{seat}")
    if not fits:
        raise service().count_failure(caller(), "bad-key")
    return _sit_down(table, seat, key) if request.method == "POST" else _page(table, seat)


def _sit_down(table: LiveTable, seat: str, key: str) -> Response:
    """Take the seat, and those of other players on this phone. The nonce makes a resubmission idempotent."""
    name, code = request.form.get("name", ""), table.code
    own = {"key": key, "name": name, "nonce": request.form.get("dice", "")}
    people = {seat: own, **_also_sit(table, seat)}
    try:
        for body in people.values():
            checked_name(body["name"])  # check every name before any seat is taken
        tokens = {
            each: service().wait(service().join(code, each, body, caller(), retry("join", f".{each}")))
            for each, body in people.items()
        }
    except ApiError as refusal:
        if refusal.code != "malformed":
            raise
        return _page(table, seat, refusal)
    response = set_cookie(redirect_to(f"/t/{code}/s/{seat}"), NAME_COOKIE, checked_name(name))
    for each, token in tokens.items():
        set_cookie(response, seat_cookie(code, each), token)
    return response


def _also_sit(table: LiveTable, seat: str) -> dict[str, dict[str, str]]:
    """Key and name of each other player who shares this phone, by seat.

    Only the host's device knows the keys of free seats. Any other phone scans the code of each seat.
    """
    keys = table.free_keys(HOST) if host_token(table) else {}
    named = {other: request.form.get(f"name.{other}", "").strip() for other in keys if other != seat}
    return {other: {"key": keys[other], "name": name} for other, name in named.items() if name}


def invitations(table: LiveTable, keys: Mapping[Seat, str], localizer: Localizer) -> list[dict[str, Any]]:
    """The join link and QR code of each key. Callers must check that the viewer may see the keys."""
    links = {seat: desks().join_url(table.code, seat, key) for seat, key in keys.items()}
    return [
        {
            "seat": seat,
            "name": localizer.name(seat),
            "path": join_path(table.code, seat, keys[seat]),
            "link": link,
            "code": qr.svg(link, say("page.join.code", seat=localizer.title(seat))),
        }
        for seat, link in links.items()
    ]


def _free_here(table: LiveTable, localizer: Localizer) -> list[tuple[str, str, str]]:
    """The free seats, if this is the host's device and the game has not begun."""
    return free_seats(table, localizer) if host_token(table) and not table.match.state else []


def free_seats(table: LiveTable, localizer: Localizer) -> list[tuple[str, str, str]]:
    """The seat, title and join path of each free seat. Only for the host's device."""
    keys = table.free_keys(HOST)
    return [(seat, localizer.title(seat), join_path(table.code, seat, key)) for seat, key in keys.items()]


def _usual_name(table: LiveTable) -> str:
    """The name last used on this phone; empty if a player of that name already sits at this table."""
    name = request.cookies.get(NAME_COOKIE, "")
    return "" if name in table.match.taken.values() else name


def _page(table: LiveTable, seat: str, refusal: ApiError | None = None) -> Response:
    marked = f"joining_{table.code}_{seat}"
    mark = request.cookies.get(marked)
    if table.seats[seat].token and mark is None:
        raise ApiError("seat-taken")
    mark = mark or nonce()
    localizer = localizer_of(table.seen())
    was = table.match.names[seat] if table.match.state else None  # the player whose phone is replaced
    others = [localizer.name(other) for other in table.match.taken if other != seat]
    response = render_with_error(
        "join.html",
        refusal,
        code=table.code,
        localizer=localizer,
        seat=seat,
        number=localizer.number(seat),
        others=others,
        nonce=mark,
        seed_hash=table.match.seed_hash,
        was=was,
        also=[(other, title) for other, title, _ in _free_here(table, localizer) if other != seat],
        written={name: text for name, text in request.form.items() if name.startswith("name.")},
        may_share=len(table.seats) > 1 and not table.match.state,
        name=request.form.get("name") or was or _usual_name(table),
        longest=LONGEST,
        names=suggestions(service().store),
    )
    return set_cookie(response, marked, mark, path=request.path, age=DAY)
