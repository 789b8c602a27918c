"""Chance, and all of it: each entry of a journal has its own dice, drawn from the table's seed."""

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """The same seed and entry number always fall the same way, so a record replays."""

    def __init__(self, seed: str, n: int = 0) -> None:
        self._random = random.Random(f"{seed}/{n}")

    def pick(self, options: Sequence[T]) -> T:
        return self._random.choice(options)

    def arrange(self, options: Sequence[T], count: int) -> tuple[T, ...]:
        return tuple(self._random.sample(options, count))
