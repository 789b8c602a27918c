"""What a seat entered in secret, on a page of its own: the menu offers the latest few alone."""

from flask import Blueprint, Response

from referee.corrections import own_secrets
from referee.moves import Seat
from web.api import house
from web.pages import curtain
from web.pages.device import this_device
from web.pages.mend import may_correct, told_apart
from web.pages.page import go, seat_caller, show, speech, table_of
from web.pages.seat import check_seat

entered = Blueprint("entered", __name__)

MOST = 200  # the latest; nobody corrects what lies so far back


@entered.get("/t/<code>/s/<seat>/entered")
def all_secrets(code: str, seat: Seat) -> Response:
    table = table_of(code)
    check_seat(house(), table, seat, seat_caller(table, seat))
    match = table.match
    if curtain.is_drawn(match, seat, this_device(table)) or not may_correct(table, match):
        return go(f"/t/{code}/s/{seat}")
    voice = speech(match.seen_by(seat))
    return show(
        "entered.html",
        code=code,
        seat=seat,
        number=voice.number(seat),
        voice=voice,
        secrets=told_apart(match, own_secrets(match, seat)[-MOST:], voice),
        shared=curtain.is_shared(match, this_device(table)),
    )
