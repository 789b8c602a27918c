"""`make bench`: this referee beside boardgame.io, idle phones, years of games, pages; results here."""

import json
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

from tests.bench import duel, figures, folder, pages, peers

HERE = Path(__file__).parent
MOST_MEGABYTES, MOST_SECONDS = 75.0, 1.0  # of an idle referee, and until it answers


def main() -> int:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else duel.REPEATS
    peers.install()
    print(f"A duel at {', '.join(map(str, duel.SIZES))} tables, {repeats} times each, in turns:")
    runs = duel.measure(repeats)
    print("Phones that only listen:")
    idle = duel.idle()
    print("Years of games:")
    years = folder.measure()
    print(json.dumps(years, indent=1))
    print("The first page of a phone:")
    seen = pages.measure()
    rows = duel.medians(runs)
    text = figures.markdown(rows, idle, seen, years)
    when = datetime.now(UTC).date().isoformat()
    machine = {"date": when, "cores": len(peers.CORES), "python": platform.python_version()}
    raw = {"machine": machine, "runs": runs, "idle": idle, "folder": years, "pages": seen}
    (HERE / "results.json").write_text(json.dumps(raw, indent=1) + "\n")
    (HERE / "results.md").write_text(text)
    figures.plot(rows, HERE / "results.png")
    print(text)
    good = is_good(rows, years)
    print("good" if good else "NOT YET")
    return 0 if good else 1


def is_good(rows: list[figures.Row], years: figures.Row) -> bool:
    ours = [row for row in rows if row["peer"] == peers.REFEREE.name]
    light = all(row["start"] < MOST_SECONDS for row in ours)
    return light and folder.is_good(years) and all(good for *_, good in figures.ratios(rows))


if __name__ == "__main__":
    sys.exit(main())
