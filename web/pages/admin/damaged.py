"""The page about damaged stores: where the files are, and the command that restores the newest backup."""

from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, Response, request

from web.output.dates import date_and_time
from web.pages.rendering import language, redirect_to, render_with_error
from web.request_context import caller, service
from web.store.damage import Report, dismiss_reports, reports
from web.wire.errors import ApiError

damaged = Blueprint("damaged", __name__)


@damaged.get("/damaged")
def show() -> Response:
    return _page() if damage_reports() else redirect_to("/")


@damaged.post("/damaged")
def dismiss() -> Response:
    """Dismiss the reports, so that no page shows them again. Nothing else changes."""
    try:
        service().guesses.check_pin(caller(), request.form.get("pin"))
    except ApiError as refusal:
        return _page(refusal)
    dismiss_reports(service().store.path)
    return redirect_to("/")


def damage_reports() -> list[dict[str, Any]]:
    """The reports that nobody has dismissed, as templates show them."""
    return [_shown(report) for report in reports(service().store.path)]


def _shown(report: Report) -> dict[str, Any]:
    made = report.backup and datetime.fromtimestamp(report.backup.stat().st_mtime, UTC).isoformat()
    return {
        "folder": report.folder,
        "backup": report.backup,
        "made": made and date_and_time(made, language()),
        "command": report.command,
    }


def _page(refusal: ApiError | None = None) -> Response:
    return render_with_error("damaged.html", refusal, damage=damage_reports(), back="/damaged")
