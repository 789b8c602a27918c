"""Steps: one more entry of a table, with all that is written along with it."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from referee.match import Match, Told
from referee.moves import Seat
from referee.record import Entry, write
from web.ending import ending
from web.store import changes as kept
from web.store.changes import SeatRow
from web.table import LiveTable
from web.view_renderer import ViewRenderer


@dataclass(frozen=True)
class Step:
    """What is to be on disk, and what stands and is told from then on."""

    after: Match
    told: tuple[Told, ...]
    changes: list[kept.Change]
    taken: SeatRow | None  # the seat that somebody takes, or that gets a new key


def step(
    table: LiveTable,
    entry: Entry,
    after: Match,
    at: str,
    printing: Collection[str],
    more: Iterable[kept.Change] = (),
    taken: SeatRow | None = None,
) -> Step:
    """The step that this entry is; where it ends a game at a desk that prints, its papers too."""
    told = after.told()
    changes = [kept.entry_written(table.code, after.entries, at, write(entry)), *more]
    changes += ending(table, after, at, printing)
    return Step(after, told, changes, taken)


def answer_to(after: Match, seat: Seat, renderer: ViewRenderer) -> dict[str, Any]:
    """The new version, the entry's news, and for a secret move the salt that its own seat may see."""
    told, salts = after.told(), after.salts.get(seat, ())
    is_bound = salts and told and salts[-1][0] == told[0].n
    bound = {"salt": salts[-1][1]} if is_bound else {}
    news = renderer.news(renderer.voice(after.game, after.names), told)
    return {"version": after.version, **bound, "news": news}
