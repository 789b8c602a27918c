"""Undo and correction in long games: the same as a full replay, though only a part is replayed."""

from dataclasses import replace
from functools import reduce
from typing import Any

import pytest

from referee.core.append_only import AppendOnlyList
from referee.core.corrections import own_secrets
from referee.core.dice import Dice
from referee.core.entries import Asked
from referee.core.frozen import replaced
from referee.core.game import Game, State
from referee.core.match import Match
from referee.core.replay import CHECKPOINT_EVERY
from referee.games import GAMES
from referee.program.simulate import SimulatedMove, opened, steps

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())


def from_the_deal(match: Match) -> State[Any, Any]:
    """The state after the moves that stand, all of them played again."""
    state = match.game.deal(match.options, Dice(match.seed, len(match.seats)))
    for made in match.made:
        state = match.game.play(state, made.entry.seat, made.entry.move, Dice(match.seed, made.throw))
    return state


def longest(game: Game[Any, Any]) -> list[SimulatedMove]:
    games_played = (list(steps(opened(game, f"long/{i}"), f"long/{i}")) for i in range(5))
    return max(games_played, key=len)


@every_game
def test_after_taking_back_and_correcting_the_game_stands_as_if_played_anew(game: Game[Any, Any]) -> None:
    for match in (step.match for step in longest(game) if step.match.made and not step.match.outcome):
        undone = match.after(Asked(match.seats[0], "undo", (), {"n": match.made[-1].n}))
        assert len(undone.made) == len(match.made) - 1
        assert undone.state == from_the_deal(undone)
    secrets = own_secrets(match, match.seats[0])
    for made in secrets:
        secret = game.moves[made.entry.move.type].secret
        same = {name: value for name, value in made.entry.move.fields.items() if name in secret}
        entry = Asked(match.seats[0], "correct", (), {"n": made.n, "fields": same}, "00" * 32)
        corrected = match.after(entry)
        assert "corrected" in [told.news.kind for told in corrected.told()]
        assert corrected.state == match.state
        assert corrected.made == match.made


@every_game
def test_taking_back_plays_few_moves_again_however_many_there_were(game: Game[Any, Any]) -> None:
    calls = []

    def play(*given: Any) -> Any:
        calls.append(given)
        return game.play(*given)

    for match in (step.match for step in longest(game) if step.match.made and not step.match.outcome):
        calls.clear()
        replaced(match, game=replace(game, play=play)).after(
            Asked(match.seats[0], "undo", (), {"n": match.made[-1].n})
        )
        assert len(calls) < CHECKPOINT_EVERY


# ---- what they are made of


def test_a_row_that_grows_is_like_a_tuple() -> None:
    row: AppendOnlyList[int] = reduce(AppendOnlyList.appended, range(5), AppendOnlyList())
    assert list(row) == [0, 1, 2, 3, 4]
    assert (len(row), row[0], row[-1], row[1:3], row[9:]) == (5, 0, 4, [1, 2], [])
    assert row == AppendOnlyList(range(5)) != AppendOnlyList(range(4))
    assert hash(row) == hash(AppendOnlyList(range(5)))
    assert not AppendOnlyList()
    with pytest.raises(IndexError):
        row[5]


def test_a_row_never_changes_whatever_grows_from_it() -> None:
    short = AppendOnlyList([1, 2])
    one, two = short.appended(3), short.appended(4)
    assert (list(short), list(one), list(two)) == ([1, 2], [1, 2, 3], [1, 2, 4])
    assert list(one.appended(5)) == [1, 2, 3, 5]
    with pytest.raises(IndexError):
        short[2]


def test_a_changed_copy_has_the_fields_of_the_first_and_no_others() -> None:
    entry = Asked("a", "undo", (), {"n": 1})
    assert replaced(entry, kind="abandon") == replace(entry, kind="abandon")
    assert entry.kind == "undo"
    with pytest.raises(TypeError, match="The fields of Asked are not exactly these"):
        replaced(entry, knid="abandon")
