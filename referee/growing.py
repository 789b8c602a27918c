"""A row of things that only ever grows at its end: what came before is shared, never copied."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar, overload

T = TypeVar("T")


class Growing(Sequence[T]):
    """Like a tuple, but one more costs the same however many there are: all lengths share one list."""

    __slots__ = ("_all", "_length")

    def __init__(self, things: Iterable[T] = ()) -> None:
        self._all = list(things)
        self._length = len(self._all)

    def and_(self, thing: T) -> "Growing[T]":
        """This row with one more thing. Whoever is not the longest of those that share a list leaves it."""
        longer: Growing[T] = Growing.__new__(Growing)
        longer._all = self._all if len(self._all) == self._length else self._all[: self._length]
        longer._all.append(thing)
        longer._length = self._length + 1
        return longer

    def __repr__(self) -> str:
        return f"Growing({self._length} things)"  # not what they are: some rows are secret

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
        return isinstance(other, Growing) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self))
