"""The tests that every game gets by being registered."""

from typing import Any

import pytest

from referee.core.game import Game
from referee.games import GAMES
from referee.kit.game_tests import *  # noqa: F403


@pytest.fixture(params=list(GAMES.values()), ids=list(GAMES))
def game(request: pytest.FixtureRequest) -> Game[Any, Any]:
    found: Game[Any, Any] = request.param
    return found


def test_the_registry_names_each_game_by_its_id() -> None:
    assert GAMES
    assert all(name == each.id for name, each in GAMES.items())
