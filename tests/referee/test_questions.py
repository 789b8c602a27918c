"""Questions: what may be asked, of whom, what happens when all agree, and when one does not."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pytest

from referee.dice import Dice
from referee.fairness import commitment
from referee.game import Game, News
from referee.games.agent_hunter import AGENT_HUNTER
from referee.games.agent_hunter.rules import Position
from referee.match import Match, open_match
from referee.moves import Move
from referee.questions import HOST, question
from referee.record import Answered, DeskTaken, Joined, Moved
from referee.refused import Refused
from referee.views import view
from referee.words import words
from tests.referee.table_talk import Player, Table, play, sit_down
from tests.referee.talk import SALT, SEED

NEW_SALT = "b2" * 32


def asks(
    table: Table,
    by: str,
    kind: str,
    connected: Collection[str] = (),
    version: int | None = None,
    is_deserted: bool = False,
    **fields: Any,
) -> None:
    at = table.match.version if version is None else version
    entry = question(table.match, by, kind, fields, at, connected, is_deserted)
    table.match = table.match.after(replace(entry, salt=NEW_SALT) if kind == "correct" else entry)


def answers(table: Table, seat: str, accept: bool = True) -> None:
    table.match = table.match.after(Answered(seat, accept))


def refused(table: Table, by: str, kind: str, **fields: Any) -> str:
    """The code of the refusal, and its reason where it has one."""
    before = table.match
    with pytest.raises(Refused) as caught:
        asks(table, by, kind, **fields)
    assert table.match == before
    why = caught.value.why
    return f"{caught.value.code} {why.key}" if why else caught.value.code


def game(match: Match) -> tuple[Any, ...]:
    """How the game stands, whatever was asked meanwhile."""
    return match.state, match.choices, match.made, match.outcome


@pytest.fixture
def at_table() -> tuple[Table, Player, Player]:
    """Ana has hidden 1 2 3 and is to play, Bob 4 5 6."""
    return play(ana=(1, 2, 3), bob=(4, 5, 6))


AtTable = tuple[Table, Player, Player]


# ---- undo


def test_the_last_move_is_taken_back_when_the_other_agrees(at_table: AtTable) -> None:
    table, ana, _ = at_table
    before = game(table.match)
    ana.attacks(house=1, card=9)
    asks(table, "target", "undo")
    opened = table.match.question
    assert opened is not None
    assert (opened.kind, opened.by, opened.of, opened.accepted) == ("undo", "target", ("mask",), ())
    assert opened.about == {"n": 7}
    assert table.kinds() == ["asked"]
    answers(table, "mask")
    assert game(table.match) == before
    assert table.match.question is None
    assert table.heard == [News("taken_back", {"of": 7})]
    ana.attacks(house=2, card=9)


def test_either_seat_may_ask_for_the_last_move(at_table: AtTable) -> None:
    table, ana, _ = at_table
    before = game(table.match)
    ana.attacks(house=1, card=9)
    asks(table, "mask", "undo")
    answers(table, "target")
    assert game(table.match) == before


def test_what_was_shown_is_said(at_table: AtTable) -> None:
    table, ana, _ = at_table
    ana.attacks(house=1, card=9)
    asks(table, "target", "undo")
    assert table.match.question
    assert table.match.question.reveals


def test_nothing_was_shown_where_a_secret_was_only_entered() -> None:
    table, ana, bob = sit_down()
    ana.hides(1, 2, 3)
    bob.hides(4, 5, 6)
    asks(table, "target", "undo")
    assert table.match.question
    assert not table.match.question.reveals
    answers(table, "mask")
    assert table.match.choices["mask"]
    assert not table.match.choices["target"]
    assert table.match.seen_by().waiting_for == ("mask",)


def test_one_after_the_other_all_moves_are_taken_back(at_table: AtTable) -> None:
    table, ana, bob = at_table
    ana.misses()
    bob.misses()
    for left in (3, 2, 1):
        asks(table, "target", "undo")
        if table.match.question:
            answers(table, "mask")
        assert len(table.match.made) == left
    asks(table, "target", "undo")  # her own entry, while Bob has to enter his again
    assert not table.match.made
    assert refused(table, "target", "undo") == "illegal-move refusal.nothing_to_undo"


def test_ones_own_entry_is_taken_back_unasked_while_others_still_enter() -> None:
    table, ana, bob = sit_down()
    before = game(table.match)
    ana.hides(1, 2, 3)
    asks(table, "target", "undo")
    assert table.match.question is None
    assert game(table.match) == before
    assert table.kinds() == ["asked", "taken_back"]
    ana.hides(7, 8, 9)
    bob.hides(4, 5, 6)
    assert ana.houses == {1: 7, 2: 8, 3: 9}


def test_it_is_ones_own_even_if_another_entered_later() -> None:
    """Three enter at once: what one of them takes back is never the entry of another."""
    table = _three_enter(["a", "b"])
    asks(table, "a", "undo", version=table.match.changed["a"])  # another's entry does not make it stale
    assert table.match.question is None
    assert [m.entry.seat for m in table.match.made] == ["b"]
    assert table.match.seen_by().waiting_for == ("a", "c")


def test_who_entered_nothing_asks_for_the_last_entry() -> None:
    table = _three_enter(["a", "b"])
    asks(table, "c", "undo")
    assert table.match.question
    assert table.match.question.of == ("a", "b")
    assert table.match.question.about == {"n": table.match.made[-1].n}


def test_what_a_simultaneous_step_has_shown_is_no_longer_ones_own() -> None:
    """The next round has a step of the same name: the round before is asked for."""
    table = _three_enter(["a", "b", "c"])
    assert table.match.seen_by().waiting_for == ("a", "b", "c")
    asks(table, "c", "undo")
    assert table.match.question
    assert table.match.question.reveals
    assert table.match.question.of == ("a", "b")


def _three_enter(seats: list[str]) -> Table:
    """A game of three who each enter a number, round after round; when all have, the numbers are told."""
    table = Table()
    names = ("a", "b", "c")

    def deal(options: Any, dice: Dice) -> Any:
        dealt = AGENT_HUNTER.deal({**options, "first": "target", "turn_cap": None}, dice)
        none = dealt.hands["target"]
        sides = dict.fromkeys(names, dealt.table.sides["target"])
        return Position(replace(dealt.table, sides=sides), dict.fromkeys(names, none), box={})

    def choices(seen: Any) -> Any:
        return () if seen.table.sides[seen.seat].hidden else AGENT_HUNTER.choices(seen)

    def enter(state: Any, seat: str, _move: Move, _dice: Dice) -> Any:
        sides = {**state.table.sides, seat: replace(state.table.sides[seat], hidden=True)}
        said: tuple[News, ...] = (News("entered"),)
        if all(side.hidden for side in sides.values()):
            sides = dict.fromkeys(names, replace(sides[seat], hidden=False))
            said = (*said, News("told"))
        return Position(replace(state.table, sides=sides, said=said), state.hands, state.box)

    three: Game[Any, Any] = replace(
        AGENT_HUNTER,
        seats=lambda _options: names,
        options=(),
        deal=deal,
        choices=choices,
        play=enter,
        reveals=frozenset({"told"}),
    )
    options = {"refill_after_final": False}
    match = replace(open_match("KX7QF", three, {}, SEED), options=options)
    for name in names:
        match = match.after(Joined(name, name.upper()))
    for seat in seats:
        match = match.after(Moved(seat, Move("hide", {"houses": (1, 2, 3)}), SALT))
    table.match = match
    return table


def test_an_undo_after_another_move_is_stale(at_table: AtTable) -> None:
    table, ana, bob = at_table
    ana.misses()
    seen = table.match.version
    bob.misses()
    assert refused(table, "target", "undo", version=seen) == "stale"
    assert refused(table, "target", "undo", version=table.match.version + 1) == "stale"
    assert refused(table, HOST, "undo", version=seen) == "stale"
    asks(table, HOST, "undo")


def test_the_desk_leaving_makes_nothing_stale(at_table: AtTable) -> None:
    table, ana, _ = at_table
    table.match = table.match.after(DeskTaken())
    ana.misses()
    asks(table, "target", "undo")
    assert table.match.question


# ---- answering


def test_one_no_closes_the_question_and_nothing_changes(at_table: AtTable) -> None:
    table, ana, bob = at_table
    ana.misses()
    before = game(table.match)
    asks(table, "target", "undo")
    answers(table, "mask", accept=False)
    assert table.match.question is None
    assert game(table.match) == before
    assert table.heard == [News("declined", {"by": "mask", "question": "undo", "how": "refused"})]
    bob.misses()


def test_whoever_asked_withdraws_and_that_is_what_is_told(at_table: AtTable) -> None:
    table, ana, bob = at_table
    ana.misses()
    asks(table, "target", "undo")
    answers(table, "target", accept=False)
    assert table.heard == [News("declined", {"by": "target", "question": "undo", "how": "withdrawn"})]
    bob.misses()


def test_whoever_asked_may_withdraw(at_table: AtTable) -> None:
    table, ana, _ = at_table
    ana.misses()
    before = game(table.match)
    asks(table, "target", "undo")
    answers(table, "target", accept=False)
    assert table.match.question is None
    assert game(table.match) == before


def test_all_who_were_asked_must_agree() -> None:
    table = _three_enter(["a", "b"])
    asks(table, HOST, "undo")
    assert table.match.question
    assert table.match.question.of == ("a", "b", "c")
    for seat in ("b", "a"):
        answers(table, seat)
        assert table.kinds() == ["agreed"]
    assert table.match.question.accepted == ("b", "a")
    answers(table, "c")
    assert table.kinds() == ["taken_back"]
    assert len(table.match.made) == 1


def test_while_a_question_is_open_nobody_moves_and_nobody_asks(at_table: AtTable) -> None:
    table, ana, bob = at_table
    asks(table, "target", "abandon", show=False)
    assert ana.is_refused("attack_from_hand", card=9, house=1) == "question-open"
    for by in ("target", "mask", HOST):
        assert refused(table, by, "undo") == "question-open"
    answers(table, "mask", accept=False)
    ana.misses()
    bob.misses()


def test_a_question_does_not_make_a_form_stale(at_table: AtTable) -> None:
    table, _, _ = at_table
    seen = table.match.version
    asks(table, "mask", "abandon", show=False)
    answers(table, "target", accept=False)
    table.match.check("target", Move("attack_from_hand", {"card": 9, "house": 1}), seen)


def test_the_host_asks_everybody(at_table: AtTable) -> None:
    table, ana, _ = at_table
    before = game(table.match)
    ana.misses()
    asks(table, HOST, "undo")
    assert view(table.match.seen_by(), words("en"))["question"] == {
        "kind": "undo",
        "by": "host",
        "about": {"n": 7},
        "of": ["target", "mask"],
        "reveals": True,
        "accepted": [],
    }
    answers(table, "target")
    answers(table, "mask")
    assert game(table.match) == before


# ---- correct


def test_a_mistyped_secret_is_corrected_and_the_game_counted_again(at_table: AtTable) -> None:
    table, ana, bob = at_table
    ana.attacks(house=1, card=5)
    asks(table, "mask", "correct", n=5, fields={"houses": (9, 5, 6)})
    opened = table.match.question
    assert opened
    assert (opened.of, opened.about, opened.reveals) == (("target",), {"n": 5}, True)
    answers(table, "target")
    assert table.heard == [News("corrected", {"of": 5})]
    assert bob.houses == {1: 9, 2: 5, 3: 6}
    assert 4 in bob.cards
    assert table.match.seen_by().waiting_for == ("mask",)


def test_a_correction_is_bound_when_it_is_asked_and_hides_its_secret(at_table: AtTable) -> None:
    table, _, _ = at_table
    move = Move("hide", {"houses": (9, 5, 6)})
    asks(table, "mask", "correct", n=5, fields={"houses": (9, 5, 6)})
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
    asks(table, "target", "correct", n=4, fields={"houses": (7, 2, 3)})
    assert table.match.question
    assert not table.match.question.reveals


def test_nothing_is_corrected_where_a_later_move_would_not_have_been_possible(at_table: AtTable) -> None:
    table, ana, bob = at_table
    ana.attacks(house=1, card=9)
    bob.attacks(house=1, card=9)
    before = game(table.match)
    asks(table, "mask", "correct", n=5, fields={"houses": (9, 5, 6)})  # the 9 he attacked with from hand
    answers(table, "target")
    assert table.heard == [News("not_corrected", {"of": 5})]
    assert game(table.match) == before
    assert bob.houses == {1: 4, 2: 5, 3: 6}


@pytest.mark.parametrize("houses", [(1, 2, 3), (7, 8, 9)], ids=["the same", "others"])
def test_whether_a_correction_changed_anything_is_not_told_by_what_is_stale(
    at_table: AtTable, houses: tuple[int, ...]
) -> None:
    table, _, _ = at_table
    asks(table, "target", "correct", n=4, fields={"houses": houses})
    seen = table.match.version
    answers(table, "mask")
    assert refused(table, "mask", "undo", version=seen) == "stale"


@pytest.mark.parametrize("card", [1, 9], ids=["the same", "another"])
def test_what_was_taken_back_is_not_told_by_what_is_stale(at_table: AtTable, card: int) -> None:
    table, ana, _ = at_table
    ana.swaps(house=1, card=card, decoy=1)
    asks(table, "target", "undo")
    seen = table.match.version
    answers(table, "mask")
    assert refused(table, "mask", "undo", version=seen) == "stale"


def test_a_correction_may_be_corrected(at_table: AtTable) -> None:
    table, ana, _ = at_table
    for houses in ((7, 2, 3), (8, 2, 3)):
        asks(table, "target", "correct", n=4, fields={"houses": houses})
        answers(table, "mask")
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
    asks(table, "mask", "abandon", show=False)
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
    asks(table, "target", "correct", n=n, fields={"card": 8})
    answers(table, "mask")
    assert ana.houses[1] == 8
    assert ana.decoys == [0, 1, 0]


# ---- reissue


def test_a_new_key_is_asked_of_all_others_and_of_the_seat_while_its_phone_is_there() -> None:
    table = _three_enter([])
    for connected, of in (((), ("b",)), (("a", "b", "c"), ("b", "c")), (("a",), ("b",))):
        asks(table, "a", "reissue", connected=connected, seat="c")
        assert table.match.question
        assert table.match.question.of == of
        answers(table, "a", accept=False)
    asks(table, "a", "reissue", connected=("a", "b", "c"), seat="a")
    assert table.match.question
    assert table.match.question.of == ("b", "c")
    answers(table, "b")
    answers(table, "c")
    assert table.heard == [News("reissued", {"seat": "a", "how": "agreed"})]


def test_of_two_the_one_who_is_there_is_enough(at_table: AtTable) -> None:
    table, _, _ = at_table
    before = game(table.match)
    asks(table, "target", "reissue", seat="mask")
    assert table.match.question is None
    assert table.kinds() == ["asked", "reissued"]
    assert table.heard[-1].fields["how"] == "away"
    assert game(table.match) == before
    asks(table, "target", "reissue", connected=("mask",), seat="mask")
    assert table.match.question
    assert table.match.question.of == ("mask",)


def test_where_nobody_was_for_long_the_host_is_enough() -> None:
    table = _three_enter([])
    for by in ("a", HOST):
        asks(table, by, "reissue", seat="c", is_deserted=True)
        assert bool(table.match.question) == (by == "a")  # a seat that asks is there itself
        if by == "a":
            answers(table, "a", accept=False)
    assert table.heard[-1] == News("reissued", {"seat": "c", "how": "nobody_there"})


def test_who_comes_back_does_not_deal_again(at_table: AtTable) -> None:
    table, ana, bob = at_table
    before = game(table.match)
    asks(table, "target", "reissue", seat="mask")
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
    asks(table, HOST, "reissue", seat="mask")
    assert table.kinds() == ["asked", "reissued"]


# ---- abandon


@pytest.mark.parametrize("show", [False, True])
def test_all_agree_to_stop(at_table: AtTable, show: bool) -> None:
    table, ana, _ = at_table
    asks(table, "target", "abandon", show=show)
    assert table.match.question
    assert table.match.question.about == {"show": show}
    answers(table, "mask")
    assert table.kinds() == ["abandoned"]
    assert (table.outcome.winners, table.outcome.reason, table.outcome.draw) == ((), "abandoned", False)
    seen = table.match.seen_by()
    assert (seen.status, seen.waiting_for, seen.debrief is not None) == ("over", (), show)
    assert not any(table.match.choices.values())
    assert ana.is_refused("attack_from_hand", card=9, house=1) == "refusal.over"


def test_before_all_are_there_it_is_stopped_and_never_dealt() -> None:
    table = Table()
    table.sits("mask", "Bob")
    asks(table, "mask", "abandon", show=True)
    assert table.outcome.reason == "abandoned"
    table.sits("target", "Ana")
    assert table.match.state is None
    assert not any(table.match.choices.values())
    assert view(table.match.seen_by("target"), words("fr"))["status"] == "over"


def test_after_the_outcome_nothing_is_asked(at_table: AtTable) -> None:
    table, ana, bob = at_table
    for house, card in ((1, 4), (2, 5), (3, 6)):
        ana.attacks(house=house, card=card)
        if house < 3:
            bob.misses()
    assert table.over
    asked: list[tuple[str, dict[str, Any]]] = [
        ("undo", {}),
        ("correct", {"n": 4, "fields": {"houses": (7, 8, 9)}}),
        ("reissue", {"seat": "mask"}),
        ("abandon", {"show": True}),
    ]
    for kind, fields in asked:
        for by in ("target", HOST):
            assert refused(table, by, kind, **fields) == "illegal-move refusal.over"


def test_before_all_are_there_there_is_nothing_to_take_back_or_correct() -> None:
    table = Table()
    table.sits("mask", "Bob")
    assert refused(table, "mask", "undo") == "not-started"
    assert refused(table, "mask", "correct", n=1, fields={}) == "not-started"


def test_there_is_no_other_question(at_table: AtTable) -> None:
    with pytest.raises(ValueError, match="no question"):
        asks(at_table[0], "target", "dance")
