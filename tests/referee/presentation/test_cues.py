"""Cues: every cue belongs to some news, all news has a cue or is silent on purpose, no two are alike."""

from functools import cache
from itertools import combinations

import pytest

from referee.core.entries import DeskTaken
from referee.games import GAMES
from referee.presentation.cues import (
    BLINK,
    LAMPS,
    PAUSE,
    RESULT_LAMPS,
    ZERO,
    Cue,
    counting,
    cue,
    timeline,
)
from referee.presentation.words import LANGUAGES, words
from referee.program.simulate import opened, steps
from tests.support.rules.all_cues import ALL, ALL_SILENT, ALL_SPOKEN
from tests.support.rules.scenarios import is_in_a_scenario
from tests.support.soak import games


@cache
def keys_of(name: str) -> frozenset[str]:
    """Every news key that random games of this one bring."""
    game = GAMES[name]
    worlds = [opened(game, "cue").after(DeskTaken())]
    for i in games(60):
        worlds += (step.match for step in steps(opened(game, f"cue/{i}"), f"cue/{i}", thorough=True))
    return frozenset(game.key(t.news) for world in worlds for t in world.told())


def keys() -> frozenset[str]:
    return frozenset().union(*map(keys_of, GAMES))


def cues_of(name: str) -> list[str]:
    """The cues that one table of this game may have: heard at random, or brought about by a scenario."""
    heard = keys_of(name)
    may_be = (key for key in ALL if any(f"{other}.".startswith(f"{key}.") for other in heard))
    return [*may_be, *(key for key in ALL if is_in_a_scenario(name, key))]


def test_every_cue_is_for_some_news() -> None:
    unheard = {key for key in ALL if not any(f"{heard}.".startswith(f"{key}.") for heard in keys())}
    assert {key for key in unheard if not any(is_in_a_scenario(game, key) for game in GAMES)} == set()


def test_all_news_has_a_cue_or_is_silent_on_purpose() -> None:
    for key in keys():
        assert (cue(key, ALL) is None) == (key.partition(".")[0] in ALL_SILENT), key


def test_what_is_spoken_is_some_news_and_every_answer_is_spoken() -> None:
    kinds = {key.partition(".")[0] for key in keys()}
    rare = {kind for kind in ALL_SPOKEN if any(is_in_a_scenario(game, kind) for game in GAMES)}
    assert set(ALL_SPOKEN) - kinds <= rare
    assert len(set(ALL_SPOKEN)) == len(ALL_SPOKEN)
    for key, shown in ALL.items():
        assert key.partition(".")[0] in ALL_SPOKEN or not (
            shown.large or (shown.stays and shown.lamp != "seat")
        )


def test_the_nearest_more_general_cue_is_taken() -> None:
    assert cue("attack.plus.hand", ALL) is ALL["attack.plus"]
    assert cue("turn.of.somebody", {}) is ALL["turn"]
    assert cue("nothing.of.the.kind", ALL) is None
    assert cue("attack.plus.hand", {}) is None, "of another game"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_what_is_shown_large_has_a_word_to_show(game: str, language: str) -> None:
    """The game's own, one that all share, or that of the result lamp which stays lit with it: a page without
    one would fail."""
    said = words(language)
    for key in keys_of(game):
        sign = cue(key, GAMES[game].cues)
        has_lamp = bool(sign and sign.stays and sign.lamp in RESULT_LAMPS)
        if sign and (sign.large or has_lamp):
            lamps = f"page.answer.{sign.lamp}" in said if has_lamp else False
            assert lamps or f"page.{game}.shout.{key}" in said or f"page.shout.{key}" in said, key


def look_alike(one: Cue, two: Cue) -> bool:
    """The same lamp (or print job), as many flashes, and none of the two clearly longer."""
    if (one.lamp, one.stays, one.prints, one.counts) != (two.lamp, two.stays, two.prints, two.counts):
        return False
    flashes, lengths = {len(one.pattern[::2]), len(two.pattern[::2])}, (sum(one.pattern), sum(two.pattern))
    return len(flashes) == 1 and max(lengths) <= 1.5 * min(lengths)


@pytest.mark.parametrize("game", GAMES)
def test_no_two_cues_of_a_table_look_alike_or_sound_alike(game: str) -> None:
    """Each is told by place or rhythm alone, and by ear alone: no colour needs to be seen."""
    for one, two in combinations(dict.fromkeys(cues_of(game)), 2):
        assert not look_alike(ALL[one], ALL[two]), (one, two)
        assert ALL[one].tune != ALL[two].tune, (one, two)


@pytest.mark.parametrize("key", ALL)
def test_a_cue_names_lamps_and_notes_that_exist(key: str) -> None:
    shown = ALL[key]
    assert shown.lamp in ("", "seat", *LAMPS)
    assert bool(shown.lamp) or not (shown.pattern or shown.stays), "a rhythm without a lamp"
    assert all(seconds > 0 for seconds in shown.pattern)
    for note, seconds in shown.tune:
        assert note == "" or (note[0] in "ABCDEFG" and note[1:].isdigit())
        assert 0 < seconds <= 1


def test_cues_are_short() -> None:
    for key, shown in ALL.items():
        assert sum(shown.pattern) <= 3, key
        assert sum(seconds for _, seconds in shown.tune) <= 2, key


def test_figures_are_counted_out_one_seat_after_the_other() -> None:
    (one, two), tune = counting((3, 1))
    assert one == (0.0, PAUSE, *BLINK * 3)
    assert two == (0.0, sum(one) + PAUSE, *BLINK), "it begins when the first has ended"
    assert [note for note, _ in tune if note] == ["C5"] * 3 + ["E5"]
    assert sum(seconds for _, seconds in tune) == pytest.approx(sum(two)), "beeps and flashes end together"


def test_nought_has_its_own_sign() -> None:
    """One long flash and one long low note, unlike any figure."""
    (zero, _), tune = counting((0, 0))
    (one, _), other = counting((1, 0))
    assert zero[2:] == ZERO
    assert ZERO[0] >= 3 * one[2]
    assert tune[1][0] != other[1][0]


@pytest.mark.parametrize("figures", [(0, 18), (18, 0), (7, 7), (0, 0)])
def test_what_is_counted_can_be_read_back(figures: tuple[int, int]) -> None:
    """By eye from each lamp, by ear from the tune: nothing but the figures makes a difference."""
    patterns, tune = counting(figures)
    for figure, pattern in zip(figures, patterns, strict=True):
        flashes = pattern[2::2]
        assert len(flashes) == (figure or 1)
        assert (max(flashes) == ZERO[0]) == (figure == 0)
    notes = [note for note, _ in tune if note]
    assert notes == [n for f, p in zip(figures, ("C5", "E5"), strict=True) for n in ([p] * f or ["C4"])]
    assert counting(figures) == counting(list(figures))


ATTACK = Cue(sign="plus", delay=1.0, lasts=3.5)
TURN = Cue(lamp="seat")
DELIVERY = Cue(sign="delivery", delay=1.0, lasts=5.0)
OVER = Cue(sign="over")


def test_what_belongs_to_an_answer_is_told_with_it_and_the_end_after_it() -> None:
    assert list(timeline([ATTACK, None, TURN, OVER])) == [1.0, 1.0, 1.0, 4.5]


def test_without_a_scene_nothing_waits() -> None:
    assert list(timeline([TURN, None, OVER])) == [0.0, 0.0, 0.0]


def test_equal_scenes_follow_each_other_with_one_breath() -> None:
    assert list(timeline([DELIVERY, DELIVERY, TURN])) == [1.0, 6.0, 6.0]


def test_two_answers_of_one_move_are_one_scene() -> None:
    other = Cue(sign="cameras", delay=1.0, lasts=5.0)
    assert list(timeline([ATTACK, other, OVER])) == [1.0, 1.0, 6.0]


def test_a_large_answer_of_a_game_is_a_scene_with_a_drawing_of_its_own() -> None:
    shown = {key: each for key, each in ALL.items() if each.large or (each.stays and each.lamp != "seat")}
    assert all(each.sign and each.delay for key, each in shown.items() if key != "corrected")
    assert ALL["spotted"].sign != ALL["attack.moins"].sign
