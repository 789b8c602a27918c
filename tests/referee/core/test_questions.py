"""Questions: what may be asked, of whom, what happens when all agree, and when one does not."""

from typing import Any

import pytest

from referee.core.game import News
from referee.core.moves import Move
from referee.core.questions import HOST
from referee.presentation.views import view
from referee.presentation.words import words
from tests.support.rules.agent_hunter_language import Table
from tests.support.rules.questions import AtTable, game, refused, three_enter

# ---- answering


def test_one_no_closes_the_question_and_nothing_changes(at_table: AtTable) -> None:
    table, ana, bob = at_table
    ana.misses()
    before = game(table.match)
    table.asks("target", "undo")
    table.answers("mask", accept=False)
    assert table.match.question is None
    assert game(table.match) == before
    assert table.heard == [News("declined", {"by": "mask", "question": "undo", "how": "refused"})]
    bob.misses()


def test_whoever_asked_may_withdraw_and_nothing_changes(at_table: AtTable) -> None:
    table, ana, bob = at_table
    ana.misses()
    before = game(table.match)
    table.asks("target", "undo")
    table.answers("target", accept=False)
    assert table.match.question is None
    assert game(table.match) == before
    assert table.heard == [News("declined", {"by": "target", "question": "undo", "how": "withdrawn"})]
    bob.misses()


def test_all_who_were_asked_must_agree() -> None:
    table = three_enter(["a", "b"])
    table.asks(HOST, "undo")
    assert table.match.question
    assert table.match.question.of == ("a", "b", "c")
    for seat in ("b", "a"):
        table.answers(seat)
        assert table.kinds() == ["agreed"]
    assert table.match.question.accepted == ("b", "a")
    table.answers("c")
    assert table.kinds() == ["taken_back"]
    assert len(table.match.made) == 1


def test_while_a_question_is_open_nobody_moves_and_nobody_asks(at_table: AtTable) -> None:
    table, ana, bob = at_table
    table.asks("target", "abandon", show=False)
    assert ana.is_refused("attack_from_hand", card=9, house=1) == "question-open"
    for by in ("target", "mask", HOST):
        assert refused(table, by, "undo") == "question-open"
    table.answers("mask", accept=False)
    ana.misses()
    bob.misses()


def test_a_question_does_not_make_a_form_stale(at_table: AtTable) -> None:
    table, _, _ = at_table
    seen = table.match.version
    table.asks("mask", "abandon", show=False)
    table.answers("target", accept=False)
    table.match.check("target", Move("attack_from_hand", {"card": 9, "house": 1}), seen)


def test_the_host_asks_everybody(at_table: AtTable) -> None:
    table, ana, _ = at_table
    before = game(table.match)
    ana.misses()
    table.asks(HOST, "undo")
    assert view(table.match.seen_by(), words("en"))["question"] == {
        "kind": "undo",
        "by": "host",
        "about": {"n": 7, "moves": [7]},
        "of": ["target", "mask"],
        "reveals": True,
        "reopens": False,
        "accepted": [],
    }
    table.answers("target")
    table.answers("mask")
    assert game(table.match) == before


# ---- reissue


def test_a_new_key_is_asked_of_all_others_and_of_the_seat_while_its_phone_is_there() -> None:
    table = three_enter([])
    for connected, of in (((), ("b",)), (("a", "b", "c"), ("b", "c")), (("a",), ("b",))):
        table.asks("a", "reissue", connected=connected, seat="c")
        assert table.match.question
        assert table.match.question.of == of
        table.answers("a", accept=False)
    table.asks("a", "reissue", connected=("a", "b", "c"), seat="a")
    assert table.match.question
    assert table.match.question.of == ("b", "c")
    table.answers("b")
    table.answers("c")
    assert table.heard == [News("reissued", {"seat": "a", "how": "agreed"})]


def test_of_two_the_one_who_is_there_is_enough(at_table: AtTable) -> None:
    table, _, _ = at_table
    before = game(table.match)
    table.asks("target", "reissue", seat="mask")
    assert table.match.question is None
    assert table.kinds() == ["asked", "reissued"]
    assert table.heard[-1].fields["how"] == "away"
    assert game(table.match) == before
    table.asks("target", "reissue", connected=("mask",), seat="mask")
    assert table.match.question
    assert table.match.question.of == ("mask",)


def test_where_nobody_was_for_long_the_host_is_enough() -> None:
    table = three_enter([])
    for by in ("a", HOST):
        table.asks(by, "reissue", seat="c", is_deserted=True)
        assert bool(table.match.question) == (by == "a")  # a seat that asks is there itself
        if by == "a":
            table.answers("a", accept=False)
    assert table.heard[-1] == News("reissued", {"seat": "c", "how": "nobody_there"})


def test_who_comes_back_does_not_deal_again(at_table: AtTable) -> None:
    table, ana, bob = at_table
    before = game(table.match)
    table.asks("target", "reissue", seat="mask")
    table.sits("mask", "Robert")
    assert game(table.match) == before
    assert table.kinds() == ["joined"]
    assert table.match.names["mask"] == "Robert"
    ana.misses()
    bob.misses()


def test_a_free_seat_needs_no_new_key() -> None:
    table = Table()
    table.sits("mask", "Bob")
    assert refused(table, "mask", "reissue", seat="target") == "illegal-move refusal.seat_is_free"
    table.asks(HOST, "reissue", seat="mask")
    assert table.kinds() == ["asked", "reissued"]


# ---- abandon


@pytest.mark.parametrize("show", [False, True])
def test_all_agree_to_stop(at_table: AtTable, show: bool) -> None:
    table, ana, _ = at_table
    table.asks("target", "abandon", show=show)
    assert table.match.question
    assert table.match.question.about == {"show": show}
    table.answers("mask")
    assert table.kinds() == ["abandoned"]
    assert (table.outcome.winners, table.outcome.reason, table.outcome.draw) == ((), "abandoned", False)
    seen = table.match.seen_by()
    assert (seen.status, seen.waiting_for, seen.debrief is not None) == ("over", (), show)
    assert not any(table.match.choices.values())
    assert ana.is_refused("attack_from_hand", card=9, house=1) == "refusal.over"


def test_before_all_are_there_it_is_stopped_and_never_dealt() -> None:
    table = Table()
    table.sits("mask", "Bob")
    table.asks("mask", "abandon", show=True)
    assert table.outcome.reason == "abandoned"
    table.sits("target", "Ana")
    assert table.match.state is None
    assert not any(table.match.choices.values())
    assert view(table.match.seen_by("target"), words("fr"))["status"] == "over"


def bob_has_lost(at_table: AtTable) -> Table:
    """Ana has found his 4, 5 and 6."""
    table, ana, bob = at_table
    for house, card in ((1, 4), (2, 5), (3, 6)):
        ana.attacks(house=house, card=card)
        if house < 3:
            bob.misses()
    assert table.over
    return table


OVER = "illegal-move refusal.over"


def test_after_the_outcome_nothing_is_asked_but_a_correction(at_table: AtTable) -> None:
    table = bob_has_lost(at_table)
    asked: list[tuple[str, dict[str, Any]]] = [
        ("undo", {}),
        ("undo", {"n": 7}),
        ("reissue", {"seat": "mask"}),
        ("abandon", {"show": True}),
    ]
    for kind, fields in asked:
        for by in ("target", HOST):
            assert refused(table, by, kind, **fields) == OVER
    table.asks("target", "correct", n=4, fields={"houses": (1, 2, 7)})
    assert table.match.question
    assert not table.match.question.reopens
    table.answers("mask")
    assert table.kinds()[0] == "corrected"
    assert table.over


def test_a_correction_that_leaves_the_game_undecided_says_so_and_it_goes_on(at_table: AtTable) -> None:
    """Bob's last card was a 9: Ana's 6 did not find it."""
    table = bob_has_lost(at_table)
    _, ana, bob = at_table
    table.asks("mask", "correct", n=5, fields={"houses": (4, 5, 9)})
    assert table.match.question
    assert table.match.question.reopens
    assert view(table.match.seen_by(), words("en"))["question"]["reopens"] is True
    assert table.over, "until all agree"
    table.answers("target")
    assert not table.over
    assert "over" in [news.fields["was"]["kind"] for news in table.heard[1:] if not news.fields["now"]]
    assert table.match.seen_by().waiting_for == ("mask",)
    bob.misses()
    assert ana.attacks(house=3, card=9) == "reussite"
    assert table.over


def test_an_abandoned_game_is_not_corrected(at_table: AtTable) -> None:
    table, _, _ = at_table
    table.asks("target", "abandon", show=True)
    table.answers("mask")
    assert refused(table, "target", "correct", n=4, fields={"houses": (7, 8, 9)}) == OVER


def test_before_all_are_there_there_is_nothing_to_take_back_or_correct() -> None:
    table = Table()
    table.sits("mask", "Bob")
    assert refused(table, "mask", "undo") == "not-started"
    assert refused(table, "mask", "correct", n=1, fields={}) == "not-started"


def test_there_is_no_other_question(at_table: AtTable) -> None:
    with pytest.raises(ValueError, match="unknown kind of question"):
        at_table[0].asks("target", "dance")
