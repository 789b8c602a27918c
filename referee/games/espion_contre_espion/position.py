"""The state of Espion contre Espion, with the steps that its moves are made of."""

from dataclasses import dataclass
from typing import Any, Self

from referee.core.game import News, State
from referee.core.moves import Seat
from referee.games.espion_contre_espion.table import (
    SpyHand,
    SpyTable,
)


@dataclass(frozen=True)
class Position(State[SpyTable, SpyHand]):
    """The complete state, with helpers for the changes that a move consists of."""

    def told(self, *news: News, **changes: Any) -> Self:
        """Set the news of a move, and change the table."""
        return self.on_table(said=news, **changes)

    def also(self, *news: News, **changes: Any) -> Self:
        """Add news, and change the table further."""
        return self.told(*self.table.said, *news, **changes)

    def spy(self, seat: Seat) -> int:
        square = self.hands[seat].spy
        if square is None:
            raise ValueError(f"the spy of {seat} is not on the board")
        return square
