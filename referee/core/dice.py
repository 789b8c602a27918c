"""The only source of randomness: a generator for the deal and for each move, derived from the table's seed.

It uses SHA-256 and nothing else, so a record replays the same on every version of Python and in a browser.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")
SPAN = 2**64


class Dice:
    """A deterministic random generator: the same seed and number give the same results."""

    def __init__(self, seed: str, n: int = 0) -> None:
        self._from = f"{seed}/{n}/"
        self._throws = 0

    def pick(self, options: Sequence[T]) -> T:
        return options[self._below(len(options))]

    def arrange(self, options: Sequence[T], count: int) -> tuple[T, ...]:
        """`count` of the options, without replacement, in a random order."""
        left = list(options)
        return tuple(left.pop(self._below(len(left))) for _ in range(count))

    def _below(self, n: int) -> int:
        """A uniform number from 0 to n - 1. Throws that would bias the modulo are rejected and repeated."""
        if n < 1:
            raise IndexError("nothing to pick from")
        this = self._throws
        self._throws = this + 1
        if n == 1:  # counts as a throw, but needs no hash
            return 0
        throw = int.from_bytes(sha256(f"{self._from}{this}".encode()).digest()[:8], "big")
        return throw % n if throw < SPAN - SPAN % n else self._below(n)
