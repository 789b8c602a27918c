"""Agent Avenue, the black market: each card in its plain case and in its trap, landings and chains."""

from typing import Any

import pytest

from referee.games.agent_avenue.cards import IMMEDIATE, MARKET, PERMANENT
from referee.games.agent_avenue.table import Market, Resolving
from tests.referee.avenue_talk import Player, Table, in_market, sit_down, turn

FILLER = ("masterplan", "leader_of_the_pack")  # permanent cards that change no move


def landing(card: str, **green: Any) -> tuple[Table, Player, Player]:
    """Ana stands one before a market space (or where a test says) and this card lies in the row."""
    table, ana, bob = in_market((card, *FILLER))
    table.team("green", **{"progress": 1, **green})
    return table, ana, bob


def with_effect(card: str, **green: Any) -> tuple[Table, Player, Player]:
    """Ana has just taken this card from the market, and the row is full again."""
    table, ana, bob = landing(card, **green)
    turn(ana, bob, mine="enforcer", theirs="codebreaker")
    ana.picks(card, refill="security_system")
    return table, ana, bob


# ---- Mise en place


def test_mise_en_place_three_cards_lie_open_and_anybody_says_which() -> None:
    table, ana, bob = sit_down(mode="advanced")
    assert table.step == "market_setup"
    assert table.news("turn") == []
    assert ana.may == bob.may == ["market_setup"]
    assert ana.is_refused("market_setup", cards=("outpost", "outpost", "masterplan")) == "market_setup"
    assert ana.is_refused("show", agent="mole") == "refusal.not_this_step"
    bob.does("market_setup", cards=("outpost", "masterplan", "spycation"))
    assert table.heard[0].fields == {"cards": ["outpost", "masterplan", "spycation"]}
    assert table.public["market"] == {
        "row": ["outpost", "masterplan", "spycation"],
        "deck": 12,
        "discard": [],
    }
    assert (table.step, table.public["turn"]) == ("show", "green")


def test_there_are_fifteen_cards() -> None:
    assert len(set(MARKET)) == 15
    assert (len(PERMANENT), len(IMMEDIATE)) == (8, 7)


# ---- landing


@pytest.mark.parametrize(
    ("progress", "recruit", "space", "lands"),
    [
        (1, "sidekick", 5, True),
        (3, "sidekick", 7, False),  # 5 was only crossed
        (3, "saboteur", 2, True),  # backwards too
        (5, "codebreaker", 5, False),  # a zero on a market space
        (10, "daredevil", 12, True),
        (0, "enforcer", 1, False),
    ],
)
def test_a_stop_on_a_market_space_takes_a_card(progress: int, recruit: str, space: int, lands: bool) -> None:
    table, ana, bob = in_market()
    table.team("green", progress=progress)
    table.team("blue", progress=progress - 6)
    turn(ana, bob, mine=recruit, theirs="sentinel")
    assert table.public["sides"]["green"]["space"] == space
    assert (table.step == "market_pick") is lands


def test_the_base_game_has_no_market_spaces() -> None:
    table, ana, bob = sit_down()
    table.team("green", progress=1)
    turn(ana, bob, mine="enforcer", theirs="sentinel")
    assert table.step == "show"


def test_the_card_is_replaced_at_once_before_its_effect() -> None:
    table, ana, bob = landing("mind_control")
    turn(ana, bob, mine="enforcer", theirs="codebreaker")
    assert table.step == "market_pick"
    assert ana.offered("market_pick", "card") == ["mind_control", *FILLER]
    assert ana.is_refused("market_pick", card="outpost") == "market_pick"
    assert bob.is_refused("market_pick", card="mind_control") == "not_your_market"
    ana.picks("mind_control")
    assert table.heard[0].fields == {"by": "green", "card": "mind_control"}
    assert table.step == "market_refill"
    assert table.public["resolving"] is None
    assert len(bob.offered("market_refill", "card")) == 12
    assert bob.is_refused("market_refill", card="mind_control") == "market_refill"
    bob.does("market_refill", card="outpost")
    assert table.news("market_row") == [{"cards": [*FILLER, "outpost"]}]
    assert table.public["market"]["deck"] == 11
    assert table.step == "effect"
    assert table.public["resolving"] == {"seat": "green", "card": "mind_control"}


def test_an_empty_market_deck_is_not_reshuffled_and_an_empty_row_gives_nothing() -> None:
    table, ana, bob = landing("surveillance_truck")
    table.stands(market=Market(("surveillance_truck",), 0, ("outpost",)))
    turn(ana, bob, mine="enforcer", theirs="codebreaker")
    ana.picks("surveillance_truck")
    assert table.public["market"] == {"row": [], "deck": 0, "discard": ["outpost", "surveillance_truck"]}
    table.team("blue", progress=1)
    turn(bob, ana, mine="enforcer", theirs="codebreaker")
    assert table.public["sides"]["blue"]["space"] == 9
    assert (table.step, table.public["turn"]) == ("show", "green")


def test_both_landed_the_active_side_first_chains_included() -> None:
    table, ana, bob = in_market(("surveillance_truck", "smoke_screen", "watchtower"))
    table.team("green", progress=1)
    table.team("blue", progress=1)
    ana.shows("enforcer")
    ana.conceals("enforcer", whole_hand=True)
    bob.takes("face_up")
    assert ana.may == ["market_pick"]
    assert bob.may == []
    ana.picks("smoke_screen", refill="masterplan")
    ana.does("recruit_from_deck", agent="daredevil")
    assert table.progress == (4, 2)
    assert bob.may == ["market_pick"]  # Ana stopped on 4: no chain
    bob.picks("surveillance_truck", refill="outpost")
    assert table.progress == (4, 3)
    assert table.public["turn"] == "blue"


def test_a_chain_comes_before_the_other_sides_card() -> None:
    table, ana, bob = in_market(("smoke_screen", "outpost", "watchtower"))
    table.team("green", progress=1, daredevil=1)
    table.team("blue", progress=1)
    ana.shows("enforcer")
    ana.conceals("enforcer", whole_hand=True)
    bob.takes("face_up")
    ana.picks("smoke_screen", refill="masterplan")
    ana.does("recruit_from_deck", agent="daredevil")
    assert table.progress == (5, 2)
    assert ana.may == ["market_pick"]
    assert bob.may == []
    ana.picks("watchtower", refill="spycation")
    assert bob.may == ["market_pick"]


# ---- permanent cards: not the card just recruited, but everything after it


@pytest.mark.parametrize(
    ("card", "recruit", "zone", "plain", "moves"),
    [
        ("watchtower", "enforcer", {}, 1, 3),
        ("watchtower", "enforcer", {"enforcer": 2}, 3, 5),
        ("distraction_device", "saboteur", {}, -1, 1),
        ("distraction_device", "saboteur", {"saboteur": 2}, -2, 2),
        ("sinister_twin", "double_agent", {}, -1, -2),
        ("sinister_twin", "double_agent", {"double_agent": 1}, 6, 12),
        ("supercomputer", "codebreaker", {}, 0, 3),
        ("supercomputer", "codebreaker", {"codebreaker": 2}, 0, 3),
        ("watchtower", "sentinel", {}, 0, 0),
        ("distraction_device", "mole", {}, -3, -3),
    ],
)
def test_a_permanent_card_changes_what_a_recruit_moves(
    card: str, recruit: str, zone: dict[str, int], plain: int, moves: int
) -> None:
    for permanents, expected in (((), plain), ((card,), moves)):
        table, ana, bob = in_market(("outpost", "smoke_screen", "spycation"))
        table.team("green", permanents=permanents, **zone)
        turn(ana, bob, mine=recruit, theirs="sentinel" if recruit != "sentinel" else "codebreaker")
        assert table.news("recruited")[0]["move"] == expected
        assert table.progress[0] == expected


def test_a_permanent_card_does_not_change_the_card_just_recruited() -> None:
    table, ana, bob = landing("watchtower")
    turn(ana, bob, mine="enforcer", theirs="codebreaker")
    ana.picks("watchtower", refill="outpost")
    assert table.progress[0] == 2
    assert table.public["sides"]["green"]["permanents"] == ["watchtower"]
    turn(bob, ana, mine="codebreaker", theirs="enforcer")
    assert table.progress[0] == 2 + 2 + 2


def test_a_permanent_card_at_the_end_of_a_chain_changes_all_that_comes_after() -> None:
    table, ana, bob = in_market(("watchtower", "smoke_screen", "masterplan"))
    table.team("green", progress=1, daredevil=1)
    turn(ana, bob, mine="enforcer", theirs="codebreaker")
    ana.picks("smoke_screen", refill="spycation")
    ana.does("recruit_from_deck", agent="daredevil")  # 2 + 3: the next market space
    ana.picks("watchtower", refill="outpost")
    assert table.public["turn"] == "blue"
    table.team("green", progress=1)
    turn(bob, ana, mine="sentinel", theirs="enforcer")
    assert table.news("recruited")[1] == {"side": "green", "agent": "enforcer", "copies": 2, "move": 4}


def test_leader_of_the_pack_makes_three_daredevils_win() -> None:
    table, ana, bob = in_market()
    table.team("green", daredevil=2, permanents=("leader_of_the_pack",))
    turn(ana, bob, mine="daredevil", theirs="sentinel")
    assert table.end == ("green", "leader_of_the_pack")


def test_leader_of_the_pack_of_the_other_side_does_not_help() -> None:
    table, ana, bob = in_market()
    table.team("green", daredevil=2)
    table.team("blue", permanents=("leader_of_the_pack",))
    turn(ana, bob, mine="daredevil", theirs="sentinel")
    assert table.end == ("blue", "daredevils")


@pytest.mark.parametrize(("types", "wins"), [(5, False), (6, True)])
def test_masterplan_wins_with_seven_types_in_play(types: int, wins: bool) -> None:
    zone = dict.fromkeys(
        ("double_agent", "enforcer", "codebreaker", "saboteur", "daredevil", "mole")[:types], 1
    )
    table, ana, bob = in_market(("outpost", "smoke_screen", "spycation"))
    table.team("green", permanents=("masterplan",), **zone)
    turn(ana, bob, mine="sentinel", theirs="codebreaker")
    assert table.over is wins
    if wins:
        assert table.end == ("green", "masterplan")


def test_security_system_wins_when_the_other_pawn_stands_on_ones_home() -> None:
    table, ana, bob = in_market()
    table.team("green", progress=4, permanents=("security_system",))
    table.team("blue", progress=6)
    turn(ana, bob, mine="codebreaker", theirs="enforcer")
    assert table.public["sides"]["blue"]["space"] == 0
    assert table.end == ("green", "security_system")


def test_security_system_counts_at_the_end_of_the_turn_only() -> None:
    table, ana, bob = in_market()
    table.team("green", progress=4, permanents=("security_system",))
    table.team("blue", progress=6, permanents=("getaway_car",))
    turn(ana, bob, mine="codebreaker", theirs="enforcer")
    assert table.progress == (4, 10)
    assert not table.over


@pytest.mark.parametrize(
    ("start", "recruit", "end"),
    [(-1, "enforcer", 3), (6, "enforcer", 10), (1, "saboteur", 3), (8, "saboteur", 10), (13, "enforcer", 17)],
)
def test_getaway_car_drives_three_on_from_either_home(start: int, recruit: str, end: int) -> None:
    table, ana, bob = in_market()
    table.team("green", progress=start, permanents=("getaway_car",))
    table.team("blue", progress=start)
    turn(ana, bob, mine=recruit, theirs="codebreaker")
    assert table.progress[0] == end
    assert [m["spaces"] for m in table.news("moved")] == [1, 3, 0]
    effect = {"by": "green", "card": "getaway_car", "result": "drives_on"}
    assert table.news("market_effect") == [effect]


def test_getaway_car_neither_for_a_home_crossed_nor_for_a_pawn_that_stays() -> None:
    table, ana, bob = in_market()
    table.team("green", progress=6, permanents=("getaway_car",))
    table.team("blue", progress=6)
    turn(ana, bob, mine="daredevil", theirs="codebreaker")
    assert table.progress == (8, 6)
    table.team("green", progress=7)
    turn(bob, ana, mine="sentinel", theirs="codebreaker")
    assert table.progress == (7, 6)


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
    assert table.news("market_effect") == [{"by": "green", "card": "outpost", "result": "cannot"}]
    assert table.public["turn"] == "blue"


def test_outpost_without_a_sentinel_left_is_skipped_and_told() -> None:
    table, _, _ = with_effect("outpost", sentinel=6)
    assert table.news("market_effect") == [{"by": "green", "card": "outpost", "result": "impossible"}]
    assert table.public["market"]["discard"] == ["outpost"]
    assert (table.step, table.public["turn"]) == ("show", "blue")


def test_double_trouble_recruits_one_of_two_and_the_other_stays_known() -> None:
    table, ana, bob = with_effect("double_trouble")
    assert "sidekick" not in ana.offered("recruit_from_hand")
    assert ana.is_refused("recruit_from_hand", agent="mole") == "effect.double_trouble"
    table.team("blue", enforcer=3)  # with Ana's one, two are left: both in her hand
    ana.does("recruit_from_hand", agent="enforcer")
    assert table.progress[0] == 2 + 2
    assert bob.is_refused("show", agent="enforcer") == "out"


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
    assert table.news("market_effect") == [{"by": "green", "card": "smoke_screen", "result": "impossible"}]


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
    assert bob.is_refused("show", agent="mole") == "out"
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
    assert bob.is_refused("show", agent="mole") == "out"


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
    assert table.news("market_effect") == [{"by": "blue", "card": "spycation", "result": "impossible"}]


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
    assert table.news("recruited") == [{"side": "green", "agent": "sentinel", "copies": 3, "move": 6}]
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
    assert table.news("market_effect") == [{"by": "green", "card": "surveillance_truck", "result": "moves"}]
    assert table.public["market"]["discard"] == ["surveillance_truck"]


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


# ---- corrections


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
