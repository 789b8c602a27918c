"""The parts of a score, which the table screen counts up, add up to it in every game that has them."""

import pytest

from referee.games import GAMES
from referee.presentation.words import LANGUAGES, words
from referee.program.simulate import opened, steps
from tests.support.soak import games


@pytest.mark.parametrize("name", GAMES)
def test_the_parts_of_every_score_add_up(name: str) -> None:
    game = GAMES[name]
    for i in games(25):
        for step in steps(opened(game, f"parts/{i}"), f"parts/{i}"):
            match = step.match
        if match.state is None or match.outcome is None:
            continue
        parts = game.score_parts(game.public(match.state.table))
        for side, own in parts.items():
            assert sum(part.points for part in own) == match.outcome.scores[side]
        for own in parts.values():
            for part in own:
                assert all(f"{name}.part.{part.say.key}" in words(language) for language in LANGUAGES)
