"""A data folder after years of use: its size, how fast a server starts on it, the cost of a long table."""

import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

from referee.core.entries import Entry, Joined, Moved, write
from referee.core.match import Match
from referee.core.moves import Seat
from referee.games import GAMES
from referee.presentation.views import outcome_item
from referee.program.simulate import opened, steps
from tests.bench.peers import REFEREE, load
from tests.support.waiting import eventually
from tests.support.web.server_process import Running
from web.pages.rendering import nonce
from web.security.tokens import hashed, new_key, new_token
from web.service.idempotency import IdempotencyKey, answer_stored
from web.service.opening import Opened, Seeds, free_seat, opening
from web.store import Store, results, statements
from web.store.backups import KEPT, keep_in
from web.store.statements import Change

FINISHED, RUNNING = 10_000, 200
A_YEAR = 5_000  # games of a club that meets every week
PLAYED = 8  # different random games of each kind; the others are copies under another code
AT = "2026-01-01T20:00:00+00:00"
DESK = "main"
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
        path, backups = data / "referee.db", data / "backups"
        fill(path, A_YEAR, 0)
        games = megabytes(data)
        for _ in range(KEPT):
            keep_in(path, backups)
        sizes = {"a_year_megabytes": games, "a_year_megabytes_with_backups": megabytes(data)}
        shutil.rmtree(backups)
        fill(path, FINISHED - A_YEAR, RUNNING)
        first = seconds_to_answer(data, backups / "0001.db")
        return {**sizes, "first_start": first, "start": max(seconds_to_answer(data) for _ in range(3))}


def megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 2**20


def fill(path: Path, finished: int, running: int) -> None:
    """Write so many finished and running tables, as an evening at phones leaves them."""
    store = Store(path)
    games = [played for game in GAMES.values() for played in _some_games(game.id)]
    rows = islice(cycle(games), finished + running)
    batch: list[Change] = []
    for n, (match, entries) in enumerate(rows):
        batch += _table(match, entries if n < finished else entries[: len(entries) // 2])
        if n % TOGETHER == TOGETHER - 1:
            store.commit(batch)
            batch = []
    store.commit([*batch, ("SELECT 1", ())])
    store.close()


def _some_games(game: str) -> Iterator[tuple[Match, list[Entry]]]:
    """Random games of one kind, each as it ended, with the entries of its journal."""
    for n in range(PLAYED):
        played = list(steps(opened(GAMES[game], f"years/{n}", {}), f"years/{n}"))
        yield played[-1].match, [step.entry for step in played]


def _table(match: Match, entries: list[Entry]) -> Iterator[Change]:
    """All that is written from the opening of a table to its end, or until now."""
    table = Opened(new_token()[:8], new_token(), {seat: new_key() for seat in match.seats})
    yield from opening(table, match, Seeds(match.seed, 0), DESK, AT)
    yield statements.old_answers_dropped()
    tokens = {seat: hashed(new_token()) for seat in match.seats}
    for n, entry in enumerate(entries, 1):
        match = match.after(entry)
        yield statements.entry_written(table.code, n, AT, write(entry), match.head)
        yield from _called(table, entry, n, tokens)
    if len(entries) == match.entries:
        yield from _ended(table.code, match)


def _called(table: Opened, entry: Entry, n: int, tokens: Mapping[Seat, str]) -> Iterator[Change]:
    """What the form of a phone's page leaves besides the entry: who sits there, and that it was heeded."""
    assert isinstance(entry, Joined | Moved)
    once = IdempotencyKey(nonce(), hashed(f"form {n}"), whole=False)
    if isinstance(entry, Joined):
        key = table.keys[entry.seat]
        yield statements.seat_taken(table.code, replace(free_seat(entry.seat, key), token=tokens[entry.seat]))
        yield from answer_stored(hashed(key), once, {})
    else:
        yield from answer_stored(tokens[entry.seat], once, {"version": n})


def _ended(code: str, match: Match) -> Iterator[Change]:
    assert match.outcome
    outcome = outcome_item(match.outcome, match.seen_by().debrief)
    yield statements.table_finished(code, AT, outcome)
    yield from results.result_added(code, match.game.id, outcome, match.names, match.avatars)


def seconds_to_answer(data: Path, until: Path | None = None) -> float:
    """From the start to the first answer; the referee then runs until this file is there."""
    began = time.perf_counter()
    with Running(data) as server:
        assert server.client.get("/healthz").status == 200
        took = time.perf_counter() - began
        eventually(lambda: until is None or until.exists())
        return took


def long_table() -> dict[str, float]:
    """What the last of 5,000 moves cost beside the first ones, over HTTP: times as much."""
    with REFEREE.running() as server, load(server, "play", 1, 0, LONGEST, LONG) as play:
        times: list[float] = play()["times"]
    growth = statistics.median(times[-EDGE:]) / statistics.median(times[EDGE : 2 * EDGE])
    return {"long_table_moves": len(times), "long_table_growth": growth}


def is_good(found: dict[str, float]) -> bool:
    return (
        max(found["first_start"], found["start"]) < MOST_SECONDS
        and found["a_year_megabytes"] < MOST_MEGABYTES_A_YEAR
        and found["long_table_growth"] < MOST_GROWTH
    )


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))
