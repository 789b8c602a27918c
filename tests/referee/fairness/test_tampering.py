"""Every change of a record is found, and located as closely as possible."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from referee.core.entries import Answered, Asked, Entry, Joined
from referee.core.game import Say
from referee.core.match import Match
from referee.core.questions import HOST, question
from referee.fairness.record import FORMAT, checksum, record_of
from referee.fairness.verify import verify
from referee.games import GAMES
from referee.presentation.words import LANGUAGES, words
from referee.program.simulate import opened
from tests.support.rules.tampering import (
    FORMS,
    Edit,
    any_bytes,
    entry_at,
    every_byte,
    every_leaf,
    is_same,
    parsed,
    record_text,
    short_game,
)
from tests.support.soak import LONG

every_game = pytest.mark.parametrize("game", GAMES)


def check(text: str, edit: Edit) -> None:
    changed = parsed(edit.of(text))
    wrong = verify(changed)
    if is_same(changed, parsed(text)):
        assert not wrong  # the same record, written in other bytes: nothing to find
        return
    assert wrong, edit.of(text)
    for language in LANGUAGES:
        assert all(words(language).say(say.key, say.fields) for say in wrong)
    if changed is not None and (n := entry_at(text, edit)):
        assert n in [say.fields.get("n") for say in wrong], edit


@every_game
def test_every_leaf_of_a_record(game: str) -> None:
    text = record_text(game)
    assert verify(json.loads(text)) == []
    for edit in every_leaf(text):
        check(text, edit)


@every_game
def test_single_bytes_anywhere(game: str) -> None:
    text = record_text(game)
    for edit in every_byte(text) if LONG > 1 else any_bytes(text, 250):
        check(text, edit)


def changed(game: str, **parts: Any) -> list[str]:
    return [say.key for say in verify({**json.loads(record_text(game)), **parts})]


@every_game
def test_what_stands_outside_the_chain_is_under_the_checksum(game: str) -> None:
    """Names, so that a person can be deleted; and the number of the format."""
    assert changed(game, format=FORMAT + 1) == ["verify.format", "verify.checksum"]
    names = dict.fromkeys(json.loads(record_text(game))["names"], "Zoé")
    assert changed(game, names=names) == ["verify.checksum"]


@every_game
def test_what_opened_the_table_is_bound_by_the_first_link(game: str) -> None:
    for part, other in (("table", "OTHER"), ("seed", "00" * 32)):
        assert "verify.opening" in changed(game, **{part: other}), part


# ---- what somebody writes who recomputes the checksum too


def rewritten(game: str, change: Callable[[dict[str, Any]], object]) -> list[Say]:
    record = json.loads(record_text(game))
    change(record)
    record.pop("checksum")
    return verify({**record, "checksum": checksum(record)})


@every_game
@pytest.mark.parametrize("form", FORMS)
def test_a_new_checksum_hides_nothing(game: str, form: str) -> None:
    change, wanted = FORMS[form]
    assert wanted in rewritten(game, change)


# ---- entries that were never possible, in a record whose hashes all hold


def grown(game: str, *more: Entry, moves: int = 1) -> list[Say]:
    """What is wrong with a game that goes on like this after its first moves, besides having no end."""
    start = opened(GAMES[game], "tampered")
    entries = short_game(game)[: len(start.seats) + moves]
    wrong = verify(json.loads(json.dumps(record_of(start, [*entries, *more]))))
    return [say for say in wrong if say != Say("verify.unfinished")]


def standing(game: str, moves: int = 1) -> Match:
    match = opened(GAMES[game], "tampered")
    for entry in short_game(game)[: len(match.seats) + moves]:
        match = match.after(entry)
    return match


def named(game: str, key: str, *more: Entry, at: int = 1) -> None:
    n = standing(game).entries + at
    assert Say(key, {"n": n}) in grown(game, *more)


@every_game
def test_a_question_must_go_to_all_who_have_to_agree(game: str) -> None:
    match = standing(game)
    first, *others = match.seats
    right = question(match, first, "abandon", {"show": False}, match.version)
    assert right.of == tuple(others)
    assert [say.key for say in grown(game, right)] == []
    named(game, "verify.question", replace(right, of=()))
    named(game, "verify.question", replace(right, of=(first, *others)))
    named(game, "verify.question", replace(right, by="nobody"))


@every_game
def test_a_question_must_have_been_allowed(game: str) -> None:
    match = standing(game)
    asked = question(match, HOST, "abandon", {"show": False}, match.version)
    named(game, "verify.question", asked, asked, at=2)  # one is open already
    last = question(match, HOST, "undo", {}, match.version)
    named(game, "verify.question", replace(last, fields={**last.fields, "show": True}))


@every_game
def test_what_is_taken_back_was_a_move_that_stood(game: str) -> None:
    match = standing(game, moves=3)
    first, *_ = match.made
    for right in ({}, {"n": first.n}):
        assert grown(game, question(match, HOST, "undo", right, match.version), moves=3) == []
    wrong = replace(question(match, HOST, "undo", {}, match.version), fields={"n": first.n - 1})
    assert Say("verify.question", {"n": match.entries + 1}) in grown(game, wrong, moves=3)


@every_game
def test_nobody_takes_back_unasked_what_others_have_to_agree_to(game: str) -> None:
    match = standing(game, moves=3)
    alone = replace(question(match, HOST, "undo", {}, match.version), of=())
    assert Say("verify.question", {"n": match.entries + 1}) in grown(game, alone, moves=3)


@every_game
def test_a_correction_is_of_an_own_secret(game: str) -> None:
    match, moves = standing(game, moves=3), GAMES[game].moves
    made = next((m for m in match.made if moves[m.entry.move.type].secret), match.made[0])
    other = next(seat for seat in match.seats if seat != made.entry.seat)
    secret = moves[made.entry.move.type].secret
    held = {name: value for name, value in made.entry.move.fields.items() if name in secret}
    fields = {"n": made.n, "fields": held}
    of = tuple(seat for seat in match.seats if seat != other)
    asked = Asked(other, "correct", of, fields, "ab" * 32)
    assert Say("verify.question", {"n": match.entries + 1}) in grown(game, asked, moves=3)


@every_game
def test_an_answer_must_come_from_a_seat_that_was_asked(game: str) -> None:
    match = standing(game)
    first, *others = match.seats
    asked = question(match, first, "abandon", {"show": False}, match.version)
    named(game, "verify.answer", asked, Answered(first, True), at=2)
    named(game, "verify.answer", asked, Answered("nobody", False), at=2)
    assert grown(game, asked, Answered(first, False)) == []  # whoever asked may take it back
    if len(others) > 1:
        named(game, "verify.answer", asked, *(Answered(others[0], True),) * 2, at=3)


@every_game
def test_a_seat_is_joined_when_it_is_free(game: str) -> None:
    match = standing(game)
    named(game, "verify.join", Joined(match.seats[0], "Eve"))
    lost = question(match, match.seats[0], "reissue", {"seat": match.seats[1]}, match.version)
    agreed = (Answered(seat, True) for seat in lost.of)
    assert grown(game, lost, *agreed, Joined(match.seats[1], "Bob")) == []
