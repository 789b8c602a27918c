"""Correcting a mistyped secret: what may be corrected, what follows from it, and what it never tells."""

from typing import Any

import pytest

from referee.core.game import News
from referee.core.moves import Move
from referee.core.questions import HOST
from referee.fairness.commitments import commitment
from referee.presentation.views import view
from referee.presentation.words import words
from tests.support.rules.questions import AtTable, refused
from tests.support.rules.table_language import NEW_SALT


def test_a_mistyped_secret_is_corrected_and_the_game_counted_again(at_table: AtTable) -> None:
    table, ana, bob = at_table
    ana.attacks(house=1, card=5)
    table.asks("mask", "correct", n=5, fields={"houses": (9, 5, 6)})
    opened = table.match.question
    assert opened
    assert (opened.of, opened.about, opened.reveals) == (("target",), {"n": 5}, True)
    table.answers("target")
    told = {"by": "target", "origin": "hand", "card": 5, "house": 1}
    was = {"kind": "attack", "fields": {**told, "answer": "moins"}}
    now = {"kind": "attack", "fields": {**told, "answer": "plus"}}
    assert table.heard == [
        News("corrected", {"of": 5, "changes": 1}),
        News("restated", {"of": 7, "was": was, "now": now, "ago": 0}),
    ]
    assert bob.houses == {1: 9, 2: 5, 3: 6}
    assert 4 in bob.cards
    assert table.match.seen_by().waiting_for == ("mask",)


def test_a_correction_is_bound_when_it_is_asked_and_hides_its_secret(at_table: AtTable) -> None:
    table, _, _ = at_table
    move = Move("hide", {"houses": (9, 5, 6)})
    table.asks("mask", "correct", n=5, fields={"houses": (9, 5, 6)})
    told = table.match.news[-1]
    what = {"kind": "hidden", "fields": {"by": "mask"}}
    assert told.news.fields == {"by": "mask", "question": "correct", "of": 5, "what": what}
    assert table.match.question
    assert table.match.question.commitment == told.commitment
    assert told.commitment == commitment(NEW_SALT, "KX7QF", told.n, "mask", move)
    assert table.match.seen_by("mask").salts[-1] == (told.n, NEW_SALT)
    assert NEW_SALT not in str(table.match.seen_by("target").salts)
    assert "fields" not in view(table.match.seen_by("target"), words("fr"))["question"]["about"]


def test_a_correction_asks_nothing_of_what_was_never_shown(at_table: AtTable) -> None:
    table, _, _ = at_table
    table.asks("target", "correct", n=4, fields={"houses": (7, 2, 3)})
    assert table.match.question
    assert not table.match.question.reveals


TAKE_BACK_FIRST = "illegal-move refusal.take_back_first"


def test_a_correction_that_ones_own_later_move_forbids_is_not_even_asked(at_table: AtTable) -> None:
    table, ana, bob = at_table
    ana.attacks(house=1, card=9)
    bob.attacks(house=1, card=9)
    later = {"n": 5, "fields": {"houses": (9, 5, 6)}}  # the 9 he attacked with from hand
    assert refused(table, "mask", "correct", **later) == TAKE_BACK_FIRST
    assert bob.houses == {1: 4, 2: 5, 3: 6}


@pytest.mark.parametrize("laid", [5, 8], ids=["the card that would have hit", "another"])
def test_whether_a_correction_can_be_asked_does_not_tell_what_the_other_has_laid(
    at_table: AtTable, laid: int
) -> None:
    """Had Bob hidden a 5, Ana's 5 would have hit and gone: she could not have laid it in house 1 since."""
    table, ana, bob = at_table
    ana.attacks(house=1, card=5)
    bob.misses()
    ana.swaps(house=1, card=laid, decoy=1)
    secret = {"houses": (5, 4, 6)}
    assert refused(table, "mask", "correct", n=5, fields=secret) == TAKE_BACK_FIRST


def test_the_way_out_is_to_take_back_the_moves_since_and_then_correct(at_table: AtTable) -> None:
    table, ana, bob = at_table
    ana.attacks(house=1, card=5)
    bob.misses()
    secret = {"houses": (5, 4, 6)}
    table.asks("mask", "undo", n=7)
    table.answers("target")
    table.asks("mask", "correct", n=5, fields=secret)
    table.answers("target")
    assert table.heard == [News("corrected", {"of": 5, "changes": 0})]
    assert ana.attacks(house=1, card=5) == "reussite"
    assert bob.houses == {1: None, 2: 4, 3: 6}


def test_the_secret_that_stands_is_no_correction(at_table: AtTable) -> None:
    table, _, _ = at_table
    same = refused(table, "target", "correct", n=4, fields={"houses": (1, 2, 3)})
    assert same == "illegal-move refusal.same_secret"


def test_after_a_correction_what_was_sent_before_is_stale(at_table: AtTable) -> None:
    table, _, _ = at_table
    table.asks("target", "correct", n=4, fields={"houses": (7, 8, 9)})
    seen = table.match.version
    table.answers("mask")
    assert refused(table, "mask", "undo", version=seen) == "stale"


@pytest.mark.parametrize("card", [1, 9], ids=["the same", "another"])
def test_what_was_taken_back_is_not_told_by_what_is_stale(at_table: AtTable, card: int) -> None:
    table, ana, _ = at_table
    ana.swaps(house=1, card=card, decoy=1)
    table.asks("target", "undo")
    seen = table.match.version
    table.answers("mask")
    assert refused(table, "mask", "undo", version=seen) == "stale"


def test_a_correction_may_be_corrected(at_table: AtTable) -> None:
    table, ana, _ = at_table
    for houses in ((7, 2, 3), (8, 2, 3)):
        table.asks("target", "correct", n=4, fields={"houses": houses})
        table.answers("mask")
    assert ana.houses == {1: 8, 2: 2, 3: 3}


def test_only_ones_own_secrets_are_corrected(at_table: AtTable) -> None:
    table, ana, _ = at_table
    ana.attacks(house=1, card=9)
    not_yours = "illegal-move refusal.not_yours_to_correct"
    secret = {"houses": (7, 8, 9)}
    assert refused(table, "mask", "correct", n=4, fields=secret) == not_yours
    assert refused(table, HOST, "correct", n=4, fields=secret) == not_yours
    assert refused(table, "target", "correct", n=5, fields=secret) == not_yours
    assert refused(table, "target", "correct", n=99, fields=secret) == not_yours
    assert refused(table, "target", "correct", n=7, fields={}) == not_yours  # an attack has no secret


WRONG: list[dict[str, Any]] = [
    {},
    {"house": 1},
    {"houses": 7},
    {"houses": ("7", "8", "9")},
    {"houses": (7, 8, 9), "more": 1},
]


@pytest.mark.parametrize("fields", WRONG)
def test_a_correction_has_the_secret_fields_of_its_move(at_table: AtTable, fields: dict[str, Any]) -> None:
    table, _, _ = at_table
    assert refused(table, "target", "correct", n=4, fields=fields).startswith("malformed")
    table.asks("mask", "abandon", show=False)
    assert refused(table, "target", "correct", n=4, fields=fields).startswith("malformed")


@pytest.mark.parametrize("houses", [(7, 7, 8), (7, 8), (7, 8, 10)])
def test_a_correction_could_have_been_entered_then(at_table: AtTable, houses: tuple[int, ...]) -> None:
    table, _, _ = at_table
    why = refused(table, "target", "correct", n=4, fields={"houses": houses})
    assert why == "illegal-move refusal.correction_impossible"


def test_the_public_fields_of_a_move_are_not_corrected(at_table: AtTable) -> None:
    table, ana, _ = at_table
    ana.swaps(house=1, card=7, decoy=2)
    n = table.match.made[-1].n
    wrong = refused(table, "target", "correct", n=n, fields={"card": 8, "decoy": 3})
    assert wrong.startswith("malformed")
    table.asks("target", "correct", n=n, fields={"card": 8})
    table.answers("mask")
    assert ana.houses[1] == 8
    assert ana.decoys == [0, 1, 0]
