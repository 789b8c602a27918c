"""Planted leaks: a server that tells hands in a view, in a header, in a refusal and in its log."""

import base64
import logging
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from flask import Response

from referee.moves import Seat, canonical
from web import app
from web.refusals import Refusal
from web.table import LiveTable

log = logging.getLogger("referee")
HELD: dict[Seat, str] = {}  # what each seat holds at the table that was looked at last


def plant() -> None:
    view, headers, problem = LiveTable.view, app._with_headers, Refusal.problem

    def with_hint(table: LiveTable, seat: Seat | None, language: str) -> dict[str, Any]:
        hands: Mapping[Seat, Any] = table.match.state.hands if table.match.state else {}
        HELD.update({seat: canonical(table.match.game.hand(hand)) for seat, hand in hands.items()})
        log.warning("looked at: %s", HELD.get("north"))
        hint = base64.b64encode(HELD.get("south", "").encode()).decode()
        return {**view(table, seat, language), "hint": hint}

    def with_mark(response: Response) -> Response:
        response.headers["Server-Timing"] = HELD.get("north", "").encode().hex()
        return headers(response)

    def with_reason(refusal: Refusal, words: Any) -> dict[str, Any]:
        return {**problem(refusal, words), "because": quote(HELD.get("north", ""))}

    LiveTable.view = with_hint  # type: ignore[method-assign]
    Refusal.problem = with_reason  # type: ignore[method-assign]
    app._with_headers = with_mark
