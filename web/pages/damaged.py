"""Games that were damaged: where they are and how to have the newest backup back, before the host's eyes."""

from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, Response, request

from web.api import caller, house
from web.damage import Report, reports, settle
from web.dates import spoken
from web.pages.page import go, language, show_again
from web.refusals import Refusal

damaged = Blueprint("damaged", __name__)


@damaged.get("/damaged")
def look() -> Response:
    return _page() if told() else go("/")


@damaged.post("/damaged")
def dismiss() -> Response:
    """Whoever read it says so: it is told no more. Nothing else changes."""
    try:
        house().check_pin(caller(), request.form.get("pin"))
    except Refusal as refusal:
        return _page(refusal)
    settle(house().store.path)
    return go("/")


def told() -> list[dict[str, Any]]:
    """What is to be told of damaged games, as the pages show it."""
    return [_shown(report) for report in reports(house().store.path)]


def _shown(report: Report) -> dict[str, Any]:
    made = report.backup and datetime.fromtimestamp(report.backup.stat().st_mtime, UTC).isoformat()
    return {
        "folder": report.folder,
        "backup": report.backup,
        "made": made and spoken(made, language()),
        "command": report.command,
    }


def _page(refusal: Refusal | None = None) -> Response:
    return show_again("damaged.html", refusal, damage=told(), back="/damaged")
