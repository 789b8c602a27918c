"""Taking back: the last move when all agree, one's own entry unasked, and what that shows."""

from referee.game import News
from referee.questions import HOST
from referee.record import DeskTaken
from tests.referee.asking import AtTable, game, refused, three_enter
from tests.referee.table_talk import sit_down


def test_the_last_move_is_taken_back_when_the_other_agrees(at_table: AtTable) -> None:
    table, ana, _ = at_table
    before = game(table.match)
    ana.attacks(house=1, card=9)
    table.asks("target", "undo")
    opened = table.match.question
    assert opened is not None
    assert (opened.kind, opened.by, opened.of, opened.accepted) == ("undo", "target", ("mask",), ())
    assert opened.about == {"n": 7}
    assert table.kinds() == ["asked"]
    table.answers("mask")
    assert game(table.match) == before
    assert table.match.question is None
    assert table.heard == [News("taken_back", {"of": 7})]
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
    assert table.match.question.about == {"n": table.match.made[-1].n}


def test_what_a_simultaneous_step_has_shown_is_no_longer_ones_own() -> None:
    """The next round has a step of the same name: the round before is asked for."""
    table = three_enter(["a", "b", "c"])
    assert table.match.seen_by().waiting_for == ("a", "b", "c")
    table.asks("c", "undo")
    assert table.match.question
    assert table.match.question.reveals
    assert table.match.question.of == ("a", "b")


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
