"""What every game must keep. Add tests of what is special about this one."""

from collections.abc import Iterator
from typing import Any

import pytest
from liars_dice import GAME

from referee.core.game import Game
from referee.kit.game_tests import *  # noqa: F403  (the tests that every game gets)
from referee.kit.game_tests import registered


@pytest.fixture
def game() -> Iterator[Game[Any, Any]]:
    with registered(GAME, "liars_dice"):
        yield GAME
