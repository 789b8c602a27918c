"""A seat's own page, for a phone: the answer, what to do with the cards, then one decision at a time."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, make_response, request

from referee.match import Match
from referee.moves import Seat
from web.api import house
from web.bodies import whole
from web.caller import Caller
from web.house import House
from web.pages import curtain, moved
from web.pages.device import Device, seen_cookie, this_device
from web.pages.drafts import Draft
from web.pages.page import go, keep, seat_caller, show, speech, table_of, wants_regions
from web.pages.seat_regions import context, folds, page_state, regions
from web.refusals import Refusal, seat_moved
from web.table import LiveTable

seat = Blueprint("seat", __name__)

REJECTED = "referee.rejected"  # in a WSGI environment: a form that was refused, whose page comes again


@dataclass(frozen=True)
class Rejected:
    """A form that was refused: what was picked in it, and why in words."""

    draft: Draft | None
    problem: dict[str, Any]
    status: int


@seat.get("/t/<code>/s/<seat>")
def phone(code: str, seat: Seat) -> Response:
    table = table_of(code)
    check_seat(house(), table, seat, seat_caller(table, seat))
    rejected: Rejected | None = request.environ.get(REJECTED)
    match, device = table.match, this_device(table, seat, rejected.draft if rejected else None)
    if curtain.is_drawn(match, seat, device):
        return curtain.drawn(table, match, seat, device)
    shown = request.args.get("seen", "")
    if whole(shown) is not None:
        onward = {name: value for name, value in request.args.items() if name in ("correct", "other_card")}
        path = f"{request.path}?{urlencode(onward)}" if onward else request.path
        return keep(go(path), seen_cookie(code, seat), shown, path=request.path, is_for_script=True)
    curtain.all_here(table)
    return _page(table, match, seat, device, rejected)


def check_seat(house: House, table: LiveTable, seat: Seat, who: Caller) -> None:
    """Refuse whoever does not hold this very seat."""
    if seat not in table.seats:
        raise Refusal("unknown-seat")
    try:
        sits = house.seat(table, who)
    except Refusal as refusal:
        if refusal.code == "bad-token":
            raise seat_moved(speech(table.seen()).name(seat)) from refusal
        raise
    if sits != seat:
        raise Refusal("not-allowed")


def _page(table: LiveTable, match: Match, seat: Seat, device: Device, rejected: Rejected | None) -> Response:
    voice = speech(match.seen_by())
    about = context(table, match, seat, voice, device, rejected.problem if rejected else None)
    if wants_regions():
        wanted = request.args.get("fold")
        pieces = folds(about, voice, match, device, [wanted]) if wanted else regions(about)
        return make_response({"v": match.version, "page": page_state(about), "regions": pieces})
    return show(
        "seat.html",
        rejected.status if rejected else 200,
        **about,
        regions=regions(about),
        folds=folds(about, voice, match, device),
        state=page_state(about),
        stream=f"/t/{table.code}/s/{seat}/live",
        seen_cookie=seen_cookie(table.code, seat),
        moved=moved.way_back(table, seat),
    )
