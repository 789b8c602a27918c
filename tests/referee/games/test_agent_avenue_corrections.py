"""Agent Avenue, a card that is not what was entered: it is set right, and all is counted and told again."""

from typing import Any

import pytest

from referee.core.errors import IllegalMove
from referee.presentation.papers import score_sheet
from referee.presentation.sheets import lay_out
from referee.presentation.views import view
from referee.presentation.words import words
from tests.support.rules.agent_avenue_language import Player, Table, in_market, sit_down, turn


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
    assert table.kinds() == ["corrected", "restated", "restated"]
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
    told = [(one["was"] or one["now"])["kind"] for one in table.all_news("restated")]
    assert told == ["recruited", "moved", "turn", "over"]
    assert table.all_news("restated")[-1]["now"]["fields"] == {"winners": ["green"], "reason": "catch"}
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


def test_the_recruit_and_its_pawn_are_told_again_and_nothing_else() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="enforcer", theirs="saboteur")
    corrects(table, "green", agent="daredevil")
    recruit, pawn = table.all_news("restated")
    assert recruit["was"]["fields"] == {"side": "green", "agent": "enforcer", "copies": 1, "move": 1}
    assert recruit["now"]["fields"] == {"side": "green", "agent": "daredevil", "copies": 1, "move": 2}
    assert (pawn["was"]["fields"]["to"], pawn["now"]["fields"]["to"]) == (1, 2)


def test_a_pawn_that_stands_wrongly_goes_to_its_space() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="enforcer", theirs="saboteur")
    assert "Avancez le pion d’Ana de 1 : case 1." in todo(table)
    corrects(table, "green", agent="daredevil")
    right = ["La recrue d’Ana est Risque-tout, et non Mercenaire.", "Le pion d’Ana va en case 2."]
    assert todo(table) == right
    assert todo(table, "green") == [
        "Votre recrue est Risque-tout, et non Mercenaire.",
        "Votre pion va en case 2.",
    ]
    assert todo(table, "blue")[:2] == right
    bob.shows("mole")
    assert not any("va en case" in line for line in todo(table))


def test_a_correction_that_moves_no_pawn_says_only_who_the_recruit_is() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="codebreaker", theirs="saboteur")
    corrects(table, "green", agent="sentinel")
    assert todo(table) == ["La recrue d’Ana est Sentinelle, et non Cryptologue."]


def test_a_later_copy_that_was_another_one_moves_the_pawn_too() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="enforcer", theirs="saboteur")
    turn(bob, ana, mine="codebreaker", theirs="daredevil")
    assert table.progress == (3, -1)
    corrects(table, "green", agent="daredevil")
    assert table.progress == (5, -1)
    assert todo(table) == [
        "La recrue d’Ana est Risque-tout, et non Mercenaire.",
        "Le pion d’Ana va en case 5.",
    ]


def test_getaway_car_drives_on_after_all_or_does_not() -> None:
    table, ana, bob = sit_down(mode="advanced")
    table.team("green", progress=-2, permanents=("getaway_car",))
    ana.does("market_setup", cards=("watchtower", "masterplan", "outpost"))
    ana.shows("saboteur")
    ana.conceals("codebreaker")
    bob.takes("face_up")
    corrects(table, "green", agent="daredevil")
    drives = "Fuite en voiture : cet effet a lieu pour Ana."
    assert todo(table) == [
        "La recrue d’Ana est Risque-tout, et non Cryptologue.",
        drives,
        "Le pion d’Ana va en case 3.",
    ]
    corrects(table, "green", agent="enforcer")
    assert "Fuite en voiture : cet effet n’a pas lieu pour Ana." in todo(table)
    assert "Le pion d’Ana va en case 13." in todo(table)


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
    assert todo(table) == todo(table, "green") == []


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
    assert "1 secret a été corrigé." in lines
    assert table.match.seen_by().corrected == {"green": (1,)}


def test_in_a_team_only_whoever_laid_the_card_down_corrects_it() -> None:
    table = Table(players=4)
    ana, chloe, bob, _ = (Player(table, seat) for seat in table.match.seats)
    chloe.shows("sentinel")
    ana.conceals("enforcer")
    bob.takes("face_down")
    with pytest.raises(IllegalMove):
        table.asks("green_2", "correct", n=hidden(table), fields={"agent": "daredevil"})
    corrects(table, "green_1", agent="daredevil")
    assert table.progress == (0, 2)


def not_corrected(table: Table, agent: str) -> str:
    """Why the card that Ana laid face down first cannot have been this one."""
    with pytest.raises(IllegalMove) as caught:
        table.asks("green", "correct", n=hidden(table), fields={"agent": agent})
    assert caught.value.why
    return caught.value.why.key


def test_a_correction_that_makes_a_later_move_impossible_is_refused_with_the_way_out() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="enforcer", theirs="saboteur")
    bob.shows("sidekick")
    assert not_corrected(table, "sidekick") == "refusal.take_back_first"
    table.asks("green", "undo", n=table.match.made[3].n)
    table.all_agree()
    corrects(table, "green", agent="sidekick")
    assert table.progress == (4, -1)


def test_a_correction_by_which_no_market_card_was_earned_is_refused() -> None:
    table, ana, bob = in_market()
    turn(ana, bob, mine="daredevil", theirs="codebreaker")
    ana.picks("watchtower", refill="spycation")
    assert not_corrected(table, "enforcer") == "refusal.take_back_first"


def test_a_correction_before_the_market_is_asked_takes_the_landing_away_or_gives_it() -> None:
    table, ana, bob = in_market()
    turn(ana, bob, mine="daredevil", theirs="codebreaker")
    assert table.step == "market_pick"
    corrects(table, "green", agent="enforcer")
    assert (table.step, table.public["turn"]) == ("show", "blue")
    assert table.progress == (1, 0)
    none = "Le pion d’Ana ne s’arrête pas sur une case Marché Noir : pas de carte à prendre."
    assert todo(table)[-1] == none
    corrects(table, "green", agent="daredevil")
    assert table.step == "market_pick"
    assert todo(table)[-1] == "Le pion d’Ana s’arrête sur une case Marché Noir : il y a une carte à prendre."


def test_a_market_card_has_no_effect_after_all_or_has_one() -> None:
    """With the card that was typed all Sentinels lie in the open; with the real one not."""
    table, ana, bob = sit_down(mode="advanced")
    table.team("green", progress=1)
    table.team("blue", progress=2, sentinel=5)
    ana.does("market_setup", cards=("outpost", "watchtower", "masterplan"))
    ana.shows("enforcer")
    ana.conceals("codebreaker")
    bob.takes("face_down")
    assert table.step == "market_pick"
    ana.picks("outpost", refill="spycation")
    assert table.step == "effect"
    corrects(table, "green", agent="sentinel")
    assert (table.step, table.public["turn"]) == ("show", "blue")
    assert "Posez sur la défausse du Marché Noir : Avant-poste." in todo(table)
    corrects(table, "green", agent="codebreaker")
    assert table.step == "effect"
    assert "Reprenez de la défausse du Marché Noir et reposez devant vous : Avant-poste." in todo(
        table, "green"
    )
    assert "Ana reprend de la défausse du Marché Noir : Avant-poste." in todo(table, "blue")
