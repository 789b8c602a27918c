"""Steps: one more entry of a table, with all that is written along with it."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from referee.match import Match, Told
from referee.moves import Seat
from referee.record import Entry, write
from web.ending import ending
from web.store import changes as kept
from web.store.changes import SeatRow
from web.table import LiveTable
from web.telling import Telling


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


def answer_to(after: Match, seat: Seat | None, telling: Telling) -> bytes:
    """The new version, the move's news, and for a secret move the salt that its own seat may see; as JSON."""
    told, salts = after.told(), after.salts.get(seat, ()) if seat else ()
    is_bound = salts and told and salts[-1][0] == told[0].n
    voice = telling.voice(after.game, after.names)
    return telling.answer(voice, after.version, told, salts[-1][1] if is_bound else None)
