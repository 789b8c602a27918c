"""Every registered game has recorded playthroughs, and still plays them to the letter."""

from typing import Any

import pytest

from referee.core.game import Game
from referee.games import GAMES
from referee.program.simulate import opened, steps
from tests.support.rules.golden import moves_in, paths, playthrough, recorded

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())


@every_game
def test_the_game_goes_as_it_was_recorded(game: Game[Any, Any]) -> None:
    assert paths(game), "record it with: python -m tests.support.rules.golden"
    for file in paths(game):
        text = file.read_text(encoding="utf-8")
        assert playthrough(game, *recorded(text)).splitlines() == text.splitlines()


@every_game
def test_the_recorded_games_show_every_move_and_every_seat(game: Game[Any, Any]) -> None:
    made = set()
    for file in paths(game):
        text = file.read_text(encoding="utf-8")
        seed, options = recorded(text)
        made |= moves_in(list(steps(opened(game, seed, options), seed)))
        for seat in game.seats(options):
            assert f"\n  {seat} holds " in text
    assert made == game.moves.keys()
