"""Restating: after an undo or a correction, everything said aloud that would now be said otherwise.

Both games are replayed, the one that was told and the one that stands now. Move by move, what the first said
is compared with what the second says. After each repair the news as told, with what was restated applied,
is again exactly what a fresh game with the standing moves would tell.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, NamedTuple, Protocol

from referee.game import News, Restated, Slice, State
from referee.moves import Seat

TAKEN_BACK, CORRECTED = "taken_back", "corrected"


class Numbered(Protocol):
    """A piece of news with its running number and that of the entry that told it."""

    @property
    def n(self) -> int: ...
    @property
    def entry(self) -> int: ...
    @property
    def news(self) -> News: ...


class SeenRepair(NamedTuple):
    """A repair as one seat, or nobody in particular, may know it."""

    kind: str
    before: Slice[Any, Any]
    restated: tuple[Restated, ...]


@dataclass(frozen=True)
class Repair:
    """The last undo or correction, until the next move: the game before it, and what was restated."""

    kind: str  # TAKEN_BACK or CORRECTED
    before: State[Any, Any]
    restated: tuple[Restated, ...] = ()

    def seen_by(self, seat: Seat | None) -> SeenRepair:
        return SeenRepair(self.kind, self.before.slice(seat), self.restated)


def differences(
    was: Sequence[News], numbers: Sequence[int], now: Sequence[News], first: int
) -> tuple[tuple[Restated, ...], tuple[int, ...]]:
    """The differences between what a move said, as news of these numbers, and what it says now; and the
    numbers by which all that it says now is called.

    The differences are told as news from the number `first` on: what is newly said is called by that number.
    Every move says something, so that whatever is newly said comes after something.
    """
    restated: list[Restated] = []
    called: list[int] = []
    said = tuple(zip(numbers, was, strict=True))
    for old, new in _paired(said, now):
        if old is None:
            number = first + len(restated)
            restated.append(Restated(called[-1], None, new))
            called.append(number)
            continue
        of, news = old
        if new is not None:
            called.append(of)
        if new != news:
            restated.append(Restated(of, news, new))
    return tuple(restated), tuple(called)


Said = tuple[int, News]  # a piece of news with the number by which it is called


def _paired(was: Sequence[Said], now: Sequence[News]) -> Iterator[tuple[Said | None, News | None]]:
    """Which of the one corresponds to which of the other, in order. The first of a move always corresponds to
    the first; the others where their kinds do."""
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
    """The numbers of the moves that this news tells were taken back or corrected."""
    return tuple(news.fields.get("moves", (news.fields["of"],)))


def no_longer_true(told: Iterable[Numbered]) -> frozenset[int]:
    """The numbers of the news that no longer hold: of moves that were taken back, or restated since. Of
    something that was restated several times only the last news holds."""
    entry_of: dict[int, int] = {}  # of the move that each number belongs to
    told_by: dict[int, list[int]] = {}  # all numbers of an entry
    last: dict[int, int] = {}  # the news that told last what is called by this number
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
