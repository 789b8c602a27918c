"""The page that lists tables nobody has touched for long, and asks which of them to end."""

from collections.abc import Collection
from typing import Any

from flask import Blueprint, Response, g, request

from web.output.dates import date_and_time
from web.pages.rendering import and_list, language, localizer_of, redirect_to, render_with_error, say
from web.request_context import caller, service
from web.service.cleanup import IdleTable, abandon_tables, idle_tables, keep_tables
from web.wire.errors import ApiError
from web.wire.parsing import whole

cleanup = Blueprint("cleanup", __name__)


@cleanup.get("/cleanup")
def ask() -> Response:
    return _page()


@cleanup.post("/cleanup")
def answer() -> Response:
    """End the ticked tables, or keep them until they have been idle as long again."""
    g.back = "/cleanup"
    numbers = {n for text in request.form.getlist("table") if (n := whole(text)) is not None}
    try:
        service().guesses.check_pin(caller(), request.form.get("pin"))
    except ApiError as refusal:
        return _page(refusal, numbers)
    if request.form.get("do") == "keep":
        return redirect_to(f"/cleanup?kept={service().wait(keep_tables(service(), numbers))}")
    return redirect_to(f"/cleanup?done={service().wait(abandon_tables(service(), numbers))}")


def _page(refusal: ApiError | None = None, ticked: Collection[int] = ()) -> Response:
    return render_with_error(
        "cleanup.html",
        refusal,
        tables=[_row(found) for found in idle_tables(service())],
        ticked=ticked,
        days=service().settings.games.cleanup_after,
        done=next((say(f"page.cleanup.{what}", n=n) for what in ("done", "kept") if (n := _count(what))), ""),
    )


def _count(what: str) -> int:
    return whole(request.args.get(what, ""), 3) or 0


def _row(found: IdleTable) -> dict[str, Any]:
    """The public facts of a table: its game, its players, and since when it is idle. Never its code."""
    localizer = localizer_of(found.table.seen())
    there = [localizer.name(seat) for seat, name in found.table.match.names.items() if name]
    return {
        "number": found.number,
        "game": localizer.of_game("name"),
        "with": and_list(there),
        "since": date_and_time(found.since, language()),
    }
