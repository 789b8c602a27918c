"""A seat's page, for a phone: the answer, what to do with the cards, then one decision at a time."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, request

from referee.core.match import Match
from referee.core.moves import Seat
from web.pages.device import NO_GUIDE_COOKIE, Device, learnt_cookie, seen_cookie, this_device
from web.pages.play import address_change, curtain, guide
from web.pages.play.drafts import MoveDraft
from web.pages.play.seat_regions import context, folds, page_state, regions
from web.pages.rendering import localizer_of, redirect_to, render_page, seat_caller, set_cookie, table_of
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
    if noted := _noted(table, seat, device):
        onward = {name: value for name, value in request.args.items() if name in ("correct", "other_card")}
        path = f"{request.path}?{urlencode(onward)}" if onward else request.path
        response = set_cookie(redirect_to(path), *noted, path=request.path, is_for_script=True)
        skipped = request.args.get("learnt") == guide.ALL_LESSONS
        return set_cookie(response, NO_GUIDE_COOKIE, "1", is_for_script=True) if skipped else response
    curtain.mark_all_connected(table)
    return _page(table, match, seat, device, rejected)


def _noted(table: LiveTable, seat: Seat, device: Device) -> tuple[str, str] | None:
    """The cookie, name and value, that notes what this request says was read: an answer or a lesson."""
    shown, lesson = request.args.get("seen", ""), request.args.get("learnt", "")
    if whole(shown) is not None:
        return seen_cookie(table.code, seat), shown
    if guide.is_lesson(table.match.game, lesson):
        return learnt_cookie(table.code, seat), ".".join(sorted({*device.learnt, lesson} - {""}))
    return None


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
        learnt_cookie=learnt_cookie(table.code, seat),
        recovery=address_change.recovery_link(table, seat),
    )
