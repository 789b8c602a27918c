"""A test language in the words of Agent Double: `ana.lays("S", "3")`. Ana plays Red, Bob plays Blue.

A scene starts in the middle of a game: the test says what lies where, and the rest is derived. All moves go
through the match's own checks, and every state must satisfy the invariants.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from referee.core.append_only import AppendOnlyList
from referee.core.moves import Seat
from referee.games.agent_double import AGENT_DOUBLE
from referee.games.agent_double.deck import CARDS
from referee.games.agent_double.table import HAND, SEATS, DoubleHand, File, Placed
from tests.support.rules.table_language import AnyPlayer, AnyTable

TOKENS = (1, 2, 2, 3, 4, 5)
Lying = Mapping[str, Sequence[tuple[Seat, str, str]]]  # before each agent: owner, back, face


class Table(AnyTable):
    """Where Ana and Bob sit, and what has been said so far."""

    def __init__(self, **options: Any) -> None:
        super().__init__(AGENT_DOUBLE, **{"first": "red", **options})
        for seat, name in zip(SEATS, ("Ana", "Bob"), strict=True):
            self.sits(seat, name)

    def moves(self, seat: Seat, kind: str, /, **fields: Any) -> None:
        super().moves(seat, kind, **fields)
        self.holds_its_invariants()

    def holds_its_invariants(self) -> None:
        assert list(AGENT_DOUBLE.invariants(self.state)) == []

    def becomes(self, state: Any) -> None:
        """The game stands like this now, as if it had begun so."""
        changes = self.match.state_changes(state)
        begun = {
            "changed": dict.fromkeys(SEATS, 0),
            "made": AppendOnlyList(),
            "secret_moves": {seat: AppendOnlyList() for seat in SEATS},
        }
        self.match = replace(self.match, **{**changes, **begun})
        self.holds_its_invariants()

    def takes_back(self, moves: int = 1) -> None:
        """All agree that the last moves did not happen."""
        self.asks("red", "undo", n=self.match.made[-moves].n)
        self.all_agree()
        self.holds_its_invariants()

    def corrects(self, seat: Seat, move: int = -1, **fields: Any) -> None:
        """Somebody entered another secret in a move, the last if it is not told which; all agree."""
        self.asks(seat, "correct", n=self.match.made[move].n, fields=fields)
        self.all_agree()
        self.holds_its_invariants()

    def agent(self, name: str) -> dict[str, Any]:
        (found,) = (agent for agent in self.public["agents"] if agent["agent"] == name)
        return dict(found)

    @property
    def delivered(self) -> list[tuple[str, str]]:
        """Who took what in the last move, in the order of the chain."""
        return [(news["agent"], news["taker"]) for news in self.all_news("delivered")]


class Player(AnyPlayer[Table]):
    """Red or Blue."""

    def gives(self, *tokens: int) -> None:
        self.does("assign_loyalty", tokens=tokens)

    def lays(self, agent: str, back: str, file: str | None = None) -> None:
        """A document; a plain back is what it says unless told otherwise."""
        self.does("place", agent=agent, back=back, file=file or back)

    def composes(self, *effects: tuple[str, dict[str, Any]], name: str = "Fouineur", **done: Any) -> None:
        """A whole action, up to the question whether it is right."""
        self.does("act", name=name)
        for kind, fields in effects:
            self.does(kind, **fields)
        self.does("act_done", **done)

    def offered(self, kind: str, name: str) -> list[Any]:
        """The options of a field, of all choices of this type together."""
        return [option for options in super().offered(kind, name) for option in options]

    @property
    def hand(self) -> dict[str, Any]:
        return AGENT_DOUBLE.hand(self.table.state.hands[self.seat])


def sit_down(**options: Any) -> tuple[Table, Player, Player]:
    table = Table(**options)
    return table, Player(table, "red"), Player(table, "blue")


def begin(**options: Any) -> tuple[Table, Player, Player]:
    """Both have given their tokens: A 1, B 2, S 2, L 3, 5 4, 6 5 from Ana, the other way round from Bob."""
    table, ana, bob = sit_down(**options)
    ana.gives(*TOKENS)
    bob.gives(*TOKENS[::-1])
    return table, ana, bob


def scene(
    lying: Lying,
    *,
    red: Sequence[int] = TOKENS,
    blue: Sequence[int] = TOKENS,
    influence: Mapping[str, int] | None = None,
    markers: Mapping[str, int] | None = None,
    turns: int = 3,
    **options: Any,
) -> tuple[Table, Player, Player]:
    """A game in its middle, Ana to play: these documents lie there, so stand counters and markers."""
    table, ana, bob = sit_down(**options)
    ana.gives(*red)
    bob.gives(*blue)
    board, markers = table.state.table, markers or {}
    files = dict(_files(lying))
    agents = tuple(
        replace(
            agent,
            files=files.get(agent.name, ()),
            influence=(influence or {}).get(agent.name, agent.influence),
            markers=markers.get(agent.name, 0),
        )
        for agent in board.agents
    )
    hands = {seat: _hand(table.state.hands[seat], lying) for seat in SEATS}
    left = {seat: CARDS - len(hands[seat].placed) for seat in SEATS}
    board = replace(
        board,
        agents=agents,
        said=(),
        markers=2 - sum(markers.values()),
        turns=dict.fromkeys(SEATS, turns),
        laid={seat: len(hands[seat].placed) for seat in SEATS},
        hands={seat: min(HAND, left[seat]) for seat in SEATS},
        decks={seat: max(0, left[seat] - HAND) for seat in SEATS},
    )
    table.becomes(replace(table.state, table=board, hands=hands))
    return table, ana, bob


def _files(lying: Lying) -> Iterator[tuple[str, tuple[File, ...]]]:
    """What everyone sees before each agent: agent by agent, as if laid in this order."""
    laid = {seat: count(1) for seat in SEATS}
    for agent, files in lying.items():
        yield agent, tuple(File(owner, back, next(laid[owner])) for owner, back, _ in files)


def _hand(mine: DoubleHand, lying: Lying) -> DoubleHand:
    placed = tuple(
        Placed(agent, back, face)
        for agent, files in lying.items()
        for owner, back, face in files
        if owner == mine.seat
    )
    files: dict[str, tuple[str, ...]] = {}
    for each in placed:
        files[each.agent] = (*files.get(each.agent, ()), each.file)
    return replace(mine, files=files, placed=placed)


def row(seat: Seat, *values: int) -> list[tuple[Seat, str, str]]:
    """Plain documents of one player."""
    return [(seat, str(value), str(value)) for value in values]
