"""Memory: what is written when a game ends, so that history and statistics are read without replaying it.

Names stand here and in the journal, never in the chain of hashes: a person can be deleted from both.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from referee.games import GAMES
from referee.record import Joined, Unreadable, read, write
from web.people import known_as
from web.store.changes import Change

WHAT = "substr(line, instr(line, ' ') + 1)"  # of a line of the journal, without who
JOINS = f"{WHAT} GLOB 'joins *'"

SCHEMA = f"""
CREATE TABLE IF NOT EXISTS games (
    id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, game TEXT NOT NULL, finished TEXT NOT NULL,
    reason TEXT NOT NULL, drawn INTEGER NOT NULL, moves INTEGER NOT NULL, seconds INTEGER,
    shown INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS games_of ON games (game, id);
CREATE TABLE IF NOT EXISTS played (
    id INTEGER NOT NULL, place INTEGER NOT NULL, seat TEXT NOT NULL, side TEXT NOT NULL,
    person TEXT NOT NULL, name TEXT NOT NULL, won INTEGER NOT NULL, score INTEGER,
    PRIMARY KEY (id, place)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS played_by ON played (person, id, won, name);
CREATE INDEX IF NOT EXISTS journal_joins ON journal (line, code, n) WHERE {JOINS};
"""

# The one place that says which tables are remembered at all: one left out here is in no list and no figure.
REMEMBERED = "finished IS NOT NULL AND code NOT IN (SELECT code FROM bots)"
DAY = 24 * 3600  # a game that took longer began before the clock was set, or was slept over
MOVES = (
    f"{WHAT} NOT GLOB 'joins *' AND {WHAT} NOT GLOB 'asks *'"
    f" AND {WHAT} NOT GLOB 'answers *' AND {WHAT} NOT IN ('taken', 'closed')"
)


def remembered(
    code: str, game: str, outcome: Mapping[str, Any], names: Mapping[str, str | None]
) -> Iterator[Change]:
    """A game that has just been marked as finished, and who played it."""
    yield (
        "INSERT INTO games (code, game, finished, reason, drawn, shown, moves, seconds)"
        f" SELECT code, game, finished, ?, ?, ?, count(line), {_seconds()}"
        f" FROM tables LEFT JOIN (SELECT at, line FROM journal WHERE code = ? AND {MOVES})"
        f" WHERE code = ? AND {REMEMBERED} GROUP BY code",
        (outcome["reason"], outcome["draw"], outcome["debrief"] is not None, code, code),
    )
    sides = _sides(game, names)
    for place, (seat, name) in enumerate(names.items(), 1):
        if name is not None:
            score, won = _score(outcome, seat, sides[seat]), seat in outcome["winners"]
            yield (
                "INSERT INTO played (id, place, seat, side, person, name, won, score)"
                " SELECT id, ?, ?, ?, ?, ?, ?, ? FROM games WHERE code = ?",
                (place, seat, sides[seat], known_as(name), name, won, score, code),
            )


def amended(
    code: str, game: str, outcome: Mapping[str, Any], names: Mapping[str, str | None]
) -> Iterator[Change]:
    """A game whose outcome was corrected keeps its place in the history."""
    yield (
        "UPDATE games SET reason = ?, drawn = ? WHERE code = ?",
        (outcome["reason"], outcome["draw"], code),
    )
    for seat, side in _sides(game, names).items():
        yield (
            "UPDATE played SET won = ?, score = ? WHERE seat = ?"
            " AND id = (SELECT id FROM games WHERE code = ?)",
            (seat in outcome["winners"], _score(outcome, seat, side), seat, code),
        )


def withdrawn(code: str) -> Iterator[Change]:
    """A game that goes on after all is no longer remembered as finished."""
    yield ("DELETE FROM played WHERE id IN (SELECT id FROM games WHERE code = ?)", (code,))
    yield ("DELETE FROM games WHERE code = ?", (code,))


def _sides(game: str, names: Mapping[str, str | None]) -> dict[str, str]:
    """The side that each seat plays on."""
    return {seat: side for side, team in GAMES[game].sides(tuple(names)).items() for seat in team}


def _score(outcome: Mapping[str, Any], seat: str, side: str) -> int | None:
    """The points of a seat, or of its side."""
    scores = outcome["scores"]
    found: int | None = scores.get(seat, scores.get(side))
    return found


def _seconds() -> str:
    """From the first move to the end, where the clock can be believed."""
    took = "CAST(strftime('%s', finished) AS INTEGER) - CAST(strftime('%s', min(at)) AS INTEGER)"
    return f"CASE WHEN {took} BETWEEN 0 AND {DAY} THEN {took} END"


def remember_past(db: sqlite3.Connection) -> None:
    """Remember the games that ended before there was a memory, oldest first."""
    past = db.execute(
        "SELECT code, game, outcome FROM tables WHERE outcome IS NOT NULL"
        f" AND {REMEMBERED} AND code NOT IN (SELECT code FROM games) ORDER BY id"
    ).fetchall()
    for code, game, outcome in past:
        if game in GAMES:
            sat = db.execute(f"SELECT line FROM journal WHERE code = ? AND {JOINS} ORDER BY n", (code,))
            names = _names(game, code, [line for (line,) in sat], db)
            for sql, values in remembered(code, game, json.loads(outcome), names):
                db.execute(sql, values)


def _names(game: str, code: str, lines: Iterable[str], db: sqlite3.Connection) -> dict[str, str | None]:
    """Who sat in each seat at last, in the order of the seats."""
    (options,) = db.execute("SELECT options FROM tables WHERE code = ?", (code,)).fetchone()
    names: dict[str, str | None] = dict.fromkeys(GAMES[game].seats(json.loads(options)))
    return names | {joined.seat: joined.name for joined in map(_joined, lines) if joined}


def _joined(line: str) -> Joined | None:
    try:
        entry = read(line)
    except Unreadable:
        return None
    return entry if isinstance(entry, Joined) else None


# ---- forgetting


def joins_of(person: str, lines: Iterable[str]) -> dict[str, Joined]:
    """The lines in which this person sat down, and what they say."""
    found = ((line, _joined(line)) for line in lines)
    return {line: sat for line, sat in found if sat and sat.name and known_as(sat.name) == person}


def person_forgotten(person: str, joins: Iterable[tuple[str, int, Joined]]) -> Iterator[Change]:
    """The name goes out of every game; who won what stays, and so does every hash."""
    yield ("UPDATE played SET person = '', name = '' WHERE person = ?", (person,))
    codes = set()
    for code, n, sat in joins:
        codes.add(code)
        line = write(Joined(sat.seat, ""))
        yield ("UPDATE journal SET line = ? WHERE code = ? AND n = ?", (line, code, n))
    for code in codes:
        yield _answers_without_words(code)


def _answers_without_words(code: str) -> Change:
    """Answers that are kept for a phone that asks twice tell what happened, with names."""
    return (
        "UPDATE answers SET answer = json_set(answer, '$.news', json_array())"
        " WHERE json_type(answer, '$.news') IS NOT NULL AND scope IN"
        " (SELECT token FROM seats WHERE code = ?1 UNION SELECT host FROM tables WHERE code = ?1)",
        (code,),
    )


def game_forgotten(code: str) -> Iterator[Change]:
    """All of a table, as if it had never been opened; answers to who holds another one too lose words."""
    own = "SELECT token FROM seats WHERE code {0} ?1 UNION SELECT host FROM tables WHERE code {0} ?1"
    others = f"SELECT * FROM ({own.format('<>')}) WHERE token IS NOT NULL"
    yield (f"DELETE FROM answers WHERE scope IN ({own.format('=')}) AND scope NOT IN ({others})", (code,))
    yield _answers_without_words(code)
    yield from withdrawn(code)
    yield ("UPDATE tables SET next = NULL WHERE next = ?", (code,))
    for table in ("bots", "jobs", "journal", "seats", "spared", "tables"):
        yield (f"DELETE FROM {table} WHERE code = ?", (code,))
