"""Each invariant of Agent Avenue can fail; and its random games meet every ending."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from referee.games.agent_avenue import AGENT_AVENUE
from referee.games.agent_avenue.position import Position
from referee.games.agent_avenue.table import AvenueHand, added
from referee.program.simulate import play_one, simulate
from tests.support.rules.agent_avenue_language import in_market, sit_down, turn


def _in_play() -> Position:
    """Ana has the Watchtower and an agent, Bob an agent; it is Bob's turn."""
    table, ana, bob = in_market()
    turn(ana, bob, mine="daredevil", theirs="codebreaker")
    ana.picks("watchtower", refill="spycation")
    state = table.state
    assert isinstance(state, Position)
    assert not list(AGENT_AVENUE.invariants(state))
    return state


def _team(state: Position, side: str, **changes: Any) -> Position:
    return state.with_team(side, replace(state.table.teams[side], **changes))


def _held(state: Position, seat: str, **changes: Any) -> Position:
    return state.with_holding(seat, replace(state.table.holdings[seat], **changes))


def _zone(state: Position, side: str, agent: str, n: int) -> Position:
    return _team(state, side, zone=added(state.table.teams[side].zone, agent, n))


BREAKS: dict[str, tuple[str, Callable[[Position], Position]]] = {
    "a card is gone": ("instead of 38", lambda s: s.on_table(deck=s.table.deck - 1)),
    "a card too many": ("instead of 38", lambda s: _zone(s, "blue", "enforcer", 1)),
    "a deck below nothing": ("a negative number of cards", lambda s: s.on_table(deck=-1)),
    "two Moles": ("copies of mole", lambda s: _zone(s, "blue", "mole", 2)),
    "seven Enforcers": ("copies of enforcer", lambda s: _zone(s, "green", "enforcer", 7)),
    "five discards": ("discards made", lambda s: _held(s, "blue", discarded=5)),
    "discards below none": ("more discards", lambda s: _held(s, "blue", discards_left=-1)),
    "three in hand": ("while the deck has some", lambda s: _held(s, "green", hand=3)),
    "known beyond the hand": ("known in hand", lambda s: _held(s, "blue", certain=(5, *(0,) * 7))),
    "known beyond all": ("it ever had", lambda s: _held(s, "blue", marked=(5, *(0,) * 7))),
    "certain, not marked": ("not marked", lambda s: _held(s, "blue", certain=(1, *(0,) * 7))),
    "a hidden card too many": (
        "hold a hidden card",
        lambda s: replace(s, hands={**s.hands, "blue": AvenueHand("mole")}),
    ),
    "nothing to take": ("hidden cards", lambda s: s.on_table(step="take")),
    "shown out of its step": ("shown", lambda s: s.on_table(face_up="mole")),
    "a market card twice": ("fifteen", lambda s: _team(s, "blue", permanents=("watchtower",))),
    "a market card lost": ("fifteen", lambda s: s.with_market(deck=3)),
    "bought and vanished": ("were taken", lambda s: _team(s, "green", bought=())),
    "a short row": ("in the row", lambda s: s.with_market(row=s.market().row[:2])),
    "a market in the base game": ("without a market", lambda s: s.on_table(market=None)),
    "twice in a row": ("turn of", lambda s: s.on_table(turn="green")),
    "no last card to show for": (
        "without having taken the last card",
        lambda s: s.on_table(must_show="blue"),
    ),
    "the last card of another": (
        "took the last card",
        lambda s: s.on_table(must_show="blue", shower="green", deck=0),
    ),
    "an effect of nothing": ("without a card", lambda s: s.on_table(step="effect")),
    "the market forgotten": ("a market card is pending", lambda s: s.on_table(landed=("blue",))),
    "a catch overlooked": ("a lead of", lambda s: _team(s, "green", progress=7)),
    "three Codebreakers": ("three Codebreakers", lambda s: _zone(s, "blue", "codebreaker", 2)),
    "nothing to play with": ("cannot play", lambda s: _held(s, "blue", hand=1)),
}


@pytest.mark.parametrize(("says", "change"), BREAKS.values(), ids=BREAKS.keys())
def test_each_invariant_can_fail(says: str, change: Callable[[Position], Position]) -> None:
    assert any(says in sentence for sentence in AGENT_AVENUE.invariants(change(_in_play())))


def test_only_the_hidden_card_itself_may_be_known_beyond_the_hand() -> None:
    table, ana, bob = sit_down()
    ana.shows("mole")
    ana.conceals("enforcer")
    bob.takes("face_up")
    bob.shows("codebreaker")
    bob.conceals("sentinel")
    for agent, fits in (("sentinel", True), ("saboteur", False)):
        known = added(added((0,) * 8, "daredevil", 4), agent, 1)
        state = _held(table.state, "blue", certain=known, marked=known)
        assert (not any("known" in sentence for sentence in AGENT_AVENUE.invariants(state))) is fits


def test_the_invariants_of_the_end_can_fail() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="sidekick", theirs="mole")
    state = table.state
    assert not list(AGENT_AVENUE.invariants(state))

    def sentences(**changes: Any) -> str:
        return " ".join(AGENT_AVENUE.invariants(state.on_table(outcome=replace(table.outcome, **changes))))

    assert "not one whole side" in sentences(winners=())
    assert "not one whole side" in sentences(winners=("green", "blue"))
    assert "not the progress" in sentences(scores={"green": 0, "blue": 0})


def test_random_games_of_every_kind_are_played() -> None:
    results = simulate(AGENT_AVENUE, 150, "kinds")
    assert {(one.options["mode"], one.options["players"]) for one in results.played} == {
        (mode, players) for mode in ("base", "advanced") for players in (2, 3, 4)
    }
    assert results.reasons().keys() >= {"catch", "codebreakers", "daredevils", "conflict"}
    assert not results.draws()


def test_a_known_card_may_lie_face_down() -> None:
    """The last card of a hand, which all had seen, is concealed: until it is taken it is still known."""
    assert play_one(AGENT_AVENUE, "bench/0/222", thorough=False).moves
