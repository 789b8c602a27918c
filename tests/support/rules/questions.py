"""What the tests of the questions need: a refusal by its name, how a game stands, a game of three."""

from dataclasses import replace
from typing import Any

import pytest

from referee.core.dice import Dice
from referee.core.entries import Joined, Moved
from referee.core.errors import IllegalMove
from referee.core.game import Game, News, State
from referee.core.match import Match, open_match
from referee.core.moves import Move
from referee.games.agent_hunter import AGENT_HUNTER
from tests.support.rules.agent_hunter_language import Player, Table
from tests.support.rules.table_language import SALT, SEED

AtTable = tuple[Table, Player, Player]


def refused(table: Table, by: str, kind: str, **fields: Any) -> str:
    """The code of the refusal, and its reason where it has one."""
    before = table.match
    with pytest.raises(IllegalMove) as caught:
        table.asks(by, kind, **fields)
    assert table.match == before
    why = caught.value.why
    return f"{caught.value.code} {why.key}" if why else caught.value.code


def game(match: Match) -> tuple[Any, ...]:
    """How the game stands, whatever was asked meanwhile."""
    return match.state, match.choices, match.made, match.outcome


def three_enter(seats: list[str]) -> Table:
    """A game of three who each enter a number, round after round; when all have, the numbers are told."""
    table = Table()
    names = ("a", "b", "c")

    def deal(options: Any, dice: Dice) -> Any:
        dealt = AGENT_HUNTER.deal({**options, "first": "target", "turn_cap": None}, dice)
        none = dealt.hands["target"]
        sides = dict.fromkeys(names, dealt.table.sides["target"])
        return State(replace(dealt.table, sides=sides), dict.fromkeys(names, none), box={})

    def choices(seen: Any) -> Any:
        return () if seen.table.sides[seen.seat].hidden else AGENT_HUNTER.choices(seen)

    def enter(state: Any, seat: str, _move: Move, _dice: Dice) -> Any:
        sides = {**state.table.sides, seat: replace(state.table.sides[seat], hidden=True)}
        said: tuple[News, ...] = (News("entered"),)
        if all(side.hidden for side in sides.values()):
            sides = dict.fromkeys(names, replace(sides[seat], hidden=False))
            said = (*said, News("told"))
        return State(replace(state.table, sides=sides, said=said), state.hands, state.box)

    three: Game[Any, Any] = replace(
        AGENT_HUNTER,
        seats=lambda _options: names,
        options=(),
        deal=deal,
        choices=choices,
        play=enter,
        reveals=frozenset({"told"}),
    )
    options = {"refill_after_final": False}
    match = replace(open_match("KX7QF", three, {}, SEED), options=options)
    for name in names:
        match = match.after(Joined(name, name.upper()))
    for seat in seats:
        match = match.after(Moved(seat, Move("hide", {"houses": (1, 2, 3)}), SALT))
    table.match = match
    return table
