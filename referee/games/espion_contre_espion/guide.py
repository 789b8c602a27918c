"""The lessons of a first game of Espion contre Espion: which of them matter to a seat now."""

from collections.abc import Iterator

from referee.core.game import Guide
from referee.games.espion_contre_espion.table import SpySlice

GUESS_FROM = 4  # completed turns from which guessing is explained
STEPS = {  # the lesson of each step, for the seat whose turn it is
    "building": "building",
    "document": "document",
    "killer": "killer_start",
    "set_camera": "camera_start",
    "spy": "spy_start",
    "camera": "camera",
    "move_killer": "killer",
    "move_spy": "spy",
}


def lessons(seen: SpySlice) -> tuple[str, ...]:
    return tuple(_now(seen))


def _now(seen: SpySlice) -> Iterator[str]:
    table = seen.table
    told = {news.kind for news in table.said}
    yield from (kind for kind in ("camera_counts", "left_camp") if kind in told)
    if seen.seat and table.waits_for(seen.seat):
        yield STEPS[table.step]
        if table.step == "camera" and len(table.turns) >= GUESS_FROM:
            yield "guess"


GUIDE = Guide(
    sections={
        "building": "buildings",
        "document": "documents",
        "killer_start": "killer-start",
        "camera_start": "sight",
        "spy_start": "spy-start",
        "camera": "camera",
        "killer": "killer",
        "spy": "spy",
        "camera_counts": "counts",
        "left_camp": "spy",
        "guess": "guess",
    },
    now=lessons,
)
