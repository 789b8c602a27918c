"""The complete state of Agent Avenue, with the elementary changes that its moves consist of."""

from dataclasses import dataclass
from typing import Any, Self

from referee.core.frozen import replaced
from referee.core.game import News, State
from referee.core.moves import Seat, Side
from referee.games.agent_avenue.cards import HAND
from referee.games.agent_avenue.table import (
    DECK,
    AvenueHand,
    AvenueTable,
    Concealed,
    Holding,
    Market,
    Place,
    Team,
    Went,
)


@dataclass(frozen=True)
class Position(State[AvenueTable, AvenueHand]):
    def with_team(self, side: Side, team: Team, *told: News) -> Self:
        """Replace a side's public state, and add this news."""
        return self.on_table(teams={**self.table.teams, side: team}, said=(*self.table.said, *told))

    def with_holding(self, seat: Seat, held: Holding) -> Self:
        return self.on_table(holdings={**self.table.holdings, seat: held})

    def with_hidden(self, seat: Seat, card: Concealed) -> Self:
        """A seat lays a card face down. Only its hand and the referee's box store which card it is."""
        box = {**self.box, seat: (*self.box.get(seat, ()), card)}
        return replaced(self.with_hand(seat, AvenueHand(card.agent)), box=box)

    def carried(self, card: str | None, source: Place, to: Place, n: int = 1) -> Self:
        """Log that a card, or `n` face-down cards, moved from one place to another in public."""
        return self.on_table(went=(*self.table.went, Went(card, source, to, n)))

    def hidden(self) -> str:
        """The card that lies face down."""
        agent = self.hands[str(self.table.concealer)].face_down
        if agent is None:
            raise ValueError("no card lies face down")
        return agent

    def revealed(self) -> Self:
        """The face-down card is turned over, and both cards leave the middle of the table."""
        seat = str(self.table.concealer)
        after = self.with_holding(seat, self.table.holdings[seat].without(self.hidden()))
        empty = dict.fromkeys(("face_up", "shower", "concealer", "must_show"))
        return after.with_hand(seat, AvenueHand()).on_table(**empty)

    def drawn(self, seat: Seat) -> Self:
        """This seat draws until it has four cards or the deck is empty."""
        held, deck = self.table.holdings[seat], self.table.deck
        n = min(max(0, HAND - held.hand), deck)
        if not n:
            return self
        after = self.with_holding(seat, replaced(held, hand=held.hand + n))
        after = after.carried(None, DECK, Place("hand", seat), n)
        return after.on_table(deck=deck - n, drawn={**self.table.drawn, seat: n})

    def market(self) -> Market:
        if self.table.market is None:
            raise ValueError("the base game has no market")
        return self.table.market

    def with_market(self, **changes: Any) -> Self:
        return self.on_table(market=replaced(self.market(), **changes))
