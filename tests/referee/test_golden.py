"""Every registered game has a recorded playthrough, and still plays it to the letter."""

from typing import Any

import pytest

from referee.game import Game
from referee.games import GAMES
from referee.simulate import opened, steps
from tests.referee.golden import FOLDER, OPTIONS, moves_in, path, playthrough, seed_of

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())


@every_game
def test_the_game_goes_as_it_was_recorded(game: Game[Any, Any]) -> None:
    assert path(game).exists(), "record it with: python -m tests.referee.golden"
    recorded = path(game).read_text(encoding="utf-8")
    assert playthrough(game, seed_of(recorded)).splitlines() == recorded.splitlines()


@every_game
def test_the_recorded_game_shows_every_move_and_every_kind_of_news(game: Game[Any, Any]) -> None:
    text = path(game).read_text(encoding="utf-8")
    seed = seed_of(text)
    assert moves_in(list(steps(opened(game, seed, OPTIONS), seed))) == game.moves.keys()
    for seat in game.seats(opened(game, seed, OPTIONS).options):
        assert f"\n  {seat} holds " in text


def test_no_playthrough_is_left_of_a_game_that_is_gone() -> None:
    assert {file.stem for file in FOLDER.glob("*.txt")} == GAMES.keys()
