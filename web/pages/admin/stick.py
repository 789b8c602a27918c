"""The page about a USB stick: what was copied to it, or why it was not used."""

from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, Response, request

from web.output.dates import date_and_time
from web.pages.rendering import language, redirect_to, render_with_error, say
from web.request_context import caller, service
from web.service.usb_copies import dismiss_note, read_note
from web.wire.errors import ApiError

stick = Blueprint("stick", __name__)


@stick.get("/stick")
def show() -> Response:
    return _page() if stick_note() else redirect_to("/")


@stick.post("/stick")
def dismiss() -> Response:
    """Dismiss the note, so that no page shows it again."""
    try:
        service().guesses.check_pin(caller(), request.form.get("pin"))
    except ApiError as refusal:
        return _page(refusal)
    dismiss_note(service().store.path)
    return redirect_to("/")


def stick_note() -> dict[str, Any] | None:
    """What was last done with a stick, as templates show it, until somebody dismisses it."""
    found = read_note(service().store.path)
    if found is None:
        return None
    note, at = found
    key = f"stick.refused.{note.refused}" if note.refused else "stick.copied"
    return {
        "text": say(key, name=note.name, n=note.copied, left_out=note.left_out),
        "when": date_and_time(datetime.fromtimestamp(at, UTC).isoformat(), language()),
    }


def _page(refusal: ApiError | None = None) -> Response:
    return render_with_error("stick.html", refusal, stick=stick_note(), back="/stick")
