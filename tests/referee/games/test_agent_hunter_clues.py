"""What the answers have told about each house stays in view, and follows every change of its card."""

from typing import Any

from tests.support.rules.agent_hunter_language import Table, down_to_one_house, play


def clues(table: Table) -> dict[str, Any]:
    told: dict[str, Any] = table.game.sketch(table.state.table)["clues"]
    return told


def test_a_miss_says_higher_or_lower_and_answers_narrow_each_other() -> None:
    table, ana, bob = play(ana=(1, 2, 9), bob=(4, 7, 6))
    ana.attacks(house=2, card=3)
    assert clues(table) == {"mask": {"2": "> 3"}}
    bob.attacks(house=1, card=5)
    ana.attacks(house=2, card=8)
    assert clues(table) == {"mask": {"2": "> 3, < 8"}, "target": {"1": "< 5"}}
    bob.misses()
    ana.attacks(house=2, card=0)
    assert clues(table)["mask"] == {"2": "> 3, < 8"}  # it was known already


def test_a_destroyed_house_has_no_clue() -> None:
    table, ana, bob = play(ana=(1, 2, 9), bob=(4, 7, 6))
    ana.attacks(house=2, card=3)
    bob.misses()
    ana.attacks(house=2, card=7)
    assert clues(table)["mask"] == {}


def test_a_swapped_card_is_unknown_again() -> None:
    table, ana, bob = play(ana=(1, 2, 9), bob=(4, 7, 6))
    ana.attacks(house=2, card=3)
    bob.swaps(house=2, card=5, decoy=1)
    assert clues(table)["mask"] == {}


def test_a_house_that_attacked_and_was_refilled_is_unknown_again() -> None:
    table, ana, bob = play(ana=(1, 2, 9), bob=(9, 7, 6))
    ana.misses()
    bob.attacks(house=3, card=5)
    assert clues(table)["target"] == {"3": "> 5"}
    ana.attacks(house=1, from_house=3)
    ana.refills(house=3, card=8)
    assert clues(table)["target"] == {}


def test_a_house_whose_card_is_laid_on_an_attacker_is_unknown_again() -> None:
    table, ana, bob = play(ana=(1, 2, 9), bob=(4, 2, 6))
    ana.attacks(house=2, card=0)
    bob.misses()
    ana.attacks(house=1, from_house=2)  # Bob lays the 2 of his second house
    assert clues(table)["mask"] == {"1": "> 2"}


def test_a_clue_goes_when_the_move_is_taken_back() -> None:
    table, ana, _ = play(ana=(1, 2, 9), bob=(4, 7, 6))
    ana.attacks(house=2, card=3)
    table.asks("target", "undo")
    table.all_agree()
    assert clues(table) == {}


def test_a_clue_is_put_right_with_the_secret() -> None:
    table, ana, _ = play(ana=(1, 2, 9), bob=(4, 7, 6))
    ana.attacks(house=2, card=5)
    sealed = next(told.n for told in table.match.news if told.news.fields.get("by") == "mask")
    table.asks("mask", "correct", n=sealed, fields={"houses": (4, 3, 6)})
    table.all_agree()
    assert clues(table) == {"mask": {"2": "< 5"}}


def test_a_score_is_the_sum_of_its_parts() -> None:
    table, ana, bob = play(ana=(1, 2, 9), bob=(4, 5, 6), turn_cap=9)
    down_to_one_house(ana, bob)
    while not table.over:
        (ana if table.state.table.turn == "target" else bob).misses()
    parts = table.game.score_parts(table.public)
    assert {seat: sum(part.points for part in own) for seat, own in parts.items()} == table.outcome.scores
    assert [(part.say.key, part.points) for part in parts["mask"]] == [
        ("house", 1),
        ("decoys", 1),
        ("house", 1),
    ]
