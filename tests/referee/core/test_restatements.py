"""Restatements: after an undo or a correction, every statement that no longer holds is told again."""

from collections.abc import Sequence
from typing import Any

import pytest

from referee.core import corrections, question_effects, replay
from referee.core.game import Game, News, Restated
from referee.core.listener import Listener
from referee.core.match import RECENT, Match
from referee.core.moves import Move
from referee.core.replay import place
from referee.core.restatements import differences, no_longer_true
from referee.games import GAMES
from referee.presentation.views import view
from referee.presentation.words import LANGUAGES, words
from referee.program.simulate import CheckFailed, opened, play_one, steps
from tests.support.rules.agent_hunter_language import play
from tests.support.rules.questions import AtTable
from tests.support.soak import games

A, B, C, D = (News(kind) for kind in "abcd")
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


# ---- in the words of the table


def test_an_answer_that_was_wrong_is_told_anew() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 7, 8))
    assert ana.attacks(house=1, card=5) == "moins"
    n = table.match.made[-1].n
    table.asks("mask", "correct", n=table.match.made[1].n, fields={"houses": (9, 7, 8)})
    table.answers("target")
    assert table.kinds() == ["corrected", "restated"]
    told = table.news("restated")
    assert told["of"] == n
    assert (told["was"]["fields"]["answer"], told["now"]["fields"]["answer"]) == ("moins", "plus")
    assert bob.houses == {1: 9, 2: 7, 3: 8}


def test_nothing_is_told_anew_where_nothing_changed(at_table: AtTable) -> None:
    table, ana, _ = at_table
    ana.attacks(house=1, card=9)
    table.asks("mask", "correct", n=5, fields={"houses": (7, 5, 6)})
    table.answers("target")
    assert table.heard == [News("corrected", {"of": 5, "changes": 0})]


def test_every_answer_since_is_told_anew_and_none_is_cut_from_the_view(at_table: AtTable) -> None:
    table, ana, bob = at_table
    for _ in range(RECENT):
        ana.attacks(house=1, card=7)
        bob.attacks(house=1, card=9)
    table.asks("mask", "correct", n=5, fields={"houses": (8, 5, 6)})
    table.answers("target")
    assert table.kinds() == ["corrected"] + ["restated"] * RECENT
    news = view(table.match.seen_by("mask"), words("en"))["news"]
    assert len([item for item in news if item["kind"] == "restated"]) == RECENT
    numbers = [item["of"] for item in news if item["kind"] == "restated"]
    assert numbers == sorted(numbers), "in the order of the moves"


def test_what_was_put_right_twice_is_put_right_from_what_was_told_last(at_table: AtTable) -> None:
    table, ana, _ = at_table
    ana.attacks(house=1, card=7)
    for houses, answers in (((8, 5, 6), ("moins", "plus")), ((0, 5, 6), ("plus", "moins"))):
        table.asks("mask", "correct", n=5, fields={"houses": houses})
        table.answers("target")
        told = table.news("restated")
        assert (told["was"]["fields"]["answer"], told["now"]["fields"]["answer"]) == answers
    attack = table.match.made[-1].n
    put_right = [told.n for told in table.match.news if told.news.kind == "restated"]
    assert no_longer_true(table.match.news) == {attack, put_right[0]}, "only what was told last holds"


def test_a_hit_that_was_none_brings_the_house_back(at_table: AtTable) -> None:
    """The last move may change what can be done next: nobody has done it yet."""
    table, ana, _ = at_table
    assert ana.attacks(house=1, card=4) == "reussite"
    table.asks("mask", "correct", n=5, fields={"houses": (7, 5, 6)})
    table.answers("target")
    told = table.all_news("restated")
    assert [(one["was"]["kind"], one["now"] and one["now"]["kind"]) for one in told] == [
        ("attack", "attack"),
        ("destroyed", None),
    ]
    assert not table.public["sides"]["mask"]["houses"][0]["destroyed"]


def test_what_no_longer_holds_is_known_by_its_number(at_table: AtTable) -> None:
    table, ana, bob = at_table
    ana.attacks(house=1, card=4)
    attack, destroyed, _ = (told.n for told in table.match.told())
    table.asks("mask", "correct", n=5, fields={"houses": (7, 5, 6)})
    table.answers("target")
    assert no_longer_true(table.match.news) == {attack, destroyed}
    bob.attacks(house=1, card=9)
    last = [told.n for told in table.match.told()]
    table.asks("mask", "undo")
    table.answers("target")
    assert no_longer_true(table.match.news) == {attack, destroyed, *last}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_difference_says_what_holds_and_what_was_said(language: str) -> None:
    table, ana, _ = play(ana=(1, 2, 3), bob=(4, 7, 8))
    ana.attacks(house=1, card=5)
    table.asks("mask", "correct", n=table.match.made[1].n, fields={"houses": (9, 7, 8)})
    table.answers("target")
    text = view(table.match.seen_by(), words(language))["news"][-1]["text"]
    plus, minus = (words(language).say(f"page.answer.{answer}") for answer in ("plus", "moins"))
    assert 0 < text.index(plus) < text.index(minus)


# ---- what is compared


def compared(was: Sequence[News], now: Sequence[News]) -> list[Restated]:
    restated, called = differences(was, range(10, 10 + len(was)), now, 50)
    assert len(called) == len(now)
    return list(restated)


def test_what_is_the_same_is_not_told() -> None:
    assert compared([A, B], [A, B]) == []


def test_what_is_newly_said_comes_after_what_it_follows() -> None:
    assert compared([A, C], [A, B, C]) == [Restated(10, None, B)]
    assert compared([A], [A, B, C]) == [Restated(10, None, B), Restated(50, None, C)]


def test_what_is_no_longer_said_is_told_by_its_number() -> None:
    assert compared([A, B, C], [A, C]) == [Restated(11, B, None)]


def test_another_kind_does_not_take_its_place_unless_it_comes_first() -> None:
    assert compared([A, B], [A, C]) == [Restated(11, B, None), Restated(10, None, C)]
    assert compared([A, B], [C, B]) == [Restated(10, A, C)]


# ---- somebody who only listens


@every_game
def test_who_only_listens_believes_what_a_fresh_game_tells(game: Game[Any, Any]) -> None:
    for i in games(25):
        play_one(game, f"told/{i}", thorough=True)


@every_game
@pytest.mark.parametrize("leaves_out", [0, -1], ids=["the first", "the last"])
def test_a_difference_that_is_not_told_is_noticed(
    game: Game[Any, Any], leaves_out: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def untold(*compared: Any) -> tuple[tuple[Restated, ...], tuple[int, ...]]:
        restated, called = differences(*compared)
        kept = [one for one in restated if one is not restated[leaves_out]]
        return tuple(kept), called

    monkeypatch.setattr(replay, "differences", untold)
    with pytest.raises(CheckFailed):
        for i in games(400):
            play_one(game, f"untold/{i}", thorough=True)


@every_game
def test_a_correction_that_changes_nothing_is_noticed(
    game: Game[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def as_it_was(match: Match, n: int, _move: Move, *more: Any, **named: Any) -> Any:
        return corrections.replay_corrected(match, n, match.made[place(match, n)].entry.move, *more, **named)

    monkeypatch.setattr(question_effects, "replay_corrected", as_it_was)
    with pytest.raises(CheckFailed, match="fresh"):
        for i in games(60):
            play_one(game, f"unchanged/{i}", thorough=True)


@every_game
def test_random_games_meet_what_they_are_meant_to_check(game: Game[Any, Any]) -> None:
    met: set[str] = set()
    for i in games(40):
        for step in steps(opened(game, f"met/{i}"), f"met/{i}", thorough=True):
            met |= {told.news.kind for told in step.match.told()}
            met |= {
                "several taken back"
                for told in step.match.told()
                if told.news.kind == "taken_back" and len(told.news.fields["moves"]) > 1
            }
    assert {"corrected", "restated", "taken_back", "several taken back"} <= met


def test_random_games_are_corrected_after_their_end_and_go_on() -> None:
    game, reopened = GAMES["agent_avenue"], 0
    for i in games(40):
        before = opened(game, f"late/{i}")
        for step in steps(before, f"late/{i}", thorough=True):
            reopened += before.outcome is not None and step.match.outcome is None
            before = step.match
    assert reopened


@every_game
def test_the_listener_is_right_at_the_end_of_plain_games_too(game: Game[Any, Any]) -> None:
    listener, seed = Listener(), "plain"
    for step in steps(opened(game, seed), seed):
        listener.receive(step.entry, step.match)
    state, news = listener.replay(step.match)
    assert listener.current_news() == news
    assert state == step.match.state
