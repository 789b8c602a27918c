"""Chance, and all of it: each entry of a journal has its own dice, drawn from the table's seed.

They fall by SHA-256 and nothing else, so a record replays the same on every version of Python, and in a
browser.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")
SPAN = 2**64


class Dice:
    """The same seed and entry number always fall the same way."""

    def __init__(self, seed: str, n: int = 0) -> None:
        self._from = f"{seed}/{n}/"
        self._throws = 0

    def pick(self, options: Sequence[T]) -> T:
        return options[self._below(len(options))]

    def arrange(self, options: Sequence[T], count: int) -> tuple[T, ...]:
        """`count` of the options in a random order."""
        left = list(options)
        return tuple(left.pop(self._below(len(left))) for _ in range(count))

    def _below(self, n: int) -> int:
        """A fair number from 0 to n - 1: a throw that would favour some of them is thrown again."""
        if n < 1:
            raise IndexError("nothing to pick from")
        this = self._throws
        self._throws = this + 1
        if n == 1:  # a throw all the same, whose number does not matter
            return 0
        throw = int.from_bytes(sha256(f"{self._from}{this}".encode()).digest()[:8], "big")
        return throw % n if throw < SPAN - SPAN % n else self._below(n)
