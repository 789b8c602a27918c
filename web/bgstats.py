"""BG Stats: a finished game as a link that the phone's own app takes up. Nothing is fetched."""

import json
from datetime import UTC, datetime
from functools import reduce
from typing import Any
from urllib.parse import quote

from referee.game import Outcome
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
    """The link for a finished game; none for one that was abandoned."""
    outcome = table.match.outcome
    if outcome is None or outcome.reason == "abandoned":
        return ""
    text = json.dumps(_play(house, table, voice, finished), ensure_ascii=False, separators=(",", ":"))
    return LINK + quote(text, safe="")


def _play(house: House, table: LiveTable, voice: Voice, finished: str) -> dict[str, Any]:
    match, first = table.match, _first(house, table)
    assert match.outcome is not None
    pointless = not _points_decided(match.outcome)
    return {
        "sourceName": SOURCE,
        "sourcePlayId": f"{match.code}-{match.head[:16]}",
        "playDate": f"{datetime.fromisoformat(finished).astimezone(UTC):%Y-%m-%d %H:%M:%S}",
        "game": {
            "sourceGameId": voice.game.id,
            "name": voice.of_game("name"),
            "highestWins": True,
            "noPoints": pointless,
        },
        "players": [_player(match, voice, seat, first, pointless) for seat in match.taken],
    }


def _points_decided(outcome: Outcome) -> bool:
    """Whether nobody had more points than who won: only then are they points as that app has them."""
    won = [points for side, points in outcome.scores.items() if side in outcome.winners]
    return bool(outcome.scores) and (not won or max(outcome.scores.values()) in won)


def _player(match: Match, voice: Voice, seat: Seat, first: str, pointless: bool) -> dict[str, Any]:
    assert match.outcome is not None
    side = next(side for side, team in voice.sides().items() if seat in team)
    score = match.outcome.scores.get(seat, match.outcome.scores.get(side))
    return {
        "sourcePlayerId": known_as(match.taken[seat]) or "somebody",
        "name": voice.name(seat),
        "role": voice.title(seat),
        "startPlayer": first in (seat, side),
        "winner": seat in match.outcome.winners,
        **({} if score is None or pointless else {"score": score}),
    }


def _first(house: House, table: LiveTable) -> str:
    """The seat or side that began: said when the cards were dealt."""
    row, match = table.row, table.match
    opened = reopen_match(row.code, match.game, row.rules, row.options, row.seed)
    lines = house.store.journal(table.code)[: match.dealt]
    dealt = reduce(Match.after, map(read, lines), opened)
    return next((str(t.news.fields["first"]) for t in dealt.news if t.news.kind == "began"), "")
