"""A cache of the records of finished games, which are built as background work."""

import threading
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

from referee.core.entries import Entry, read
from referee.core.game import Say
from referee.core.match import Match
from referee.core.sliced_work import SlicedWork
from referee.core.story import Story, story_in_slices
from referee.fairness.record import canonical_texts, record_in_slices
from referee.fairness.verify import Binding, binding_of, verify_in_slices
from web.service.background import BackgroundWork
from web.service.bounded_cache import BoundedCache
from web.service.damaged_tables import damaged, read_journal
from web.service.live_table import LiveTable
from web.store import DamagedJournal, Store
from web.store.journal_rows import opening_of
from web.wire.errors import ApiError

MOST, ENTRIES = 8, 30_000  # limits: records, and entries in all of them; an entry takes 1 or 2 kB


@dataclass(frozen=True)
class FinishedRecord:
    """A finished game: its story, the faults that verification found, what binds it to the games before and
    after it, and the compressed record."""

    head: str
    names: tuple[str | None, ...]
    story: Story
    wrong: tuple[Say, ...]
    binding: Binding | None  # None if the record has faults
    packed: bytes = field(repr=False)

    @property
    def record(self) -> bytes:
        """The record as JSON."""
        return zlib.decompress(self.packed)

    def is_of(self, match: Match) -> bool:
        """Whether the match is unchanged since, including people's names."""
        return (self.head, self.names) == (match.head, tuple(match.names.values()))


class RecordCache:
    """The most recently built records. Thread-safe."""

    def __init__(self, store: Store, background: BackgroundWork) -> None:
        self._store, self._background = store, background
        self._lock = threading.Lock()
        self.recent: BoundedCache[FinishedRecord] = BoundedCache()

    def get(self, table: LiveTable) -> FinishedRecord:
        """The record of a finished table where nothing is hidden any more. If building it takes long, the
        caller gets 503 with Retry-After."""
        match = table.match
        check_open(match)
        with self._lock:
            kept = self.recent.get(table.code)
        if kept and kept.is_of(match):
            return kept
        key = ("record", table.code, match.head, tuple(match.names.values()))
        return self._background.result_or_busy(key, partial(self._build, table, match))

    def drop(self, code: str) -> None:
        """Remove a record, because the table or a person in it was deleted."""
        with self._lock:
            self.recent.drop(code)

    def _build(self, table: LiveTable, match: Match) -> SlicedWork[FinishedRecord]:
        opened, rows = opening_of(table.row), read_journal(self._store, table.code)
        entries = tuple(read(row.line) for row in rows)
        story = yield from story_in_slices(opened, entries)
        heads = enumerate(zip(rows, story.heads, strict=True), 1)
        if other := next((n for n, (row, head) in heads if row.head != head), None):
            raise damaged(DamagedJournal(table.code, other))
        wrong, binding, packed = yield from _verified(opened, entries, match.final_head)
        past = FinishedRecord(match.head, tuple(match.names.values()), story, wrong, binding, packed)
        with self._lock:
            self.recent.put(table.code, past, len(story), MOST, ENTRIES)
        return past


def _verified(
    opened: Match, entries: Iterable[Entry], end: str
) -> SlicedWork[tuple[tuple[Say, ...], Binding | None, bytes]]:
    """Build and verify the record of a game that ended with this head: the faults found, what binds it, and
    the compressed record."""
    record = yield from record_in_slices(opened, entries)
    wrong = yield from verify_in_slices(record)
    packer, packed = zlib.compressobj(1), bytearray()
    for text in canonical_texts(record):
        packed += packer.compress(text.encode())
        yield
    binding = None if wrong else binding_of(record, end)
    return tuple(wrong), binding, bytes(packed + packer.flush())


def check_open(match: Match) -> None:
    """Refuse access to a record while anything must stay hidden."""
    if match.outcome is None:
        raise ApiError("not-over")
    if not match.is_open:  # abandoned, and not everyone agreed to show
        raise ApiError("not-allowed", why=Say("refusal.stays_hidden"))
