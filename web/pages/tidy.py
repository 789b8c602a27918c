"""Tables that have rested for long: the page that asks which of them to put away."""

from collections.abc import Collection
from typing import Any

from flask import Blueprint, Response, g, request

from web.api import caller, house
from web.bodies import whole
from web.dates import spoken
from web.pages.page import and_list, go, language, say, show_again, speech
from web.refusals import Refusal
from web.tidying import Resting, resting, spare, tidy_away

tidy = Blueprint("tidy", __name__)


@tidy.get("/tidy")
def ask() -> Response:
    return _page()


@tidy.post("/tidy")
def answer() -> Response:
    """What was ticked is put away, or kept; nothing else changes."""
    g.back = "/tidy"
    numbers = {n for text in request.form.getlist("table") if (n := whole(text)) is not None}
    try:
        house().check_pin(caller(), request.form.get("pin"))
    except Refusal as refusal:
        return _page(refusal, numbers)
    if request.form.get("do") == "keep":
        return go(f"/tidy?kept={house().wait(spare(house(), numbers))}")
    return go(f"/tidy?done={house().wait(tidy_away(house(), numbers))}")


def _page(refusal: Refusal | None = None, ticked: Collection[int] = ()) -> Response:
    return show_again(
        "tidy.html",
        refusal,
        tables=[_row(found) for found in resting(house())],
        ticked=ticked,
        days=house().settings.games.tidy_after,
        done=next((say(f"page.tidy.{what}", n=n) for what in ("done", "kept") if (n := _count(what))), ""),
    )


def _count(what: str) -> int:
    return whole(request.args.get(what, ""), 3) or 0


def _row(found: Resting) -> dict[str, Any]:
    """What anyone may know of it: the game, who sat there, since when it rests; no code."""
    voice = speech(found.table.seen())
    there = [voice.name(seat) for seat, name in found.table.match.names.items() if name]
    return {
        "number": found.number,
        "game": voice.of_game("name"),
        "with": and_list(there),
        "since": spoken(found.since, language()),
    }
