"""Work that may be long, in pieces: a generator that yields wherever it may be interrupted."""

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")
Pieces = Generator[None, None, T]


def at_once(work: Pieces[T]) -> T:
    """What all of a work gives, here and now."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
