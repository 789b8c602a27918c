"""A game of two in its first turn, for the tests of the questions."""

import pytest

from tests.support.rules.agent_hunter_language import play
from tests.support.rules.questions import AtTable


@pytest.fixture
def at_table() -> AtTable:
    """Ana has hidden 1 2 3 and is to play, Bob 4 5 6."""
    return play(ana=(1, 2, 3), bob=(4, 5, 6))
