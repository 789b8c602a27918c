"""The journal: every entry is one line of text, and any other line is refused."""

import traceback

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.entries import DeskTaken, Entry, Joined, Moved, Unreadable, read, write
from referee.core.moves import Move
from tests.support.soak import examples

SALT = "9f86d081" * 8

words = st.from_regex(r"[a-z][a-z_]{0,11}", fullmatch=True)
people = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | people,
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=4,
)
salts = st.just("") | st.binary(min_size=32, max_size=32).map(bytes.hex)
moves = st.builds(
    Move, words.filter(lambda kind: kind != "joins"), st.dictionaries(words, values, max_size=3)
)
entries = (
    st.builds(Joined, words, people)
    | st.builds(Moved, words.filter(lambda seat: seat != "desk"), moves, salts)
    | st.just(DeskTaken())
)


@pytest.mark.parametrize(
    ("line", "entry"),
    [
        ('target joins "Ana"', Joined("target", "Ana")),
        ('mask joins "«é» \\"#=1\\n"', Joined("mask", '«é» "#=1\n')),
        (f"mask hide houses=[4,7,0] #{SALT}", Moved("mask", Move("hide", {"houses": (4, 7, 0)}), SALT)),
        (
            "target attack_from_hand card=3 house=2",
            Moved("target", Move("attack_from_hand", {"card": 3, "house": 2})),
        ),
        ("mask pass", Moved("mask", Move("pass"))),
        ('mask says text="a b=#c" n=1', Moved("mask", Move("says", {"text": "a b=#c", "n": 1}))),
        ("desk taken", DeskTaken()),
    ],
)
def test_an_entry_and_its_line(line: str, entry: Entry) -> None:
    assert write(entry) == line
    assert read(line) == entry


@examples(200)
@given(entries)
def test_what_is_written_is_read_back(entry: Entry) -> None:
    line = write(entry)
    assert "\n" not in line
    assert "\r" not in line
    assert read(line) == entry


@pytest.mark.parametrize(
    "line",
    [
        "",
        " ",
        "target",
        "target joins",
        "target joins Ana",
        "target joins 5",
        "target joins null",
        'target joins "Ana" "Bob"',
        'target joins "Ana"\n',
        " target pass",
        "target  pass",
        "target pass ",
        "target hide houses",
        "target hide houses=",
        "target hide houses=[4,7",
        "target hide houses=[4, 7, 0]",  # another text of the same entry
        "target hide card=3house=2",
        "target hide card=3  house=2",
        "target hide card=3 card=4",
        "target hide card=03",
        "target hide card=NaN",
        "target hide card=Infinity",
        "target hide =3",
        "target hide card=3 #",
        "target hide card=3 #xyz",
        f"target hide card=3 #{SALT[:-2]}",
        f"target hide card=3 #{SALT}00",
        f"target hide card=3 #{SALT.upper()}",
        f"target hide card=3 #{SALT}\n",
        f"target hide card=3 #{SALT} house=2",
        f"target hide card=3#{SALT}",
        "desk taken ",
    ],
)
def test_a_line_that_is_no_entry_is_refused(line: str) -> None:
    with pytest.raises(Unreadable):
        read(line)


@examples(200)
@given(st.text(max_size=40) | st.from_regex(r"[a-z]+ [a-z]+( [a-z]+=[^ ]*)*( #.*)?", fullmatch=True))
def test_any_line_is_an_entry_to_the_letter_or_unreadable(line: str) -> None:
    try:
        entry = read(line)
    except Unreadable:
        return
    assert write(entry) == line


def test_the_error_tells_nothing_secret_of_the_line() -> None:
    with pytest.raises(Unreadable, match="begins with 'mask'") as unreadable:
        read(f"mask hide houses=[4,7,0 #{SALT}")
    assert "4,7,0" not in str(unreadable.value)
    assert SALT not in "".join(traceback.format_exception(unreadable.value))
