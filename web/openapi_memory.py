"""History and people, described for machines."""

from typing import Any

from web.operations import LANGUAGE, TABLE, content, get, parameter, refused_as
from web.schemas import COUNT, TEXT, Schema, by_name, listed, or_null, record, ref

FORGETS = ("bad-pin", "slow-down", "not-saved")
COUNT_FROM_ONE = {"type": "integer", "minimum": 1, "maximum": 2**63 - 1}
PLAYER = parameter("player", "query", "Games of this person, however the name is typed.", TEXT)
GAME_ASKED = parameter("game", "query", "Games of this game of the catalogue.", TEXT)
BEFORE = parameter("before", "query", "Games that ended before the one of this `n`.", COUNT_FROM_ONE)
LIMIT = parameter("limit", "query", "How many at most: 50, and never more than 500.", COUNT_FROM_ONE)
NAME = parameter("name", "path", "The person's name.", {"type": "string", "pattern": "^[^/?#]+$"})


def forget(name: str, about: str, answer: str, *codes: str) -> dict[str, Any]:
    return {
        "operationId": name,
        "summary": f"{about} Where the house has a host pin, it is needed. There is no way back.",
        "parameters": [LANGUAGE],
        "security": [{}, {"host_pin": []}],
        "responses": {
            "200": {"description": "Done.", **content(ref(answer))},
            **refused_as(*codes, *FORGETS),
        },
    }


MEMORY_PATHS: dict[str, dict[str, Any]] = {
    "/api/history": {
        "get": get(
            "history",
            "Finished games, newest first.",
            content(ref("History")),
            *("unknown-game", "malformed"),
            parameters=[GAME_ASKED, PLAYER, BEFORE, LIMIT],
        )
    },
    "/api/history/{table}": {
        "parameters": [TABLE],
        "delete": forget(
            "forget_game",
            "Delete a finished game with all that belongs to it.",
            "Nothing",
            *("unknown-table", "not-over"),
        ),
    },
    "/api/players": {
        "get": get(
            "players",
            "Everybody who finished a game, with a tally for each game; whoever played last comes first.",
            content(ref("Players")),
        )
    },
    "/api/players/{name}": {
        "parameters": [NAME],
        "delete": forget(
            "forget_person",
            "Make a person anonymous in every game that is over; the records still verify. A game in play"
            " keeps the name; ask again once it is over.",
            "Forgotten",
            *("unknown-person", "not-over"),
        ),
    },
}

TALLY: dict[str, Schema] = {"played": COUNT, "won": COUNT, "drawn": COUNT}
MEMORY_SCHEMAS: dict[str, Schema] = {
    "History": listed(ref("Past")),
    "Past": record(
        {
            "n": {**COUNT, "description": "Grows from one finished game to the next."},
            "table": ref("Code"),
            "game": TEXT,
            "finished": TEXT,
            "reason": TEXT,
            "abandoned": {"type": "boolean", "description": "Counted as played by nobody."},
            "draw": {"type": "boolean"},
            "moves": COUNT,
            "seconds": {**or_null(COUNT), "description": "Null where the clock cannot be believed."},
            "players": listed(
                record(
                    {
                        "seat": TEXT,
                        "side": TEXT,
                        "name": {**or_null(TEXT), "description": "Null where the person was deleted."},
                        "won": {"type": "boolean"},
                        "score": or_null({"type": "integer"}),
                    }
                )
            ),
        }
    ),
    "Players": listed(record({"name": TEXT, **TALLY, "games": by_name(record(TALLY))})),
    "Forgotten": record({"tables": {**COUNT, "description": "In how many finished games the name stood."}}),
}
