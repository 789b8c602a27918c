"""`make bench`: runs all benchmarks (by pages, beside boardgame.io, the rest) and stores the results here."""

import json
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.bench import by_pages, duel, engine, figures, folder, pages, peers, refusals, taps

HERE = Path(__file__).parent
REPEATS = 3  # runs of each kind; the median counts
MOST_SECONDS = 1.0  # until a new referee answers
LEAST_SYNC = 0.01  # milliseconds: what takes less is no disk


def main() -> int:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else REPEATS
    machine = this_machine()
    assert machine["sync_ms"] > LEAST_SYNC, f"{peers.BUILD} is on no disk: nothing would be measured"
    peers.install()
    print(f"By pages at {', '.join(map(str, by_pages.SIZES))} tables, {repeats} times each, in turns:")
    played = by_pages.measure(repeats)
    print("Pages that only listen:")
    listening = by_pages.idle()
    print(f"A tap until the other phone's pixels, {taps.TIMES} times each, in turns:")
    tapped = taps.measure()
    print("The first page of a phone:")
    seen = pages.measure()
    print(f"By the contract at {', '.join(map(str, duel.SIZES))} tables, {repeats} times each, in turns:")
    runs = duel.measure(repeats)
    print("Phones that only listen:")
    idle = duel.idle()
    print("Years of games:")
    years = folder.measure()
    print(json.dumps(years, indent=1))
    print("The rules:")
    rules = engine.measure()
    by_game = duel.medians(played, "game", "tables")
    pages_idle = duel.medians(listening, "game", "phones")
    rows = duel.medians(runs, "peer", "tables")
    idle_rows = duel.medians(idle, "peer", "tables")
    text = figures.markdown(machine, by_game, pages_idle, tapped, rows, idle_rows, seen, years, rules)
    raw = {
        "machine": machine,
        "by_pages": played,
        "idle_pages": listening,
        "taps": tapped,
        "pages": seen,
        "runs": runs,
        "idle": idle,
        "folder": years,
        "engine": rules,
    }
    (HERE / "results.json").write_text(json.dumps(raw, indent=1) + "\n")
    (HERE / "results.md").write_text(text)
    figures.plot(rows, HERE / "results.png")
    print(text)
    good = all(
        (
            by_pages.is_good(by_game, pages_idle),
            taps.is_good(tapped),
            is_good(rows, years),
            engine.is_good(rules),
        )
    )
    print("good" if good else "NOT YET")
    print("Refusals:")
    return refusals.main() or (0 if good else 1)


def this_machine() -> dict[str, Any]:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(": ")[2] for line in lines if line.startswith(("model name", "Model"))]
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": names[-1] if names else platform.machine(),
        "cores": len(peers.CORES),
        "python": platform.python_version(),
        "sync_ms": peers.sync_milliseconds(),
    }


def is_good(rows: list[figures.Row], years: figures.Row) -> bool:
    ours = [row for row in rows if row["peer"] == peers.REFEREE.name]
    light = all(row["start"] < MOST_SECONDS for row in ours)
    return light and folder.is_good(years) and all(good for *_, good in figures.ratios(rows))


if __name__ == "__main__":
    sys.exit(main())
