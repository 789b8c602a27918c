"""The complete state of Agent Double, with the elementary changes that its moves consist of."""

from dataclasses import dataclass
from typing import Self

from referee.core.frozen import replaced
from referee.core.game import State
from referee.core.moves import Seat
from referee.games.agent_double.effects import document_fields, on_board
from referee.games.agent_double.table import (
    Agent,
    DoubleHand,
    DoubleTable,
    Draft,
    Effect,
    File,
    Peek,
    Placed,
    other,
)


@dataclass(frozen=True)
class Position(State[DoubleTable, DoubleHand]):
    def with_table(self, table: DoubleTable) -> Self:
        return type(self)(table, self.hands, self.box)

    def agent(self, name: str) -> Agent:
        return self.table.agents[self.table.index(name)]

    def spends(self, seat: Seat) -> Self:
        """A card leaves the hand of a seat."""
        return self.on_table(hands={**self.table.hands, seat: self.table.hands[seat] - 1})

    def plays(self, seat: Seat, action: Draft) -> Self:
        """The card of an action is shown, then goes to the box or back to its hand."""
        table = self.table
        after = self.on_table(acted={**table.acted, seat: (*table.acted[seat], action.name)}, draft=None)
        if not action.returns:
            spent = {**table.spent, seat: (*table.spent[seat], action.name)}
            after = after.on_table(spent=spent).spends(seat).boxes(seat)
        return after.say("acted", by=seat, name=action.name, card=action.card)

    def boxes(self, owner: Seat, cards: int = 1) -> Self:
        """Cards of this player leave the game."""
        return self.on_table(boxed={**self.table.boxed, owner: self.table.boxed[owner] + cards})

    def lays(self, seat: Seat, placed: Placed) -> Self:
        """A seat lays a document face down before an agent."""
        agent, mine = self.agent(placed.agent), self.hands[seat]
        laid = self.table.laid[seat] + 1
        table = self.table.with_agent(replaced(agent, files=(*agent.files, File(seat, placed.back, laid))))
        table = replaced(table, laid={**table.laid, seat: laid})
        held = mine.with_files(placed.agent, (*mine.at(placed.agent), placed.file))
        return self.with_table(table).with_hand(seat, replaced(held, placed=(*mine.placed, placed)))

    # ---- primitives

    def does(self, seat: Seat, effect: Effect) -> Self:
        """Apply a primitive: on the board, in the hands, and as a peek for the acting seat."""
        at, document = effect.fields, document_fields(self.table, effect)
        match effect.type:
            case "fx_peek":
                after = self._peeks(seat, Peek(at["agent"], self._documents(other(seat), at["agent"])))
            case "fx_peek_loyalty":
                token = self.hands[other(seat)].loyalty[at["agent"]]
                after = self._peeks(seat, Peek(at["agent"], token=token))
            case "fx_swap_loyalty":
                after = self._swaps(at["side"], at["a"], at["b"])
            case "fx_move_file":
                after = self._takes_up(at["from"], at["index"], to=at["to"])
            case "fx_remove_file":
                owner = self.agent(at["agent"]).files[at["index"]].owner
                after = self._takes_up(at["agent"], at["index"]).boxes(owner)
            case _:
                after = self
        after = after.with_table(on_board(after.table, effect))
        position = {"position": after.agent(at["agent"]).influence} if effect.type == "fx_influence" else {}
        return after.say(effect.type.replace("fx_", "did_", 1), by=seat, **at, **document, **position)

    def _peeks(self, seat: Seat, peek: Peek) -> Self:
        mine = self.hands[seat]
        return self.with_hand(seat, replaced(mine, peeked=(*mine.peeked, peek)))

    def _documents(self, owner: Seat, agent: str) -> tuple[tuple[str, str], ...]:
        backs = (file.back for file in self.agent(agent).of(owner))
        return tuple(zip(backs, self.hands[owner].at(agent), strict=True))

    def _swaps(self, side: Seat, a: str, b: str) -> Self:
        mine = self.hands[side]
        swapped = {**mine.loyalty, a: mine.loyalty[b], b: mine.loyalty[a]}
        return self.with_hand(side, replaced(mine, loyalty=swapped))

    def _takes_up(self, agent: str, index: int, to: str | None = None) -> Self:
        """A document is taken from before an agent, and laid before another if `to` is given."""
        files = self.agent(agent).files
        owner = files[index].owner
        n = sum(file.owner == owner for file in files[:index])
        mine = self.hands[owner]
        held = mine.at(agent)
        left = mine.with_files(agent, (*held[:n], *held[n + 1 :]))
        return self.with_hand(owner, left.with_files(to, (*left.at(to), held[n])) if to else left)
