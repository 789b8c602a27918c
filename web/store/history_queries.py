"""Queries for history and statistics, from result rows. Abandoned games count in nobody's statistics.

A damaged row, with values that nobody wrote there, is left out: lists and statistics go on without its game.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from referee.core.entries import DESK_TAKEN
from referee.core.game import ABANDONED
from web.store import Store
from web.store.results import DAY

NOT_ABANDONED = f"g.reason <> '{ABANDONED}'"
RECENT = 100  # games whose people are suggested
MOST_MOVES = 1_000_000  # no game has more
# SQL: control characters and direction marks, which no name has
CONTROL = (
    "'*[' || "
    + " || '-' || ".join(
        ("char(1)", "char(31, 127)", "char(159, 8203)", "char(8207, 8234)", "char(8238, 8288)", "char(8303)")
    )
    + " || ']*'"
)
# SQL: whether the values of a row can be what was written. NULL counts as damage too.
WHOLE_PLAYER = (
    "(typeof(p.seat) = 'text' AND typeof(p.side) = 'text' AND typeof(p.person) = 'text'"
    f" AND typeof(p.name) = 'text' AND p.name NOT GLOB {CONTROL} AND typeof(p.avatar) = 'text'"
    " AND p.won IN (0, 1) AND typeof(p.score) IN ('integer', 'null')) IS TRUE"
)
WHOLE_RESULT = (
    "(typeof(g.code) = 'text' AND typeof(g.game) = 'text' AND typeof(g.reason) = 'text' AND g.drawn IN (0, 1)"
    f" AND typeof(g.moves) = 'integer' AND g.moves BETWEEN 0 AND {MOST_MOVES} AND g.shown IN (0, 1)"
    f" AND typeof(g.seconds) IN ('integer', 'null') AND coalesce(g.seconds, 0) BETWEEN 0 AND {DAY}) IS TRUE"
)
WHOLE_GAME = (
    f"{WHOLE_RESULT} AND (strftime('%Y-%m-%dT%H:%M:%S+00:00', g.finished) = g.finished) IS TRUE"
    f" AND NOT EXISTS (SELECT 1 FROM played p WHERE p.id = g.id AND NOT {WHOLE_PLAYER})"
)
NAMED = (
    f"typeof(p.person) = 'text' AND typeof(p.name) = 'text' AND p.name NOT GLOB {CONTROL}"
    " AND typeof(p.avatar) = 'text'"
)
PLAYED = (
    f"played p JOIN games g ON g.id = p.id AND {NOT_ABANDONED} AND {NAMED} AND p.won IN (0, 1)"
    " AND g.drawn IN (0, 1) AND typeof(g.game) = 'text' AND typeof(g.code) = 'text'"
)


@dataclass(frozen=True)
class PlayerResult:
    """A player of a finished game. Name and avatar are empty if the person was deleted."""

    seat: str
    side: str
    person: str
    name: str
    avatar: str
    won: bool
    score: int | None


@dataclass(frozen=True)
class FinishedGame:
    """A finished game. `n` grows from one finished game to the next."""

    n: int
    code: str
    game: str
    finished: str
    reason: str
    drawn: bool
    moves: int
    seconds: int | None
    shown: bool  # whether the whole game may be replayed in public
    players: tuple[PlayerResult, ...] = ()

    @property
    def is_abandoned(self) -> bool:
        return self.reason == ABANDONED


@dataclass(frozen=True)
class HistoryFilter:
    """A filter: games of one kind, of one person, before a number, of one table."""

    game: str = ""
    person: str = ""
    before: int | None = None
    code: str = ""

    def where(self) -> tuple[str, list[Any]]:
        """The SQL condition and its values."""
        parts = {
            "g.game = ?": self.game,
            "g.id IN (SELECT id FROM played WHERE person = ?)": self.person,
            "g.id < ?": self.before,
            "g.code = ?": self.code,
        }
        asked = {part: value for part, value in parts.items() if value not in ("", None)}
        return " AND ".join(asked) or "1", list(asked.values())


@dataclass(frozen=True)
class Tally:
    """How often somebody played, won and drew."""

    played: int = 0
    won: int = 0
    drawn: int = 0

    @property
    def lost(self) -> int:
        return self.played - self.won - self.drawn

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.played + other.played, self.won + other.won, self.drawn + other.drawn)


@dataclass(frozen=True)
class Person:
    """A person, with the latest spelling of the name, the latest avatar and a tally per game."""

    person: str
    name: str
    avatar: str = ""
    games: dict[str, Tally] = field(default_factory=dict)

    @property
    def all(self) -> Tally:
        return sum(self.games.values(), Tally())


@dataclass(frozen=True)
class Rival:
    """A person's results against another one, and how often they played on the same side."""

    person: str
    name: str
    met: int
    won: int
    lost: int
    drawn: int
    together: int


# ---- games


def history(store: Store, wanted: HistoryFilter, most: int) -> list[FinishedGame]:
    """Finished games, newest first, including abandoned ones."""
    where, values = wanted.where()
    rows = store.read(
        "SELECT id, code, game, finished, reason, drawn, moves, seconds, shown FROM games g"
        f" WHERE {where} AND {WHOLE_GAME} ORDER BY id DESC LIMIT ?",
        *values,
        most,
    )
    players = _players(store, [row[0] for row in rows])
    return [_game(row, players.get(row[0], ())) for row in rows]


def _game(row: tuple[Any, ...], players: Iterable[PlayerResult]) -> FinishedGame:
    n, code, game, finished, reason, drawn, moves, seconds, shown = row
    return FinishedGame(
        n, code, game, finished, reason, bool(drawn), moves, seconds, bool(shown), players=tuple(players)
    )


def finished_game(store: Store, code: str) -> FinishedGame | None:
    """The finished game of this table."""
    return next(iter(history(store, HistoryFilter(code=code), 1)), None)


def count_games(store: Store, wanted: HistoryFilter) -> int:
    where, values = wanted.where()
    return int(store.read(f"SELECT count(*) FROM games g WHERE {where} AND {WHOLE_GAME}", *values)[0][0])


def count_damaged(store: Store) -> int:
    """How many games are left out because their rows are damaged."""
    return int(store.read(f"SELECT count(*) FROM games g WHERE NOT ({WHOLE_GAME})")[0][0])


def _players(store: Store, ids: list[int]) -> dict[int, list[PlayerResult]]:
    """The players of each of these games."""
    found: dict[int, list[PlayerResult]] = {}
    for some in _batches(ids, 500):
        marks = ",".join("?" * len(some))
        sql = f"SELECT id, seat, side, person, name, avatar, won, score FROM played WHERE id IN ({marks})"
        for id_, seat, side, person, name, avatar, won, score in store.read(
            f"{sql} ORDER BY id, place", *some
        ):
            played = PlayerResult(seat, side, person, name, avatar, bool(won), score)
            found.setdefault(id_, []).append(played)
    return found


def _batches(ids: list[int], most: int) -> Iterator[list[int]]:
    for start in range(0, len(ids), most):
        yield ids[start : start + most]


# ---- people


def suggestions(store: Store) -> list[str]:
    """The names of people in the latest games, latest first."""
    rows = store.read(
        f"SELECT name, max(id) FROM played p WHERE +person <> '' AND {NAMED}"
        f" AND id IN (SELECT id FROM games g WHERE {NOT_ABANDONED} ORDER BY id DESC LIMIT ?)"
        " GROUP BY person ORDER BY max(id) DESC",
        RECENT,
    )
    return [name for name, _ in rows]


def people(store: Store, most: int = -1, after: int = 0) -> list[Person]:
    """Everybody who finished a game, the latest first, with their tallies."""
    found = store.read(
        f"SELECT person, name, avatar, max(p.id) AS last FROM {PLAYED} WHERE person <> ''"
        " GROUP BY person ORDER BY last DESC, name LIMIT ? OFFSET ?",
        most,
        after,
    )
    tallies = _tallies(store, None if most < 0 else [person for person, *_ in found])
    return [Person(person, name, avatar, tallies.get(person, {})) for person, name, avatar, _ in found]


def count_people(store: Store) -> int:
    return int(store.read(f"SELECT count(DISTINCT person) FROM {PLAYED} WHERE person <> ''")[0][0])


def person(store: Store, known: str) -> Person | None:
    """One person, even with abandoned games only. The spelling is that of the last game that counts."""
    rows = store.read(
        f"SELECT p.name, p.avatar FROM played p JOIN games g ON g.id = p.id WHERE p.person = ? AND {NAMED}"
        f" ORDER BY {NOT_ABANDONED} DESC, p.id DESC LIMIT 1",
        known,
    )
    if not known or not rows:
        return None
    name, avatar = rows[0]
    return Person(known, name, avatar, _tallies(store, [known]).get(known, {}))


def _tallies(store: Store, known: Iterable[str] | None) -> dict[str, dict[str, Tally]]:
    """Tallies by person and game. A person in two seats of a game played it once."""
    chosen = [] if known is None else list(known)
    only = "p.person <> ''" if known is None else f"p.person IN ({','.join('?' * len(chosen))})"
    rows = store.read(
        "SELECT person, game, count(*), sum(won), sum(drawn) FROM"
        f" (SELECT p.person, g.game, g.drawn, max(p.won) AS won FROM {PLAYED} WHERE {only}"
        " GROUP BY p.person, p.id) GROUP BY person, game",
        *chosen,
    )
    found: dict[str, dict[str, Tally]] = {}
    for who, game, *figures in rows:
        found.setdefault(who, {})[game] = Tally(*figures)
    return found


def rivals(store: Store, known: str, most: int) -> list[Rival]:
    """Everybody this person played with or against, most frequent first."""
    rows = store.read(
        "SELECT person, name, sum(against), sum(against AND mine AND NOT theirs),"
        " sum(against AND theirs AND NOT mine), sum(against AND drawn), sum(NOT against), max(id) FROM"
        " (SELECT o.person, o.name, p.id, g.drawn, max(p.won) AS mine, max(o.won) AS theirs,"
        f" max(o.side <> p.side) AS against FROM {PLAYED} JOIN played o ON o.id = p.id"
        " AND typeof(o.person) = 'text' AND typeof(o.name) = 'text'"
        " WHERE p.person = ? AND o.person NOT IN ('', p.person) GROUP BY o.person, p.id)"
        " GROUP BY person ORDER BY count(*) DESC, max(id) DESC LIMIT ?",
        known,
        most,
    )
    return [Rival(*row[:7]) for row in rows]


def recent_results(store: Store, known: str, most: int) -> list[tuple[str, str]]:
    """This person's latest results, oldest first: code, and won, drawn or lost."""
    rows = store.read(
        f"SELECT g.code, max(p.won), g.drawn FROM {PLAYED} WHERE p.person = ?"
        " GROUP BY p.id ORDER BY p.id DESC LIMIT ?",
        known,
        most,
    )
    return [(code, "drawn" if drawn else "won" if won else "lost") for code, won, drawn in reversed(rows)]


# ---- one game


@dataclass(frozen=True)
class Figures:
    """Statistics of one game: wins of each side, reasons of the end, lengths."""

    played: int
    abandoned: int
    drawn: int
    sides: dict[str, tuple[int, int]]  # won, played
    reasons: dict[str, int]
    moves: dict[int, int]  # how many games had so many moves
    minutes: dict[int, int]


def figures(store: Store, game: str) -> Figures:
    reasons = dict(
        store.read(
            f"SELECT reason, count(*) FROM games g WHERE game = ? AND {WHOLE_RESULT}"
            " GROUP BY reason ORDER BY 2 DESC",
            game,
        )
    )
    drawn = store.read(f"SELECT count(*) FROM games g WHERE game = ? AND drawn AND {WHOLE_RESULT}", game)
    sides = store.read(
        "SELECT side, count(*), sum(won) FROM (SELECT p.side, max(p.won) AS won, min(p.place) AS place"
        f" FROM {PLAYED} WHERE g.game = ? GROUP BY p.id, p.side) GROUP BY side ORDER BY min(place)",
        game,
    )
    abandoned = reasons.pop(ABANDONED, 0)
    return Figures(
        played=sum(reasons.values()),
        abandoned=abandoned,
        drawn=drawn[0][0],
        sides={side: (won, met) for side, met, won in sides},
        reasons=reasons,
        moves=_lengths(store, game, "moves"),
        minutes=_lengths(store, game, "(seconds + 30) / 60"),
    )


def _lengths(store: Store, game: str, length: str) -> dict[int, int]:
    rows = store.read(
        f"SELECT {length}, count(*) FROM games g WHERE game = ? AND {NOT_ABANDONED} AND {WHOLE_RESULT}"
        f" AND {length} IS NOT NULL GROUP BY 1 ORDER BY 1",
        game,
    )
    return dict(rows)


# ---- now


def unfinished(store: Store, most: int) -> list[tuple[str, str]]:
    """Unfinished tables, newest first: code, and time of the last activity of its players.

    The loss of the desk to another table is not such an activity.
    """
    rows = store.read(
        "SELECT code, coalesce((SELECT at FROM journal WHERE journal.code = tables.code AND line != ?"
        " ORDER BY n DESC LIMIT 1), opened) FROM tables WHERE finished IS NULL ORDER BY id DESC LIMIT ?",
        DESK_TAKEN,
        most,
    )
    return [(code, at) for code, at in rows]
