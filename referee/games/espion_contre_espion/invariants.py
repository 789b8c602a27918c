"""What is true of every state of Espion contre Espion, whatever was played."""

from collections.abc import Iterator

from referee.game import State
from referee.games.espion_contre_espion.table import SpyHand, SpyTable


def invariants(state: State[SpyTable, SpyHand]) -> Iterator[str]:
    yield from ()
