"""Agent Hunter beyond the rulebook: examples, rulings and options, what is known in hand, the wire."""

import pytest

from referee.core.errors import IllegalMove
from referee.core.match import open_match
from referee.core.moves import Move
from referee.core.options import BadOption
from referee.games.agent_hunter import AGENT_HUNTER
from referee.games.agent_hunter.rules import OPTIONS
from tests.support.rules.agent_hunter_language import Player, Table, down_to_one_house, play, sit_down
from tests.support.rules.table_language import SEED

# ---- Examples (1 and 4 are the rulebook's own and stand with it)


def test_example_2_five_at_eight_is_plus_five_at_two_is_moins() -> None:
    _, ana, bob = play(ana=(0, 1, 3), bob=(8, 2, 9))
    assert ana.attacks(house=1, card=5) == "plus"
    bob.misses()
    assert ana.attacks(house=2, card=5) == "moins"
    assert 5 in ana.cards


def test_example_3_house_4_at_a_house_holding_7_matched_from_a_house() -> None:
    _, ana, bob = play(ana=(4, 1, 2), bob=(7, 4, 0))
    assert ana.attacks(house=1, from_house=1) == "plus"
    assert ana.lost == {1: 4}
    assert bob.side.hand_size == 7
    bob.refills(house=2, card=9)
    assert bob.side.hand_size == 6
    assert bob.houses == {1: 7, 2: 9, 3: 0}


def test_example_3_house_4_at_a_house_holding_7_matched_from_the_hand() -> None:
    table, ana, bob = play(ana=(4, 1, 2), bob=(7, 3, 0))
    assert ana.attacks(house=1, from_house=1) == "plus"
    assert bob.side.hand_size == 6
    assert table.public["turn"] == "mask"


def test_example_5_the_one_who_destroyed_three_can_still_lose() -> None:
    """A destroyed 3 houses without decoys, B destroyed 2 with 3 decoys: B wins, its houses all gone."""
    table, a, b = play(ana=(1, 2, 3), bob=(4, 5, 6))
    for decoy in (1, 1, 2):
        a.swaps(house=3, card=3, decoy=decoy)
        b.misses()
    a.attacks(house=1, card=4)
    b.attacks(house=1, card=1)
    a.attacks(house=2, card=5)
    b.attacks(house=2, card=2)
    a.attacks(house=3, card=6)
    assert table.scores == (3, 5)
    assert table.winner == "Bob"
    assert len(b.lost) == 3


# ---- Rulings


def _last_house_hit_from_a_house(**options: object) -> tuple[Table, Player, Player]:
    """Ana's last standing house holds the 6 of Bob's last one, and strikes it."""
    table, ana, bob = play(ana=(1, 2, 6), bob=(4, 5, 6), **options)
    down_to_one_house(ana, bob)
    assert ana.attacks(house=3, from_house=3) == "reussite"
    return table, ana, bob


def test_ruling_no_refill_after_the_final_destruction() -> None:
    table, ana, _ = _last_house_hit_from_a_house()
    assert table.over
    assert table.public["owed"] is None
    assert ana.houses == {1: None, 2: None, 3: None}
    assert ana.lost == {1: 1, 2: 2}
    assert table.outcome.tie_break == {"hand_sum": {"target": 27, "mask": 27}}
    assert table.outcome.draw


@pytest.mark.parametrize(("card", "winner"), [(0, None), (9, "Bob")])
def test_ruling_with_refill_after_final_the_house_is_refilled_first(card: int, winner: str | None) -> None:
    table, ana, bob = _last_house_hit_from_a_house(refill_after_final=True)
    assert not table.over
    assert table.public["owed"] == {"seat": "target", "house": 3}
    assert (ana.may, bob.may) == (["refill"], [])
    ana.refills(house=3, card=card)
    assert table.kinds() == ["refilled", "over"]
    assert table.outcome.tie_break == {"hand_sum": {"target": 27 - card, "mask": 27}}
    assert table.winner == winner


def _own_third_house(bob: tuple[int, int, int], **options: object) -> tuple[Table, Player, Player]:
    """Ana has lost houses 1 and 2 and strikes in vain from her third, which holds a 3."""
    table, a, b = play(ana=(1, 2, 3), bob=bob, **options)
    a.misses()
    b.attacks(house=1, card=1)
    a.misses()
    b.attacks(house=2, card=2)
    assert a.attacks(house=1, from_house=3) == "plus"
    return table, a, b


def test_ruling_a_third_own_house_lost_by_a_missed_attack_ends_the_game() -> None:
    table, ana, bob = _own_third_house(bob=(4, 5, 6))
    assert table.kinds() == ["attack", "destroyed", "matched", "over"]
    assert table.winner == "Bob"
    assert table.scores == (0, 3)
    assert len(ana.lost) == 3
    assert 3 not in bob.cards


def test_ruling_the_matching_card_is_still_laid_but_its_house_is_not_refilled() -> None:
    table, _, bob = _own_third_house(bob=(4, 3, 6))
    assert table.kinds() == ["attack", "destroyed", "matched", "over"]
    assert table.news("matched") == {"by": "mask", "value": 3, "origin": "house", "house": 2}
    assert bob.houses == {1: 4, 2: None, 3: 6}
    assert bob.lost == {}


def test_ruling_with_refill_after_final_the_defender_refills_before_the_end() -> None:
    table, ana, bob = _own_third_house(bob=(4, 3, 6), refill_after_final=True)
    assert not table.over
    assert (ana.may, bob.may) == ([], ["refill"])
    bob.refills(house=2, card=0)
    assert table.kinds() == ["refilled", "over"]
    assert bob.houses == {1: 4, 2: 0, 3: 6}


def test_ruling_after_a_missed_house_attack_the_house_aimed_at_stays_secret() -> None:
    table, ana, bob = play(ana=(3, 2, 9), bob=(4, 5, 6))
    ana.attacks(house=2, from_house=1)
    assert 5 not in [value for news in table.heard for value in news.fields.values()]
    assert all(house["value"] is None for house in table.public["sides"][bob.seat]["houses"])


def test_ruling_turn_cap_the_score_stands_as_it_is() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6), turn_cap=4)
    ana.attacks(house=1, card=4)
    bob.misses()
    ana.misses()
    assert not table.over
    bob.misses()
    assert table.outcome.reason == "turn_cap"
    assert table.scores == (1, 0)
    assert table.winner == "Ana"


def test_ruling_turn_cap_a_tie_is_broken_by_the_hands() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6), turn_cap=2)
    ana.misses()
    bob.misses()
    assert table.scores == (0, 0)
    assert table.outcome.tie_break == {"hand_sum": {"target": 39, "mask": 30}}
    assert table.winner == "Ana"


def test_ruling_turn_cap_waits_for_a_refill_that_is_owed() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(1, 5, 6), turn_cap=2)
    ana.misses()
    bob.attacks(house=1, from_house=1)
    assert not table.over
    bob.refills(house=1, card=0)
    assert table.outcome.reason == "turn_cap"


def test_ruling_turn_cap_three_houses_on_the_last_turn_end_it_by_houses() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6), turn_cap=5)
    for house, card in ((1, 4), (2, 5), (3, 6)):
        ana.attacks(house=house, card=card)
        if house < 3:
            bob.misses()
    assert table.outcome.reason == "houses"


def test_ruling_turn_cap_there_is_none_by_default() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    for _turn in range(300):
        ana.misses()
        bob.misses()
    assert not table.over
    assert table.public["turns"] == 600


@pytest.mark.parametrize(
    "options",
    [
        {"turn_cap": 0},
        {"turn_cap": 2.0},
        {"turn_cap": True},
        {"turn_cap": "9"},
        {"refill_after_final": 1},
        {"refill_after_final": None},
        {"first": "ana"},
        {"refil_after_final": True},
    ],
)
def test_rulings_an_option_that_cannot_be_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(BadOption) as refused:
        open_match("KX7QF", AGENT_HUNTER, options, SEED)
    assert refused.value.name == next(iter(options))


def test_rulings_are_the_defaults_of_the_options() -> None:
    defaults = {option.name: option.default for option in OPTIONS}
    rulings = {"refill_after_final": False, "turn_cap": None}
    assert defaults == {"first": "random", "language": "fr", **rulings, "aids": False, "guide": False}


# ---- known_in_hand: what everyone has seen in a hand since its last swap or refill


def test_known_in_hand_a_card_shown_in_vain_is_known() -> None:
    _, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    ana.attacks(house=1, card=9)
    bob.attacks(house=1, card=0)
    ana.attacks(house=1, card=7)
    assert ana.known == [7, 9]
    assert bob.known == [0]


def test_known_in_hand_a_card_that_hits_is_known_no_more() -> None:
    _, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    ana.attacks(house=1, card=5)
    bob.misses()
    ana.attacks(house=2, card=5)
    assert ana.known == []


def test_known_in_hand_a_matching_card_from_the_hand_is_known_no_more() -> None:
    _, ana, bob = play(ana=(9, 2, 3), bob=(4, 5, 6))
    ana.misses()
    bob.attacks(house=2, card=9)
    assert bob.known == [9]
    ana.attacks(house=1, from_house=1)
    assert bob.known == []


def test_known_in_hand_a_swap_empties_the_list_of_that_side_alone() -> None:
    _, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    ana.attacks(house=1, card=9)
    bob.attacks(house=1, card=0)
    ana.swaps(house=2, card=0, decoy=1)
    assert ana.known == []  # the 9 may be what was laid down; the 2 that was shown as well
    assert bob.known == [0]


def test_known_in_hand_even_a_swap_of_the_same_card_empties_it() -> None:
    _, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    ana.attacks(house=1, card=9)
    bob.misses()
    ana.swaps(house=2, card=2, decoy=1)
    assert ana.known == []


def test_known_in_hand_a_refill_empties_it_for_the_attacker() -> None:
    _, ana, bob = play(ana=(5, 2, 3), bob=(4, 5, 6))
    ana.attacks(house=1, card=9)
    bob.attacks(house=1, card=0)
    ana.attacks(house=2, from_house=1)
    assert ana.known == [9]  # nothing has left the hand yet
    ana.refills(house=1, card=0)
    assert ana.known == []
    assert bob.known == [0]


def test_known_in_hand_a_refill_empties_it_for_the_defender() -> None:
    _, ana, bob = play(ana=(6, 2, 3), bob=(4, 5, 6))
    ana.attacks(house=1, card=9)
    bob.attacks(house=1, card=0)
    ana.attacks(house=2, from_house=1)
    assert bob.known == [0]
    bob.refills(house=3, card=7)
    assert bob.known == []
    assert ana.known == [9]


# ---- On the wire


def test_wire_public() -> None:
    table, ana, bob = play(ana=(6, 2, 3), bob=(4, 5, 6))
    ana.attacks(house=1, card=9)
    bob.swaps(house=1, card=4, decoy=2)
    ana.attacks(house=2, from_house=1)
    public = table.public
    assert public["turn"] == "target"
    assert public["step"] == "refill"
    assert public["owed"] == {"seat": "mask", "house": 3}
    assert public["sides"]["target"] == {
        "hidden": True,
        "houses": [
            {"house": 1, "destroyed": True, "decoys": 0, "value": 6},
            {"house": 2, "destroyed": False, "decoys": 0, "value": None},
            {"house": 3, "destroyed": False, "decoys": 0, "value": None},
        ],
        "hand_size": 7,
        "decoys_left": 5,
        "known_in_hand": [9],
    }
    assert public["sides"]["mask"]["houses"][1] == {
        "house": 2,
        "destroyed": False,
        "decoys": 1,
        "value": None,
    }
    assert public["sides"]["mask"]["decoys_left"] == 4


def test_wire_hand() -> None:
    table, _, _ = play(ana=(4, 7, 0), bob=(1, 2, 3))
    hand = AGENT_HUNTER.hand(table.state.hands["target"])
    assert hand == {"houses": {"1": 4, "2": 7, "3": 0}, "cards": [1, 2, 3, 5, 6, 8, 9]}


def test_wire_choices() -> None:
    _, ana, _ = play(ana=(4, 7, 0), bob=(1, 2, 3))
    hand = [1, 2, 3, 5, 6, 8, 9]
    wire = [choice.wire() for choice in ana.choices]
    assert wire[0] == {
        "type": "attack_from_hand",
        "fields": [
            {"name": "card", "kind": "one", "options": hand},
            {"name": "house", "kind": "one", "options": [1, 2, 3]},
        ],
    }
    assert wire[1]["fields"][0] == {"name": "from", "kind": "one", "options": [1, 2, 3]}
    assert wire[3] == {
        "type": "swap",
        "fields": [
            {"name": "house", "kind": "one", "options": [2]},
            {"name": "card", "kind": "one", "options": [1, 2, 3, 5, 6, 7, 8, 9], "secret": True},
            {"name": "decoy", "kind": "one", "options": [1, 2, 3]},
        ],
    }
    assert len(wire) == 5  # one swap for each house


def test_wire_hide_and_refill() -> None:
    _, ana, bob = sit_down()
    houses = {
        "name": "houses",
        "kind": "arrange",
        "options": list(range(10)),
        "count": 3,
        "secret": True,
    }
    assert [choice.wire() for choice in ana.choices] == [{"type": "hide", "fields": [houses]}]
    ana.hides(6, 2, 3)
    bob.hides(4, 5, 6)
    ana.attacks(house=2, from_house=1)
    card = {"name": "card", "kind": "one", "options": [0, 1, 2, 3, 7, 8, 9], "secret": True}
    assert [choice.wire() for choice in bob.choices] == [
        {"type": "refill", "fields": [{"name": "house", "kind": "one", "options": [3]}, card]}
    ]


def test_wire_only_secret_fields_are_secret() -> None:
    secret = {kind: shape.secret for kind, shape in AGENT_HUNTER.moves.items()}
    assert secret == {
        "hide": {"houses"},
        "attack_from_hand": set(),
        "attack_from_house": set(),
        "swap": {"card"},
        "refill": {"card"},
    }


def test_wire_debrief_tells_all_that_was_hidden_at_the_end_and_at_first() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    with pytest.raises(PermissionError):
        AGENT_HUNTER.debrief(table.state)
    ana.swaps(house=1, card=0, decoy=1)
    bob.misses()
    for house, card in ((1, 4), (2, 5), (3, 6)):
        ana.attacks(house=house, card=card)
        if house < 3:
            bob.misses()
    told = AGENT_HUNTER.debrief(table.state)
    assert told["target"] == {
        "end": {"houses": {"1": 0, "2": 2, "3": 3}, "cards": [1, 7, 8, 9]},
        "first": {"houses": {"1": 1, "2": 2, "3": 3}, "cards": [0, 4, 5, 6, 7, 8, 9]},
    }
    assert told["mask"]["end"]["houses"] == {"1": None, "2": None, "3": None}


def test_moves_of_the_wrong_form_are_malformed_before_anything_else() -> None:
    table, ana, _ = play(ana=(1, 2, 3), bob=(4, 5, 6))
    for fields in ({"card": 9}, {"card": 9, "house": 1, "decoy": 1}, {"card": True, "house": 1}):
        with pytest.raises(IllegalMove, match="malformed"):
            table.match.check(ana.seat, Move("attack_from_hand", fields), table.match.version)
