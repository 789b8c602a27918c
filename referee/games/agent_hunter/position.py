"""The state of Agent Hunter, with the steps that its moves are made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from referee.core.frozen import replaced
from referee.core.game import News, Outcome, State
from referee.core.moves import Seat
from referee.games.agent_hunter.table import SEATS, House, HunterHand, HunterTable, Side, other


@dataclass(frozen=True)
class Position(State[HunterTable, HunterHand]):
    def told(self, kind: str, fields: Mapping[str, Any]) -> Self:
        """One more piece of news."""
        return self.on_table(said=(*self.table.said, News(kind, fields)))

    def with_cards(self, seat: Seat, cards: HunterHand, **changes: Any) -> Self:
        """A seat holds other cards. Everyone can count those in its hand, and sees these changes."""
        side = replaced(self.table.sides[seat], hand_size=len(cards.cards), **changes)
        return self.with_hand(seat, cards).on_table(sides={**self.table.sides, seat: side})

    def hidden_in(self, seat: Seat, house: int) -> int:
        """The card that lies face down in a house."""
        card = self.hands[seat].houses[house]
        if card is None:
            raise ValueError(f"house {house} of {seat} holds no card")
        return card

    def emptied(self, seat: Seat, house: int) -> Self:
        return self.with_cards(seat, self.hands[seat].empty(house))

    def dropped(self, seat: Seat, card: int) -> Self:
        """A hand card is laid on a destroyed house: out of the game."""
        known = self.table.sides[seat].known_in_hand - {card}
        return self.with_cards(seat, self.hands[seat].drop(card), known_in_hand=known)

    def destroyed(self, seat: Seat, house: int, value: int) -> Self:
        """A house is destroyed by the card it held."""
        side = self.table.sides[seat]
        houses = {**side.houses, house: House(side.houses[house].decoys, value)}
        live = tuple(each for each in side.live if each != house)
        after = self.with_cards(seat, self.hands[seat].empty(house), houses=houses, live=live)
        return after.told("destroyed", {"side": seat, "house": house, "value": value})

    def is_decided(self) -> bool:
        """Fin de partie: as soon as one side has lost its three houses."""
        return () in [side.live for side in self.table.sides.values()]

    def turn_over(self, **changes: Any) -> Self:
        """With these last changes on the table, the turn passes or the game is over."""
        turns = self.table.turns + 1
        if self.is_decided():
            return self.on_table(turns=turns, turn=None, outcome=self._outcome("houses"), **changes)
        if turns == self.table.turn_cap:
            return self.on_table(turns=turns, turn=None, outcome=self._outcome("turn_cap"), **changes)
        return self.on_table(turns=turns, turn=other(str(self.table.turn)), **changes)

    def _outcome(self, reason: str) -> Outcome:
        scores = {seat: points(self.table.sides, seat) for seat in SEATS}
        winners, tie_break = _best(scores), None
        if not winners:
            sums = {seat: sum(self.hands[seat].cards) for seat in SEATS}
            winners, tie_break = _best(sums), {"hand_sum": sums}
        return Outcome(winners, reason, scores, tie_break)


def points(sides: Mapping[Seat, Side], seat: Seat) -> int:
    """One for each house destroyed on the other side, and one for each decoy beside it."""
    houses = sides[other(seat)].houses.values()
    return sum(1 + house.decoys for house in houses if house.destroyed)


def _best(figures: dict[Seat, int]) -> tuple[Seat, ...]:
    """Who has more, or nobody when both have as much."""
    top = tuple(seat for seat in SEATS if figures[seat] == max(figures.values()))
    return top if len(top) == 1 else ()
