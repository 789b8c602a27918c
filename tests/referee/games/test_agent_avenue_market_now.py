"""Agent Avenue, the black market: each immediate card in its plain case and in its trap, and in teams."""

from referee.games.agent_avenue.table import Resolving
from tests.support.rules.agent_avenue_language import Player, Table, in_market, landing, turn, with_effect

# ---- immediate cards


def test_outpost_recruits_a_sentinel_from_hand_and_the_hand_is_refilled() -> None:
    table, ana, _ = with_effect("outpost", sentinel=1)
    assert ana.may == ["recruit_from_hand", "cannot"]
    assert ana.offered("recruit_from_hand") == ["sentinel"]
    assert ana.is_refused("recruit_from_hand", agent="mole") == "effect.outpost"
    deck = table.public["deck"]
    ana.does("recruit_from_hand", agent="sentinel")
    assert table.progress[0] == 4
    assert (table.public["hands"]["green"], table.public["deck"]) == (4, deck - 1)
    assert table.public["market"]["discard"] == ["outpost"]
    assert table.kinds()[:3] == ["market_effect", "recruited", "moved"]
    assert table.public["turn"] == "blue"


def test_outpost_without_a_sentinel_is_declared() -> None:
    table, ana, bob = with_effect("outpost")
    assert bob.is_refused("cannot") == "not_your_card"
    ana.does("cannot")
    assert table.all_news("market_effect") == [{"by": "green", "card": "outpost", "result": "cannot"}]
    assert table.public["turn"] == "blue"


def test_outpost_without_a_sentinel_left_is_skipped_and_told() -> None:
    table, _, _ = with_effect("outpost", sentinel=6)
    assert table.all_news("market_effect") == [{"by": "green", "card": "outpost", "result": "impossible"}]
    assert table.public["market"]["discard"] == ["outpost"]
    assert (table.step, table.public["turn"]) == ("show", "blue")


def test_double_trouble_recruits_one_of_two_and_the_other_stays_known() -> None:
    table, ana, bob = with_effect("double_trouble")
    assert "sidekick" not in ana.offered("recruit_from_hand")
    assert ana.is_refused("recruit_from_hand", agent="mole") == "effect.double_trouble"
    table.team("blue", enforcer=3)  # with Ana's one, two are left: both in her hand
    ana.does("recruit_from_hand", agent="enforcer")
    assert table.progress[0] == 2 + 2
    assert bob.is_refused("show", agent="enforcer") == "elsewhere"  # one of them in her hand


def test_double_trouble_of_an_agent_with_one_copy_unseen_is_impossible() -> None:
    table, ana, _ = landing("double_trouble")
    table.team("blue", sentinel=5, saboteur=5, daredevil=2)
    turn(ana, Player(table, "blue"), mine="enforcer", theirs="codebreaker")
    ana.picks("double_trouble", refill="outpost")
    offered = ana.offered("recruit_from_hand")
    assert "sentinel" not in offered
    assert "saboteur" not in offered
    assert "daredevil" in offered


def test_smoke_screen_recruits_the_top_of_the_deck() -> None:
    table, ana, _ = with_effect("smoke_screen")
    assert ana.may == ["recruit_from_deck"]
    deck, hand = table.public["deck"], table.public["hands"]["green"]
    ana.does("recruit_from_deck", agent="sidekick")
    assert table.progress[0] == 6
    assert (table.public["deck"], table.public["hands"]["green"]) == (deck - 1, hand)


def test_smoke_screen_with_an_empty_deck_has_no_effect() -> None:
    table, ana, bob = landing("smoke_screen")
    table.stands(deck=0)
    turn(ana, bob, mine="enforcer", theirs="codebreaker")
    ana.picks("smoke_screen", refill="outpost")
    assert table.all_news("market_effect") == [
        {"by": "green", "card": "smoke_screen", "result": "impossible"}
    ]


def test_mind_control_takes_the_third_codebreaker_away() -> None:
    table, ana, bob = landing("mind_control")
    table.team("blue", codebreaker=2)
    turn(ana, bob, mine="enforcer", theirs="codebreaker")
    ana.picks("mind_control", refill="outpost")
    assert not table.over
    assert ana.offered("take_from") == ["codebreaker"]
    assert ana.is_refused("take_from", agent="enforcer") == "effect.mind_control"
    before = table.progress
    ana.does("take_from", agent="codebreaker")
    assert not table.over
    assert table.progress == before  # no pawn moves
    assert table.public["sides"]["blue"]["zone"] == {"codebreaker": 2}
    assert table.public["hands"]["green"] == 5


def test_mind_control_a_card_taken_is_in_that_hand_and_in_no_other() -> None:
    table, ana, bob = landing("mind_control")
    turn(ana, bob, mine="enforcer", theirs="mole")
    ana.picks("mind_control", refill="outpost")
    ana.does("take_from", agent="mole")
    assert bob.is_refused("show", agent="mole") == "elsewhere"
    bob.shows("saboteur")
    bob.conceals("codebreaker")
    ana.takes("face_up")
    assert "mole" in ana.offered("show")
    ana.discards()  # it may be the Mole: she may still have it, Bob never
    assert "mole" in ana.offered("show")
    assert table.public["hands"]["green"] == 5  # more than four is no reason to draw
    ana.shows("codebreaker")
    ana.conceals("sentinel")
    assert table.public["hands"]["green"] == 4
    bob.takes("face_up")
    assert bob.is_refused("show", agent="mole") == "elsewhere"


def test_spycation_without_an_agent_in_play_has_no_effect() -> None:
    """The only agent of that side was taken by Mind Control in the same turn."""
    table, ana, bob = in_market(("mind_control", "spycation", "masterplan"))
    table.team("green", progress=1)
    table.team("blue", progress=1)
    ana.shows("enforcer")
    ana.conceals("enforcer", whole_hand=True)
    bob.takes("face_up")
    ana.picks("mind_control", refill="outpost")
    ana.does("take_from", agent="enforcer")
    bob.picks("spycation", refill="smoke_screen")
    assert table.all_news("market_effect") == [{"by": "blue", "card": "spycation", "result": "impossible"}]


def test_spycation_takes_an_agent_back_without_a_move() -> None:
    table, ana, _ = with_effect("spycation")
    assert ana.offered("take_back") == ["enforcer"]
    assert ana.is_refused("take_back", agent="mole", recruit=True) == "effect.spycation"
    ana.does("take_back", agent="enforcer", recruit=False)
    assert table.progress[0] == 2
    assert table.public["hands"]["green"] == 5
    assert table.public["sides"]["green"]["zone"] == {}


def test_spycation_may_recruit_it_again_with_the_same_symbol() -> None:
    table, ana, _ = with_effect("spycation", sentinel=3)
    ana.does("take_back", agent="sentinel", recruit=True)
    assert table.all_news("recruited") == [{"side": "green", "agent": "sentinel", "copies": 3, "move": 6}]
    assert table.progress[0] == 8
    assert table.public["hands"]["green"] == 4


def test_spycation_saves_from_a_third_daredevil() -> None:
    table, ana, _ = with_effect("spycation", daredevil=3)
    ana.does("take_back", agent="daredevil", recruit=False)
    assert not table.over


def test_secret_recruit_recruits_a_type_not_yet_in_play() -> None:
    table, ana, _ = with_effect("secret_recruit", sentinel=1)
    offered = ana.offered("recruit_from_hand")
    assert "enforcer" not in offered
    assert "sentinel" not in offered
    assert ana.is_refused("recruit_from_hand", agent="enforcer") == "effect.secret_recruit"
    ana.does("recruit_from_hand", agent="sidekick")
    assert table.progress[0] == 6
    assert table.public["hands"]["green"] == 4


def test_abilities_are_compulsory_where_all_know_that_they_are_possible() -> None:
    table, ana, _ = with_effect("mind_control")
    ana.does("take_from", agent="codebreaker")
    table.stands(step="effect", resolving=Resolving("green", "secret_recruit"), turn="green")
    assert ana.may == ["recruit_from_hand"]
    assert ana.is_refused("cannot") == "compulsory"


def test_a_hand_that_cannot_lack_what_is_asked_must_recruit() -> None:
    """All six Enforcers are in play and nothing else: whatever is in hand is of another type."""
    _, ana, _ = with_effect("secret_recruit", progress=-1, enforcer=5)
    assert "cannot" not in ana.may


def test_surveillance_truck_goes_one_forward() -> None:
    table, ana, bob = landing("surveillance_truck", progress=1)
    turn(ana, bob, mine="enforcer", theirs="codebreaker")
    ana.picks("surveillance_truck", refill="outpost")
    assert table.progress[0] == 3
    assert table.all_news("market_effect") == [
        {"by": "green", "card": "surveillance_truck", "result": "moves"}
    ]
    assert table.public["market"]["discard"] == ["surveillance_truck"]


def test_surveillance_truck_may_end_it_and_moves_like_any_move() -> None:
    """One forward from a corner reaches no other corner, but it may catch the other pawn."""
    table, ana, bob = landing("surveillance_truck", progress=1)
    table.team("blue", progress=-4)
    turn(ana, bob, mine="enforcer", theirs="sentinel")
    assert not table.over
    ana.picks("surveillance_truck", refill="outpost")
    assert table.progress == (3, -4)
    assert table.end == ("green", "catch")


def test_secret_recruit_without_a_new_type_is_declared() -> None:
    table, ana, _ = with_effect("secret_recruit", sentinel=1)
    ana.does("cannot")
    assert table.all_news("market_effect") == [{"by": "green", "card": "secret_recruit", "result": "cannot"}]
    assert table.public["market"]["discard"] == ["secret_recruit"]


def test_double_trouble_without_a_pair_is_declared() -> None:
    table, ana, _ = with_effect("double_trouble")
    ana.does("cannot")
    assert table.all_news("market_effect") == [{"by": "green", "card": "double_trouble", "result": "cannot"}]


# ---- teams


def test_in_a_team_the_one_who_picks_is_the_one_who_takes() -> None:
    table = Table(players=4, mode="advanced")
    ana, chloe, bob = (Player(table, seat) for seat in ("green_1", "green_2", "blue_1"))
    bob.does("market_setup", cards=("mind_control", "spycation", "masterplan"))
    table.team("green", progress=1)
    ana.shows("codebreaker")
    chloe.conceals("enforcer")
    bob.takes("face_up")
    assert ana.may == chloe.may == ["market_pick"]
    chloe.picks("mind_control", refill="outpost")
    assert ana.may == []
    assert ana.is_refused("take_from", agent="codebreaker") == "not_your_card"
    chloe.does("take_from", agent="codebreaker")
    assert table.public["hands"]["green_2"] == 5
