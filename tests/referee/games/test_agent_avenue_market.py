"""Agent Avenue, the black market: landings, chains, each permanent card in its plain case and its trap."""

import pytest

from referee.games.agent_avenue.cards import IMMEDIATE, MARKET, PERMANENT
from referee.games.agent_avenue.table import Market
from tests.support.rules.agent_avenue_language import FILLER, in_market, landing, sit_down, turn

# ---- Mise en place


def test_mise_en_place_three_cards_lie_open_and_anybody_says_which() -> None:
    table, ana, bob = sit_down(mode="advanced")
    assert table.step == "market_setup"
    assert table.all_news("turn") == []
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
    assert table.all_news("market_row") == [{"cards": [*FILLER, "outpost"]}]
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
        assert table.all_news("recruited")[0]["move"] == expected
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
    assert table.all_news("recruited")[1] == {"side": "green", "agent": "enforcer", "copies": 2, "move": 4}


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


def test_masterplan_counts_the_types_in_play_at_the_end_of_the_turn() -> None:
    """Seven types were there, until Mind Control took one of them away."""
    agents = ("double_agent", "codebreaker", "saboteur", "daredevil", "mole", "sidekick")
    table, ana, bob = in_market(("mind_control", "smoke_screen", "spycation"))
    table.team("green", progress=1)
    table.team("blue", permanents=("masterplan",), **dict.fromkeys(agents, 1))
    turn(ana, bob, mine="enforcer", theirs="sentinel")
    ana.picks("mind_control", refill="outpost")
    ana.does("take_from", agent="mole")
    assert not table.over


def test_leader_of_the_pack_taken_in_the_same_turn_helps_at_its_end() -> None:
    table, ana, bob = in_market(("leader_of_the_pack", "outpost", "spycation"))
    table.team("green", progress=1, daredevil=3)
    turn(ana, bob, mine="enforcer", theirs="codebreaker")
    assert not table.over
    ana.picks("leader_of_the_pack", refill="watchtower")
    assert table.end == ("green", "leader_of_the_pack")


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
    assert [m["spaces"] for m in table.all_news("moved")] == [1, 3, 0]
    effect = {"by": "green", "card": "getaway_car", "result": "drives_on"}
    assert table.all_news("market_effect") == [effect]


def test_getaway_car_taken_now_moves_nothing_now() -> None:
    table, ana, bob = in_market(("getaway_car", "surveillance_truck", "masterplan"))
    table.team("green", progress=1)
    turn(ana, bob, mine="enforcer", theirs="codebreaker")
    ana.picks("getaway_car", refill="outpost")
    assert table.progress[0] == 2


def test_getaway_car_neither_for_a_home_crossed_nor_for_a_pawn_that_stays() -> None:
    table, ana, bob = in_market()
    table.team("green", progress=6, permanents=("getaway_car",))
    table.team("blue", progress=6)
    turn(ana, bob, mine="daredevil", theirs="codebreaker")
    assert table.progress == (8, 6)
    table.team("green", progress=7)
    turn(bob, ana, mine="sentinel", theirs="codebreaker")
    assert table.progress == (7, 6)


def test_supercomputer_moves_with_the_third_codebreaker_which_wins() -> None:
    table, ana, bob = in_market()
    table.team("green", codebreaker=2, permanents=("supercomputer",))
    turn(ana, bob, mine="codebreaker", theirs="sentinel")
    assert table.progress[0] == 3
    assert table.end == ("green", "codebreakers")


@pytest.mark.parametrize(
    ("card", "recruit", "zone"),
    [
        ("distraction_device", "saboteur", {"progress": 3}),
        ("sinister_twin", "double_agent", {"progress": 3}),
        ("supercomputer", "codebreaker", {"progress": 2}),
    ],
)
def test_each_permanent_card_leaves_the_card_just_recruited_as_it_was(
    card: str, recruit: str, zone: dict[str, int]
) -> None:
    """Back to a corner by the plain symbol; a zero earns no card at all."""
    table, ana, bob = landing(card, **zone)
    turn(ana, bob, mine=recruit, theirs="sentinel")
    if recruit != "codebreaker":
        ana.picks(card, refill="outpost")
    assert table.progress[0] == 2
    assert bool(table.public["sides"]["green"]["permanents"]) is (recruit != "codebreaker")
