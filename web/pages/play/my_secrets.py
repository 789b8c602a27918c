"""The page with all secrets that a seat entered, to correct one. The menu offers only the latest few."""

from flask import Blueprint, Response

from referee.core.corrections import own_secrets
from referee.core.moves import Seat
from web.pages.device import this_device
from web.pages.play import curtain
from web.pages.play.corrections import labelled, may_correct
from web.pages.play.seat import check_seat
from web.pages.rendering import localizer_of, redirect_to, render_page, seat_caller, table_of
from web.request_context import service

my_secrets = Blueprint("my_secrets", __name__)

MOST = 200  # the latest; older ones are not offered


@my_secrets.get("/t/<code>/s/<seat>/entered")
def all_secrets(code: str, seat: Seat) -> Response:
    table = table_of(code)
    check_seat(service(), table, seat, seat_caller(table, seat))
    match = table.match
    if curtain.is_drawn(match, seat, this_device(table)) or not may_correct(table, match):
        return redirect_to(f"/t/{code}/s/{seat}")
    localizer = localizer_of(match.seen_by(seat))
    return render_page(
        "my_secrets.html",
        code=code,
        seat=seat,
        number=localizer.number(seat),
        localizer=localizer,
        secrets=labelled(match, own_secrets(match, seat)[-MOST:], localizer),
        shared=curtain.is_shared(match, this_device(table)),
    )
