"""The curtain of a phone that holds several seats: nothing of a seat is on it before its person says so."""

from flask import Blueprint, Response, request

from referee.match import Match
from referee.moves import Seat
from web.pages.look import look
from web.pages.page import go, held, keep, show, speech, table_of
from web.pages.rules import passage_now
from web.refusals import Refusal
from web.table import LiveTable

curtain = Blueprint("curtain", __name__)


@curtain.post("/t/<code>/s/<seat>/curtain")
def move_curtain(code: str, seat: Seat) -> Response:
    """Somebody says who holds the phone now, or that nobody is to look."""
    table = table_of(code)
    if seat not in held(table):
        raise Refusal("not-allowed")
    match, page = table.match, f"/t/{code}/s/{seat}"
    if "close" in request.form:
        return keep(go(page), _cookie(code), "", path=f"/t/{code}", age=0)
    told = str(match.news[-1].n) if match.news else "0"  # the curtain told it
    response = keep(go(page), f"seen_{code}_{seat}", told, path=page)
    return keep(response, _cookie(code), f"{match.version}.{seat}", path=f"/t/{code}", age=None)


def is_shared(table: LiveTable) -> bool:
    """Whether this phone is for several people, and there is something to hide from one another."""
    return table.match.state is not None and not table.match.outcome and len(held(table)) > 1


def is_drawn(table: LiveTable, match: Match, seat: Seat) -> bool:
    """Whether the curtain hides this seat: whoever opened it has done what there was to do, and another
    person on this phone is to act. A look that was asked for after that lasts until something happens."""
    if not is_shared(table):
        return False
    version, _, opened = request.cookies.get(_cookie(table.code), "").partition(".")
    if opened != seat:
        return True
    due = _due(table, match)
    return bool(due) and seat not in due and version != str(match.version)


def drawn(table: LiveTable, match: Match, seat: Seat) -> Response:
    """The page of a drawn curtain: what everyone may know, and who is asked to take the phone."""
    all_here(table)
    due, seen = _due(table, match), match.seen_by()
    voice = speech(seen)
    wanted = seat if seat in due or not due else due[0]
    return show(
        "curtain.html",
        **look(table, seen, voice),
        wanted=wanted,
        is_due=wanted in due,
        others=[other for other in held(table) if other != wanted],
        rules=passage_now(seen, None),
        stream=f"/api/tables/{table.code}/events?held=1&beats=1",
    )


def all_here(table: LiveTable) -> None:
    """A page of this phone tells that everybody who shares it is there."""
    for seat in held(table):
        table.called(seat)


def _due(table: LiveTable, match: Match) -> list[Seat]:
    """The seats of this phone that are to answer or to move."""
    asked = match.question
    if asked:
        return [seat for seat in held(table) if seat in asked.of and seat not in asked.accepted]
    return [seat for seat in held(table) if match.choices.get(seat)]


def _cookie(code: str) -> str:
    return f"curtain_{code}"
