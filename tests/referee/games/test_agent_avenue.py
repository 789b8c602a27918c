"""Agent Avenue, base game: one test for each paragraph of the rulebook, in its order."""

from typing import Any

import pytest

from referee.core.options import with_defaults
from referee.games.agent_avenue import AGENT_AVENUE
from referee.games.agent_avenue.cards import AGENTS, symbol
from referee.games.agent_avenue.table import NONE, added
from tests.support.rules.agent_avenue_language import Table, sit_down, turn

# ---- Matériel


@pytest.mark.parametrize(
    ("agent", "symbols"),
    [
        ("double_agent", [-1, 6, -1, -1]),
        ("enforcer", [1, 2, 3, 3]),
        ("codebreaker", [0, 0, 0, 0]),
        ("saboteur", [-1, -1, -2, -2]),
        ("daredevil", [2, 3, 0, 0]),
        ("sentinel", [0, 2, 6, 6]),
        ("sidekick", [4]),
        ("mole", [-3]),
    ],
)
def test_materiel_the_symbols_of_each_agent(agent: str, symbols: list[int]) -> None:
    assert [symbol(agent, n) for n in range(1, len(symbols) + 1)] == symbols


def test_three_sentinels_on_each_side_give_eight_and_eight() -> None:
    assert sum(symbol("sentinel", n) for n in (1, 2, 3)) == 8


# ---- Mise en place


@pytest.mark.parametrize(
    ("players", "seats", "deck", "discards"),
    [
        (2, ["green", "blue"], 30, [4, 4]),
        (3, ["green_1", "green_2", "blue"], 26, [2, 2, 4]),
        (4, ["green_1", "green_2", "blue_1", "blue_2"], 22, [2, 2, 2, 2]),
    ],
)
def test_mise_en_place_four_cards_each_and_the_rest_is_the_deck(
    players: int, seats: list[str], deck: int, discards: list[int]
) -> None:
    table = Table(players=players)
    shown = table.public
    assert shown["hands"] == dict.fromkeys(seats, 4)
    assert list(shown["discards_left"]) == seats
    assert list(shown["discards_left"].values()) == discards
    assert shown["deck"] == deck
    assert [side["space"] for side in shown["sides"].values()] == [0, 7]
    assert shown["market"] is None


def test_mise_en_place_who_begins_is_a_side() -> None:
    table = Table(players=4, first="blue")
    assert table.public["turn"] == "blue"
    assert table.all_news("turn") == [{"side": "blue"}]
    assert table.match.seen_by().waiting_for == ("blue_1", "blue_2")
    assert {Table(first="random").public["turn"]} <= {"green", "blue"}


def test_the_options_and_their_defaults() -> None:
    assert with_defaults(AGENT_AVENUE.options, {}) == {
        "mode": "base",
        "players": 2,
        "first": "random",
        "language": "fr",
        "guide": False,
    }


# ---- Étape 1 : Jouer


def test_jouer_one_face_up_then_one_face_down_then_draw_two() -> None:
    table, ana, bob = sit_down()
    assert ana.may == ["show", "discard"]
    assert ana.offered("show") == list(AGENTS)
    assert bob.may == []
    ana.shows("mole")
    assert table.heard[0].fields == {"by": "green", "agent": "mole"}
    assert table.public["offer"] == {"face_up": "mole"}
    assert (table.public["hands"]["green"], table.public["deck"]) == (3, 30)  # not before both are played
    ana.conceals("sidekick")
    assert (table.public["hands"]["green"], table.public["deck"]) == (4, 28)
    assert table.step == "take"
    assert ana.todo() == ["concealed.you", "draw.you"]
    assert bob.todo() == ["concealed.they", "draw.they", "take"]


def test_jouer_the_hidden_card_is_with_its_owner_alone() -> None:
    table, ana, _ = sit_down()
    ana.shows("mole")
    ana.conceals("sidekick")
    assert [(news.kind, news.fields) for news in table.heard] == [("concealed", {"by": "green"})]
    assert AGENT_AVENUE.hand(table.state.hands["green"]) == {"face_down": "sidekick"}
    assert AGENT_AVENUE.hand(table.state.hands["blue"]) == {"face_down": None}
    assert "sidekick" not in str(table.public)
    assert "sidekick" not in str(table.state.table)


def test_jouer_the_cards_must_differ() -> None:
    _, ana, _ = sit_down()
    ana.shows("mole")
    assert "mole" not in ana.offered("conceal")
    assert ana.is_refused("conceal", agent="mole") == "same_agent"
    assert ana.is_refused("conceal", agent="spy") == "agent"
    assert ana.is_refused("conceal", agent="enforcer", whole_hand=True) == "whole_hand"
    assert ana.is_refused("show", agent="enforcer") == "shown_already"


def test_jouer_the_same_twice_only_if_the_whole_hand_is_identical() -> None:
    _, ana, _ = sit_down()
    ana.shows("enforcer")
    assert ana.offered("conceal", "whole_hand") == [True]
    assert ana.is_refused("conceal", agent="enforcer") == "same_agent"
    assert ana.is_refused("conceal", agent="enforcer", whole_hand=False) == "same_agent"
    ana.conceals("enforcer", whole_hand=True)


@pytest.mark.parametrize(("in_play", "possible"), [(2, True), (3, False)])
def test_jouer_a_whole_hand_needs_enough_copies_unseen(in_play: int, possible: bool) -> None:
    """Four of six: with three in play no hand of four can be all the same."""
    table, ana, _ = sit_down()
    table.team("blue", enforcer=in_play)
    ana.shows("enforcer")
    assert bool(ana.offered("conceal", "whole_hand")) is possible


def test_jouer_the_declaration_is_never_announced_and_stands_in_the_record() -> None:
    told = []
    for whole in ({}, {"whole_hand": True}):
        table, ana, bob = sit_down()
        ana.shows("enforcer")
        ana.conceals("enforcer" if whole else "mole", **whole)
        told.append((table.heard, table.public, bob.choices, bob.todo(), ana.todo()))
    assert told[0] == told[1]
    bob.takes("face_up")
    made = [m.entry.move.fields for m in table.match.made]
    assert made[1] == {"agent": "enforcer", "whole_hand": True}
    assert "whole_hand" not in str(table.match.news)


def test_jouer_facultatif_four_discards_a_game_before_the_cards_are_played() -> None:
    table, ana, bob = sit_down()
    ana.discards()
    assert table.heard[0].fields == {"by": "green"}
    assert (table.public["hands"]["green"], table.public["deck"], table.public["discarded"]) == (4, 29, 1)
    for _ in range(3):
        ana.discards()
    assert ana.is_refused("discard") == "no_discard_left"
    assert bob.is_refused("discard") == "refusal.not_your_turn"
    ana.shows("mole")
    assert ana.is_refused("discard") == "discard_late"
    ana.conceals("enforcer")
    bob.takes("face_up")
    assert table.public["discards_left"] == {"green": 0, "blue": 4}
    bob.discards()


def test_rappels_no_discard_with_an_empty_deck_and_no_draw() -> None:
    table, ana, _ = sit_down()
    table.stands(deck=0)
    assert ana.is_refused("discard") == "deck_empty"
    assert "may_discard" not in ana.todo()
    ana.shows("mole")
    ana.conceals("enforcer")
    assert table.public["hands"]["green"] == 2


def test_main_de_cartes_a_deck_of_one_card_gives_one() -> None:
    table, ana, _ = sit_down()
    table.stands(deck=1)
    ana.shows("mole")
    ana.conceals("enforcer")
    assert (table.public["hands"]["green"], table.public["deck"]) == (3, 0)
    assert ana.todo()[-1] == "draw.you"


def test_an_agent_whose_copies_all_lie_in_the_open_is_not_offered() -> None:
    table, ana, bob = sit_down()
    table.team("blue", enforcer=4, mole=1)
    table.team("green", enforcer=1)
    assert "enforcer" in ana.offered("show")
    assert ana.is_refused("show", agent="mole") == "out"
    ana.shows("enforcer")
    assert "enforcer" not in ana.offered("conceal")
    ana.conceals("sidekick")
    bob.takes("face_up")
    assert bob.is_refused("show", agent="sidekick") == "out"
    assert bob.is_refused("show", agent="enforcer") == "out"


def test_a_refused_card_is_said_to_be_where_everybody_saw_it() -> None:
    table, ana, _ = sit_down()
    table.team("green", mole=1)
    assert ana.is_refused("show", agent="mole") == "out"
    table.holds("blue", marked=added(NONE, "sidekick", 1))
    assert ana.is_refused("show", agent="sidekick") == "elsewhere"
    known = added(NONE, "enforcer", 4)
    table.holds("green", certain=known, marked=known)
    assert ana.is_refused("show", agent="daredevil") == "known_hand"


# ---- Étape 2 : Recruter


def test_recruter_the_opponent_takes_one_and_the_player_the_other() -> None:
    table, ana, bob = sit_down()
    ana.shows("enforcer")
    ana.conceals("daredevil")
    assert ana.is_refused("take", card="face_up") == "not_your_offer"
    assert bob.is_refused("take", card="enforcer") == "take"
    bob.takes("face_down")
    assert table.kinds() == ["taken", "recruited", "moved", "recruited", "moved", "turn"]
    assert table.all_news("recruited") == [
        {"side": "green", "agent": "enforcer", "copies": 1, "move": 1},
        {"side": "blue", "agent": "daredevil", "copies": 1, "move": 2},
    ]
    assert [(m["side"], m["from"], m["to"], m["progress"]) for m in table.all_news("moved")] == [
        ("green", 0, 1, 1),
        ("blue", 7, 9, 2),
    ]
    assert table.public["sides"]["blue"]["zone"] == {"daredevil": 1}
    assert table.public["offer"] is None
    assert table.public["turn"] == "blue"
    assert bob.todo() == ["reveal", "moved.forward", "moved.forward", "show.solo", "may_discard"]


def test_recruter_a_pawn_that_does_not_move_is_told_too() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="codebreaker", theirs="sentinel")
    assert [m["progress"] for m in table.all_news("moved")] == [0, 0]
    assert table.progress == (0, 0)
    assert bob.todo() == ["reveal", "show.solo", "may_discard"]


def test_recruter_the_second_and_the_third_symbol() -> None:
    table, ana, bob = sit_down()
    table.team("green", progress=-2, saboteur=2)
    table.team("blue", progress=-1, double_agent=1)
    turn(ana, bob, mine="saboteur", theirs="double_agent")
    assert [r["copies"] for r in table.all_news("recruited")] == [3, 2]
    assert [r["move"] for r in table.all_news("recruited")] == [-2, 6]


# ---- Étape 3 : Terminer le tour


@pytest.mark.parametrize("first", ["green", "blue"])
def test_a_the_first_turn_can_end_it_whoever_is_active(first: str) -> None:
    table, ana, bob = sit_down(first=first)
    if first == "green":
        turn(ana, bob, mine="sidekick", theirs="mole")
    else:
        turn(bob, ana, mine="mole", theirs="sidekick")
    assert table.progress == (4, -3)
    assert table.end == ("green", "catch")
    assert table.outcome.scores == {"green": 4, "blue": -3}
    assert table.public["turn"] is None
    assert table.kinds()[-1] == "over"


def test_a_daredevils_against_saboteurs_lead_by_seven() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="daredevil", theirs="saboteur")
    assert table.progress == (2, -1)
    turn(bob, ana, mine="saboteur", theirs="daredevil")
    assert table.progress == (5, -2)
    assert table.end == ("green", "catch")


def test_rappels_a_pawn_that_escapes_in_the_same_turn_is_not_caught() -> None:
    table, ana, bob = sit_down()
    table.team("green", progress=6)
    turn(ana, bob, mine="enforcer", theirs="enforcer")
    assert table.progress == (7, 1)
    assert not table.over


def test_rappels_to_back_into_the_other_pawn_is_to_be_caught() -> None:
    table, ana, bob = sit_down()
    table.team("blue", progress=6)
    turn(ana, bob, mine="mole", theirs="codebreaker")
    assert table.end == ("blue", "catch")


def test_b_three_codebreakers_win() -> None:
    table, ana, bob = sit_down()
    table.team("blue", codebreaker=2)
    turn(ana, bob, mine="enforcer", theirs="codebreaker")
    assert table.end == ("blue", "codebreakers")


def test_c_three_daredevils_lose() -> None:
    table, ana, bob = sit_down()
    table.team("green", daredevil=2, progress=5)
    table.team("blue", progress=4)
    turn(ana, bob, mine="daredevil", theirs="enforcer")
    assert table.progress == (5, 5)
    assert table.end == ("blue", "daredevils")


def test_a_win_of_one_and_a_loss_of_the_other_is_no_conflict() -> None:
    table, ana, bob = sit_down()
    table.team("blue", codebreaker=2)
    table.team("green", daredevil=2)
    turn(ana, bob, mine="daredevil", theirs="codebreaker")
    assert table.end == ("blue", "codebreakers")


CONFLICTS: dict[str, tuple[str, str, dict[str, Any], dict[str, Any]]] = {
    "codebreakers against a catch": ("codebreaker", "sidekick", {"codebreaker": 2, "progress": -3}, {}),
    "codebreakers on both sides": ("codebreaker", "codebreaker", {"codebreaker": 2}, {"codebreaker": 2}),
    "daredevils on both sides": ("daredevil", "daredevil", {"daredevil": 2}, {"daredevil": 2}),
    "codebreakers and daredevils of the active side": (
        "daredevil",
        "enforcer",
        {"daredevil": 2, "codebreaker": 3},
        {},
    ),
    "a catch and daredevils of the other side": (
        "mole",
        "daredevil",
        {},
        {"daredevil": 2, "progress": 4},
    ),
}


@pytest.mark.parametrize("active", ["green", "blue"])
@pytest.mark.parametrize("name", CONFLICTS)
def test_egalite_in_any_conflict_the_active_side_wins(name: str, active: str) -> None:
    mine, theirs, me, them = CONFLICTS[name]
    table, ana, bob = sit_down(first=active)
    other = "blue" if active == "green" else "green"
    table.team(active, **me)
    table.team(other, **them)
    if mine == theirs:
        table.holds(active, hand=2)  # so few that both may be the same
    if active == "green":
        turn(ana, bob, mine=mine, theirs=theirs)
    else:
        turn(bob, ana, mine=mine, theirs=theirs)
    assert table.end == (active, "conflict")


@pytest.mark.parametrize(("ahead", "winner"), [(2, "green"), (-2, "blue"), (0, "green")])
def test_main_vide_the_nearer_one_wins_and_the_active_side_if_equal(ahead: int, winner: str) -> None:
    table, ana, bob = sit_down()
    table.stands(deck=0)
    table.holds("blue", hand=1)
    table.team("green", progress=ahead)
    turn(ana, bob, mine="codebreaker", theirs="sentinel")
    assert table.end == (winner, "exhausted")


def test_main_vide_two_cards_are_enough_to_play() -> None:
    table, ana, bob = sit_down()
    table.stands(deck=0)
    table.holds("blue", hand=2)
    turn(ana, bob, mine="codebreaker", theirs="sentinel")
    assert not table.over
    turn(bob, ana, mine="codebreaker", theirs="sentinel")
    assert table.public["hands"] == {"green": 2, "blue": 0}
    assert (table.over, table.public["turn"]) == (False, "green")
    turn(ana, bob, mine="enforcer", theirs="saboteur")
    assert table.end == ("green", "exhausted")


def test_main_vide_a_condition_met_comes_first() -> None:
    table, ana, bob = sit_down()
    table.stands(deck=0)
    table.holds("blue", hand=0)
    table.team("blue", codebreaker=2, progress=-4)
    turn(ana, bob, mine="sentinel", theirs="codebreaker")
    assert table.end == ("blue", "codebreakers")


# ---- afterwards


def test_debrief_tells_every_card_that_was_laid_face_down() -> None:
    table, ana, bob = sit_down()
    turn(ana, bob, mine="enforcer", theirs="saboteur")
    turn(bob, ana, mine="enforcer", theirs="enforcer")
    with pytest.raises(PermissionError):
        AGENT_AVENUE.debrief(table.state)
    turn(ana, bob, mine="sidekick", theirs="mole")
    debrief = AGENT_AVENUE.debrief(table.state)
    assert debrief["green"] == {
        "end": {"face_down": None},
        "first": {"face_down": "enforcer"},
        "concealed": [
            {"agent": "enforcer", "whole_hand": False},
            {"agent": "sidekick", "whole_hand": False},
        ],
    }
    assert debrief["blue"]["concealed"] == [{"agent": "enforcer", "whole_hand": True}]
