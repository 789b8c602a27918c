"""The guide of a first game: every lesson is reached, worded, drawn and leads to a section of the rules."""

from collections.abc import Iterator
from typing import Any

import pytest

from referee.core.dice import Dice
from referee.core.game import Game, Slice
from referee.core.match import PlayerView
from referee.games import GAMES
from referee.presentation.rulebook import rulebook
from referee.presentation.words import COMPLETE, words
from referee.program.simulate import opened, random_options, steps
from tests.support.soak import games

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
GAMES_PLAYED = 25  # enough to meet every lesson


def seen_by_all(game: Game[Any, Any]) -> Iterator[PlayerView]:
    for i in games(GAMES_PLAYED):
        seed = f"guide/{i}"
        options = {**random_options(game.options, Dice(f"{seed}/options")), "guide": True}
        for step in steps(opened(game, seed, options), seed):
            match = step.match
            yield from (match.seen_by(seat) for seat in match.seats if match.state and not match.outcome)


def the_slice(seen: PlayerView) -> Slice[Any, Any]:
    assert seen.slice
    return seen.slice


@every_game
def test_random_games_reach_every_lesson_and_no_other(game: Game[Any, Any]) -> None:
    assert game.guide is not None
    met = {key for seen in seen_by_all(game) for key in game.guide.now(the_slice(seen))}
    assert met == set(game.guide.sections)


@every_game
def test_somebody_who_has_to_act_is_told_how(game: Game[Any, Any]) -> None:
    """Whoever may do something has a lesson about it, whatever was read before."""
    assert game.guide is not None
    for seen in seen_by_all(game):
        if seen.choices and {choice.type for choice in seen.choices} != {"cannot"}:
            assert game.guide.now(the_slice(seen)), (seen.seat, [choice.type for choice in seen.choices])


@every_game
@pytest.mark.parametrize("language", COMPLETE)
def test_lessons_have_words_and_a_section(game: Game[Any, Any], language: str) -> None:
    assert game.guide is not None
    sections = {section.id for section in rulebook(game.id, language).sections}
    assert set(game.guide.sections.values()) <= sections
    for key in game.guide.sections:
        for part in ("", ".text"):
            assert f"page.{game.id}.lesson.{key}{part}" in words(language)
