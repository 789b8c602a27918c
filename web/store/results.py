"""Result rows of finished games, which make replays for history unnecessary; deletion of people and games.

Names and avatars are stored here and in the journal, but are not part of the hash chain: a person can be
deleted from both.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from referee.core.entries import Joined, Unreadable, read, write
from referee.core.frozen import replaced
from referee.games import GAMES
from web.store.statements import Change, entry_rewritten
from web.wire.names import person_key

Join = tuple[tuple[str, int, str, str], Joined]  # code, number, time and head of a row, and its entry
ACTION = "substr(line, instr(line, ' ') + 1)"  # a journal line without its actor
JOINS = f"{ACTION} GLOB 'joins *'"

SCHEMA = f"""
CREATE TABLE games (
    id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, game TEXT NOT NULL, finished TEXT NOT NULL,
    reason TEXT NOT NULL, drawn INTEGER NOT NULL, moves INTEGER NOT NULL, seconds INTEGER,
    shown INTEGER NOT NULL
);
CREATE INDEX games_of ON games (game, id);
CREATE TABLE played (
    id INTEGER NOT NULL, place INTEGER NOT NULL, seat TEXT NOT NULL, side TEXT NOT NULL,
    person TEXT NOT NULL, name TEXT NOT NULL, avatar TEXT NOT NULL, won INTEGER NOT NULL, score INTEGER,
    PRIMARY KEY (id, place)
) WITHOUT ROWID;
CREATE INDEX played_by ON played (person, id, won, name);
CREATE INDEX journal_joins ON journal (line, code, n) WHERE {JOINS};
"""

# The only condition for result rows: a table that does not meet it is in no list and no statistic.
HAS_RESULT = "finished IS NOT NULL AND code NOT IN (SELECT code FROM bots)"
DAY = 24 * 3600  # a longer duration means that the clock was set during the game, or that it was interrupted
MOVES = (
    f"{ACTION} NOT GLOB 'joins *' AND {ACTION} NOT GLOB 'asks *'"
    f" AND {ACTION} NOT GLOB 'answers *' AND {ACTION} NOT IN ('taken', 'closed', 'returns')"
)


def result_added(
    code: str,
    game: str,
    outcome: Mapping[str, Any],
    names: Mapping[str, str | None],
    avatars: Mapping[str, str],
) -> Iterator[Change]:
    """Insert the result of a game that was just marked as finished, and its players."""
    yield (
        "INSERT INTO games (code, game, finished, reason, drawn, shown, moves, seconds)"
        f" SELECT code, game, finished, ?, ?, ?, count(line), {_seconds()}"
        f" FROM tables LEFT JOIN (SELECT at, line FROM journal WHERE code = ? AND {MOVES})"
        f" WHERE code = ? AND {HAS_RESULT} GROUP BY code",
        (outcome["reason"], outcome["draw"], outcome["debrief"] is not None, code, code),
    )
    sides = _sides(game, names)
    for place, (seat, name) in enumerate(names.items(), 1):
        if name is not None:
            score, won = _score(outcome, seat, sides[seat]), seat in outcome["winners"]
            yield (
                "INSERT INTO played (id, place, seat, side, person, name, avatar, won, score)"
                " SELECT id, ?, ?, ?, ?, ?, ?, ?, ? FROM games WHERE code = ?",
                (place, seat, sides[seat], person_key(name), name, avatars.get(seat, ""), won, score, code),
            )


def result_corrected(
    code: str, game: str, outcome: Mapping[str, Any], names: Mapping[str, str | None]
) -> Iterator[Change]:
    """Update the result of a game whose outcome was corrected. Its place in the history stays."""
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


def result_deleted(code: str) -> Iterator[Change]:
    """Delete the result of a game that continues after a correction."""
    yield ("DELETE FROM played WHERE id IN (SELECT id FROM games WHERE code = ?)", (code,))
    yield ("DELETE FROM games WHERE code = ?", (code,))


def _sides(game: str, names: Mapping[str, str | None]) -> dict[str, str]:
    """The side of each seat."""
    return {seat: side for side, team in GAMES[game].sides(tuple(names)).items() for seat in team}


def _score(outcome: Mapping[str, Any], seat: str, side: str) -> int | None:
    """The points of a seat, or of its side."""
    scores = outcome["scores"]
    found: int | None = scores.get(seat, scores.get(side))
    return found


def _seconds() -> str:
    """SQL: seconds from the first move to the end; NULL if they are implausible."""
    took = "CAST(strftime('%s', finished) AS INTEGER) - CAST(strftime('%s', min(at)) AS INTEGER)"
    return f"CASE WHEN {took} BETWEEN 0 AND {DAY} THEN {took} END"


def _joined(line: str) -> Joined | None:
    try:
        entry = read(line)
    except Unreadable:
        return None
    return entry if isinstance(entry, Joined) else None


# ---- deletion


def joins_of(person: str, lines: Iterable[str]) -> dict[str, Joined]:
    """Those of these journal lines in which this person took a seat, parsed."""
    found = ((line, _joined(line)) for line in lines)
    return {line: sat for line, sat in found if sat and sat.name and person_key(sat.name) == person}


def person_deleted(person: str, joins: Iterable[Join]) -> Iterator[Change]:
    """Delete a name, and its avatar, from results and journals. Results and the chain stay; the rows get new
    checksums."""
    yield ("UPDATE played SET person = '', name = '', avatar = '' WHERE person = ?", (person,))
    codes = set()
    for (code, n, at, head), sat in joins:
        codes.add(code)
        yield entry_rewritten(code, n, at, write(replaced(sat, name="", avatar="")), head)
    for code in codes:
        yield from _news_removed_from_answers(code)


def _news_removed_from_answers(code: str) -> Iterator[Change]:
    """Remove the news, which contain names, from the stored answers of a table's tokens; and damaged answers
    altogether."""
    tokens = "SELECT token FROM seats WHERE code = ?1 UNION SELECT host FROM tables WHERE code = ?1"
    yield (f"DELETE FROM answers WHERE json_valid(answer) IS NOT 1 AND scope IN ({tokens})", (code,))
    yield (
        "UPDATE answers SET answer = json_set(answer, '$.news', json_array())"
        f" WHERE scope IN ({tokens})"
        " AND iif(json_valid(answer), json_type(answer, '$.news'), NULL) IS NOT NULL",
        (code,),
    )


def game_deleted(code: str) -> Iterator[Change]:
    """Delete everything of a table. Stored answers of tokens that also hold a seat elsewhere only lose their
    news."""
    own = "SELECT token FROM seats WHERE code {0} ?1 UNION SELECT host FROM tables WHERE code {0} ?1"
    others = f"SELECT * FROM ({own.format('<>')}) WHERE token IS NOT NULL"
    yield (f"DELETE FROM answers WHERE scope IN ({own.format('=')}) AND scope NOT IN ({others})", (code,))
    yield from _news_removed_from_answers(code)
    yield from result_deleted(code)
    yield ("UPDATE tables SET next = NULL WHERE next = ?", (code,))
    for table in ("bots", "jobs", "journal", "seats", "kept_tables", "table_notes", "tables"):
        yield (f"DELETE FROM {table} WHERE code = ?", (code,))
