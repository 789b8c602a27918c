"""A seat's deductions, on a page of their own: worked out when somebody looks, not with every view."""

from flask import Blueprint, Response

from referee.aids import has_aid
from referee.game import Possible
from referee.match import Match
from referee.moves import Seat
from referee.views import Voice, view
from web.api import house
from web.pages import curtain
from web.pages.device import this_device
from web.pages.page import fragment, go, seat_caller, show, sketch_of, speech, table_of
from web.pages.seat import check_seat
from web.refusals import Refusal

aid = Blueprint("aid", __name__)


@aid.get("/t/<code>/s/<seat>/aid")
def sheet(code: str, seat: Seat) -> Response:
    table = table_of(code)
    check_seat(house(), table, seat, seat_caller(table, seat))
    match = table.match
    if not has_aid(match):
        raise Refusal("unknown-page")
    if curtain.is_drawn(match, seat, this_device(table)):
        return go(f"/t/{code}/s/{seat}")
    seen = match.seen_by(seat)
    voice = speech(seen)
    return show(
        "aid.html",
        code=code,
        seat=seat,
        number=voice.number(seat),
        voice=voice,
        view=view(seen, voice.words),
        sketch=sketch_of(seen),
        possible=[(_title(each, voice), each) for each in _deduced(match, seat)],
        shared=curtain.is_shared(match, this_device(table)),
        fragment=fragment(seen.game.id, "phone.html"),
    )


def _deduced(match: Match, seat: Seat) -> tuple[Possible, ...]:
    """What was played since the last look may be much: that is taken in aside."""
    known = house().deductions
    house().aside.soon(("aid", match.code, seat), lambda: known.look(match, seat))
    return known.aid(match, seat)


def _title(each: Possible, voice: Voice) -> str:
    return voice.of_game(f"aid.{each.about.key}", each.about.fields)
