"""An immutable list with constant-time append: successive versions share one underlying list."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar, overload

T = TypeVar("T")


class AppendOnlyList(Sequence[T]):
    """Like a tuple, but appending is O(1): each version is a length over a shared list."""

    __slots__ = ("_all", "_length")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._all = list(items)
        self._length = len(self._all)

    def appended(self, item: T) -> "AppendOnlyList[T]":
        """A version with one more item. Only the longest version appends in place; a shorter one copies."""
        longer: AppendOnlyList[T] = AppendOnlyList.__new__(AppendOnlyList)
        longer._all = self._all if len(self._all) == self._length else self._all[: self._length]
        longer._all.append(item)
        longer._length = self._length + 1
        return longer

    def __repr__(self) -> str:
        return f"AppendOnlyList({self._length} items)"  # the items may be secret

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        return islice(self._all, self._length)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> list[T]: ...
    def __getitem__(self, at: int | slice) -> T | list[T]:
        if isinstance(at, slice):
            return [self._all[n] for n in range(*at.indices(self._length))]
        return self._all[range(self._length)[at]]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AppendOnlyList) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self))
