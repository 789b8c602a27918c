"""Agent Avenue in teams of three and four: one test for each paragraph of the rulebook, in its order."""

import pytest

from tests.support.rules.agent_avenue_language import Player, Table, turn

# ---- Variante par équipes


def team_of_four() -> tuple[Table, list[Player]]:
    table = Table(players=4)
    return table, [Player(table, seat) for seat in table.match.seats]


def test_equipes_both_are_offered_the_first_card_then_the_other_conceals() -> None:
    table, (ana, chloe, bob, dan) = team_of_four()
    assert ana.may == chloe.may == ["show", "discard"]
    assert bob.may == dan.may == []
    chloe.shows("mole")
    assert ana.may == ["conceal", "discard"]
    assert chloe.may == []
    assert chloe.is_refused("conceal", agent="enforcer") == "partner_conceals"
    assert (table.public["hands"]["green_2"], table.public["deck"]) == (4, 21)
    assert chloe.todo() == ["shown.you", "draw.you"]
    assert ana.todo() == ["shown.they", "draw.they", "conceal", "may_discard"]
    ana.conceals("enforcer")
    assert table.public["hands"] == dict.fromkeys(table.match.seats, 4)
    assert table.public["deck"] == 20
    assert chloe.todo() == ["concealed.they", "draw.they"]
    assert bob.may == dan.may == ["take"]
    dan.takes("face_up")
    assert table.heard[0].fields == {"by": "blue_2", "card": "face_up"}
    assert table.public["turn"] == "blue"


def test_equipes_the_partner_does_not_see_the_hidden_card() -> None:
    table, (ana, chloe, _, _) = team_of_four()
    chloe.shows("mole")
    ana.conceals("enforcer")
    seen = table.match.seen_by("green_2")
    assert "enforcer" not in str(seen.slice.hand if seen.slice else "")
    assert table.state.hands["green_2"].face_down is None


def test_equipes_two_discards_each_also_after_the_partners_card() -> None:
    _, (ana, chloe, _, _) = team_of_four()
    chloe.discards()
    ana.shows("mole")
    assert ana.is_refused("discard") == "discard_late"
    chloe.discards()
    assert chloe.is_refused("discard") == "no_discard_left"
    chloe.conceals("enforcer")


def test_equipes_three_players_the_limits_of_the_pair_and_of_the_solo_player() -> None:
    table = Table(players=3, first="blue")
    ana, bob = Player(table, "green_1"), Player(table, "blue")
    for _ in range(4):
        bob.discards()
    assert bob.is_refused("discard") == "no_discard_left"
    bob.shows("mole")
    bob.conceals("enforcer")
    assert table.public["hands"]["blue"] == 4
    ana.takes("face_up")
    for _ in range(2):
        ana.discards()
    assert ana.is_refused("discard") == "no_discard_left"


def test_main_de_cartes_whoever_played_face_up_draws_before_the_partner_can_discard() -> None:
    table, (ana, chloe, _, _) = team_of_four()
    table.stands(deck=2)
    ana.discards()
    ana.shows("codebreaker")
    assert (table.public["hands"]["green_1"], table.public["deck"]) == (4, 0)
    assert chloe.is_refused("discard") == "deck_empty"


def one_card_left() -> tuple[Table, list[Player]]:
    """The Greens are to play and the deck holds one card."""
    table, (ana, chloe, bob, dan) = team_of_four()
    turn_of_pair(ana, chloe, dan)
    table.stands(deck=3)
    turn_of_pair(bob, dan, ana)
    assert (table.public["deck"], table.public["turn"]) == (1, "green")
    return table, [ana, chloe, bob, dan]


def test_precisions_the_last_card_goes_to_whoever_plays_face_up() -> None:
    table, (ana, chloe, _, _) = one_card_left()
    chloe.shows("codebreaker")
    assert ana.is_refused("discard") == "last_card"
    ana.conceals("sentinel")
    hands = table.public["hands"]
    assert (hands["green_1"], hands["green_2"], table.public["deck"]) == (3, 4, 0)


def test_precisions_whoever_discards_for_the_last_card_plays_face_up() -> None:
    table, (ana, chloe, bob, _) = one_card_left()
    ana.discards()
    assert (table.public["hands"]["green_1"], table.public["deck"]) == (4, 0)
    assert (ana.may, chloe.may) == (["show"], [])
    assert table.match.seen_by().waiting_for == ("green_1",)
    assert ana.todo() == ["discarded.you", "show.must"]
    assert chloe.todo() == ["discarded.they"]
    assert chloe.is_refused("show", agent="mole") == "partner_shows"
    assert chloe.is_refused("discard") == "last_card"
    assert ana.is_refused("discard") == "deck_empty"
    ana.shows("codebreaker")
    chloe.conceals("sentinel")
    bob.takes("face_up")
    assert table.public["hands"]["green_1"] == table.public["hands"]["green_2"] == 3
    assert bob.may == ["show"]  # the next turn binds nobody


def test_precisions_a_last_card_for_which_the_face_up_player_has_no_need() -> None:
    """With four cards left nobody draws; it stays in the deck, for only whoever plays face up may take it."""
    table, (ana, chloe, _, _) = one_card_left()
    table.holds("green_2", hand=5)
    chloe.shows("codebreaker")
    assert (table.public["hands"]["green_2"], table.public["deck"]) == (4, 1)
    assert ana.is_refused("discard") == "last_card"
    ana.conceals("sentinel")
    assert (table.public["hands"]["green_1"], table.public["deck"]) == (3, 1)


def test_precisions_a_last_card_is_not_kept_for_who_plays_alone() -> None:
    table = Table(players=3, first="green")
    ana, chloe, bob = (Player(table, seat) for seat in table.match.seats)
    table.stands(deck=3)
    turn_of_pair(ana, chloe, bob)
    assert table.public["deck"] == 1
    bob.discards()
    bob.shows("codebreaker")
    bob.conceals("sentinel")
    assert (table.public["hands"]["blue"], table.public["deck"]) == (2, 0)


def turn_of_pair(one: Player, two: Player, taker: Player) -> None:
    one.shows("codebreaker")
    two.conceals("sentinel")
    taker.takes("face_up")


def test_precisions_the_same_card_if_the_concealers_whole_hand_is_that_agent() -> None:
    table, (ana, chloe, _, _) = team_of_four()
    table.team("blue", enforcer=1)
    ana.shows("enforcer")
    assert chloe.offered("conceal", "whole_hand") == [True]
    table.team("blue", enforcer=1)
    assert chloe.offered("conceal", "whole_hand") == []


@pytest.mark.parametrize(("hand", "over"), [(0, True), (1, False)])
def test_main_vide_in_a_team_each_needs_a_card(hand: int, over: bool) -> None:
    table, (ana, chloe, bob, _) = team_of_four()
    table.stands(deck=0)
    table.holds("blue_2", hand=hand)
    turn_of_pair(ana, chloe, bob)
    assert table.over is over


@pytest.mark.parametrize(
    ("active", "seat", "hand", "over"),
    [
        ("green", "blue", 1, True),
        ("green", "blue", 2, False),
        ("blue", "green_2", 0, True),
        ("blue", "green_2", 1, False),
    ],
)
def test_main_vide_of_three_the_solo_player_needs_two_cards_and_each_of_the_pair_one(
    active: str, seat: str, hand: int, over: bool
) -> None:
    table = Table(players=3, first=active)
    ana, chloe, bob = (Player(table, seat) for seat in table.match.seats)
    table.stands(deck=0)
    table.holds(seat, hand=hand)
    if active == "green":
        turn_of_pair(ana, chloe, bob)
    else:
        turn(bob, ana, mine="codebreaker", theirs="sentinel")
    assert table.over is over
    assert not over or table.end == (active, "exhausted")


def test_the_whole_team_wins() -> None:
    table, (ana, chloe, bob, _) = team_of_four()
    ana.shows("sidekick")
    chloe.conceals("mole")
    bob.takes("face_up")
    assert table.outcome.winners == ("blue_1", "blue_2")
    assert table.outcome.scores == {"green": -3, "blue": 4}
