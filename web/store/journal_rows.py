"""Rows of the journal: each has a checksum of itself and the head of the hash chain after its entry.

A row that was edited, is missing, stands in another place or has a flipped bit is found when it is read, and
named. Whoever can write the file can also compute new checksums and a new chain: against that only heads
help that were noted elsewhere.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from unicodedata import category

from referee.core.entries import Entry, Joined, read
from referee.core.match import Match, reopen_match
from referee.core.sliced_work import SlicedWork
from referee.games import GAMES
from web.store.statements import SeatRow, TableRow, opening_checksum, row_checksum

CONTROL = {"Cc", "Cf"}  # categories of control characters and direction marks
SECRET = re.compile(r"[\w-]{1,64}", re.ASCII)  # a key, a hash, a salt, a ticket or a code


class DamagedJournal(Exception):
    """A row of a journal that is not what was written there; its table cannot be used."""

    def __init__(self, code: str, n: int) -> None:
        super().__init__(f"table {code}: row {n} of the journal is damaged")
        self.code, self.n = code, n


class JournalRow(NamedTuple):
    """A journal entry as text, and the head of the chain after it."""

    line: str
    head: str


def checked_rows(code: str, rows: Sequence[tuple[Any, ...]]) -> list[JournalRow]:
    """The rows (n, at, line, head, checksum; text as bytes, since a damaged one may be no text) in order, or
    DamagedJournal."""
    found = []
    for n, (number, *texts) in enumerate(rows, 1):
        try:
            at, line, head, checksum = (str(text, "utf-8") for text in texts)
        except (TypeError, UnicodeDecodeError) as error:
            raise DamagedJournal(code, n) from error
        if number != n or checksum != row_checksum(code, n, at, line, head):
            raise DamagedJournal(code, n)
        found.append(JournalRow(line, head))
    return found


def opening_of(row: TableRow) -> Match:
    """The match of a table before its first entry."""
    return reopen_match(row.code, GAMES[row.game], row.rules, row.options, row.seed, row.before)


def _checked(entry: Entry) -> Entry:
    """An entry whose name, if it has one, can have been given by somebody who joined."""
    if isinstance(entry, Joined) and any(category(char) in CONTROL for char in entry.name):
        raise ValueError("no name has control characters")
    return entry


def is_as_opened(row: TableRow) -> bool:
    try:
        return row.checksum == opening_checksum(row)
    except TypeError:  # bytes where text was
        return False


def check_unsealed(row: TableRow, seats: Collection[SeatRow], match: Match) -> None:
    """Raises DamagedJournal if columns without a checksum cannot be what was written beside this match."""
    if any(seat.token and match.names.get(seat.seat) is None for seat in seats):
        raise DamagedJournal(row.code, match.entries + 1)  # who joined is cut off
    is_whole = _are_secrets(row, seats) and {seat.seat for seat in seats} == set(match.seats)
    if not is_whole or not (row.finished is None or _is_date(row.finished)):
        raise DamagedJournal(row.code, 1)


def _are_secrets(row: TableRow, seats: Iterable[SeatRow]) -> bool:
    """Whether there is what can be compared with a token, key or ticket."""
    always = (row.host, row.ticket, *(text for seat in seats for text in (seat.salt, seat.ticket)))
    at_times = (text for seat in seats for text in (seat.key, seat.key_hash, seat.token))
    found = (*always, *filter(None, (row.key, row.key_hash, row.next, *at_times)))
    return all(isinstance(text, str) and SECRET.fullmatch(text) for text in found)


def _is_date(text: object) -> bool:
    try:
        return isinstance(text, str) and datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def folding(row: TableRow, rows: Sequence[JournalRow]) -> SlicedWork[Match]:
    """The match after these rows; yields after each. Raises DamagedJournal where the chain does not lead to
    the head of a row, or where the table says that more happened, or less. The row of the table itself counts
    as the first: it is what the chain begins with."""
    if not is_as_opened(row):
        raise DamagedJournal(row.code, 1)
    match = opening_of(row)
    if row.rules not in range(1, match.game.rules + 1):
        raise DamagedJournal(row.code, 1)
    is_current = row.rules == match.game.rules  # under other rules an entry may have other news
    for n, (line, head) in enumerate(rows, 1):
        try:
            match = match.after(_checked(read(line)))
        except Exception as error:
            raise DamagedJournal(row.code, n) from error
        if is_current and match.head != head:
            raise DamagedJournal(row.code, n)
        yield
    if is_current and bool(row.finished) != bool(match.outcome):
        raise DamagedJournal(row.code, len(rows) + 1 if row.finished else 1)
    return match
