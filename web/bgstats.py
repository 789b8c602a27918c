"""BG Stats: a finished game as a link that the phone's own app takes up. Nothing is fetched."""

import json
from datetime import UTC, datetime
from functools import reduce
from typing import Any
from urllib.parse import quote

from referee.match import Match, reopen_match
from referee.moves import Seat
from referee.record import read
from referee.views import Voice
from web.house import House
from web.people import known_as
from web.table import LiveTable

LINK = "https://app.bgstatsapp.com/createPlay.html?data="
SOURCE = "Table Referee"


def link(house: House, table: LiveTable, voice: Voice, finished: str) -> str:
    """The link for a finished game; none for one that was abandoned, or counts for nothing."""
    outcome = table.match.outcome
    if outcome is None or outcome.is_abandoned or table.row.is_demo:
        return ""
    text = json.dumps(_play(house, table, voice, finished), ensure_ascii=False, separators=(",", ":"))
    return LINK + quote(text, safe="")


def _play(house: House, table: LiveTable, voice: Voice, finished: str) -> dict[str, Any]:
    match, points = table.match, _points(table.match, voice)
    first = _first(house, table)
    return {
        "sourceName": SOURCE,
        "sourcePlayId": f"{match.code}-{match.head[:16]}",
        "playDate": f"{datetime.fromisoformat(finished).astimezone(UTC):%Y-%m-%d %H:%M:%S}",
        "game": {
            "sourceGameId": voice.game.id,
            "name": voice.of_game("name"),
            "highestWins": True,
            "noPoints": not points,
        },
        "players": [_player(match, voice, seat, first, points) for seat in match.taken],
    }


def _points(match: Match, voice: Voice) -> dict[Seat, int]:
    """Each seat's points. None where somebody had more than who won: that app would crown them."""
    assert match.outcome is not None
    scores = match.outcome.scores
    of_side = {seat: scores.get(side) for side, team in voice.sides().items() for seat in team}
    points = {seat: p for seat in match.seats if (p := scores.get(seat, of_side[seat])) is not None}
    won = [points.get(seat) for seat in match.outcome.winners]
    return points if points and (not won or max(points.values()) in won) else {}


def _player(match: Match, voice: Voice, seat: Seat, first: str, points: dict[Seat, int]) -> dict[str, Any]:
    assert match.outcome is not None
    return {
        "sourcePlayerId": known_as(match.taken[seat]) or "somebody",
        "name": voice.name(seat),
        "role": voice.title(seat),
        "startPlayer": first == seat or seat in voice.sides().get(first, ()),
        "winner": seat in match.outcome.winners,
        **({"score": points[seat]} if seat in points else {}),
    }


def _first(house: House, table: LiveTable) -> str:
    """The seat or side that began: said when the cards were dealt."""
    row, match = table.row, table.match
    opened = reopen_match(row.code, match.game, row.rules, row.options, row.seed)
    lines = house.store.journal(table.code)[: match.dealt]
    dealt = reduce(Match.after, map(read, lines), opened)
    return next((str(t.news.fields["first"]) for t in dealt.news if t.news.kind == "began"), "")
