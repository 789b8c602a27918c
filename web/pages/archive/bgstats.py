"""A finished game as a BG Stats link, which the app on the phone opens. The server makes no request."""

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from referee.core.match import Match
from referee.core.moves import Seat
from referee.presentation.views import Localizer
from web.service.live_table import LiveTable
from web.wire.names import person_key

LINK = "https://app.bgstatsapp.com/createPlay.html?data="
SOURCE = "Table Referee"


def link(table: LiveTable, localizer: Localizer, finished: str) -> str:
    """The link for a finished game; empty for an abandoned game or a demonstration."""
    outcome = table.match.outcome
    if outcome is None or outcome.is_abandoned or table.row.is_demo:
        return ""
    text = json.dumps(_play(table, localizer, finished), ensure_ascii=False, separators=(",", ":"))
    return LINK + quote(text, safe="")


def _play(table: LiveTable, localizer: Localizer, finished: str) -> dict[str, Any]:
    match, points = table.match, _points(table.match, localizer)
    first = match.first or ""
    return {
        "sourceName": SOURCE,
        "sourcePlayId": f"{match.code}-{match.head[:16]}",
        "playDate": f"{datetime.fromisoformat(finished).astimezone(UTC):%Y-%m-%d %H:%M:%S}",
        "game": {
            "sourceGameId": localizer.game.id,
            "name": localizer.of_game("name"),
            "highestWins": True,
            "noPoints": not points,
        },
        "players": [_player(match, localizer, seat, first, points) for seat in match.taken],
    }


def _points(match: Match, localizer: Localizer) -> dict[Seat, int]:
    """Each seat's points. Empty if a loser had the most points: the app would take them for the winner."""
    assert match.outcome is not None
    scores = match.outcome.scores
    of_side = {seat: scores.get(side) for side, team in localizer.sides().items() for seat in team}
    points = {seat: p for seat in match.seats if (p := scores.get(seat, of_side[seat])) is not None}
    won = [points.get(seat) for seat in match.outcome.winners]
    return points if points and (not won or max(points.values()) in won) else {}


def _player(
    match: Match, localizer: Localizer, seat: Seat, first: str, points: dict[Seat, int]
) -> dict[str, Any]:
    assert match.outcome is not None
    return {
        "sourcePlayerId": person_key(match.taken[seat]) or "somebody",
        "name": localizer.name(seat),
        "role": localizer.title(seat),
        "startPlayer": first == seat or seat in localizer.sides().get(first, ()),
        "winner": seat in match.outcome.winners,
        **({"score": points[seat]} if seat in points else {}),
    }
