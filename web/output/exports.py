"""Exports finished games as JSON and as CSV. CSV cells are escaped so that none runs as a formula, also where
a spreadsheet splits them at the separator of another language."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from referee.presentation.words import words
from web.store.history_queries import FinishedGame, Person, Tally

# Where a cell would begin, after any separator, that a spreadsheet evaluates. It may drop quotes and spaces
# before the sign, and full-width signs count too.
FORMULA = re.compile(r"""(^|[;,|\t\r\n])(?=[\s"']*[=+\-@\uff1d\uff0b\uff0d\uff20])""")
COLUMNS = (
    *("game", "table", "finished", "reason", "draw", "moves", "seconds"),
    *("seat", "side", "name", "won", "score"),
)


def game_as_json(game: FinishedGame) -> dict[str, Any]:
    """A finished game as JSON data. A deleted person's name is null."""
    return {
        "n": game.n,
        "table": game.code,
        "game": game.game,
        "finished": game.finished,
        "reason": game.reason,
        "abandoned": game.is_abandoned,
        "draw": game.drawn,
        "moves": game.moves,
        "seconds": game.seconds,
        "players": [
            {
                "seat": sat.seat,
                "side": sat.side,
                "name": sat.name or None,
                "avatar": sat.avatar or None,
                "won": sat.won,
                "score": sat.score,
            }
            for sat in game.players
        ],
    }


def person_as_json(person: Person) -> dict[str, Any]:
    games = {game: tally_as_json(of_game) for game, of_game in person.games.items()}
    return {"name": person.name, **tally_as_json(person.all), "games": games}


def tally_as_json(of: Tally) -> dict[str, int]:
    return {"played": of.played, "won": of.won, "drawn": of.drawn}


def as_json(games: Iterable[FinishedGame]) -> str:
    return json.dumps([game_as_json(game) for game in games], ensure_ascii=False, indent=1)


def as_csv(games: Iterable[FinishedGame], language: str) -> str:
    """A line for each seat of each game, with a byte order mark and the column separator of this language, as
    spreadsheets expect."""
    paper = io.StringIO()
    writer = csv.writer(paper, delimiter=words(language).say("list.separator"), quoting=csv.QUOTE_ALL)
    writer.writerow(COLUMNS)
    writer.writerows(row for game in games for row in _rows(game))
    return "\N{ZERO WIDTH NO-BREAK SPACE}" + paper.getvalue()


def _rows(game: FinishedGame) -> Iterator[list[Any]]:
    told = game_as_json(game)
    for sat in told["players"]:
        yield [_cell(({**told, **sat})[column]) for column in COLUMNS]


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    return FORMULA.sub(r"\1'", value) if isinstance(value, str) else value
