"""The story of a finished game: its entries one by one, and the match as it stood after each.

Of all those matches one in `APART` is kept: the others are played again from there when somebody looks.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.altered import altered
from referee.archive import MARKS, item_of
from referee.match import Match, Told
from referee.moves import Seat
from referee.pieces import Pieces, at_once
from referee.record import Entry
from referee.restating import moves_of, no_longer_true

APART = 200  # entries
LATEST = 100  # secrets of each seat that are listed at the end


@dataclass(frozen=True)
class Line:
    """One entry: as the record has it, what it told, what became of it (`taken_back`, `corrected` or ""), and
    the numbers of those news that no longer hold in the end."""

    item: Mapping[str, Any] = field(repr=False)
    told: tuple[Told, ...]
    became: str = ""
    gone: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Step:
    """One entry, and the match as it stood after it."""

    line: Line
    match: Match = field(repr=False)


@dataclass(frozen=True, repr=False)
class Story:
    """All entries of a game, and what is needed to show any of them."""

    entries: tuple[Entry, ...]
    starts: tuple[Match, ...]  # the match before the first entry, and before each that comes `APART` later
    heads: tuple[str, ...]  # after each entry
    became: Mapping[int, str]
    gone: frozenset[int]
    dealt: int  # the first entry after which there is something to see
    sealed: Mapping[Seat, tuple[Line, ...]]  # the latest entries that each seat sealed a secret with

    def __len__(self) -> int:
        return len(self.entries)

    def steps(self, first: int = 1, last: int | None = None) -> tuple[Step, ...]:
        """The steps from this one to that one, or to the end."""
        return tuple(self._steps(first, len(self) if last is None else min(last, len(self))))

    def _steps(self, first: int, last: int) -> Iterator[Step]:
        start = (first - 1) // APART
        match = self.starts[start]
        for n, entry in enumerate(self.entries[start * APART : last], start * APART + 1):
            before, match = match, match.after(entry)
            if n >= first:
                line = Line(item_of(before, match, entry), match.told(), self.became.get(n, ""), self.gone)
                yield Step(line, match)


def story(opened: Match, entries: Iterable[Entry]) -> Story:
    """The story of a game, from its opening and its entries."""
    return at_once(telling(opened, entries))


def telling(opened: Match, entries: Iterable[Entry]) -> Pieces[Story]:
    """The same, entry by entry."""
    match, made, starts, heads = opened, list[Entry](), list[Match](), list[str]()
    told, dealt, sealed = list[tuple[Told, ...]](), 1, dict[Seat, tuple[Line, ...]]()
    for n, entry in enumerate(entries, 1):
        if n % APART == 1:
            starts.append(match)
        if match.state is None:
            dealt = n
        before, match = match, match.after(entry)
        made.append(entry)
        heads.append(match.head)
        told.append(match.told())
        if match.bound and match.linked:
            seat = match.linked[0]
            line = Line(item_of(before, match, entry), match.told())
            sealed[seat] = (*sealed.get(seat, ()), line)[-LATEST:]
        yield
    became = dict(_became(told))
    yield
    gone = no_longer_true(one for news in told for one in news)
    known = {seat: tuple(_known(line, became, gone) for line in lines) for seat, lines in sealed.items()}
    return Story(tuple(made), tuple(starts), tuple(heads), became, gone, dealt, known)


def _known(line: Line, became: Mapping[int, str], gone: frozenset[int]) -> Line:
    """An entry, once all that came after it is known."""
    return altered(line, became=became.get(line.item["n"], ""), gone=gone)


def _became(all_told: Iterable[tuple[Told, ...]]) -> Iterator[tuple[int, str]]:
    """The entries that were taken back or corrected later; that is told with the number of their news."""
    entry_of = dict[int, int]()
    for told in (told for news in all_told for told in news):
        entry_of[told.n] = told.entry
        if told.news.kind in MARKS:
            yield from ((entry_of[n], told.news.kind) for n in moves_of(told.news))
