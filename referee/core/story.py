"""The story of a finished game: its entries one by one, and the match after each, for the replay pages.

One match in `APART` is stored as a checkpoint; the others are recomputed from it on demand.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.core.entries import Entry
from referee.core.frozen import replaced
from referee.core.game import ABANDONED, Outcome
from referee.core.match import Match, NewsEntry
from referee.core.moves import Seat
from referee.core.restatements import moves_of, no_longer_true
from referee.core.sliced_work import SlicedWork, run_to_end
from referee.fairness.record import MARKS, item_of

APART = 200  # entries between checkpoints
LATEST = 100  # the most secrets of each seat that are listed at the end


@dataclass(frozen=True)
class StoryLine:
    """One entry: its record item, its news, its later fate (`taken_back`, `corrected` or ""), and the numbers
    of all news of the game that no longer hold at the end."""

    item: Mapping[str, Any] = field(repr=False)
    told: tuple[NewsEntry, ...]
    became: str = ""
    gone: frozenset[int] = frozenset()


@dataclass(frozen=True)
class StoryStep:
    """One entry, and the match after it."""

    line: StoryLine
    match: Match = field(repr=False)

    def hidden(self) -> Mapping[Seat, Mapping[str, Any]]:
        """Everything that was hidden at this step: in a story, nothing must stay hidden any more."""
        state = self.match.state
        if state is None:
            return {}
        over = replaced(state.table, outcome=self.match.outcome or Outcome((), ABANDONED))
        return self.match.game.debrief(replaced(state, table=over))


@dataclass(frozen=True, repr=False)
class Story:
    """All entries of a game, with the checkpoints and indexes needed to show any of them."""

    entries: tuple[Entry, ...]
    starts: tuple[Match, ...]  # checkpoints: the match before every `APART`th entry, from the first on
    heads: tuple[str, ...]  # the head of the hash chain after each entry
    became: Mapping[int, str]  # entry number → taken_back or corrected
    gone: frozenset[int]  # the numbers of news that no longer hold
    dealt: int  # the entry that dealt: the first with something to show
    sealed: Mapping[Seat, tuple[StoryLine, ...]]  # each seat's latest entries with a secret

    def __len__(self) -> int:
        return len(self.entries)

    def steps(self, first: int = 1, last: int | None = None) -> tuple[StoryStep, ...]:
        """The steps from `first` to `last` inclusive, or to the end."""
        return tuple(self._steps(first, len(self) if last is None else min(last, len(self))))

    def _steps(self, first: int, last: int) -> Iterator[StoryStep]:
        start = (first - 1) // APART
        match = self.starts[start]
        for n, entry in enumerate(self.entries[start * APART : last], start * APART + 1):
            before, match = match, match.after(entry)
            if n >= first:
                line = StoryLine(
                    item_of(before, match, entry), match.told(), self.became.get(n, ""), self.gone
                )
                yield StoryStep(line, match)


def story(opened: Match, entries: Iterable[Entry]) -> Story:
    """Build the story of a game from its opening match and its entries."""
    return run_to_end(story_in_slices(opened, entries))


def story_in_slices(opened: Match, entries: Iterable[Entry]) -> SlicedWork[Story]:
    """Like `story`, but yields after each entry."""
    match, made, starts, heads = opened, list[Entry](), list[Match](), list[str]()
    told, dealt, sealed = list[tuple[NewsEntry, ...]](), 1, dict[Seat, tuple[StoryLine, ...]]()
    for n, entry in enumerate(entries, 1):
        if n % APART == 1:
            starts.append(match)
        if match.state is None:
            dealt = n
        before, match = match, match.after(entry)
        made.append(entry)
        heads.append(match.head)
        told.append(match.told())
        if match.last_commitment and match.last_link:
            seat = match.last_link[0]
            line = StoryLine(item_of(before, match, entry), match.told())
            sealed[seat] = (*sealed.get(seat, ()), line)[-LATEST:]
        yield
    became = dict(_became(told))
    yield
    gone = no_longer_true(one for news in told for one in news)
    known = {seat: tuple(_known(line, became, gone) for line in lines) for seat, lines in sealed.items()}
    return Story(tuple(made), tuple(starts), tuple(heads), became, gone, dealt, known)


def _known(line: StoryLine, became: Mapping[int, str], gone: frozenset[int]) -> StoryLine:
    """A line completed with its later fate and the news that no longer hold."""
    return replaced(line, became=became.get(line.item["n"], ""), gone=gone)


def _became(all_told: Iterable[tuple[NewsEntry, ...]]) -> Iterator[tuple[int, str]]:
    """The entries that were taken back or corrected later, found by the numbers of their news."""
    entry_of = dict[int, int]()
    for told in (told for news in all_told for told in news):
        entry_of[told.n] = told.entry
        if told.news.kind in MARKS:
            yield from ((entry_of[n], told.news.kind) for n in moves_of(told.news))
