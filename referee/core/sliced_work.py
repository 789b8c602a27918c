"""Long computations as generators: they yield wherever the caller may pause or interrupt them."""

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")
SlicedWork = Generator[None, None, T]


def run_to_end(work: SlicedWork[T]) -> T:
    """Run a generator to its end without pausing and return its result."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
