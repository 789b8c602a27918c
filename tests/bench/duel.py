"""How this referee and boardgame.io carry 1 to 200 tables of a hidden-card duel; and idle phones."""

import os
import statistics
from collections.abc import Sequence
from typing import Any

from tests.bench.peers import IN_MEMORY, PEERS, REFEREE, Peer, Server, load

SIZES = (1, 10, 50, 200)
IDLE = (100, 500, 1000)
MOVES = {1: 400, 10: 200, 50: 60, 200: 40}  # at each table
SECONDS = 5  # after which a run ends all the same
WARM = (10, 150, 3)  # tables, moves, seconds before anything is measured
REPEATS = 5

Figures = dict[str, float]


def measure(repeats: int = REPEATS, sizes: Sequence[int] = SIZES, peers: Sequence[Peer] = PEERS) -> list[Any]:
    """All runs, raw: each size with each peer, in turns, a fresh server each time."""
    runs = []
    for turn in range(repeats):
        for size in sizes:
            for peer in peers:
                os.sync()  # nobody waits for what another left to be written
                with peer.running() as server:
                    run: dict[str, Any] = {
                        "peer": peer.name,
                        "tables": size,
                        "turn": turn,
                        **one(server, size),
                    }
                runs.append(run)
                print("  {peer}: {tables} tables, {per_second:.0f} moves/s, p99 {p99:.1f} ms".format(**run))
    return runs


def one(server: Server, tables: int) -> Figures:
    """One run: warm up, set up, play."""
    with load(server, "play", *WARM) as play:
        play()
    with load(server, "play", tables, MOVES[tables], SECONDS) as play:
        before = server.cpu()
        told = play()
        spent = server.cpu() - before
        resident = server.resident()
    times = sorted(told["times"])
    return {
        "moves": len(times),
        "per_second": len(times) / told["seconds"],
        "p50": _at(times, 0.50),
        "p95": _at(times, 0.95),
        "p99": _at(times, 0.99),
        "cpu_per_1000": spent * 1000 / len(times),
        "megabytes": resident,
        "start": server.seconds,
        "load_busy": told["load_cpu"] / told["seconds"],
    }


def _at(times: Sequence[float], share: float) -> float:
    return times[min(len(times) - 1, int(len(times) * share))]


def idle(peers: Sequence[Peer] = (REFEREE, IN_MEMORY), counts: Sequence[int] = IDLE) -> list[Any]:
    """Phones that only listen: how many kilobytes each costs, half a table included."""
    found = []
    for peer in peers:
        for phones in counts:
            with peer.running() as server:
                with load(server, "play", *WARM) as play:
                    play()
                before = server.resident()
                with load(server, "hold", phones):
                    each = (server.resident() - before) * 1024 / phones
            found.append({"peer": peer.name, "phones": phones, "kilobytes_each": each})
            print(f"  {peer.name}: {phones} idle phones, {each:.1f} kB each")
    return found


def medians(runs: Sequence[Any]) -> list[Any]:
    """One row a peer and size: the median of every figure."""
    rows = []
    for peer, tables in dict.fromkeys((run["peer"], run["tables"]) for run in runs):
        mine = [run for run in runs if (run["peer"], run["tables"]) == (peer, tables)]
        figures = {
            name: statistics.median(run[name] for run in mine)
            for name, value in mine[0].items()
            if isinstance(value, float)
        }
        rows.append({"peer": peer, "tables": tables, **figures})
    return rows
