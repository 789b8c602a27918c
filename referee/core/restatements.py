"""Restatements: after an undo or a correction, the differences between announced news and current news.

Both games are replayed, the one as announced and the one with the standing moves, and their news are compared
move by move. After each repair, the announced news with all restatements applied equals the news of a fresh
game with the standing moves.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, NamedTuple, Protocol

from referee.core.game import News, Restated, Slice, State
from referee.core.moves import Seat

TAKEN_BACK, CORRECTED = "taken_back", "corrected"


class Numbered(Protocol):
    """A piece of news with its running number and the number of its journal entry."""

    @property
    def n(self) -> int: ...
    @property
    def entry(self) -> int: ...
    @property
    def news(self) -> News: ...


class RepairView(NamedTuple):
    """A repair as one seat, or the public, may see it."""

    kind: str
    before: Slice[Any, Any]
    restated: tuple[Restated, ...]


@dataclass(frozen=True)
class Repair:
    """The last undo or correction, until the next move: the state before it, and the restated news."""

    kind: str  # TAKEN_BACK or CORRECTED
    before: State[Any, Any]
    restated: tuple[Restated, ...] = ()

    def seen_by(self, seat: Seat | None) -> RepairView:
        return RepairView(self.kind, self.before.slice(seat), self.restated)


def differences(
    was: Sequence[News], numbers: Sequence[int], now: Sequence[News], first: int
) -> tuple[tuple[Restated, ...], tuple[int, ...]]:
    """The differences between a move's old news (with these numbers) and its new news, and the numbers of
    the new news.

    The differences are announced as news numbered from `first` on; inserted news takes that number. Every
    move has at least one piece of news, so inserted news always follows another.
    """
    restated: list[Restated] = []
    resulting: list[int] = []
    said = tuple(zip(numbers, was, strict=True))
    for old, new in _paired(said, now):
        if old is None:
            number = first + len(restated)
            restated.append(Restated(resulting[-1], None, new))
            resulting.append(number)
            continue
        of, news = old
        if new is not None:
            resulting.append(of)
        if new != news:
            restated.append(Restated(of, news, new))
    return tuple(restated), tuple(resulting)


Said = tuple[int, News]  # a piece of news with its number


def _paired(was: Sequence[Said], now: Sequence[News]) -> Iterator[tuple[Said | None, News | None]]:
    """Align old and new news in order. The first of a move is always paired with the first; the others are
    paired by kind."""
    yield was[0], now[0]
    was, now = was[1:], now[1:]
    kinds = SequenceMatcher(None, [n.kind for _, n in was], [n.kind for n in now], autojunk=False)
    for tag, a, b, c, d in kinds.get_opcodes():
        if tag == "equal":
            yield from zip(was[a:b], now[c:d], strict=True)
        else:
            yield from ((old, None) for old in was[a:b])
            yield from ((None, new) for new in now[c:d])


def moves_of(news: News) -> tuple[int, ...]:
    """The numbers of the moves that this news announces as taken back or corrected."""
    return tuple(news.fields.get("moves", (news.fields["of"],)))


def no_longer_true(told: Iterable[Numbered]) -> frozenset[int]:
    """The numbers of the news that no longer hold: their move was taken back, or they were restated. If news
    was restated several times, only the last restatement holds."""
    entry_of: dict[int, int] = {}  # news number → the entry of its move
    told_by: dict[int, list[int]] = {}  # entry → its news numbers
    last: dict[int, int] = {}  # news number → its latest restatement
    gone: set[int] = set()
    for item in told:
        fields, entry = item.news.fields, item.entry
        if item.news.kind == "restated":
            of = fields["of"]
            entry = entry_of.get(of, 0)
            if fields["was"]:
                gone.add(last.get(of, of))
                last[of] = item.n
        elif item.news.kind == TAKEN_BACK:
            for n in moves_of(item.news):
                gone.update(told_by.get(entry_of.get(n, -1), ()))
        entry_of[item.n] = entry
        told_by.setdefault(entry, []).append(item.n)
    return frozenset(gone)
