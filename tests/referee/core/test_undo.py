"""Undo: the last move, or one and all since, when all agree; one's own entry without asking."""

import pytest

from referee.core.entries import DeskTaken
from referee.core.game import News
from referee.core.questions import HOST
from referee.presentation.views import view
from referee.presentation.words import words
from tests.support.rules.agent_hunter_language import sit_down
from tests.support.rules.questions import AtTable, game, refused, three_enter


def test_the_last_move_is_taken_back_when_the_other_agrees(at_table: AtTable) -> None:
    table, ana, _ = at_table
    before = game(table.match)
    ana.attacks(house=1, card=9)
    table.asks("target", "undo")
    opened = table.match.question
    assert opened is not None
    assert (opened.kind, opened.by, opened.of, opened.accepted) == ("undo", "target", ("mask",), ())
    assert opened.about == {"n": 7, "moves": [7]}
    assert table.kinds() == ["asked"]
    table.answers("mask")
    assert game(table.match) == before
    assert table.match.question is None
    assert table.heard == [News("taken_back", {"of": 7, "moves": [7]})]
    ana.attacks(house=2, card=9)


def test_either_seat_may_ask_for_the_last_move(at_table: AtTable) -> None:
    table, ana, _ = at_table
    before = game(table.match)
    ana.attacks(house=1, card=9)
    table.asks("mask", "undo")
    table.answers("target")
    assert game(table.match) == before


def test_what_was_shown_is_said(at_table: AtTable) -> None:
    table, ana, _ = at_table
    ana.attacks(house=1, card=9)
    table.asks("target", "undo")
    assert table.match.question
    assert table.match.question.reveals


def test_nothing_was_shown_where_a_secret_was_only_entered() -> None:
    table, ana, bob = sit_down()
    ana.hides(1, 2, 3)
    bob.hides(4, 5, 6)
    table.asks("target", "undo")
    assert table.match.question
    assert not table.match.question.reveals
    table.answers("mask")
    assert table.match.choices["mask"]
    assert not table.match.choices["target"]
    assert table.match.seen_by().waiting_for == ("mask",)


def test_one_after_the_other_all_moves_are_taken_back(at_table: AtTable) -> None:
    table, ana, bob = at_table
    ana.misses()
    bob.misses()
    for left in (3, 2, 1):
        table.asks("target", "undo")
        if table.match.question:
            table.answers("mask")
        assert len(table.match.made) == left
    table.asks("target", "undo")  # her own entry, while Bob has to enter his again
    assert not table.match.made
    assert refused(table, "target", "undo") == "illegal-move refusal.nothing_to_undo"


def test_ones_own_entry_is_taken_back_unasked_while_others_still_enter() -> None:
    table, ana, bob = sit_down()
    before = game(table.match)
    ana.hides(1, 2, 3)
    table.asks("target", "undo")
    assert table.match.question is None
    assert game(table.match) == before
    assert table.kinds() == ["asked", "taken_back"]
    ana.hides(7, 8, 9)
    bob.hides(4, 5, 6)
    assert ana.houses == {1: 7, 2: 8, 3: 9}


def test_it_is_ones_own_even_if_another_entered_later() -> None:
    """Three enter at once: what one of them takes back is never the entry of another."""
    table = three_enter(["a", "b"])
    table.asks("a", "undo", version=table.match.changed["a"])  # another's entry does not make it stale
    assert table.match.question is None
    assert [m.entry.seat for m in table.match.made] == ["b"]
    assert table.match.seen_by().waiting_for == ("a", "c")


def test_who_entered_nothing_asks_for_the_last_entry() -> None:
    table = three_enter(["a", "b"])
    table.asks("c", "undo")
    assert table.match.question
    assert table.match.question.of == ("a", "b")
    last = table.match.made[-1].n
    assert table.match.question.about == {"n": last, "moves": [last]}


def test_what_a_simultaneous_step_has_shown_is_no_longer_ones_own() -> None:
    """The next round has a step of the same name: the round before is asked for."""
    table = three_enter(["a", "b", "c"])
    assert table.match.seen_by().waiting_for == ("a", "b", "c")
    table.asks("c", "undo")
    assert table.match.question
    assert table.match.question.reveals
    assert table.match.question.of == ("a", "b")


# ---- a move and all since


def test_a_move_and_all_since_are_taken_back_in_one_question(at_table: AtTable) -> None:
    table, ana, bob = at_table
    before = game(table.match)
    ana.attacks(house=1, card=9)
    bob.attacks(house=1, card=9)
    ana.swaps(house=1, card=7, decoy=1)
    table.asks("mask", "undo", n=7)
    opened = table.match.question
    assert opened
    assert (opened.of, opened.about, opened.reveals) == (("target",), {"n": 7, "moves": [7, 9, 11]}, True)
    asked = {"by": "mask", "question": "undo", "of": 7, "moves": [7, 9, 11]}
    assert table.heard == [News("asked", asked)]
    table.answers("target")
    assert table.heard == [News("taken_back", {"of": 7, "moves": [7, 9, 11]})]
    assert game(table.match) == before
    ana.attacks(house=2, card=9)


def test_the_sentence_says_how_many_moves(at_table: AtTable) -> None:
    table, ana, bob = at_table
    ana.misses()
    bob.misses()
    table.asks("mask", "undo", n=7)
    table.answers("target")
    for language, sentence in (
        ("en", "The last 2 moves have been taken back."),
        ("fr", "Les 2 derniers coups sont repris."),
    ):
        assert view(table.match.seen_by(), words(language))["news"][-1]["text"] == sentence


@pytest.mark.parametrize("n", [0, 1, 6, 8, 99, -1])
def test_what_is_no_move_is_not_taken_back(at_table: AtTable, n: int) -> None:
    """The news of that number is of a seat taken, of a turn, or not told yet."""
    table, ana, _ = at_table
    ana.misses()
    assert refused(table, "mask", "undo", n=n) == "illegal-move refusal.no_such_move"


def test_what_was_taken_back_is_not_taken_back_again(at_table: AtTable) -> None:
    table, ana, _ = at_table
    ana.misses()
    table.asks("mask", "undo", n=7)
    table.answers("target")
    assert refused(table, "mask", "undo", n=7) == "illegal-move refusal.no_such_move"


def test_a_move_and_all_since_are_not_taken_back_unseen(at_table: AtTable) -> None:
    table, ana, bob = at_table
    ana.misses()
    seen = table.match.version
    bob.misses()
    assert refused(table, "target", "undo", n=7, version=seen) == "stale"


def test_ones_own_entry_is_taken_back_unasked_by_its_number_too() -> None:
    table = three_enter(["a", "b"])
    own, others = (made.n for made in table.match.made)
    table.asks("a", "undo", n=own)
    assert table.match.question is None
    assert table.heard[-1] == News("taken_back", {"of": own, "moves": [own]})
    assert [made.entry.seat for made in table.match.made] == ["b"]
    table.asks("a", "undo", n=others)
    assert table.match.question, "another's entry is asked for"


def test_all_since_anothers_entry_are_asked_for_though_ones_own_is_among_them() -> None:
    table = three_enter(["a", "b"])
    first, own = (made.n for made in table.match.made)
    table.asks("b", "undo", n=first)
    assert table.match.question
    assert table.match.question.about == {"n": first, "moves": [first, own]}


# ---- what is seen, and what is stale


def test_an_undo_after_another_move_is_stale(at_table: AtTable) -> None:
    table, ana, bob = at_table
    ana.misses()
    seen = table.match.version
    bob.misses()
    assert refused(table, "target", "undo", version=seen) == "stale"
    assert refused(table, "target", "undo", version=table.match.version + 1) == "stale"
    assert refused(table, HOST, "undo", version=seen) == "stale"
    table.asks(HOST, "undo")


def test_the_desk_leaving_makes_nothing_stale(at_table: AtTable) -> None:
    table, ana, _ = at_table
    table.match = table.match.after(DeskTaken())
    ana.misses()
    table.asks("target", "undo")
    assert table.match.question
