"""A cache with a limit on the number of items and on their total weight."""

from collections import OrderedDict
from typing import Generic, TypeVar

V = TypeVar("V")


class BoundedCache(Generic[V]):
    """Items by name. Beyond a limit the item that was put first is evicted; the last one always stays."""

    def __init__(self) -> None:
        self._items: OrderedDict[str, tuple[V, int]] = OrderedDict()
        self.weight = 0

    def __len__(self) -> int:
        return len(self._items)

    def get(self, name: str) -> V | None:
        return self._items[name][0] if name in self._items else None

    def put(self, name: str, item: V, weight: int, most: int, heaviest: int) -> None:
        """Add or replace an item, and evict until at most `most` items of at most `heaviest` weight
        remain."""
        self.drop(name)
        self._items[name] = item, weight
        self.weight += weight
        while len(self) > 1 and (len(self) > most or self.weight > heaviest):
            self.drop(next(iter(self._items)))

    def drop(self, name: str) -> None:
        if name in self._items:
            self.weight -= self._items.pop(name)[1]
