"""Agent Hunter: one test for each paragraph of the rulebook but the attacks, named after it."""

import pytest

from referee.core.entries import Joined
from referee.core.match import open_match
from referee.core.moves import Move
from referee.games.agent_hunter import AGENT_HUNTER
from tests.support.rules.agent_hunter_language import Player, Table, down_to_one_house, play, sit_down

# ---- Matériel


def test_materiel_ten_agents_from_0_to_9_and_five_decoys_a_side() -> None:
    _, ana, bob = sit_down()
    for player in (ana, bob):
        assert player.cards == {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
        assert player.side.decoys_left == 5
        assert player.decoys == [0, 0, 0]


# ---- But du jeu


def test_but_du_jeu_the_game_ends_with_the_third_house_and_most_points_win() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    for house, card in ((1, 4), (2, 5)):
        ana.attacks(house=house, card=card)
        assert not table.over
        bob.misses()
    ana.attacks(house=3, card=6)
    assert table.outcome.reason == "houses"
    assert table.scores == (3, 0)
    assert table.winner == "Ana"


# ---- Mise en place


def test_mise_en_place_1_and_2_one_side_is_target_the_other_mask() -> None:
    assert AGENT_HUNTER.seats({}) == ("target", "mask")


def test_mise_en_place_3_three_agents_face_down_the_others_in_hand() -> None:
    table, ana, bob = sit_down()
    assert table.public["step"] == "hide"
    assert table.public["turn"] is None
    assert ana.may == bob.may == ["hide"]
    ana.hides(4, 7, 0)
    assert ana.houses == {1: 4, 2: 7, 3: 0}
    assert ana.cards == {1, 2, 3, 5, 6, 8, 9}
    assert ana.side.hand_size == 7
    assert ana.may == []
    assert bob.may == ["hide"]
    bob.hides(1, 2, 3)
    assert table.public["step"] == "act"


def test_mise_en_place_3_both_sides_hide_at_once_in_any_order() -> None:
    table, ana, bob = sit_down()
    before = table.match.version
    bob.hides(9, 0, 5)
    table.match.check("target", Move("hide", {"houses": (1, 2, 3)}), before)  # not stale
    ana.hides(1, 2, 3)
    assert table.public["turn"] == "target"


@pytest.mark.parametrize("cards", [(1, 1, 2), (1, 2), (1, 2, 3, 4), (1, 2, 10), (-1, 2, 3), ()])
def test_mise_en_place_3_needs_three_different_agents(cards: tuple[int, ...]) -> None:
    _, ana, _ = sit_down()
    assert ana.is_refused("hide", houses=cards) == "hide"


def test_mise_en_place_3_do_not_let_the_other_see_your_cards() -> None:
    table, ana, _ = sit_down()
    ana.hides(4, 7, 0)
    assert [(news.kind, news.fields) for news in table.heard] == [("hidden", {"by": "target"})]


def test_mise_en_place_3_each_is_told_to_lay_them_out() -> None:
    _, ana, bob = sit_down()
    assert ana.todo() == bob.todo() == ["hide"]
    ana.hides(4, 7, 0)
    assert (ana.todo(), bob.todo()) == (["lay_out"], ["hide"])
    bob.hides(1, 2, 3)
    assert ana.todo() == bob.todo() == ["lay_out"]  # the second to choose has to lay them out too


# ---- Espions


def test_espions_look_at_your_own_houses_at_any_time_never_at_the_others() -> None:
    table, ana, bob = play(ana=(4, 7, 0), bob=(1, 3, 8))
    seen = table.match.seen_by("target").slice
    assert seen is not None
    assert AGENT_HUNTER.hand(seen.mine())["houses"] == {"1": 4, "2": 7, "3": 0}
    ana.misses()
    assert all(house["value"] is None for house in table.public["sides"][bob.seat]["houses"])
    assert table.match.seen_by(None).slice == type(seen)(table.state.table)


# ---- Déroulement de la partie


def test_deroulement_the_first_player_is_drawn_at_random() -> None:
    first = set()
    for i in range(20):
        match = open_match("KX7QF", AGENT_HUNTER, {}, f"{i:064x}")
        match = match.after(Joined("target", "Ana")).after(Joined("mask", "Bob"))
        (began,) = (told.news for told in match.news if told.news.kind == "began")
        first.add(began.fields["first"])
    assert first == {"target", "mask"}


@pytest.mark.parametrize("first", ["target", "mask"])
def test_deroulement_or_the_table_settles_who_begins(first: str) -> None:
    table, _, _ = sit_down(first=first)
    assert table.news("began") == {"first": first}
    table, _, _ = play(ana=(1, 2, 3), bob=(4, 5, 6), first=first)
    assert table.public["turn"] == first
    assert table.kinds() == ["hidden", "turn"]


def test_deroulement_one_of_three_actions_then_the_other_plays() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    assert ana.may == ["attack_from_hand", "attack_from_house", "swap"]
    assert bob.may == []
    ana.attacks(house=1, card=9)
    assert table.news("turn") == {"seat": "mask"}
    assert ana.may == []
    assert bob.may == ["attack_from_hand", "attack_from_house", "swap"]
    bob.swaps(house=1, card=4, decoy=1)
    assert table.public["turn"] == "target"


def test_deroulement_nobody_plays_out_of_turn() -> None:
    _, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    assert bob.is_refused("attack_from_hand", card=9, house=1) == "refusal.not_your_turn"
    assert bob.is_refused("attack_from_house", **{"from": 1, "house": 1}) == "refusal.not_your_turn"
    assert bob.is_refused("swap", house=1, card=4, decoy=1) == "refusal.not_your_turn"
    assert ana.is_refused("hide", houses=(1, 2, 3)) == "refusal.not_this_step"
    assert ana.is_refused("refill", house=1, card=9) == "refusal.not_this_step"
    assert ana.is_refused("pass") == "refusal.unknown_move"


# ---- 3. Échanger deux Espions


def test_3_echanger_the_card_is_shown_taken_up_and_another_laid_face_down() -> None:
    table, ana, _ = play(ana=(4, 7, 0), bob=(1, 2, 3))
    ana.swaps(house=2, card=9, decoy=1)
    assert table.kinds() == ["swapped", "turn"]
    assert table.news("swapped") == {"by": "target", "house": 2, "shown": 7, "decoy": 1}
    assert ana.houses == {1: 4, 2: 9, 3: 0}
    assert ana.cards == {1, 2, 3, 5, 6, 7, 8}


def test_3_echanger_it_may_be_the_same_card() -> None:
    _, ana, _ = play(ana=(4, 7, 0), bob=(1, 2, 3))
    ana.swaps(house=2, card=7, decoy=1)
    assert ana.houses == {1: 4, 2: 7, 3: 0}
    assert ana.cards == {1, 2, 3, 5, 6, 8, 9}


def test_3_echanger_any_card_of_the_hand_and_the_one_taken_up() -> None:
    _, ana, _ = play(ana=(4, 7, 0), bob=(1, 2, 3))
    hand = {1, 2, 3, 5, 6, 8, 9}
    assert [set(cards) for cards in ana.offered("swap", "card")] == [hand | {4}, hand | {7}, hand | {0}]
    assert ana.offered("swap", "house") == [(1,), (2,), (3,)]
    assert ana.is_refused("swap", house=2, card=4, decoy=1) == "in_house"


def test_3_echanger_then_a_decoy_beside_any_of_your_houses() -> None:
    _, ana, bob = play(ana=(4, 7, 0), bob=(1, 2, 3))
    assert ana.offered("swap", "decoy") == [(1, 2, 3)] * 3
    ana.swaps(house=2, card=9, decoy=3)
    assert ana.decoys == [0, 0, 1]
    assert ana.side.decoys_left == 4
    assert bob.decoys == [0, 0, 0]
    bob.attacks(house=3, card=0)
    assert ana.offered("swap", "decoy") == [(1, 2, 3)] * 2  # beside a destroyed one too
    assert ana.is_refused("swap", house=1, card=5, decoy=4) == "decoy"
    ana.swaps(house=1, card=5, decoy=3)
    assert ana.decoys == [0, 0, 2]


def test_3_echanger_note_no_swap_with_a_destroyed_house() -> None:
    _, ana, bob = play(ana=(4, 7, 0), bob=(1, 2, 3))
    ana.misses()
    bob.attacks(house=2, card=7)
    assert ana.offered("swap", "house") == [(1,), (3,)]
    assert ana.is_refused("swap", house=2, card=5, decoy=1) == "own_house"


# ---- Jetons Leurre


def test_jetons_leurre_five_for_the_whole_game_so_five_swaps() -> None:
    _, ana, bob = play(ana=(4, 7, 0), bob=(1, 2, 3))
    for left in (4, 3, 2, 1, 0):
        ana.swaps(house=1, card=4, decoy=2)
        assert ana.side.decoys_left == left
        bob.misses()
    assert ana.decoys == [0, 5, 0]


def test_jetons_leurre_once_they_are_used_no_more_swaps() -> None:
    _, ana, bob = play(ana=(4, 7, 0), bob=(1, 2, 3))
    for _turn in range(5):
        ana.swaps(house=1, card=4, decoy=2)
        bob.misses()
    assert ana.may == ["attack_from_hand", "attack_from_house"]
    assert ana.is_refused("swap", house=1, card=4, decoy=2) == "no_decoy"


def test_jetons_leurre_stay_when_their_house_is_destroyed_or_swapped() -> None:
    _, ana, bob = play(ana=(4, 7, 0), bob=(1, 2, 3))
    ana.swaps(house=1, card=4, decoy=2)
    bob.misses()
    ana.swaps(house=2, card=9, decoy=3)
    assert ana.decoys == [0, 1, 1]
    bob.attacks(house=2, card=9)
    assert ana.lost == {2: 9}
    assert ana.decoys == [0, 1, 1]


# ---- Fin de partie


def test_fin_de_partie_as_soon_as_three_houses_of_one_side_are_destroyed() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    ana.misses()
    for house in (1, 2, 3):
        assert not table.over
        bob.attacks(house=house, card=house)
        if house < 3:
            ana.misses()
    assert table.outcome.reason == "houses"
    assert table.winner == "Bob"


def test_fin_de_partie_one_point_for_each_destroyed_house() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    ana.attacks(house=1, card=4)
    bob.attacks(house=1, card=1)
    ana.attacks(house=2, card=5)
    bob.misses()
    ana.attacks(house=3, card=6)
    assert table.scores == (3, 1)


def test_fin_de_partie_and_one_for_each_decoy_beside_it() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    ana.misses()
    bob.swaps(house=1, card=4, decoy=1)
    ana.misses()
    bob.swaps(house=1, card=4, decoy=1)
    for house, card in ((1, 4), (2, 5), (3, 6)):
        ana.attacks(house=house, card=card)
        if house < 3:
            bob.misses()
    assert table.scores == (5, 0)


def test_fin_de_partie_egalite_the_higher_sum_in_hand_wins() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    down_to_one_house(ana, bob)
    ana.attacks(house=3, card=6)
    assert table.scores == (3, 3)
    assert table.outcome.tie_break == {"hand_sum": {"target": 24, "mask": 27}}  # the 3 stands in a house
    assert table.winner == "Bob"
    assert not table.outcome.draw


def test_fin_de_partie_toujours_egalite_it_is_a_draw() -> None:
    table, ana, bob = play(ana=(1, 2, 0), bob=(4, 5, 6))
    down_to_one_house(ana, bob)
    ana.attacks(house=3, card=6)
    assert table.scores == (3, 3)
    assert table.outcome.tie_break == {"hand_sum": {"target": 27, "mask": 27}}
    assert table.outcome.draw
    sums = {"hand_sum": {"target": 27, "mask": 27}}
    assert table.news("over") == {"winners": [], "reason": "houses", "tie_break": sums, "side": "mask"}


def test_fin_de_partie_no_tie_break_is_told_when_there_was_no_tie() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    for house, card in ((1, 4), (2, 5), (3, 6)):
        ana.attacks(house=house, card=card)
        if house < 3:
            bob.misses()
    assert table.outcome.tie_break is None


def _score_example(table: Table, target: Player, mask: Player) -> None:
    target.swaps(house=1, card=1, decoy=1)
    mask.swaps(house=1, card=4, decoy=1)
    target.swaps(house=1, card=1, decoy=1)
    mask.misses()
    target.swaps(house=1, card=1, decoy=2)  # beside a house that will stand at the end
    mask.attacks(house=1, card=1)
    for house, card in ((1, 4), (2, 5), (3, 6)):
        target.attacks(house=house, card=card)
        if not table.over:
            mask.misses()


def test_exemple_de_calcul_de_score() -> None:
    """Rules file, example 4: 3 houses and 1 decoy against 1 house and 2 decoys, 4 to 3."""
    table, target, mask = play(ana=(1, 2, 3), bob=(4, 5, 6))
    _score_example(table, target, mask)
    assert table.scores == (4, 3)
    assert table.winner == "Ana"


def test_exemple_de_calcul_de_score_note_decoys_beside_a_standing_house_score_nothing() -> None:
    table, target, mask = play(ana=(1, 2, 3), bob=(4, 5, 6))
    _score_example(table, target, mask)
    assert target.decoys == [2, 1, 0]
    assert target.lost == {1: 1}
    assert table.scores == (4, 3)
