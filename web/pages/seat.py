"""A seat's page, for a phone: the answer, what to do with the cards, then one decision at a time."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, request

from referee.core.match import Match
from referee.core.moves import Seat
from web.pages import address_change, curtain
from web.pages.device import Device, seen_cookie, this_device
from web.pages.drafts import MoveDraft
from web.pages.rendering import localizer_of, redirect_to, render_page, seat_caller, set_cookie, table_of
from web.pages.seat_regions import context, folds, page_state, regions
from web.request_context import service
from web.security.caller import Caller
from web.service.live_table import LiveTable
from web.service.tables import TableService
from web.wire.errors import ApiError, seat_moved
from web.wire.parsing import whole

seat = Blueprint("seat", __name__)

REJECTED = "referee.rejected"  # WSGI environment key of a refused form, whose page is rendered again


@dataclass(frozen=True)
class Rejected:
    """A refused form: what was picked in it, and the error."""

    draft: MoveDraft | None
    problem: dict[str, Any]
    status: int


@seat.get("/t/<code>/s/<seat>")
def phone(code: str, seat: Seat) -> Response:
    table = table_of(code)
    check_seat(service(), table, seat, seat_caller(table, seat))
    rejected: Rejected | None = request.environ.get(REJECTED)
    match, device = table.match, this_device(table, seat, rejected.draft if rejected else None)
    if curtain.is_drawn(match, seat, device):
        return curtain.curtain_page(table, match, seat, device)
    shown = request.args.get("seen", "")
    if whole(shown) is not None:
        onward = {name: value for name, value in request.args.items() if name in ("correct", "other_card")}
        path = f"{request.path}?{urlencode(onward)}" if onward else request.path
        return set_cookie(
            redirect_to(path), seen_cookie(code, seat), shown, path=request.path, is_for_script=True
        )
    curtain.mark_all_connected(table)
    return _page(table, match, seat, device, rejected)


def check_seat(service: TableService, table: LiveTable, seat: Seat, who: Caller) -> None:
    """Refuse a caller who does not hold this seat."""
    if seat not in table.seats:
        raise ApiError("unknown-seat")
    try:
        sits = service.seat(table, who)
    except ApiError as refusal:
        if refusal.code == "bad-token":
            raise seat_moved(localizer_of(table.seen()).name(seat)) from refusal
        raise
    if sits != seat:
        raise ApiError("not-allowed")


def _page(table: LiveTable, match: Match, seat: Seat, device: Device, rejected: Rejected | None) -> Response:
    localizer = localizer_of(match.seen_by())
    about = context(table, match, seat, localizer, device, rejected.problem if rejected else None)
    return render_page(
        "seat.html",
        rejected.status if rejected else 200,
        **about,
        regions=regions(about),
        folds=folds(about, localizer, match, device),
        state=page_state(about),
        stream=f"/t/{table.code}/s/{seat}/live",
        seen_cookie=seen_cookie(table.code, seat),
        recovery=address_change.recovery_link(table, seat),
    )
