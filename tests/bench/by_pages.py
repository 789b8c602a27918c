"""Moves by pages: from a form on one phone until the other phone shows it; all games, 1 to 200 tables."""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from referee.games import GAMES
from tests.bench.peers import CORES, REFEREE, Server, on_cores
from tests.support.web.server_process import ROOT

SIZES = (1, 10, 50, 200)
IDLE = (200, 1000)  # phones
WARM, SECONDS = 1.5, 3.0  # of moves being told before anything is measured, and then
IDLE_REPEATS = 3
A_FEW = 10  # tables that warm up a server whose phones will only listen

LEAST_PER_SECOND = 500.0  # from this many tables on:
SOME = 10
MOST_PROCESSOR = 2.0  # milliseconds a move
MOST_ALONE = 3.0  # milliseconds until the other phone of a table alone shows it
MOST_BYTES, MOST_BYTES_P95 = 1024, 6 * 1024  # of a phone and move
MOST_IDLE = 25.0  # kilobytes of a phone that only listens

Row = dict[str, Any]


def measure(repeats: int, sizes: Sequence[int] = SIZES, games: Sequence[str] = tuple(GAMES)) -> list[Row]:
    """All runs, raw: a fresh server for each size of each game, in turns."""
    runs = []
    for turn in range(repeats):
        for game in games:
            for size in sizes:
                os.sync()  # nobody waits for what another left to be written
                with REFEREE.running() as server, _crowd(server, "play", game, size, WARM, SECONDS) as ask:
                    run = {"game": game, "tables": size, "turn": turn, **_figures(json.loads(ask()))}
                runs.append(run)
                print(
                    "  {game}: {tables} tables, {per_second:.0f} moves/s, p50 {p50:.1f}, p99 {p99:.1f} ms, "
                    "{processor:.2f} ms of processor, {bytes_p50:.0f} and {bytes_p95:.0f} bytes".format(**run)
                )
    return runs


def _figures(told: Row) -> Row:
    times, phones = sorted(told["times"]), told["mover"] + told["other"]
    parts = {name: told[name]["processor"] * 1000 / len(times) for name in ("told", "way", "read")}
    return {
        "moves": len(times),
        "refused": told["refused"],
        "per_second": len(times) / told["told"]["seconds"],
        "p50": share(times, 0.50),
        "p99": share(times, 0.99),
        "processor": parts["told"],
        "processor_taps": parts["way"] + parts["read"],
        "bytes_p50": float(statistics.median(phones)),
        "bytes_p95": share(phones, 0.95),
        **{f"bytes_{who}": share(told[who], 0.50) for who in ("mover", "other", "screen")},
        "bytes_before": share(told["mover_before"], 0.50),
        "bytes_before_p95": share(told["mover_before"], 0.95),
        "load_busy": told["load_busy"],
    }


def share(values: Sequence[float], part: float) -> float:
    """The value below which this part of them lies."""
    return float(sorted(values)[min(len(values) - 1, int(len(values) * part))])


def idle(counts: Sequence[int] = IDLE, repeats: int = IDLE_REPEATS) -> list[Row]:
    """Kilobytes of a phone with its page open, and of a table where all sit."""
    runs = []
    for _ in range(repeats):
        for phones in counts:
            game = next(iter(GAMES))
            with REFEREE.running() as server:
                with _crowd(server, "play", game, A_FEW, 0, WARM) as ask:
                    ask()
                run = {"game": game, "phones": phones, **_listening(server, game, phones)}
            runs.append(run)
            print("  {phones} idle phones: {phone:.1f} kB each, {table:.1f} kB a table".format(**run))
    return runs


def _listening(server: Server, game: str, phones: int) -> Row:
    """A second phone of a seat costs what a phone costs; what the first cost beyond that is the table's."""
    tables = phones // 2
    before = server.resident()
    with _crowd(server, "hold", game, tables) as ask:
        assert ask() == "seated"
        assert ask() == "open"
        once = server.resident()
        assert ask() == "open"
        twice = server.resident()
    phone = (twice - once) * 1024 / phones
    return {"table": (once - before) * 1024 / tables - 2 * phone, "phone": phone}


@contextmanager
def _crowd(server: Server, *what: str | float) -> Iterator[Callable[[], str]]:
    """The load, on the other cores. Asked, it does what comes next, and says what came of it."""
    command = [
        *on_cores(CORES[1:] or CORES),
        sys.executable,
        "-m",
        "tests.bench.crowd",
        server.url,
        *map(str, what),
    ]
    process = subprocess.Popen(
        [*command, str(server.pid)] if what[0] == "play" else command,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin and process.stdout
    talk, listen = process.stdin, process.stdout

    def ask() -> str:
        talk.write("\n")
        talk.flush()
        return listen.readline().strip()

    try:
        yield ask
    finally:
        process.kill()
        process.communicate()


def is_good(rows: Sequence[Row], listening: Sequence[Row]) -> bool:
    return all(good for *_, good in limits(rows, listening))


Limit = tuple[str, str, str, float, bool]  # what, wanted, of which game, the worst, and whether it is so


def limits(rows: Sequence[Row], listening: Sequence[Row]) -> Iterator[Limit]:
    """What is promised, in each game the worst of all sizes."""
    for game in dict.fromkeys(row["game"] for row in rows):
        yield from _limits_of(game, [row for row in rows if row["game"] == game])
    for row in listening:
        what = f"kB of an idle phone, of {row['phones']} (a table {row['table']:.1f})"
        yield what, f"at most {MOST_IDLE:g}", row["game"], row["phone"], row["phone"] <= MOST_IDLE


def _limits_of(game: str, rows: Sequence[Row]) -> Iterator[Limit]:
    slowest = min(row["per_second"] for row in rows if row["tables"] >= SOME)
    wanted = f"at least {LEAST_PER_SECOND:g}"
    yield f"moves/s at {SOME} tables and more", wanted, game, slowest, slowest >= LEAST_PER_SECOND
    for what, figure, most, mine in (
        ("ms to the other phone, at a table alone", "p50", MOST_ALONE, [r for r in rows if r["tables"] == 1]),
        ("ms of processor a move", "processor", MOST_PROCESSOR, rows),
        ("bytes of a phone and move, median", "bytes_p50", MOST_BYTES, rows),
        ("bytes of a phone and move, p95", "bytes_p95", MOST_BYTES_P95, rows),
    ):
        worst = max(row[figure] for row in mine)
        yield what, f"at most {most:g}", game, worst, worst <= most


if __name__ == "__main__":
    sizes, *games = sys.argv[1:]
    measure(1, tuple(map(int, sizes.split(","))), games or tuple(GAMES))
