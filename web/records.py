"""Records of finished games: made once, aside, and kept for whoever looks at them again and again."""

import threading
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

from referee.archive import archiving, canonical_texts
from referee.game import Say
from referee.match import Match, reopen_match
from referee.pieces import Pieces
from referee.record import Entry, read
from referee.story import Story, telling
from referee.verify import verifying
from web.aside import Aside
from web.recent import Recent
from web.refusals import Refusal
from web.store import Store
from web.table import LiveTable

MOST, ENTRIES = 8, 30_000  # records that are kept, and entries in all of them: each takes 1 or 2 kB


@dataclass(frozen=True)
class Past:
    """A finished game: its story, what is wrong with its record, and the record itself, packed."""

    head: str
    names: tuple[str | None, ...]
    story: Story
    wrong: tuple[Say, ...]
    packed: bytes = field(repr=False)

    @property
    def record(self) -> bytes:
        """The record as JSON."""
        return zlib.decompress(self.packed)

    def is_of(self, match: Match) -> bool:
        """Whether nothing has changed since, people's names included."""
        return (self.head, self.names) == (match.head, tuple(match.names.values()))


class Records:
    """The records that were looked at last."""

    def __init__(self, store: Store, aside: Aside) -> None:
        self._store, self._aside = store, aside
        self._lock = threading.Lock()
        self.recent: Recent[Past] = Recent()

    def past(self, table: LiveTable) -> Past:
        """Everything that happened at a table, once it is over and nothing is hidden any more. Whoever asks
        for a long game that has to be read first is told to ask again."""
        match = table.match
        check_open(match)
        with self._lock:
            kept = self.recent.get(table.code)
        if kept and kept.is_of(match):
            return kept
        return self._aside.soon(("record", table.code, match.head), partial(self._made, table, match))

    def drop(self, code: str) -> None:
        """A table that is forgotten, or somebody who sat there."""
        with self._lock:
            self.recent.drop(code)

    def _made(self, table: LiveTable, match: Match) -> Pieces[Past]:
        opened, entries = opening_of(table), tuple(map(read, self._store.journal(table.code)))
        story = yield from telling(opened, entries)
        wrong, packed = yield from _checked(opened, entries)
        past = Past(match.head, tuple(match.names.values()), story, wrong, packed)
        with self._lock:
            self.recent.put(table.code, past, len(story), MOST, ENTRIES)
        return past


def _checked(opened: Match, entries: Iterable[Entry]) -> Pieces[tuple[tuple[Say, ...], bytes]]:
    """What is wrong with the record of a game, and the record, packed."""
    record = yield from archiving(opened, entries)
    wrong = yield from verifying(record)
    packer, packed = zlib.compressobj(1), bytearray()
    for text in canonical_texts(record):
        packed += packer.compress(text.encode())
        yield
    return tuple(wrong), bytes(packed + packer.flush())


def opening_of(table: LiveTable) -> Match:
    """A table as it was opened."""
    row = table.row
    return reopen_match(row.code, table.match.game, row.rules, row.options, row.seed)


def check_open(match: Match) -> None:
    """Refuse a record while anything is to stay hidden."""
    if match.outcome is None:
        raise Refusal("not-over")
    if not match.is_open:  # abandoned, and not everyone agreed to show
        raise Refusal("not-allowed", why=Say("refusal.stays_hidden"))
