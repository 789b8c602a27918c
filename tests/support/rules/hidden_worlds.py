"""An oracle for deductions: all hidden worlds that would explain what a seat has seen.

It uses no game's own deductions. It tries every hand that the other seat could have, lets the rules play
every move that looks the same to the observer, and keeps the worlds in which the observer sees the same.
"""

from collections.abc import Iterator
from typing import Any

from referee.core.dice import Dice
from referee.core.entries import Moved
from referee.core.game import Game, Hand, State
from referee.core.moves import Move, Seat
from referee.kit.legal_moves import every_move


class Worlds:
    """What the other seat of two may hold, as far as one's own seat can tell."""

    def __init__(self, game: Game[Any, Any], me: Seat, dealt: State[Any, Any]) -> None:
        self.game, self.me, self.now = game, me, dealt
        (self.other,) = (seat for seat in dealt.hands if seat != me)
        self.hands: list[Hand] = [dealt.hands[self.other]]

    def see(self, entry: Moved, now: State[Any, Any]) -> None:
        """A move was made: of another's, only what everyone saw of it is read."""
        found = {repr(self.game.hand(hand)): hand for hand in self._after(entry, now)}
        self.hands, self.now = list(found.values()), now

    def _after(self, entry: Moved, now: State[Any, Any]) -> Iterator[Hand]:
        for hand in self.hands:
            world = State(self.now.table, {**self.now.hands, self.other: hand}, self.now.box)
            tried = (entry.move,) if entry.seat == self.me else self._alike(world, entry.move)
            for move in tried:
                after = self.game.play(world, entry.seat, move, Dice("x", 1))
                if after.table == now.table:
                    yield after.hands[self.other]

    def _alike(self, world: State[Any, Any], made: Move) -> Iterator[Move]:
        """The moves that the other could have made in this world and that look like the one that was."""
        secret = self.game.moves[made.type].secret
        seen = {name: value for name, value in made.fields.items() if name not in secret}
        for choice in self.game.choices(world.slice(self.other)):
            if choice.type == made.type:
                yield from (m for m in every_move(choice) if seen.items() <= dict(m.fields).items())
