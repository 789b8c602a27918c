"""Formats the measurements as Markdown tables and as a plot."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from tests.bench.by_pages import limits
from tests.bench.pages import SLOWER
from tests.bench.peers import IN_FILES, IN_MEMORY, REFEREE
from tests.support.web.server_process import ROOT

Row = dict[str, Any]
HEAD = (
    "| tables | who | moves/s | p50 ms | p95 ms | p99 ms | CPU s per 1,000 moves | MB | start s | load |",
    "|---|---|---|---|---|---|---|---|---|---|",
)
LINE = (
    "| {tables} | {peer} | {per_second:,.0f} | {p50:.1f} | {p95:.1f} | {p99:.1f} | {cpu_per_1000:.2f}"
    " | {megabytes:.0f} | {start:.2f} | {load_busy:.0%} |"
)
BEST = {  # name of a ratio, its figure, against whom, how far it may go, which way is good
    "p99 beside boardgame.io in memory": ("p99", IN_MEMORY.name, 1.0, "at most"),
    "moves/s beside boardgame.io with files": ("per_second", IN_FILES.name, 3.0, "at least"),
    "MB beside boardgame.io in memory": ("megabytes", IN_MEMORY.name, 0.6, "at most"),
    "moves/s beside boardgame.io in memory (the aim)": ("per_second", IN_MEMORY.name, 1.0, "aim"),
}


PAGES_SPEED = (
    "| game | tables | moves/s | p50 ms | p99 ms | processor ms a move | of the taps before | load |",
    "|---|---|---|---|---|---|---|---|",
    "| `{game}` | {tables} | {per_second:,.0f} | {p50:.1f} | {p99:.1f} | {processor:.2f}"
    " | {processor_taps:.2f} | {load_busy:.0%} |",
)
PAGES_BYTES = (
    "| game | tables | bytes a phone and move | p95 | who moved | the other | screen | taps before |",
    "|---|---|---|---|---|---|---|---|",
    "| `{game}` | {tables} | {bytes_p50:,.0f} | {bytes_p95:,.0f} | {bytes_mover:,.0f} | {bytes_other:,.0f}"
    " | {bytes_screen:,.0f} | {bytes_before:,.0f} |",
)


def ratios(rows: Sequence[Row]) -> Iterator[tuple[str, int, float, bool]]:
    """Every ratio at every size, and whether it is good."""
    found = {(row["peer"], row["tables"]): row for row in rows}
    sizes = sorted({row["tables"] for row in rows})
    for name, (figure, other, limit, way) in BEST.items():
        for size in sizes:
            ratio = found[REFEREE.name, size][figure] / found[other, size][figure]
            yield name, size, ratio, way == "aim" or (ratio <= limit if way == "at most" else ratio >= limit)


def markdown(
    machine: Row,
    played: Sequence[Row],
    listening: Sequence[Row],
    tapped: Sequence[Row],
    rows: Sequence[Row],
    idle: Sequence[Row],
    pages: Sequence[Row],
    folder: Row,
    engine: Sequence[Row],
) -> str:
    return "\n".join(
        (
            "{processor}, {cores} cores, Python {python}, a sync of the disk {sync_ms:.2f} ms; {date}".format(
                **machine
            ),
            "",
            "By pages: two phones and a screen at every table, a form until the other phone shows it",
            "",
            *_table(PAGES_SPEED, played),
            "",
            *_table(PAGES_BYTES, played),
            "",
            *_promises(played, listening),
            "",
            f"| in Chromium, processor {SLOWER} times slower | tap to the other phone's pixels, ms | p95 |",
            "|---|---|---|",
            *("| {peer} | {p50:.0f} | {p95:.0f} |".format(**row) for row in tapped),
            "",
            "| first page of a phone (processor 6 times slower, slow Wi-Fi) | kB | requests | usable after |",
            "|---|---|---|---|",
            *(
                "| `{game}` | {kilobytes:.0f} | {requests} | {usable_seconds:.1f} s |".format(**p)
                for p in pages
            ),
            "",
            "By the JSON contract, beside boardgame.io",
            "",
            *HEAD,
            *(LINE.format(**row) for row in sorted(rows, key=lambda row: row["tables"])),
            "",
            *_ratio_table(rows),
            "",
            "| idle phones | who | kB each, half a table included |",
            "|---|---|---|",
            *(f"| {2 * row['tables']} | {row['peer']} | {row['kilobytes_each']:.0f} |" for row in idle),
            "",
            *_folder(folder),
            "",
            "| rules of | matches/s of one core | slowest choices ms | play ms | view ms | move 5,000 |",
            "|---|---|---|---|---|---|",
            *map(_rules, engine),
            "",
        )
    )


def _table(shape: tuple[str, str, str], rows: Sequence[Row]) -> Iterator[str]:
    """A table from its head, its rule and the form of its lines."""
    head, rule, line = shape
    yield from (head, rule, *(line.format(**row) for row in rows))


def _promises(played: Sequence[Row], listening: Sequence[Row]) -> Iterator[str]:
    yield "| by pages | wanted | worst | |"
    yield "|---|---|---|---|"
    for what, wanted, game, worst, good in limits(played, listening):
        yield f"| {what} | {wanted} | {worst:,.1f} | {game}{'' if good else ' ✗'} |"


def _ratio_table(rows: Sequence[Row]) -> Iterator[str]:
    sizes = sorted({row["tables"] for row in rows})
    yield f"| the referee's | wanted | {' | '.join(f'{size} tables' for size in sizes)} |"
    yield f"|---|---|{'---|' * len(sizes)}"
    for name, (_, _, limit, way) in BEST.items():
        told = [f"{ratio:.2f}{'' if good else ' ✗'}" for n, _, ratio, good in ratios(rows) if n == name]
        yield f"| {name} | {'' if way == 'aim' else way} {limit:g} | {' | '.join(told)} |"


def _folder(folder: Row) -> Iterator[str]:
    yield "| a folder of years | |"
    yield "|---|---|"
    yield f"| start to first answer, 10,000 finished and 200 running tables | {folder['start']:.2f} s |"
    yield f"| the same, where the day's backup is yet to be made | {folder['first_start']:.2f} s |"
    yield f"| 5,000 games played on phones, on disk | {folder['a_year_megabytes']:.0f} MB |"
    yield f"| the same with their seven backups | {folder['a_year_megabytes_with_backups']:.0f} MB |"
    last = f"{folder['long_table_moves']:,}"
    yield f"| move {last} of a table, beside its first | {folder['long_table_growth']:.2f} times as long |"


def _rules(row: Row) -> str:
    verbs = " | ".join(f"{row[verb] * 1000:.2f}" for verb in ("choices", "play", "view"))
    growth = f"{row['growth']:.2f} of the first ones" if row["growth"] else "it never lasts so long"
    return f"| `{row['game']}` | {row['matches_per_second']:,.0f} | {verbs} | {growth} |"


WIDE, HIGH, EDGE = 460, 300, 48
COLOURS = {REFEREE.name: "#b3261e", IN_MEMORY.name: "#1b5e8a", IN_FILES.name: "#7a7a7a"}
PLOTS: tuple[tuple[str, str], ...] = (
    ("moves per second", "per_second"),
    ("p99, ms", "p99"),
    ("resident, MB", "megabytes"),
)


def plot(rows: Sequence[Row], path: Path) -> None:
    """Bars for each size and peer, drawn from zero; the figures side by side."""
    picture = Image.new("RGB", (WIDE * len(PLOTS), HIGH + 30), "white")
    draw, font = ImageDraw.Draw(picture), _font()
    for place, (title, figure) in enumerate(PLOTS):
        _bars(draw, font, place * WIDE, title, _heights(rows, figure))
    for n, (peer, colour) in enumerate(COLOURS.items()):
        draw.rectangle((EDGE + n * 260, HIGH + 8, EDGE + n * 260 + 12, HIGH + 20), fill=colour)
        draw.text((EDGE + n * 260 + 18, HIGH + 6), peer, fill="black", font=font)
    picture.save(path)


def _heights(rows: Sequence[Row], figure: str) -> dict[int, dict[str, float]]:
    sizes: dict[int, dict[str, float]] = {}
    for row in rows:
        if row["peer"] in COLOURS:
            sizes.setdefault(row["tables"], {})[row["peer"]] = row[figure]
    return dict(sorted(sizes.items()))


def _bars(
    draw: ImageDraw.ImageDraw,
    font: ImageFont.FreeTypeFont,
    left: int,
    title: str,
    heights: dict[int, dict[str, float]],
) -> None:
    top = max(value for peers in heights.values() for value in peers.values())

    def scale(value: float) -> float:
        return HIGH - 30 - value / top * (HIGH - 90)

    draw.text((left + EDGE, 10), title, fill="black", font=font)
    draw.line((left + EDGE - 6, scale(0), left + WIDE - 10, scale(0)), fill="black")
    group = (WIDE - EDGE - 10) // len(heights)
    for n, (size, peers) in enumerate(heights.items()):
        x = left + EDGE + n * group
        draw.text((x, HIGH - 24), f"{size} tables", fill="black", font=font)
        for k, (peer, value) in enumerate(peers.items()):
            at = x + k * 30
            draw.rectangle((at, scale(value), at + 24, scale(0)), fill=COLOURS[peer])
            draw.text((at, scale(value) - 16), f"{value:.0f}", fill="black", font=font)


def _font() -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(ROOT / "web/fonts/DejaVuSansMono.ttf", 12)
