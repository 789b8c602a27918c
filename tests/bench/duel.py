"""Compares this referee with boardgame.io: a hidden-card duel at 1 to 200 tables, and idle phones."""

import os
import statistics
from collections.abc import Sequence
from typing import Any

from tests.bench.peers import IN_MEMORY, PEERS, REFEREE, Peer, Server, load

SIZES = (1, 10, 50, 200)
IDLE = (100, 500, 1000)
WARM, SECONDS = 4, 5  # of play before anything is measured, and then
A_FEW = 10  # tables that warm up a server whose phones will only listen
IDLE_REPEATS = 3

Figures = dict[str, float]


def measure(repeats: int, sizes: Sequence[int] = SIZES, peers: Sequence[Peer] = PEERS) -> list[Any]:
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
    """One run: set up, warm up, play."""
    with load(server, "play", tables, WARM, SECONDS) as play:
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
    """Phones that only listen: how many kilobytes each costs, half a table included; all runs, in turns."""
    runs = []
    for _ in range(IDLE_REPEATS):
        for phones in counts:
            for peer in peers:
                run = {"peer": peer.name, "tables": phones // 2, "kilobytes_each": _listening(peer, phones)}
                runs.append(run)
                print(f"  {peer.name}: {phones} idle phones, {run['kilobytes_each']:.1f} kB each")
    return runs


def _listening(peer: Peer, phones: int) -> float:
    with peer.running() as server:
        with load(server, "play", A_FEW, 0, WARM) as play:
            play()
        before = server.resident()
        with load(server, "hold", phones):
            return (server.resident() - before) * 1024 / phones


def medians(runs: Sequence[Any], *by: str) -> list[Any]:
    """One row for each of those (as each peer and size): the median of every figure."""
    rows = []
    for kind in dict.fromkeys(tuple(run[name] for name in by) for run in runs):
        mine = [run for run in runs if tuple(run[name] for name in by) == kind]
        figures = {
            name: statistics.median(run[name] for run in mine)
            for name, value in mine[0].items()
            if isinstance(value, float)
        }
        rows.append({**dict(zip(by, kind, strict=True)), **figures})
    return rows
