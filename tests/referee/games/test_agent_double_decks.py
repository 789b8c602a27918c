"""Agent Double: deck files, what is wrong with one, and how a known deck is played."""

import json
from copy import deepcopy
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.game import Say
from referee.core.options import BadOption, with_defaults
from referee.games.agent_double import AGENT_DOUBLE
from referee.games.agent_double.deck import SAMPLES, fits, wrong
from referee.games.agent_double.rules import are_agents, is_influence
from referee.presentation.views import Localizer
from referee.presentation.words import LANGUAGES, words
from tests.support.rules.agent_double_language import row, scene
from tests.support.soak import examples
from web.wire.parsing import parse


def bent(**changes: Any) -> Any:
    """A right deck, but for its second plain card."""
    deck = deepcopy(SAMPLES[0])
    deck["cards"][5] = {
        name: value for name, value in {**deck["cards"][5], **changes}.items() if value != "none"
    }
    return deck


@pytest.mark.parametrize(
    ("deck", "keys"),
    [
        ([], ["deck.form"]),
        ({"name": "x"}, ["deck.form"]),
        ({"name": "x", "cards": 3}, ["deck.form"]),
        ({"name": "x\n", "cards": SAMPLES[0]["cards"]}, ["deck.name"]),
        ({"name": "x", "cards": SAMPLES[0]["cards"][:-1]}, ["deck.count"]),
        (
            {"name": "x", "cards": []},
            ["deck.count", "deck.eithers", "deck.special.personal", "deck.special.trapped"],
        ),
        (bent(back="9"), ["deck.card.back"]),
        (bent(back=[]), ["deck.card.back"]),
        (bent(value=8), ["deck.card.value"]),
        (bent(value=True), ["deck.card.value"]),
        (bent(value=7), ["deck.card.plain"]),
        (bent(value="none"), ["deck.card.form"]),
        (bent(more=1), ["deck.card.form"]),
        (bent(name=5), ["deck.card.name"]),
        (bent(special="trapped"), ["deck.special.trapped"]),
        (bent(special="other"), ["deck.card.special"]),
        (bent(effect=[]), ["deck.card.effect"]),
        (bent(back="?"), ["deck.card.name"]),
        (bent(back="?", name="x", effect=["fx_win"]), ["deck.card.effect"]),
        (bent(back="?", name="x", effect=["fx_peek"] * 4), ["deck.card.effect"]),
        (bent(back="?", name="x", special="trapped"), ["deck.card.special"]),
        (bent(back="?", name="Test 1", effect=["fx_peek"]), ["deck.copies"]),
        (bent(returns=True), ["deck.card.returns"]),
        (bent(back="?", name="x", returns="yes"), ["deck.card.returns"]),
        (bent(back="?", name="x", returns=1), ["deck.card.returns"]),
        (bent(back="0/7", value=3), ["deck.card.either"]),
        (bent(back="0/7", value=7), ["deck.eithers"]),
    ],
)
def test_what_is_wrong_with_a_deck_is_named(deck: Any, keys: list[str]) -> None:
    found = list(wrong(deck))
    assert [say.key for say in found] == keys
    assert not fits(deck)
    with pytest.raises(BadOption) as bad:
        with_defaults(AGENT_DOUBLE.options, {"deck": deck})
    assert bad.value.why == found[0]
    for say, language in product(found, LANGUAGES):
        assert Localizer(words(language), AGENT_DOUBLE, {}).of_game(f"why.{say.key}", say.fields)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 9)
    | st.floats()
    | st.sampled_from(["?", "0/7", "3", "x", "fx_peek"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["name", "cards", "back", "value", "effect", "special", "returns"]),
            inner,
            max_size=5,
        )
    ),
)


@examples(200)
@given(json_values)
def test_checking_options_never_raises(value: Any) -> None:
    assert fits(value) == (value is None)
    assert not are_agents(value)
    assert not is_influence(value)
    assert all(isinstance(say, Say) for say in wrong(value))


@pytest.mark.parametrize(
    ("option", "value", "key"),
    [("agents", ["A", "A", "B", "C", "D", "E"], "agents"), ("influence", ["red"] * 6, "sides")],
)
def test_what_is_wrong_with_agents_and_their_counters_is_told(option: str, value: Any, key: str) -> None:
    with pytest.raises(BadOption) as bad:
        with_defaults(AGENT_DOUBLE.options, {option: value})
    assert bad.value.why == Say(key)
    for language in LANGUAGES:
        assert Localizer(words(language), AGENT_DOUBLE, {}).of_game(f"why.{key}")


def test_a_deck_needs_no_name() -> None:
    assert fits({"cards": SAMPLES[0]["cards"]})


def test_a_deck_fits_into_a_request() -> None:
    full = deepcopy(SAMPLES[0])
    for n, card in enumerate(full["cards"]):
        card["name"] = f"{n:02}" + "é" * 38
        if card["back"] == "?":
            card |= {"effect": ["fx_swap_loyalty"] * 3, "returns": False}
    assert fits(full)
    assert parse(json.dumps({"game": "agent_double", "options": {"deck": full}}).encode()) is not None


def test_with_a_deck_only_what_can_still_be_there_is_offered() -> None:
    deck = SAMPLES[1]
    table, ana, bob = scene({}, deck=deck)
    there = [(card["back"], card.get("special") or str(card["value"])) for card in deck["cards"]]
    sevens = there.count(("0/7", "7"))
    for n in range(sevens):
        ana.lays(("A", "B", "S", "L")[n], "0/7", "7")
        bob.lays(("A", "B", "S", "L")[n], "0")
    assert ana.is_refused("place", agent="5", back="0/7", file="7") == "not_left"
    assert set(ana.offered("act", "name")) == {card["name"] for card in deck["cards"] if card["back"] == "?"}
    assert not table.over


def test_a_card_laid_down_as_a_document_cannot_be_played_for_its_action() -> None:
    _, ana, bob = scene({}, deck=SAMPLES[1])
    ana.lays("S", "?", "3")  # only one action of this deck is worth 3
    bob.lays("A", "1")
    assert "Test 4" not in ana.offered("act", "name")
    assert ana.is_refused("act", name="Test 4") == "not_left"
    assert bob.hand["files"] == {"A": ["1"]}


def test_a_known_action_is_one_move_and_needs_no_agreement() -> None:
    table, ana, _ = scene({"S": row("blue", 5)}, deck=SAMPLES[0])
    ana.does("act", name="Test 8", target_1=("S",), target_2=("S",))
    assert table.kinds() == ["acted", "did_marker", "did_peek", "turn"]
    assert ana.hand["peeked"] == [{"agent": "S", "files": [{"back": "5", "file": "5"}]}]
    assert "Test 8" not in ana.offered("act", "name")


def two_of_documents(*effects: str) -> Any:
    """A deck whose last action does this to documents."""
    deck = deepcopy(SAMPLES[0])
    deck["cards"][-1]["effect"] = list(effects)
    return deck


def test_an_action_with_two_effects_hits_the_very_documents_that_were_named() -> None:
    """The first of three moves away; the second one goes to the box, and the third stays."""
    deck = two_of_documents("fx_move_file", "fx_remove_file")
    table, ana, bob = scene({"S": row("blue", 1, 2, 3)}, deck=deck)
    ana.does("act", name="Test 11", target_1=("S", "A", "0"), target_2=("S", "1"))
    assert table.agent("S")["files"] == [{"owner": "blue", "back": "3"}]
    assert table.agent("A")["files"] == [{"owner": "blue", "back": "1"}]
    assert bob.hand["files"] == {"S": ["3"], "A": ["1"]}
    assert table.news("did_remove_file")["back"] == "2"


def test_the_last_of_two_documents_is_hit_though_the_first_has_gone() -> None:
    deck = two_of_documents("fx_remove_file", "fx_move_file")
    table, ana, bob = scene({"S": row("blue", 1, 2)}, deck=deck)
    ana.does("act", name="Test 11", target_1=("S", "0"), target_2=("S", "A", "1"))
    assert table.kinds() == ["acted", "did_remove_file", "did_move_file", "turn"]
    assert bob.hand["files"] == {"A": ["2"]}


def test_a_document_that_was_moved_is_hit_where_it_lies() -> None:
    """The same one is named twice: it is moved, then removed."""
    table, ana, _ = scene({"S": row("blue", 5)}, deck=SAMPLES[0])
    aimed = {"target_1": ("S", "A", "0"), "target_2": ("A", "red"), "target_3": ("S", "0")}
    ana.does("act", name="Test 9", **aimed)
    assert table.kinds() == ["acted", "did_move_file", "did_influence", "did_remove_file", "turn"]
    assert table.agent("A")["files"] == table.agent("S")["files"] == []
    assert table.state.table.boxed == {"red": 1, "blue": 1}


def test_what_became_impossible_on_the_way_does_nothing() -> None:
    """A document that is out of the game cannot be moved."""
    deck = two_of_documents("fx_remove_file", "fx_move_file")
    table, ana, _ = scene({"S": row("blue", 5)}, deck=deck)
    ana.does("act", name="Test 11", target_1=("S", "0"), target_2=("S", "A", "0"))
    assert table.kinds() == ["acted", "did_remove_file", "turn"]


def test_composed_and_known_actions_name_documents_alike() -> None:
    """A composed action names each document as it lies once the effects before have happened."""
    lying = {"S": row("blue", 1, 2, 3)}
    known, ana, _ = scene(lying, deck=two_of_documents("fx_move_file", "fx_remove_file"))
    ana.does("act", name="Test 11", target_1=("S", "A", "0"), target_2=("S", "2"))
    composed, ana, bob = scene(lying)
    ana.composes(
        ("fx_move_file", {"from": "S", "to": "A", "index": 0}), ("fx_remove_file", {"agent": "S", "index": 1})
    )
    bob.does("agree")
    assert known.state.hands == composed.state.hands
    assert known.state.table.agents == composed.state.table.agents


# ---- cards that return to hand


def test_a_card_that_returns_is_in_hand_again_and_offered_again() -> None:
    table, ana, bob = scene({"S": row("blue", 5, 4)}, deck=SAMPLES[0])
    for n in range(2):
        ana.does("act", name="Test 7", target_1=("S", "0"))
        assert table.news("acted") == {"by": "red", "name": "Test 7", "card": "hand"}
        assert "acted.hand.you" in ana.todo() and "acted.hand.they" in bob.todo()
        assert "draw.you" not in ana.todo()
        assert (table.public["hands"]["red"], table.public["decks"]["red"]) == (5, 17)
        assert table.state.table.boxed == {"red": 0, "blue": n + 1}
        bob.lays("A", "1" if n else "2")
        assert "Test 7" in ana.offered("act", "name")
    ana.lays("B", "?", "6")  # the same card, laid down as a document
    bob.lays("L", "3")
    assert "Test 7" not in ana.offered("act", "name")


def test_a_card_that_returns_by_the_list_and_is_composed_can_only_return() -> None:
    table, ana, bob = scene({}, deck=SAMPLES[1])
    ana.does("act", name="Test 1")
    assert ana.is_refused("act_done") == "card"
    ana.does("act_done", card="hand")
    bob.does("agree")
    assert table.public["hands"]["red"] == 5
    bob.lays("A", "1")
    assert "Test 1" in ana.offered("act", "name")


def test_a_primitive_that_has_no_target_is_left_out() -> None:
    table, ana, _ = scene({}, deck=SAMPLES[0])
    ana.does("act", name="Test 1")  # nobody has a document to look at
    assert table.kinds() == ["acted", "turn"]


def test_an_action_of_the_deck_whose_text_is_not_known_is_composed() -> None:
    table, ana, bob = scene({}, deck=SAMPLES[0])
    ana.composes(("fx_marker", {"agent": "S"}), name="Test 10")
    bob.does("agree")
    assert table.agent("S")["markers"] == 1


def test_a_deck_says_what_an_effect_card_is_worth() -> None:
    deck = deepcopy(SAMPLES[0])
    deck["cards"][1] |= {"special": "trapped"}
    del deck["cards"][0]["special"]
    assert deck["cards"][1]["value"] == 7
    table, ana, _ = scene({"S": [("red", "0/7", "trapped"), *row("blue", 0, 1)]}, deck=deck, trapped="none")
    ana.lays("S", "0")
    assert table.news("delivered")["points"] == 7 + 0 + 1 + 0
