"""The deduction sheet of a seat. It is computed when the page is requested, not with every view."""

from flask import Blueprint, Response

from referee.core.aids import has_aid
from referee.core.game import Possible
from referee.core.match import Match
from referee.core.moves import Seat
from referee.presentation.views import Localizer, view
from web.pages.device import this_device
from web.pages.play import curtain
from web.pages.play.seat import check_seat
from web.pages.rendering import (
    LastDrawing,
    game_macros,
    localizer_of,
    redirect_to,
    render_page,
    seat_caller,
    sketch_of,
    table_of,
)
from web.request_context import service
from web.wire.errors import ApiError

aid = Blueprint("aid", __name__)


@aid.get("/t/<code>/s/<seat>/aid")
def sheet(code: str, seat: Seat) -> Response:
    table = table_of(code)
    check_seat(service(), table, seat, seat_caller(table, seat))
    match = table.match
    if not has_aid(match):
        raise ApiError("unknown-page")
    if curtain.is_drawn(match, seat, this_device(table)):
        return redirect_to(f"/t/{code}/s/{seat}")
    seen = match.seen_by(seat)
    localizer = localizer_of(seen)
    shown = view(seen, localizer.words)
    return render_page(
        "aid.html",
        code=code,
        seat=seat,
        number=localizer.number(seat),
        localizer=localizer,
        view=shown,
        page={"view": shown, "localizer": localizer, "sketch": sketch_of(seen), "cached": LastDrawing()},
        possible=[(_title(each, localizer), each) for each in _deduced(match, seat)],
        shared=curtain.is_shared(match, this_device(table)),
        game=game_macros(seen.game.id, "phone.html"),
    )


def _deduced(match: Match, seat: Seat) -> tuple[Possible, ...]:
    """The seat's deductions.

    Many moves may have been played since the last request. A background job processes them, and the request
    is refused as busy if that takes long; the cached result is read afterwards.
    """
    known = service().deductions
    service().background.result_or_busy(("aid", match.code, seat), lambda: known.aid_in_slices(match, seat))
    return known.aid(match, seat)


def _title(each: Possible, localizer: Localizer) -> str:
    return localizer.of_game(f"aid.{each.about.key}", each.about.fields)
