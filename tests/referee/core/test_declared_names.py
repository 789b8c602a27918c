"""What a game declares instead of naming fields in a certain way: plurals, lamps, names, reserved words."""

from dataclasses import replace
from typing import Any

import pytest

from referee.core.dice import Dice
from referee.core.game import Made, News, last_turned_up_by
from referee.core.match import Match
from referee.core.options import BadOption, OneOf, with_defaults
from referee.games.agent_hunter import AGENT_HUNTER
from referee.presentation.cues import Cue
from referee.presentation.views import Localizer
from referee.presentation.words import Words, words
from referee.program.simulate import opened, random_options, steps

FRENCH = words("fr")
NAMES = {"target": "Ana", "mask": "Bo"}


def said(game: Any, news: News, *forms: str) -> str:
    """A piece of news with these words, said in French."""
    texts = Words("fr", {**FRENCH.messages, "agent_hunter.news.x": forms}, FRENCH.plural)
    return Localizer(texts, game, NAMES).news(news)


def test_news_has_plural_forms_by_the_field_that_the_game_declares() -> None:
    game = replace(AGENT_HUNTER, plurals={"x": "left"})
    forms = ("{by} en garde {n}.", "{by} en gardent {n}.")
    assert said(game, News("x", {"by": "target", "left": 1}), *forms) == "Ana en garde 1."
    assert said(game, News("x", {"by": "target", "left": 4}), *forms) == "Ana en gardent 4."


def test_any_field_that_holds_a_seat_is_elided_and_no_other() -> None:
    news = News("x", {"victim": "target", "thief": "mask", "place": "A1"})
    form = "Le dé de {victim}, celui de {thief}, parti de {place}."
    assert said(AGENT_HUNTER, news, form) == "Le dé d’Ana, celui de Bo, parti de A1."


@pytest.mark.parametrize("field", ["n", "kind", "text", "commitment", "what", "wait"])
def test_a_reserved_field_of_news_is_refused_by_name(field: str) -> None:
    def play(*arguments: Any) -> Any:
        state = AGENT_HUNTER.play(*arguments)
        return state.on_table(said=(*state.table.said, News("odd", {field: 1})))

    game = replace(AGENT_HUNTER, play=play)
    with pytest.raises(ValueError, match=f"the field '{field}' of the news 'odd' is reserved"):
        list(steps(opened(game, "names"), "names"))


def test_a_cue_names_the_fields_that_its_seat_lamp_follows() -> None:
    assert Cue().about == ("seat", "by", "side")
    cue = Cue(lamp="seat", about=("victim",))
    assert replace(AGENT_HUNTER, cues={"robbed": cue}).cue(News("robbed", {"victim": "mask"})) is cue


def _is_there(value: Any, others: Any) -> bool:
    return value == "random" or int(str(value)[-1]) <= int(others["players"])


SEATED = (OneOf("players", (3, 4)), OneOf("first", ("random", "p_3", "p_4"), goes_with=_is_there))


def test_an_option_may_depend_on_another() -> None:
    assert with_defaults(SEATED, {"players": 4, "first": "p_4"})["first"] == "p_4"
    assert SEATED[1].values_at({"players": 3}) == ("random", "p_3")
    with pytest.raises(BadOption) as refused:
        with_defaults(SEATED, {"players": 3, "first": "p_4"})
    assert refused.value.name == "first"


def test_random_options_go_together() -> None:
    for n in range(40):
        chosen = random_options(SEATED, Dice(f"together/{n}"))
        assert with_defaults(SEATED, chosen) == chosen


def test_two_games_may_have_moves_and_news_of_the_same_names() -> None:
    other = replace(AGENT_HUNTER, cues={"hidden": Cue(lamp="plus")})
    assert other.cue(News("hidden", {})) != AGENT_HUNTER.cue(News("hidden", {}))
    assert isinstance(opened(other, "same"), Match)


def test_the_last_secret_is_turned_up_by_a_later_move_of_its_type() -> None:
    def made(*kinds: str) -> list[Made]:
        return [Made(n, "target", kind, {}, kind == "lay") for n, kind in enumerate(kinds, 1)]

    turned_up = last_turned_up_by("take")
    assert list(turned_up(made("lay", "take"))) == [1]
    assert list(turned_up(made("lay", "take", "lay"))) == []
    assert list(turned_up(made("take", "lay", "wait", "take"))) == [2]
    assert list(turned_up([])) == []
