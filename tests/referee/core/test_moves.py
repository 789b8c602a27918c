"""Moves and choices: exact both ways, down to the type of a value; options; dice."""

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.dice import Dice
from referee.core.moves import (
    TEXTS,
    Arrange,
    Choice,
    Move,
    One,
    Shape,
    Text,
    canonical,
    freeze,
    normalized_text,
    offered,
    random_move,
)
from referee.core.options import BadOption, Number, OneOf, with_defaults
from tests.support.soak import examples

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def test_canonical_tells_one_from_true_and_from_one_point_nought() -> None:
    assert len({canonical(value) for value in (1, True, 1.0, "1", [1], None)}) == 6
    assert canonical({"b": (1, 2), "a": "é"}) == '{"a":"é","b":[1,2]}'


@examples(200)
@given(json_values)
def test_frozen_values_read_the_same(value: Any) -> None:
    assert canonical(freeze(value)) == canonical(value)


@examples(200)
@given(st.lists(json_values, max_size=5), json_values)
def test_one_permits_its_options_and_nothing_else(options: list[Any], value: Any) -> None:
    field = One("x", tuple(map(freeze, options)))
    assert field.permits(freeze(value)) == (canonical(value) in map(canonical, options))


@examples(200)
@given(
    st.lists(st.integers(0, 3) | st.booleans(), max_size=5),
    st.integers(0, 3),
    st.lists(st.integers(0, 3) | st.booleans(), max_size=4),
)
def test_arrange_permits_each_entry_once_in_any_order(
    options: list[Any], count: int, value: list[Any]
) -> None:
    field = Arrange("x", tuple(options), count)
    legal = {canonical(list(each)) for each in permutations(options, count)}
    assert field.permits(tuple(value)) == (canonical(value) in legal)


def test_arrange_permits_only_lists() -> None:
    field = Arrange("x", (0, 1, 2), 2)
    for value in (1, "01", None, {0: 1, 1: 2}, frozenset({0, 1})):
        assert not field.permits(value)


@examples(200)
@given(st.text(max_size=12))
def test_text_permits_what_reads_the_same_everywhere(text: str) -> None:
    """Tidied once, a text is permitted as long as it is short enough; what is not tidy is not."""
    field = Text("x", 8)
    assert field.permits(normalized_text(text)) == (len(normalized_text(text)) <= 8)
    assert field.permits(text) == (text == normalized_text(text) and len(text) <= 8)


def test_text_permits_no_controls_no_marks_of_direction_and_nothing_but_text() -> None:
    field = Text("x", 8)
    for value in (
        "a\n",
        "\x1b@",
        "\u202ea",
        "a\u200b",
        " a",
        "a ",
        "e\u0301",
        "x" * 9,
        1,
        None,
        ("a",),
        True,
    ):
        assert not field.permits(value)
    assert all(Text("x", 40).permits(text) for text in (*TEXTS, "x" * 40, "red", "É 2"))
    assert Text("name", 40).wire() == {"name": "name", "kind": "text", "max": 40}


def test_a_shape_tidies_its_free_text_alone() -> None:
    shape = Shape({"name": str, "agent": str, "n": int}, texts=frozenset({"name"}))
    assert shape.normalized({"name": "\u202e a\t", "agent": " b ", "n": 1}) == {
        "name": "a",
        "agent": " b ",
        "n": 1,
    }
    assert shape.normalized({"name": 5}) == {"name": 5}


def test_a_choice_permits_exactly_its_fields() -> None:
    choice = Choice("act", (One("a", (1, 2)), One("b", (3,))))
    assert choice.permits(Move("act", {"a": 1, "b": 3}))
    for move in (
        Move("act", {"a": 1}),
        Move("act", {"a": 1, "b": 3, "c": 4}),
        Move("act", {"a": 3, "b": 3}),
        Move("other", {"a": 1, "b": 3}),
        Move("act", {}),
    ):
        assert not choice.permits(move)
    assert offered((Choice("act"), choice), Move("act", {"a": 2, "b": 3})) is choice
    assert offered((choice,), Move("act")) is None
    assert offered((Choice("act"),), Move("act")) == Choice("act")


def test_a_random_move_is_one_of_the_offered() -> None:
    choices = (Choice("a", (One("x", (1, 2)),)), Choice("b", (Arrange("y", (1, 2, 3), 2),)), Choice("c"))
    met = {canonical(dict(move.fields)) for move in (random_move(choices, Dice("x", i)) for i in range(300))}
    assert len(met) == 2 + 6 + 1


def test_what_a_choice_looks_like_on_the_wire() -> None:
    choice = Choice("swap", (One("card", (0, 1), secret=True), Arrange("order", ("a", "b"), 2)))
    assert choice.wire() == {
        "type": "swap",
        "fields": [
            {"name": "card", "kind": "one", "secret": True, "options": [0, 1]},
            {"name": "order", "kind": "arrange", "options": ["a", "b"], "count": 2},
        ],
    }
    assert choice.secrets() == {"card"}


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"a": 1, "b": (1, 2)}, []),
        ({"a": 1, "b": ()}, []),
        ({"a": 1}, ["b"]),
        ({}, ["a", "b"]),
        ({"a": 1, "b": (), "c": 1}, ["c"]),
        ({"a": True, "b": ()}, ["a"]),
        ({"a": 1.0, "b": ()}, ["a"]),
        ({"a": "1", "b": ()}, ["a"]),
        ({"a": 1, "b": (1, True)}, ["b"]),
        ({"a": 1, "b": 1}, ["b"]),
        ({"a": 1, "b": "12"}, ["b"]),
    ],
)
def test_a_shape_names_what_does_not_fit(fields: dict[str, Any], wrong: list[str]) -> None:
    assert sorted(Shape({"a": int, "b": (int,)}).misfits(fields)) == wrong


def test_options_are_settled_with_their_defaults() -> None:
    known = (OneOf("colour", ("red", "blue")), OneOf("short", (False, True)), Number("cap", 2, 9))
    assert with_defaults(known, {}) == {"colour": "red", "short": False, "cap": None}
    assert with_defaults(known, {"cap": 9, "colour": "blue"}) == {"colour": "blue", "short": False, "cap": 9}
    for bad in (
        {"colour": "green"},
        {"short": 0},
        {"cap": 1},
        {"cap": 10},
        {"cap": 2.0},
        {"cap": True},
        {"x": 1},
    ):
        with pytest.raises(BadOption) as refused:
            with_defaults(known, bad)
        assert refused.value.name == next(iter(bad))
    assert [option.wire()["kind"] for option in known] == ["one", "one", "number"]


def test_dice_fall_the_same_way_for_the_same_seed_and_entry() -> None:
    def falls(seed: str, n: int) -> list[Any]:
        dice = Dice(seed, n)
        return [dice.pick(range(1000)), dice.arrange(range(1000), 5), dice.pick("abcdef")]

    assert falls("ab", 1) == falls("ab", 1)
    assert len({repr(falls(seed, n)) for seed in ("ab", "cd") for n in range(20)}) == 40


def test_dice_fall_as_they_always_did() -> None:
    """An old record must replay: these falls may never change."""
    dice = Dice("00" * 32, 3)
    assert [dice.pick(range(100)) for _ in range(4)] == [52, 59, 83, 35]
    assert dice.arrange(range(10), 4) == (0, 7, 6, 9)


def test_dice_are_fair() -> None:
    falls = [Dice("fair", n).pick(("target", "mask")) for n in range(2000)]
    assert 900 < falls.count("target") < 1100
