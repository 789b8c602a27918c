"""What was looked at last: so many things, and of so much weight in all."""

from collections import OrderedDict
from typing import Generic, TypeVar

V = TypeVar("V")


class Recent(Generic[V]):
    """Things by name; beyond the bounds the one that was put here first goes. The last one always stays."""

    def __init__(self) -> None:
        self._things: OrderedDict[str, tuple[V, int]] = OrderedDict()
        self.weight = 0

    def __len__(self) -> int:
        return len(self._things)

    def get(self, name: str) -> V | None:
        return self._things[name][0] if name in self._things else None

    def put(self, name: str, thing: V, weight: int, most: int, heaviest: int) -> None:
        """Keep one more thing, and of all so many and of so much weight at most."""
        self.drop(name)
        self._things[name] = thing, weight
        self.weight += weight
        while len(self) > 1 and (len(self) > most or self.weight > heaviest):
            self.drop(next(iter(self._things)))

    def drop(self, name: str) -> None:
        if name in self._things:
            self.weight -= self._things.pop(name)[1]
