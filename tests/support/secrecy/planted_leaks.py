"""Leaks planted on purpose: a server that shows hands in a view, a header, a refusal, its log and a file."""

import base64
import logging
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import gettempdir
from typing import Any
from urllib.parse import quote

from flask import Response

from referee.core.match import PlayerView
from referee.core.moves import Seat, canonical
from referee.presentation.words import Words
from web.server import flask_app
from web.service.live_table import LiveTable
from web.wire.errors import ApiError

log = logging.getLogger("referee")
HELD = [""]  # what each seat holds at the table that was looked at last


def plant() -> None:
    view, headers, problem = LiveTable._view, flask_app._with_headers, ApiError.problem

    def with_hint(self: LiveTable, seen: PlayerView, *what: Any) -> dict[str, Any]:
        return {**view(self, seen, *what), "hint": _look(self)}

    def with_mark(response: Response) -> Response:
        response.headers["Server-Timing"] = HELD[0].encode().hex()
        return headers(response)

    def with_reason(self: ApiError, words: Words) -> dict[str, Any]:
        return {**problem(self, words), "because": quote(HELD[0])}

    LiveTable._view = with_hint  # type: ignore[assignment]
    ApiError.problem = with_reason  # type: ignore[method-assign]
    flask_app._with_headers = with_mark


def _look(table: LiveTable) -> str:
    """Look at all hands, and leave them lying about."""
    hands: Mapping[Seat, Any] = table.match.state.hands if table.match.state else {}
    HELD[:] = [canonical(table.match.game.hand(hand)) for hand in hands.values()] or [""]
    log.warning("looked at: %s", HELD[0])
    sys.stdout.write(HELD[0])
    Path(gettempdir(), "looked_at").write_text(HELD[0])
    return base64.b64encode(HELD[-1].encode()).decode()
