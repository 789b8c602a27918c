"""The curtain page of a phone that holds several seats.

It covers a seat's page until that player confirms holding the phone. It contains only public information.
"""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, request

from referee.core.match import Match
from referee.core.moves import Seat
from referee.presentation.views import Localizer
from web.pages.device import Device, curtain_cookie, seen_cookie
from web.pages.rendering import (
    held,
    localizer_of,
    redirect_to,
    render_page,
    render_regions,
    say,
    set_cookie,
    table_of,
)
from web.pages.rules import passage_now
from web.pages.table_context import table_context
from web.service.live_table import LiveTable
from web.wire.errors import ApiError

curtain = Blueprint("curtain", __name__)


@curtain.post("/t/<code>/s/<seat>/curtain")
def move_curtain(code: str, seat: Seat) -> Response:
    """Open the curtain for this seat, or close it. The state is kept in a cookie."""
    table = table_of(code)
    if seat not in held(table):
        raise ApiError("not-allowed")
    match, page = table.match, f"/t/{code}/s/{seat}"
    if "close" in request.form:
        return set_cookie(redirect_to(page), curtain_cookie(code), "", path=f"/t/{code}", age=0)
    told = str(match.news[-1].n) if match.news else "0"  # the curtain page has shown this news
    response = set_cookie(redirect_to(page), seen_cookie(code, seat), told, path=page, is_for_script=True)
    return set_cookie(response, curtain_cookie(code), f"{match.version}.{seat}", path=f"/t/{code}", age=None)


def is_shared(match: Match, device: Device) -> bool:
    """Whether this phone holds several seats of a game in play, so that there are secrets to hide."""
    return match.state is not None and not match.outcome and device.is_shared


def is_drawn(match: Match, seat: Seat, device: Device) -> bool:
    """Whether the curtain hides this seat.

    It closes when the player who opened it has nothing left to do and another player on this phone has to
    act. If that player opens it again, it stays open until the table's version changes.
    """
    if not is_shared(match, device):
        return False
    version, _, opened = device.curtain.partition(".")
    if opened != seat:
        return True
    due = _due(match, device)
    return bool(due) and seat not in due and version != str(match.version)


def curtain_page(table: LiveTable, match: Match, seat: Seat, device: Device) -> Response:
    """The curtain page: public information, and who should take the phone."""
    mark_all_connected(table)
    localizer = localizer_of(match.seen_by())
    about = context(table, match, seat, localizer, device)
    return render_page(
        "curtain.html",
        **about,
        regions=regions(about),
        folds=folds(about),
        state=page_state(about),
        stream=f"/t/{table.code}/s/{seat}/live?curtain=1",
    )


def context(
    table: LiveTable, match: Match, seat: Seat, localizer: Localizer, device: Device
) -> dict[str, Any]:
    """The template context of the curtain page."""
    due, seen = _due(match, device), table.public(match)
    wanted = seat if seat in due or not due else due[0]
    return {
        **table_context(table, seen, localizer),
        "wanted": wanted,
        "is_due": wanted in due,
        "others": [other for other in device.held if other != wanted],
        "rules": passage_now(seen, None),
    }


def regions(about: Mapping[str, Any]) -> dict[str, str]:
    return render_regions("curtain", ("latest", "curtain", "todo", "others", "rules"), about)


def folds(about: Mapping[str, Any]) -> dict[str, str]:
    return render_regions("curtain", ("table", "history"), about)


def page_state(about: Mapping[str, Any]) -> dict[str, Any]:
    """The page-wide state that is sent to live pages beside the regions."""
    name, code = about["localizer"].name(about["wanted"]), about["code"]
    key, about_whom = ("pass", {"name": name}) if about["is_due"] else ("waits", {"names": about["waiting"]})
    return {
        "title": f"{say(f'page.curtain.{key}', **about_whom)} · {code}",
        "kind": f"phone curtain {about['view']['status']}",
        "curtain": 1,
        "folds": ["table", "history"],
    }


def mark_all_connected(table: LiveTable) -> None:
    """Mark every seat of this phone as connected."""
    for seat in held(table):
        table.note_call(seat)


def _due(match: Match, device: Device) -> list[Seat]:
    """The seats of this phone that have to answer a question or make a move."""
    asked = match.question
    if asked:
        return [seat for seat in device.held if seat in asked.of and seat not in asked.accepted]
    return [seat for seat in device.held if match.choices.get(seat)]
