"""Agent Double: one test per paragraph of the rulebook, in its order, and every example."""

from dataclasses import replace

import pytest

from referee.presentation.papers import score_sheet
from referee.presentation.sheets import Paragraph
from referee.presentation.words import LANGUAGES, words
from tests.support.rules.agent_double_language import TOKENS, begin, row, scene, sit_down

# ---- Mise en place


def test_half_of_the_counters_begin_on_either_side() -> None:
    table, _, _ = sit_down()
    assert [agent["influence"] for agent in table.public["agents"]] == [-1, 1, -1, 1, -1, 1]
    table, _, _ = sit_down(influence=["blue", "blue", "blue", "red", "red", "red"])
    assert [agent["influence"] for agent in table.public["agents"]] == [1, 1, 1, -1, -1, -1]


def test_each_player_secretly_gives_one_token_to_each_agent() -> None:
    table, ana, bob = sit_down(agents=["K", "B", "S", "L", "M", "N"])
    assert table.match.seen_by().waiting_for == ("red", "blue")
    assert ana.is_refused("assign_loyalty", tokens=(1, 2, 3, 4, 5, 5)) == "tokens"
    bob.gives(5, 4, 3, 2, 2, 1)
    assert [dict(news.fields) for news in table.heard] == [{"by": "blue"}]
    assert bob.hand["loyalty"] == {"K": 5, "B": 4, "S": 3, "L": 2, "M": 2, "N": 1}
    assert table.public["step"] == "assign"
    assert ana.hand["loyalty"] == {}
    ana.gives(*TOKENS)
    assert (table.public["step"], table.public["turn"]) == ("play", "red")


def test_five_cards_in_hand_the_rest_is_the_deck() -> None:
    table, _, _ = sit_down()
    assert table.public["hands"] == {"red": 5, "blue": 5}
    assert table.public["decks"] == {"red": 17, "blue": 17}


# ---- Le tour d'un joueur


def test_a_card_face_down_before_an_agent() -> None:
    table, ana, bob = begin()
    ana.lays("S", "0/7", "7")
    assert table.news("placed") == {"by": "red", "agent": "S", "back": "0/7"}
    assert table.agent("S")["files"] == [{"owner": "red", "back": "0/7"}]
    assert ana.hand["files"] == {"S": ["7"]}
    assert bob.hand["files"] == {}
    assert table.public["step"] == "influence"


@pytest.mark.parametrize(
    ("back", "files"),
    [
        ("3", ["3", "personal", "trapped"]),
        ("0/7", ["0", "7", "personal", "trapped"]),
        ("?", ["0", "1", "2", "3", "4", "5", "6", "7"]),
    ],
)
def test_the_back_says_what_a_card_can_be(back: str, files: list[str]) -> None:
    _, ana, _ = begin()
    (choice,) = (c for c in ana.choices if c.type == "place" and c.fields[1].options == (back,))
    assert list(choice.fields[2].options) == files
    assert ana.is_refused("place", agent="S", back=back, file="8") == "file"


def test_one_hidden_back_for_each_agent_both_players_together() -> None:
    table, ana, bob = scene({"S": [("blue", "?", "4")]})
    assert ana.is_refused("place", agent="S", back="?", file="2") == "one_hidden"
    ana.lays("B", "?", "2")
    assert bob.is_refused("place", agent="B", back="?", file="2") == "one_hidden"
    assert not table.over


def test_in_each_of_the_first_three_turns_a_counter_moves_towards_the_player() -> None:
    table, ana, bob = begin()
    for turn, (red, blue) in enumerate((("A", "B"), ("S", "L"), ("5", "6"))):
        ana.lays("A" if turn < 2 else "6", "1")
        assert ana.may == ["influence"]
        ana.does("influence", agent=red)
        assert table.news("influence") == {"by": "red", "agent": red, "position": -2}
        bob.lays("L", "1")
        assert bob.is_refused("influence", agent=red) == "counter"
        bob.does("influence", agent=blue)
        assert table.agent(blue)["influence"] == 2
    assert all(agent["moved"] for agent in table.public["agents"])
    ana.lays("5", "1")
    assert table.public["turn"] == "blue"


def test_a_counter_may_be_taken_over_the_middle() -> None:
    table, ana, _ = begin()
    ana.lays("A", "1")
    ana.does("influence", agent="B")
    assert table.agent("B")["influence"] == -1


def test_then_the_player_draws_back_to_five() -> None:
    table, ana, _ = begin()
    ana.lays("A", "1")
    assert table.public["hands"]["red"] == 4
    ana.does("influence", agent="A")
    assert (table.public["hands"]["red"], table.public["decks"]["red"]) == (5, 16)
    assert "draw.you" in ana.todo()


# ---- Loyauté des espions


def test_the_fourth_document_delivers_and_the_example_of_the_rulebook() -> None:
    """S: blue 4, red 3 and the counter on red's dark space; B follows with three; A has a marker."""
    table, ana, _ = scene(
        {"S": [*row("blue", 3, 4), *row("red", 1)], "B": row("red", 1, 2, 3), "A": row("blue", 5, 5, 5)},
        red=(1, 2, 3, 2, 4, 5),
        blue=(1, 2, 4, 2, 3, 5),
        influence={"S": -2},
        markers={"A": 1},
    )
    assert [table.agent(name)["need"] for name in "ABS"] == [5, 4, 4]
    ana.lays("S", "5")
    assert table.delivered == [("S", "red"), ("B", "blue")]
    first = table.all_news("delivered")[0]
    assert first["loyalty"] == {
        "red": {"token": 3, "influence": 1, "personal": 0, "total": 4},
        "blue": {"token": 4, "influence": 0, "personal": 0, "total": 4},
    }
    assert first["points"] == 13
    assert first["files"][0] == {"owner": "blue", "file": "3"}
    assert first["files"][-1] == {"owner": "red", "file": "5"}
    assert (table.agent("A")["delivered"], table.agent("A")["need"]) == (False, 4)
    assert table.public["piles"] == {"red": {"points": 13, "cards": 4}, "blue": {"points": 6, "cards": 3}}
    assert "S" not in ana.hand["loyalty"]


@pytest.mark.parametrize(("documents", "delivers"), [(2, False), (3, True)])
def test_four_are_needed(documents: int, delivers: bool) -> None:
    table, ana, _ = scene({"L": row("blue", *range(documents))})
    ana.lays("L", "1")
    assert bool(table.delivered) == delivers


def test_equal_loyalties_with_the_counter_on_an_inner_space() -> None:
    table, ana, _ = scene({"S": row("red", 1, 1, 1)}, influence={"S": 1})
    ana.lays("S", "5")
    assert table.delivered == [("S", "blue")]
    assert table.news("delivered")["why"] == "influence"


def test_personal_documents_make_it_equal_and_the_counter_decides() -> None:
    """Red 3 + Docs personnels against blue 4, the counter on blue's inner space: blue."""
    table, ana, _ = scene(
        {"S": [("red", "2", "personal"), *row("red", 1, 1)]},
        red=(1, 2, 3, 2, 4, 5),
        blue=(1, 2, 4, 2, 3, 5),
        influence={"S": 1},
    )
    ana.lays("S", "5")
    told = table.news("delivered")
    assert told["loyalty"]["red"] == {"token": 3, "influence": 0, "personal": 1, "total": 4}
    assert (told["taker"], told["points"]) == ("blue", 2 + 1 + 1 + 5)


def test_the_higher_loyalty_takes_all_whatever_the_counter_says() -> None:
    table, ana, _ = scene({"S": row("red", 1, 1, 1)}, blue=(5, 4, 3, 2, 2, 1), influence={"S": -1})
    ana.lays("S", "5")
    assert table.delivered == [("S", "blue")]
    assert table.news("delivered")["why"] == "loyalty"


def test_nothing_can_be_played_on_an_agent_that_has_delivered() -> None:
    table, ana, bob = scene({"S": row("red", 1, 1, 1)})
    ana.lays("S", "5")
    assert table.agent("S") == {
        **{"agent": "S", "delivered": True, "influence": None, "moved": False},
        **{"markers": 0, "need": None, "files": []},
    }
    assert bob.is_refused("place", agent="S", back="1", file="1") == "closed"
    bob.does("act", name="x")
    assert "S" not in bob.offered("fx_peek", "agent") + bob.offered("fx_marker", "agent")
    assert "S" not in bob.offered("fx_influence", "agent") + bob.offered("fx_swap_loyalty", "b")


def test_a_chain_over_five_agents_nearest_first_left_before_right() -> None:
    """Row 1-6 with 3, 3, 4 (just reached), 3, 3, 2 documents; over at the end of the turn."""
    names = ["1", "2", "3", "4", "5", "6"]
    lying = {name: row("red", 1, 1, 1) for name in names[:5]} | {"6": row("blue", 1, 1)}
    table, ana, _ = scene(lying, agents=names)
    ana.lays("3", "1")
    assert [agent for agent, _ in table.delivered] == ["3", "2", "4", "1", "5"]
    assert table.over
    assert table.outcome.reason == "delivered"


def test_a_chain_over_all_six_agents() -> None:
    names = ["1", "2", "3", "4", "5", "6"]
    table, ana, _ = scene({name: row("blue", 2, 2, 2) for name in names}, agents=names)
    ana.lays("2", "1")
    assert [agent for agent, _ in table.delivered] == ["2", "1", "3", "4", "5", "6"]
    assert table.over


def test_the_turn_goes_on_where_it_was_interrupted() -> None:
    table, ana, _ = scene({"S": row("red", 1, 1, 1)}, turns=2)
    ana.lays("S", "5")
    assert table.delivered
    assert ana.may == ["influence"]
    assert "S" not in ana.offered("influence", "agent")


# ---- Fin du jeu


def test_a_tie_goes_to_the_smaller_pile() -> None:
    """Red has 6 points in four cards and three, blue 6 in three; all others are closed by the chain."""
    names = ["1", "2", "3", "4", "5", "6"]
    lying = {
        "1": row("red", 2, 1, 1),
        "2": row("red", 0, 0, 0),
        "3": row("red", 0, 0, 0),
        "4": row("blue", 0, 0, 0),
        "5": row("blue", 4, 0, 0),
    }
    blue = (1, 2, 2, 3, 4, 5)
    red = (5, 4, 3, 2, 2, 1)
    table, ana, _ = scene(lying, agents=names, red=red, blue=blue)
    ana.lays("2", "0")
    assert table.outcome.scores == {"red": 4, "blue": 4}
    assert table.outcome.tie_break == {"cards": {"red": 10, "blue": 6}}
    assert table.outcome.winners == ("blue",)
    for language in LANGUAGES:
        said = words(language).say("agent_double.sheet.tie_break")
        blocks = score_sheet(table.match.seen_by(), words(language), "")
        assert said in [block.text for block in blocks if isinstance(block, Paragraph)]


def test_without_any_cards_it_is_over_at_once() -> None:
    table, ana, bob = scene({})
    state = table.state
    empty = {"red": 21, "blue": 22}
    acted = {seat: ("x",) * n for seat, n in empty.items()}
    counts = {"hands": {"red": 1, "blue": 0}, "decks": {"red": 0, "blue": 0}}
    table.becomes(replace(state, table=replace(state.table, boxed=empty, acted=acted, spent=acted, **counts)))
    ana.lays("S", "5")
    assert table.outcome.reason == "exhausted"
    assert table.outcome.draw
    assert table.outcome.tie_break == {"cards": {"red": 0, "blue": 0}}
    assert bob.may == []
