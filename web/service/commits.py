"""Prepares the commit of one journal entry: all database changes that go into its transaction."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from referee.core.entries import Entry, write
from referee.core.match import Match, NewsEntry
from referee.core.moves import Seat
from web.service.ending import ending
from web.service.live_table import LiveTable
from web.service.view_renderer import ViewRenderer
from web.store import statements
from web.store.statements import SeatRow


@dataclass(frozen=True)
class Commit:
    """The changes of one entry, and the match, news and seat that apply once they are on disk."""

    after: Match
    told: tuple[NewsEntry, ...]
    changes: list[statements.Change]
    taken: SeatRow | None  # a seat that was taken, or got a new key


def prepare_commit(
    table: LiveTable,
    entry: Entry,
    after: Match,
    at: str,
    printing: Collection[str],
    more: Iterable[statements.Change] = (),
    taken: SeatRow | None = None,
) -> Commit:
    """Prepare the commit of an entry. If it ends a game at a desk that prints, it includes the print job."""
    told = after.told()
    changes = [statements.entry_written(table.code, after.entries, at, write(entry), after.head), *more]
    changes += ending(table, after, at, printing)
    return Commit(after, told, changes, taken)


def answer_to(after: Match, seat: Seat, renderer: ViewRenderer) -> dict[str, Any]:
    """The response to an entry: the new version, its news, and for a secret move the salt for its own
    seat."""
    told, salts = after.told(), after.salts.get(seat, ())
    is_secret = salts and told and salts[-1][0] == told[0].n
    salt = {"salt": salts[-1][1]} if is_secret else {}
    news = renderer.news(renderer.localizer(after.game, after.names), told)
    return {"version": after.version, **salt, "news": news}
