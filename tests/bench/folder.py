"""A data folder as it is after years: its size, how soon a referee opens on it, what a long table costs."""

import statistics
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from referee.games import GAMES
from referee.match import Match
from referee.record import write
from referee.simulate import opened, steps
from referee.views import outcome_item
from tests.bench.peers import REFEREE, load
from tests.web.server import Running
from web.door import hashed, new_key, new_token
from web.opening import free_seat
from web.store import Store
from web.store import changes as kept
from web.store.changes import Change, TableRow

FINISHED, RUNNING = 10_000, 200
A_YEAR = 5_000  # games of a club that meets every week
PLAYED = 8  # different random games of each kind; the others are copies under another code
AT = "2026-01-01T20:00:00+00:00"
TOGETHER = 500  # tables of one transaction
LONG = 5_000  # moves of a long table
LONGEST = 60  # seconds it may take
EDGE = 200  # of its moves that are compared

MOST_SECONDS = 2.0
MOST_MEGABYTES_A_YEAR = 100.0
MOST_GROWTH = 1.5


def measure() -> dict[str, float]:
    return {**years(), **long_table()}


def years() -> dict[str, float]:
    """Seconds to the first answer on a folder of years, and megabytes that a year takes on disk."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        data.mkdir()
        a_year = fill(data / "referee.db", A_YEAR, 0)
        fill(data / "referee.db", FINISHED - A_YEAR, RUNNING)
        times = [seconds_to_answer(data) for _ in range(3)]
    return {"a_year_megabytes": a_year, "first_start": times[0], "start": statistics.median(times)}


def fill(path: Path, finished: int, running: int) -> float:
    """Write so many finished and running tables; how many megabytes the games are now."""
    store = Store(path)
    games = [entries for game in GAMES.values() for entries in _some_games(game.id)]
    rows = islice(cycle(games), finished + running)
    batch: list[Change] = []
    for n, (match, lines) in enumerate(rows):
        batch += _table(match, lines if n < finished else lines[: len(lines) // 2])
        if n % TOGETHER == TOGETHER - 1:
            store.commit(batch)
            batch = []
    store.commit([*batch, ("SELECT 1", ())])
    store.close()
    return path.stat().st_size / 2**20


def _some_games(game: str) -> Iterator[tuple[Match, list[str]]]:
    """Random games of one kind, each as it ended, with the lines of its journal."""
    for n in range(PLAYED):
        played = list(steps(opened(GAMES[game], f"years/{n}", {}), f"years/{n}"))
        yield played[-1].match, [write(step.entry) for step in played]


def _table(match: Match, lines: list[str]) -> Iterator[Change]:
    code, over = new_token()[:8], len(lines) == match.entries
    host = hashed(new_token())
    row = TableRow(code, match.game.id, match.rules, dict(match.options), match.seed, host, None, AT)
    yield kept.table_opened(row)
    for seat in match.seats:
        yield kept.seat_added(code, free_seat(seat, new_key()))
    for n, line in enumerate(lines, 1):
        yield kept.entry_written(code, n, AT, line)
    if over and match.outcome:
        yield kept.table_finished(code, AT, outcome_item(match.outcome, match.seen_by().debrief))


def seconds_to_answer(data: Path) -> float:
    began = time.perf_counter()
    with Running(data) as server:
        assert server.client.get("/healthz").status == 200
        return time.perf_counter() - began


def long_table() -> dict[str, float]:
    """What the last of 5,000 moves cost beside the first ones, over HTTP: times as much."""
    with REFEREE.running() as server, load(server, "play", 1, 0, LONGEST, LONG) as play:
        times: list[float] = play()["times"]
    growth = statistics.median(times[-EDGE:]) / statistics.median(times[EDGE : 2 * EDGE])
    return {"long_table_moves": len(times), "long_table_growth": growth}


def is_good(found: dict[str, float]) -> bool:
    return (
        found["start"] < MOST_SECONDS
        and found["a_year_megabytes"] < MOST_MEGABYTES_A_YEAR
        and found["long_table_growth"] < MOST_GROWTH
    )
