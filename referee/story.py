"""The story of a finished game: its entries one by one, and the match as it stood after each."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.archive import MARKS, item_of
from referee.match import Match, Told
from referee.record import Entry
from referee.restating import moves_of, no_longer_true


@dataclass(frozen=True)
class Step:
    """One entry: as the record has it, what it told, what became of it (`taken_back`, `corrected` or ""), and
    the numbers of those news that no longer hold in the end."""

    item: Mapping[str, Any] = field(repr=False)
    told: tuple[Told, ...]
    became: str
    gone: frozenset[int]
    match: Match = field(repr=False)


def story(opened: Match, entries: Iterable[Entry]) -> tuple[Step, ...]:
    """All steps of a game, from its opening and its entries."""
    match, told = opened, list[tuple[Mapping[str, Any], tuple[Told, ...], Match]]()
    for entry in entries:
        before, match = match, match.after(entry)
        told.append((item_of(before, match, entry), match.told(), match))
    became = dict(_became(news for _, news, _ in told))
    gone = no_longer_true(one for _, news, _ in told for one in news)
    return tuple(Step(item, news, became.get(match.entries, ""), gone, match) for item, news, match in told)


def _became(all_told: Iterable[tuple[Told, ...]]) -> Iterator[tuple[int, str]]:
    """The entries that were taken back or corrected later; that is told with the number of their news."""
    entry_of = dict[int, int]()
    for told in (told for news in all_told for told in news):
        entry_of[told.n] = told.entry
        if told.news.kind in MARKS:
            yield from ((entry_of[n], told.news.kind) for n in moves_of(told.news))
