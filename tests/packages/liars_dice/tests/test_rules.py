"""The rules of Liar's Dice, paragraph by paragraph."""

from dataclasses import replace
from typing import Any

import pytest
from liars_dice import GAME
from liars_dice.choices import lowest
from liars_dice.rules import deal, play
from liars_dice.table import Bid, DiceState, DiceTable
from liars_dice.todo import turned_up

from referee.core.dice import Dice
from referee.core.game import Made
from referee.core.moves import Move
from referee.core.options import with_defaults

ROLLS = {"cup_1": (1, 4, 4, 2, 6), "cup_2": (4, 1, 3, 3, 5), "cup_3": (2, 2, 6, 6, 1)}  # 3 fours, 3 aces


def table(**options: Any) -> DiceState:
    """A table of three, whose players have rolled as above."""
    chosen = with_defaults(GAME.options, {"players": 3, "first": "cup_1", **options})
    state = deal(chosen, Dice("rules"))
    for seat, roll in ROLLS.items():
        dice = {f"die_{n}": die for n, die in enumerate(roll[: chosen["dice"]], 1)}
        state = play(state, seat, Move("roll", dice), Dice("rules"))
    return state


def doubted(state: DiceState, count: int, face: int) -> DiceState:
    """The first player bids, the second doubts."""
    state = play(state, "cup_1", Move("bid", {"count": count, "face": face}), Dice("x"))
    return play(state, "cup_2", Move("doubt"), Dice("x"))


def after(bid: Bid | None, **changes: Any) -> DiceTable:
    return replace(table().table, bid=bid, bidder="cup_1", **changes)


@pytest.mark.parametrize(
    ("wild", "count", "right", "loser"),
    [
        (True, 6, False, "cup_2"),
        (True, 7, True, "cup_1"),
        (False, 3, False, "cup_2"),
        (False, 4, True, "cup_1"),
    ],
)
def test_a_doubt_is_answered_exactly_and_whoever_was_wrong_loses_a_die(
    wild: bool, count: int, right: bool, loser: str
) -> None:
    state = doubted(table(wild=wild), count, 4)
    told = state.table.said[0]
    assert (told.kind, told.fields["right"], told.fields["found"]) == ("doubted", right, 6 if wild else 3)
    assert state.table.dice == {**dict.fromkeys(ROLLS, 5), loser: 4}
    assert (state.table.step, state.table.starter) == ("roll", loser)


@pytest.mark.parametrize(
    ("bid", "face", "least"),
    [
        (None, 4, 1),
        (None, 1, None),  # a round does not begin with aces
        (Bid(4, 3), 3, 5),
        (Bid(4, 3), 2, 5),
        (Bid(4, 3), 5, 4),
        (Bid(5, 3), 1, 3),  # to aces: half, rounded up
        (Bid(3, 1), 1, 4),
        (Bid(3, 1), 2, 7),  # from aces: twice and one
    ],
)
def test_each_bid_is_higher(bid: Bid | None, face: int, least: int | None) -> None:
    assert lowest(after(bid), face, own=5) == least


def test_without_wild_aces_they_are_a_face_like_others() -> None:
    assert lowest(after(None, wild=False), 1, own=5) == 1
    assert lowest(after(Bid(4, 3), wild=False), 1, own=5) == 5


def test_in_a_special_round_only_those_with_one_die_change_the_face() -> None:
    special = after(Bid(2, 3), palifico=True)
    assert (lowest(special, 5, own=2), lowest(special, 5, own=1), lowest(special, 3, own=2)) == (None, 2, 3)


def test_coming_down_to_one_die_makes_a_special_round_once() -> None:
    state = doubted(table(dice=2), 6, 6)
    assert state.table.palifico
    assert state.table.been_palifico == {"cup_1"}
    assert not doubted(table(dice=2, palifico=False), 6, 6).table.palifico


def test_who_has_no_dice_is_out_and_the_last_one_wins() -> None:
    state = doubted(table(dice=1), 3, 6)
    assert state.table.out == ("cup_1",)
    assert state.table.starter == "cup_2"
    for seat, roll in (("cup_2", 5), ("cup_3", 5)):
        state = play(state, seat, Move("roll", {"die_1": roll}), Dice("x"))
    state = play(state, "cup_2", Move("bid", {"count": 2, "face": 5}), Dice("x"))
    state = play(state, "cup_3", Move("doubt"), Dice("x"))
    assert state.table.outcome is not None
    assert state.table.outcome.winners == ("cup_2",)


def test_after_a_doubt_every_roll_of_the_round_lies_open() -> None:
    kinds = ["roll", "roll", "bid", "doubt", "roll", "roll", "bid", "doubt"]
    made = [Made(n, "cup_1", kind, {}, kind == "roll") for n, kind in enumerate(kinds, 1)]
    assert turned_up(made) == [5, 6]
    assert turned_up(made[:-1]) == []
    assert turned_up(made[:4]) == [1, 2]
