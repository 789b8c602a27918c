"""What a seat entered in secret, on a page of its own: the menu offers the latest few alone."""

from flask import Blueprint, Response

from referee.corrections import own_secrets
from referee.moves import Seat
from web.pages import curtain
from web.pages.mend import may_correct, told_apart
from web.pages.page import go, show, speech, table_of
from web.pages.seat import sitting

entered = Blueprint("entered", __name__)

MOST = 200  # the latest; nobody corrects what lies so far back


@entered.get("/t/<code>/s/<seat>/entered")
def all_secrets(code: str, seat: Seat) -> Response:
    table = table_of(code)
    sitting(table, seat)
    match = table.match
    if curtain.is_drawn(table, match, seat) or not may_correct(table, match):
        return go(f"/t/{code}/s/{seat}")
    voice = speech(match.seen_by(seat))
    return show(
        "entered.html",
        code=code,
        seat=seat,
        number=voice.number(seat),
        voice=voice,
        secrets=told_apart(match, own_secrets(match, seat)[-MOST:], voice),
        shared=curtain.is_shared(table),
    )
