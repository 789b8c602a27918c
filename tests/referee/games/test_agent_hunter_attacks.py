"""Agent Hunter's two attacks, from the hand and from a house: one test for each paragraph of the rulebook."""

import pytest

from tests.support.rules.agent_hunter_language import play

# ---- 1. Attaquer depuis votre main


@pytest.mark.parametrize(("card", "answer"), [(3, "plus"), (7, "moins"), (5, "reussite")])
def test_1_attaquer_depuis_votre_main_plus_moins_or_reussite(card: int, answer: str) -> None:
    table, ana, _ = play(ana=(1, 2, 9), bob=(4, 5, 6))
    assert ana.attacks(house=2, card=card) == answer
    fields = {"by": "target", "origin": "hand", "card": card, "house": 2, "answer": answer}
    assert table.news("attack") == fields


def test_1_attaquer_depuis_votre_main_only_a_card_that_is_in_hand() -> None:
    _, ana, _ = play(ana=(1, 2, 9), bob=(4, 5, 6))
    assert ana.offered("attack_from_hand", "card") == [(0, 3, 4, 5, 6, 7, 8)]
    assert ana.is_refused("attack_from_hand", card=1, house=2) == "in_house"


def test_1_attaquer_depuis_votre_main_only_an_enemy_house_that_stands() -> None:
    _, ana, bob = play(ana=(1, 2, 9), bob=(4, 5, 6))
    ana.attacks(house=2, card=5)
    bob.misses()
    assert ana.offered("attack_from_hand", "house") == [(1, 3)]
    assert ana.is_refused("attack_from_hand", card=3, house=2) == "target"
    assert ana.is_refused("attack_from_hand", card=3, house=4) == "target"


def test_1_attaque_ratee_the_agent_is_taken_back_and_nothing_else_happens() -> None:
    table, ana, bob = play(ana=(1, 2, 9), bob=(4, 5, 6))
    cards, houses = ana.cards, bob.houses
    ana.attacks(house=2, card=3)
    assert (ana.cards, bob.houses) == (cards, houses)
    assert table.kinds() == ["attack", "turn"]
    assert ana.todo() == ["miss.you"]
    assert bob.todo() == ["miss.they"]


def test_1_attaque_reussie_the_house_is_destroyed_and_both_cards_are_out() -> None:
    table, ana, bob = play(ana=(1, 2, 9), bob=(4, 5, 6))
    ana.attacks(house=2, card=5)
    assert table.kinds() == ["attack", "destroyed", "turn"]
    assert table.news("destroyed") == {"side": "mask", "house": 2, "value": 5}
    assert bob.lost == {2: 5}
    assert bob.houses == {1: 4, 2: None, 3: 6}
    assert ana.cards == {0, 3, 4, 6, 7, 8}
    assert bob.cards == {0, 1, 2, 3, 7, 8, 9}
    assert ana.todo() == ["hit.you"]
    assert bob.todo() == ["hit.they"]


def test_1_attaque_reussie_on_the_third_house_ends_the_game() -> None:
    table, ana, bob = play(ana=(1, 2, 9), bob=(4, 5, 6))
    for house, card in ((1, 4), (2, 5), (3, 6)):
        ana.attacks(house=house, card=card)
        if not table.over:
            bob.misses()
    assert table.kinds() == ["attack", "destroyed", "over"]
    assert table.news("over") == {"winners": ["target"], "reason": "houses", "side": "mask"}
    assert table.public["turn"] is None
    assert ana.may == bob.may == []
    assert bob.is_refused("attack_from_hand", card=0, house=1) == "refusal.over"


def test_exemple_d_attaque_depuis_votre_main() -> None:
    """Rules file, example 1: TARGET shows a 3 and aims at the house in the middle, which holds a 3."""
    table, target, mask = play(ana=(0, 1, 2), bob=(8, 3, 5))
    assert target.attacks(house=2, card=3) == "reussite"
    assert mask.lost == {2: 3}
    assert 3 not in target.cards
    assert table.public["turn"] == "mask"


# ---- 2. Attaquer depuis une planque


@pytest.mark.parametrize(
    ("own", "answer"), [((3, 2, 9), "plus"), ((7, 2, 9), "moins"), ((5, 2, 9), "reussite")]
)
def test_2_attaquer_depuis_une_planque_plus_moins_or_reussite(own: tuple[int, int, int], answer: str) -> None:
    table, ana, _ = play(ana=own, bob=(4, 5, 6))
    assert ana.attacks(house=2, from_house=1) == answer
    fields = {"by": "target", "origin": "house", "from": 1, "card": own[0], "house": 2, "answer": answer}
    assert table.news("attack") == fields


def test_2_attaquer_depuis_une_planque_only_from_a_house_that_stands() -> None:
    _, ana, bob = play(ana=(1, 2, 9), bob=(4, 5, 6))
    ana.misses()
    bob.attacks(house=1, card=1)
    assert ana.offered("attack_from_house", "from") == [(2, 3)]
    assert ana.is_refused("attack_from_house", **{"from": 1, "house": 1}) == "own_house"
    assert ana.is_refused("attack_from_house", **{"from": 2, "house": 4}) == "target"


def test_2_attaque_ratee_your_house_is_destroyed_and_matched_from_the_hand() -> None:
    table, ana, bob = play(ana=(3, 2, 9), bob=(4, 5, 6))
    ana.attacks(house=2, from_house=1)
    assert table.kinds() == ["attack", "destroyed", "matched", "turn"]
    assert table.news("destroyed") == {"side": "target", "house": 1, "value": 3}
    assert table.news("matched") == {"by": "mask", "value": 3, "origin": "hand"}
    assert ana.lost == {1: 3}
    assert bob.lost == {}
    assert bob.cards == {0, 1, 2, 7, 8, 9}
    assert ana.cards == {0, 1, 4, 5, 6, 7, 8}
    assert ana.todo() == ["matched.hand.they"]
    assert bob.todo() == ["matched.hand.you"]


def test_2_attaque_ratee_a_matching_card_from_a_house_is_replaced_from_the_hand() -> None:
    table, ana, bob = play(ana=(6, 2, 9), bob=(4, 5, 6))
    ana.attacks(house=2, from_house=1)
    assert table.kinds() == ["attack", "destroyed", "matched"]
    assert table.news("matched") == {"by": "mask", "value": 6, "origin": "house", "house": 3}
    assert table.public["step"] == "refill"
    assert table.public["owed"] == {"seat": "mask", "house": 3}
    assert table.public["turn"] == "target"  # the turn stays the attacker's until then
    assert (ana.may, bob.may) == ([], ["refill"])
    assert bob.offered("refill", "card") == [(0, 1, 2, 3, 7, 8, 9)]
    assert bob.todo() == ["matched.house.you", "refill.you"]
    assert ana.todo() == ["matched.house.they", "refill.they"]
    bob.refills(house=3, card=0)
    assert table.kinds() == ["refilled", "turn"]
    assert table.news("refilled") == {"by": "mask", "house": 3}
    assert bob.houses == {1: 4, 2: 5, 3: 0}
    assert table.public["turn"] == "mask"
    assert table.public["step"] == "act"
    assert table.public["owed"] is None


def test_2_attaque_ratee_only_the_owed_house_is_refilled_and_only_from_the_hand() -> None:
    _, ana, bob = play(ana=(6, 2, 9), bob=(4, 5, 6))
    ana.attacks(house=2, from_house=1)
    assert bob.is_refused("refill", house=1, card=0) == "refill"
    assert bob.is_refused("refill", house=3, card=4) == "in_house"  # it stands in house 1
    assert bob.is_refused("refill", house=3, card=6) == "refill"  # the card that is out
    assert bob.is_refused("attack_from_hand", card=0, house=1) == "owed"
    assert ana.is_refused("attack_from_hand", card=0, house=1) == "refusal.not_your_turn"
    assert ana.is_refused("refill", house=1, card=0) == "refusal.not_your_turn"


def test_2_attaque_reussie_the_enemy_house_is_destroyed_and_yours_is_refilled() -> None:
    table, ana, bob = play(ana=(5, 2, 9), bob=(4, 5, 6))
    ana.attacks(house=2, from_house=1)
    assert table.kinds() == ["attack", "destroyed"]
    assert table.news("destroyed") == {"side": "mask", "house": 2, "value": 5}
    assert table.public["owed"] == {"seat": "target", "house": 1}
    assert table.public["turn"] == "target"
    assert (ana.may, bob.may) == (["refill"], [])
    assert ana.lost == {}
    assert ana.todo() == ["hit.you", "refill.you"]
    ana.refills(house=1, card=0)
    assert ana.houses == {1: 0, 2: 2, 3: 9}
    assert ana.cards == {1, 3, 4, 6, 7, 8}
    assert bob.cards == {0, 1, 2, 3, 7, 8, 9}
    assert table.public["turn"] == "mask"


def test_2_attaque_reussie_on_the_third_house_ends_the_game() -> None:
    table, ana, bob = play(ana=(6, 2, 9), bob=(4, 5, 6))
    for house, card in ((1, 4), (2, 5)):
        ana.attacks(house=house, card=card)
        bob.misses()
    ana.attacks(house=3, from_house=1)
    assert table.kinds() == ["attack", "destroyed", "over"]
    assert table.scores == (3, 0)
