"""The curtain of a phone that holds several seats: nothing of a seat is on it before its person says so."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, make_response, request

from referee.match import Match
from referee.moves import Seat
from referee.views import Voice
from web.pages.device import Device, curtain_cookie, seen_cookie
from web.pages.look import look
from web.pages.page import go, held, keep, pieces, say, show, speech, table_of, wants_regions
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
        return keep(go(page), curtain_cookie(code), "", path=f"/t/{code}", age=0)
    told = str(match.news[-1].n) if match.news else "0"  # the curtain told it
    response = keep(go(page), seen_cookie(code, seat), told, path=page, is_for_script=True)
    return keep(response, curtain_cookie(code), f"{match.version}.{seat}", path=f"/t/{code}", age=None)


def is_shared(match: Match, device: Device) -> bool:
    """Whether this phone is for several people, and there is something to hide from one another."""
    return match.state is not None and not match.outcome and device.is_shared


def is_drawn(match: Match, seat: Seat, device: Device) -> bool:
    """Whether the curtain hides this seat: whoever opened it has done what there was to do, and another
    person on this phone is to act. A look that was asked for after that lasts until something happens."""
    if not is_shared(match, device):
        return False
    version, _, opened = device.curtain.partition(".")
    if opened != seat:
        return True
    due = _due(match, device)
    return bool(due) and seat not in due and version != str(match.version)


def drawn(table: LiveTable, match: Match, seat: Seat, device: Device) -> Response:
    """The page of a drawn curtain: what everyone may know, and who is asked to take the phone."""
    all_here(table)
    voice = speech(match.seen_by())
    about = context(table, match, seat, voice, device)
    if wants_regions():
        return make_response({"curtain": 1})
    return show(
        "curtain.html",
        **about,
        regions=regions(about),
        folds=folds(about),
        state=page_state(about),
        stream=f"/t/{table.code}/s/{seat}/live?curtain=1",
    )


def context(table: LiveTable, match: Match, seat: Seat, voice: Voice, device: Device) -> dict[str, Any]:
    """What the page of a drawn curtain shows."""
    due, seen = _due(match, device), table.public(match)
    wanted = seat if seat in due or not due else due[0]
    return {
        **look(table, seen, voice),
        "wanted": wanted,
        "is_due": wanted in due,
        "others": [other for other in device.held if other != wanted],
        "rules": passage_now(seen, None),
    }


def regions(about: Mapping[str, Any]) -> dict[str, str]:
    return pieces("curtain", ("aloud", "curtain", "todo", "others", "rules"), about)


def folds(about: Mapping[str, Any]) -> dict[str, str]:
    return pieces("curtain", ("table", "history"), about)


def page_state(about: Mapping[str, Any]) -> dict[str, Any]:
    """What live pages are told of the page as a whole."""
    name, code = about["voice"].name(about["wanted"]), about["code"]
    key, about_whom = ("pass", {"name": name}) if about["is_due"] else ("waits", {"names": about["waiting"]})
    return {
        "title": f"{say(f'page.curtain.{key}', **about_whom)} · {code}",
        "kind": f"phone curtain {about['view']['status']}",
        "curtain": 1,
        "folds": ["table", "history"],
    }


def all_here(table: LiveTable) -> None:
    """A page of this phone tells that everybody who shares it is there."""
    for seat in held(table):
        table.called(seat)


def _due(match: Match, device: Device) -> list[Seat]:
    """The seats of this phone that are to answer or to move."""
    asked = match.question
    if asked:
        return [seat for seat in device.held if seat in asked.of and seat not in asked.accepted]
    return [seat for seat in device.held if match.choices.get(seat)]
