"""Agent Avenue, a card that is not what was entered: it is set right, and all is counted and told again."""

from typing import Any

import pytest

from referee.papers import score_sheet
from referee.refused import Refused
from referee.sheets import lay_out
from referee.views import view
from referee.words import words
from tests.referee.avenue_talk import Player, Table, in_market, sit_down, turn


def hidden(table: Table, which: int = 1) -> int:
    """The number by which people call the first, second, … card that was laid face down."""
    return [made.n for made in table.match.made if made.entry.move.type == "conceal"][which - 1]


def corrects(table: Table, seat: str, which: int = 1, **fields: Any) -> None:
    """Whoever laid it down says what it really was, and all agree."""
    table.asks(seat, "correct", n=hidden(table, which), fields=fields)
    table.all_agree()


def todo(table: Table, seat: str | None = None) -> list[str]:
    """What to do with the real pieces, as a phone or the screen says it."""
    seen = view(table.match.seen_by(seat), words("fr"))
    return [str(line) for line in (seen["me"]["todo"] if seat else seen["todo"])]


def test_a_wrong_hidden_card_is_corrected_and_all_is_counted_anew() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="enforcer", theirs="saboteur")
    assert table.progress == (1, -1)
    made = table.match.made[1]
    table.asks("green", "correct", n=made.n, fields={"agent": "daredevil"})
    assert table.match.question is not None
    assert table.match.question.reveals
    table.all_agree()
    assert table.progress == (2, -1)
    assert table.public["sides"]["green"]["zone"] == {"daredevil": 1}
    assert table.kinds() == ["corrected", "recounted"]
    assert table.match.made[1].entry.move.fields == {"agent": "daredevil"}


def test_a_correction_may_declare_the_whole_hand_or_take_that_back() -> None:
    table, ana, bob = sit_down()
    ana.shows("enforcer")
    ana.conceals("mole")
    n = table.match.made[1].n
    table.asks("green", "correct", n=n, fields={"agent": "enforcer", "whole_hand": True})
    table.all_agree()
    assert table.state.hands["green"].face_down == "enforcer"
    table.asks("green", "correct", n=n, fields={"agent": "sentinel"})
    table.all_agree()
    assert table.match.made[1].entry.move.fields == {"agent": "sentinel"}
    bob.takes("face_up")
    assert table.progress == (0, 1)


def test_a_correction_that_ends_the_game_is_told_like_any_end() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="enforcer", theirs="mole")
    table.asks("green", "correct", n=table.match.made[1].n, fields={"agent": "sidekick"})
    table.all_agree()
    assert table.kinds() == ["corrected", "recounted", "over"]
    assert table.end == ("green", "catch")


@pytest.mark.parametrize(
    ("real", "zone", "end"),
    [
        ("codebreaker", {"codebreaker": 2}, ("green", "codebreakers")),
        ("daredevil", {"daredevil": 2}, ("blue", "daredevils")),
        ("mole", {"progress": -4}, ("blue", "catch")),
    ],
)
def test_the_conditions_of_the_end_are_tested_again(
    real: str, zone: dict[str, Any], end: tuple[str, str]
) -> None:
    table, ana, bob = sit_down()
    table.team("green", **zone)
    ana.shows("sentinel")
    kept = table.match.made[0]
    ana.conceals("saboteur")
    bob.takes("face_up")
    assert not table.over
    assert kept.before is not None  # the game is played again from the position of this test
    corrects(table, "green", agent=real)
    assert table.end == end


def test_pawns_and_zones_are_told_again_and_each_pawn_goes_to_its_space() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="enforcer", theirs="saboteur")
    assert "Avancez le pion d’Ana de 1 : case 1." in todo(table)
    corrects(table, "green", agent="daredevil")
    assert table.all_news("recounted") == [
        {
            "spaces": {"green": 2, "blue": 6},
            "zones": {"green": {"daredevil": 1}, "blue": {"saboteur": 1}},
        }
    ]
    for seat in (None, "green", "blue"):
        lines = todo(table, seat)
        assert any("vous devez voir Risque-tout" in line for line in lines)
        assert "Le pion d’Ana va en case 2." in lines
        assert "Le pion de Bob va en case 6." in lines
        assert not any("Avancez" in line or "Reculez" in line for line in lines)
    bob.shows("mole")
    assert not any("va en case" in line for line in todo(table))


def test_what_was_told_again_stands_when_somebody_asks_for_something_else() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="enforcer", theirs="saboteur")
    corrects(table, "green", agent="daredevil")
    table.asks("blue", "undo")
    table.answers("green", accept=False)
    assert "Le pion d’Ana va en case 2." in todo(table)


def test_a_card_that_still_lies_hidden_is_corrected_without_a_word_about_the_pawns() -> None:
    table, ana, _ = sit_down()
    ana.shows("sentinel")
    ana.conceals("enforcer")
    corrects(table, "green", agent="mole")
    assert table.kinds() == ["corrected"]
    assert table.state.hands["green"].face_down == "mole"


def test_a_turn_that_is_taken_back_puts_the_pawns_back() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="enforcer", theirs="saboteur")
    table.asks("blue", "undo")
    table.all_agree()
    assert table.kinds() == ["taken_back", "recounted"]
    assert table.all_news("recounted")[0]["spaces"] == {"green": 0, "blue": 7}
    assert not any("pioche" in line.lower() for line in todo(table, "green"))  # they were drawn already


def test_the_sheet_marks_what_was_corrected() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="enforcer", theirs="codebreaker")
    turn(bob, ana, mine="sentinel", theirs="enforcer")
    corrects(table, "green", agent="saboteur")
    turn(ana, bob, mine="sidekick", theirs="mole")
    assert table.over
    lines = [
        line.text
        for line in lay_out(score_sheet(table.match.seen_by(), words("fr"), ""), 60)
        if hasattr(line, "text")
    ]
    at = lines.index("Cartes jouées face cachée")
    assert lines[at + 1 : at + 6] == [
        "Ana",
        "1. Saboteur (corrigé)",
        "2. Acolyte",
        "Bob",
        "1. Sentinelle",
    ]
    assert "1 secret a été corrigé en cours de partie." in lines
    assert table.match.seen_by().corrected == {"green": (1,)}


def test_in_a_team_only_whoever_laid_the_card_down_corrects_it() -> None:
    table = Table(players=4)
    ana, chloe, bob, _ = (Player(table, seat) for seat in table.match.seats)
    chloe.shows("sentinel")
    ana.conceals("enforcer")
    bob.takes("face_down")
    with pytest.raises(Refused):
        table.asks("green_2", "correct", n=hidden(table), fields={"agent": "daredevil"})
    corrects(table, "green_1", agent="daredevil")
    assert table.progress == (0, 2)


def test_a_correction_that_makes_a_later_move_impossible_changes_nothing() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="enforcer", theirs="saboteur")
    bob.shows("sidekick")
    before = table.state
    table.asks("green", "correct", n=table.match.made[1].n, fields={"agent": "sidekick"})
    table.all_agree()
    assert table.kinds() == ["not_corrected"]
    assert table.state == before


def test_a_correction_by_which_no_market_card_was_earned_is_refused() -> None:
    table, ana, bob = in_market()
    turn(ana, bob, mine="daredevil", theirs="codebreaker")
    ana.picks("watchtower", refill="spycation")
    before = table.state
    n = next(m.n for m in table.match.made if m.entry.move.type == "conceal")
    table.asks("green", "correct", n=n, fields={"agent": "enforcer"})
    table.all_agree()
    assert table.kinds() == ["not_corrected"]
    assert table.state == before


def test_a_correction_before_the_market_is_asked_takes_the_landing_away() -> None:
    table, ana, bob = in_market()
    turn(ana, bob, mine="daredevil", theirs="codebreaker")
    assert table.step == "market_pick"
    n = next(m.n for m in table.match.made if m.entry.move.type == "conceal")
    table.asks("green", "correct", n=n, fields={"agent": "enforcer"})
    table.all_agree()
    assert (table.step, table.public["turn"]) == ("show", "blue")
    assert table.progress == (1, 0)
