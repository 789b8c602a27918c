"""Agent Double: actions by primitives, traps and personal documents, peeks, free names, the sheet."""

import json
from dataclasses import replace
from typing import Any

import pytest

from referee.core.match import Match
from referee.games.agent_double import AGENT_DOUBLE
from referee.games.agent_double.deck import CARDS
from referee.kit.twin_worlds import HEX
from referee.presentation.papers import score_sheet
from referee.presentation.sheets import PrintedLine, lay_out
from referee.presentation.views import view
from referee.presentation.words import LANGUAGES, words
from tests.support.rules.agent_double_language import Table, begin, row, scene

# ---- actions


def test_an_action_is_composed_told_and_happens_when_the_other_agrees() -> None:
    table, ana, bob = scene({"S": row("blue", 6)}, influence={"L": 1})
    ana.composes(("fx_marker", {"agent": "S"}), ("fx_influence", {"agent": "L", "toward": "red"}))
    assert table.kinds() == ["proposed"]
    assert table.public["action"]["effects"][0] == {"type": "fx_marker", "agent": "S"}
    assert (table.agent("S")["markers"], table.agent("L")["influence"]) == (0, 1)
    assert (ana.may, bob.may) == ([], ["agree", "disagree"])
    bob.does("agree")
    assert table.kinds() == ["accepted", "acted", "did_marker", "did_influence", "turn"]
    assert table.news("acted") == {"by": "red", "name": "Fouineur", "card": "box"}
    assert (table.agent("S")["markers"], table.agent("S")["need"]) == (1, 5)
    assert (table.agent("L")["influence"], table.agent("L")["moved"]) == (-1, False)
    assert table.public["hands"]["red"] + table.public["decks"]["red"] == CARDS - 1


def test_before_agreement_nothing_is_shown_or_changed_and_disagreement_leaves_all_as_it_was() -> None:
    table, ana, bob = scene({"S": [("blue", "?", "6"), *row("red", 2)], "B": row("blue", 3)})
    before = table.state
    ana.composes(
        ("fx_peek", {"agent": "S"}),
        ("fx_peek_loyalty", {"agent": "B"}),
        ("fx_marker", {"agent": "S"}),
        ("fx_swap_loyalty", {"side": "blue", "a": "A", "b": "6"}),
        ("fx_influence", {"agent": "B", "toward": "blue"}),
        ("fx_move_file", {"from": "S", "to": "B", "index": 0}),
        ("fx_remove_file", {"agent": "B", "index": 1}),
    )
    assert table.state.hands == before.hands
    assert ana.hand["peeked"] == []
    bob.does("disagree")
    assert table.kinds() == ["refused"]
    assert "refused.action" in ana.todo()
    assert "refused.action" not in bob.todo()
    assert replace(table.state.table, said=()) == before.table
    assert table.state.hands == before.hands
    assert "place" in ana.may


def test_an_action_without_effect_may_be_played() -> None:
    table, ana, bob = scene({})
    ana.composes()
    bob.does("agree")
    assert table.kinds() == ["accepted", "acted", "turn"]


def test_an_action_card_may_return_to_hand() -> None:
    """« Sauf mention contraire »: then nothing is drawn, and nothing goes to the box."""
    table, ana, bob = scene({})
    ana.composes(("fx_marker", {"agent": "S"}), card="hand")
    assert table.news("proposed") == {"by": "red", "name": "Fouineur", "card": "hand"}
    assert table.public["action"]["card"] == "hand"
    bob.does("agree")
    assert table.agent("S")["markers"] == 1
    assert (table.public["hands"]["red"], table.public["decks"]["red"]) == (5, 17)
    assert table.state.table.boxed == {"red": 0, "blue": 0}
    assert "draw.you" not in ana.todo()


def test_an_action_ends_with_the_card_in_the_box_or_in_hand() -> None:
    _, ana, _ = scene({})
    ana.does("act", name="x")
    assert [choice.wire()["fields"] for choice in ana.choices if choice.type == "act_done"] == [
        [],
        [{"name": "card", "kind": "one", "options": ["hand"]}],
    ]
    assert ana.is_refused("act_done", card="box") == "card"


def test_the_last_card_can_return_and_the_game_goes_on() -> None:
    table, ana, bob = scene({})
    state, gone = table.state, {"red": 21, "blue": 22}
    acted = {seat: ("x",) * n for seat, n in gone.items()}
    counts = {"hands": {"red": 1, "blue": 0}, "decks": {"red": 0, "blue": 0}}
    table.becomes(replace(state, table=replace(state.table, boxed=gone, acted=acted, spent=acted, **counts)))
    ana.composes(card="hand")
    bob.does("agree")
    assert not table.over
    assert table.public["turn"] == "red"


@pytest.mark.parametrize("card", ["personal", "trapped"])
def test_without_a_list_each_player_has_one_card_of_each_effect(card: str) -> None:
    table, ana, bob = scene({"S": [("red", "2", card)]})
    assert card not in ana.offered("place", "file")
    assert ana.is_refused("place", agent="A", back="3", file=card) == f"one_{card}"
    ana.lays("A", "3")
    bob.lays("A", "3", card)  # the other has one too
    assert not table.over


def test_without_a_list_each_player_has_four_cards_worth_0_or_7() -> None:
    table, ana, bob = scene({"S": [("red", "0/7", "7")] * 2, "A": [("red", "0/7", "0")]})
    ana.lays("B", "0/7", "7")
    bob.lays("L", "0/7", "7")
    assert "0/7" not in ana.offered("place", "back")
    assert ana.is_refused("place", agent="L", back="0/7", file="7") == "eithers"
    ana.lays("L", "7")
    assert "0/7" in bob.offered("place", "back")
    assert not table.over


def test_a_document_is_called_by_whose_it_is_and_its_back() -> None:
    """Ana has two that look alike before S: only these are counted."""
    lying = {"S": [*row("blue", 3), *row("red", 3, 3)]}
    table, ana, bob = scene(lying)
    ana.composes(
        ("fx_move_file", {"from": "S", "to": "A", "index": 2}), ("fx_remove_file", {"agent": "S", "index": 0})
    )
    bob.does("agree")
    fr = spoken(table, "fr")
    assert (
        "Parmi les documents d’Ana à dos « 3 », le n° 2 dans l’ordre de pose passe de l’agent S à l’agent A."
        in fr
    )
    assert "Le document de Bob à dos « 3 » devant l’agent S est retiré du jeu." in fr
    assert (
        "Déplacez face cachée, de l’agent S vers l’agent A, un document d’Ana à dos « 3 » : "
        "le n° 2 de ceux-là, dans l’ordre de pose." in fr
    )
    assert "Remettez dans la boîte, face cachée, le document de Bob à dos « 3 » devant l’agent S." in fr
    assert ana.todo()[1:3] == ["did_move_file.nth", "did_remove_file.only"]


def spoken(table: Table, language: str) -> list[str]:
    """All that the table screen says and asks for."""
    seen = view(table.match.seen_by(), words(language))
    return [*(news["text"] for news in seen["news"]), *seen["todo"]]


def test_primitives_follow_one_another() -> None:
    """What may be aimed at is the board as it will be: two markers there are, and a track has an end."""
    table, ana, bob = scene({"S": row("blue", 6)}, influence={"L": 1})
    ana.does("act", name="x")
    for _ in range(2):
        ana.does("fx_marker", agent="S")
    assert ana.is_refused("fx_marker", agent="S") == "target"
    ana.does("fx_influence", agent="L", toward="blue")
    assert ana.is_refused("fx_influence", agent="L", toward="blue") == "target"
    ana.does("fx_move_file", **{"from": "S", "to": "A", "index": 0})
    assert ana.is_refused("fx_remove_file", agent="S", index=0) == "target"
    ana.does("fx_remove_file", agent="A", index=0)
    assert ana.is_refused("place", agent="S", back="1", file="1") == "acting"
    ana.does("act_done")
    assert bob.is_refused("place", agent="S", back="1", file="1") == "answer"
    bob.does("agree")
    assert (table.agent("S")["need"], table.agent("L")["influence"]) == (6, 2)
    assert table.state.table.boxed == {"red": 1, "blue": 1}


def test_a_moved_document_can_set_off_a_delivery_and_a_second_hidden_back_cannot_come() -> None:
    lying = {
        "S": row("blue", 6, 1, 1),
        "B": [("red", "3", "3"), ("red", "?", "7")],
        "A": [("blue", "?", "1")],
    }
    table, ana, bob = scene(lying)
    ana.does("act", name="x")
    assert ana.is_refused("fx_move_file", **{"from": "B", "to": "A", "index": 1}) == "target"
    ana.does("fx_move_file", **{"from": "B", "to": "S", "index": 1})
    ana.does("act_done")
    bob.does("agree")
    (told,) = table.all_news("delivered")
    assert told["files"][-1] == {"owner": "red", "file": "7"}
    assert ana.hand["files"] == {"B": ["3"]}


def test_swapped_tokens_stay_hidden_and_count() -> None:
    table, ana, bob = scene({"S": row("red", 1, 1, 1)}, blue=(5, 4, 3, 2, 2, 1))
    ana.composes(("fx_swap_loyalty", {"side": "blue", "a": "A", "b": "S"}))
    bob.does("agree")
    assert (bob.hand["loyalty"]["A"], bob.hand["loyalty"]["S"]) == (3, 5)
    assert not any(
        "5" in str(news.fields.values()) for news in table.heard if news.kind == "did_swap_loyalty"
    )
    bob.lays("S", "1")
    assert table.news("delivered")["loyalty"]["blue"]["token"] == 5


def test_a_peek_is_shown_to_the_acting_seat_alone() -> None:
    """Two worlds that differ by what was peeked at look alike to everybody else, on all screens."""

    def told(file: str, tokens: tuple[int, ...]) -> tuple[Table, list[str]]:
        table, ana, bob = scene({"S": [("blue", "?", file)]}, blue=tokens)
        ana.composes(("fx_peek", {"agent": "S"}), ("fx_peek_loyalty", {"agent": "A"}))
        bob.does("agree")
        public = json.dumps(view(table.match.seen_by(), words("fr")))
        news = [repr(news) for news in table.heard] + [repr(table.match.seen_by("red"))]
        return table, [HEX.sub("#", text) for text in (public, *news)]

    one, seen = told("6", (1, 2, 2, 3, 4, 5))
    other, also = told("2", (5, 2, 2, 3, 4, 1))
    assert seen == also
    assert AGENT_DOUBLE.hand(one.state.hands["red"])["peeked"] == [
        {"agent": "S", "files": [{"back": "?", "file": "6"}]},
        {"agent": "A", "loyalty": 1},
    ]
    assert AGENT_DOUBLE.hand(other.state.hands["red"])["peeked"][1] == {"agent": "A", "loyalty": 5}
    assert AGENT_DOUBLE.hand(one.state.hands["blue"])["peeked"] == []


def test_no_end_of_primitives_is_an_end() -> None:
    _, ana, _ = scene({})
    ana.does("act", name="x")
    for _ in range(12):
        ana.does("fx_swap_loyalty", side="red", a="A", b="B")
    assert ana.may == ["act_done"]


# ---- names that people write


@pytest.mark.parametrize("name", ["red", "{by}", "<script>", "=1+1", "host", "%n", "é" * 40, ""])
def test_the_name_of_an_action_is_told_as_it_was_written(name: str) -> None:
    table, ana, _ = begin()
    ana.does("act", name=name)
    assert table.news("acting") == {"by": "red", "name": name}
    for language in LANGUAGES:
        text = view(table.match.seen_by(), words(language))["news"][-1]["text"]
        assert name in text
        assert "Ana" in text


@pytest.mark.parametrize("name", ["a\n", "\u202ea", " a", "a\x1b@", "x" * 41, "e\u0301"])
def test_a_name_that_would_not_read_the_same_everywhere_is_refused(name: str) -> None:
    _, ana, _ = begin()
    assert ana.is_refused("act", name=name) == "name"


# ---- traps and personal documents


def trap(*cards: tuple[str, str], **options: Any) -> tuple[Table, Any, Any]:
    """S will deliver to red by loyalty, with these cards (owner, file) among its documents."""
    files = [(owner, "2", file) for owner, file in cards]
    table, ana, bob = scene(
        {"S": (files + row("blue", 1, 1, 1))[:3]}, red=(1, 2, 5, 2, 3, 4), blue=(5, 4, 1, 3, 2, 2), **options
    )
    ana.lays("S", "5")
    return table, ana, bob


def test_the_owner_of_a_trap_says_what_happens_and_the_other_agrees() -> None:
    table, ana, bob = trap(("blue", "trapped"))
    assert table.kinds() == ["placed", "asks"]
    assert table.public["step"] == "ruling"
    assert table.public["ruling"]["owner"] == "blue"
    assert table.news("asks")["loyalty"]["red"]["token"] == 5
    assert (ana.may, bob.may) == ([], ["ruling"])
    bob.does("ruling", taker="blue")
    assert table.public["step"] == "agree"
    ana.does("agree")
    assert table.delivered == [("S", "blue")]
    assert table.public["piles"]["blue"] == {"points": 2 + 1 + 1 + 5, "cards": 4}


def test_nobody_may_take_them() -> None:
    table, ana, bob = trap(("red", "trapped"))
    ana.does("ruling", taker="nobody")
    bob.does("agree")
    told = table.news("delivered")
    assert (told["taker"], told["points"]) == ("nobody", 0)
    assert table.public["piles"] == {seat: {"points": 0, "cards": 0} for seat in ("red", "blue")}


def test_after_two_disagreements_loyalty_decides() -> None:
    table, ana, bob = trap(("blue", "trapped"))
    for answer in ("refused", "refused"):
        assert bob.may == ["ruling"]
        bob.does("ruling", taker="blue")
        ana.does("disagree")
        assert answer in table.kinds()
        assert "refused.ruling" in bob.todo()
    assert table.delivered == [("S", "red")]
    assert table.news("delivered")["why"] == "loyalty"


def test_of_two_traps_reds_comes_first_and_the_later_word_holds() -> None:
    table, ana, bob = trap(("blue", "trapped"), ("red", "trapped"))
    assert (ana.may, bob.may) == (["ruling"], [])
    ana.does("ruling", taker="nobody")
    bob.does("agree")
    assert (ana.may, bob.may) == ([], ["ruling"])
    bob.does("ruling", taker="blue")
    ana.does("agree")
    assert table.delivered == [("S", "blue")]


def test_a_chain_goes_on_after_a_ruling() -> None:
    table, ana, bob = scene({"S": [("red", "2", "trapped"), *row("red", 1, 1)], "L": row("blue", 3, 3, 3)})
    ana.lays("S", "5")
    assert table.delivered == []
    ana.does("ruling", taker="red")
    bob.does("agree")
    assert [agent for agent, _ in table.delivered] == ["S", "L"]


def test_traps_may_be_left_out() -> None:
    table, _, _ = trap(("blue", "trapped"), trapped="none")
    assert table.delivered == [("S", "red")]


def test_personal_documents_may_be_asked_about() -> None:
    table, _, bob = trap(("blue", "personal"), personal="ask")
    assert table.news("asks")["card"] == "personal"
    assert table.news("asks")["loyalty"]["blue"]["personal"] == 0
    assert bob.may == ["ruling"]


@pytest.mark.parametrize(("back", "points"), [("0/7", 0), ("4", 4)])
def test_an_effect_card_is_worth_its_plain_back_and_nothing_under_either(back: str, points: int) -> None:
    table, ana, _ = scene({"S": [("red", back, "personal"), *row("red", 0, 0)]})
    ana.lays("S", "0")
    assert table.news("delivered")["points"] == points


# ---- thresholds


@pytest.mark.parametrize(
    ("beside", "markers", "need"), [(False, 0, 4), (True, 0, 3), (False, 1, 5), (True, 1, 4), (True, 2, 5)]
)
def test_how_many_documents_are_needed(beside: bool, markers: int, need: int) -> None:
    lying = {"S": row("red", 1, 1, 1)} if beside else {}
    table, ana, bob = scene(lying, markers={"B": markers})
    if beside:
        ana.lays("S", "1")
        bob.lays("6", "1")
    for n in range(need):
        assert table.agent("B")["need"] == need
        assert not table.agent("B")["delivered"]
        (ana, bob)[n % 2].lays("B", "1")
    assert "B" in [agent for agent, _ in table.delivered]


# ---- influence


def test_without_a_counter_left_to_move_the_turn_just_ends() -> None:
    """All stand on red's dark space already: red is not asked, blue may choose any."""
    table, ana, bob = scene({}, turns=0, influence=dict.fromkeys("ABSL56", -2))
    ana.lays("S", "5")
    assert (table.public["step"], table.public["turn"]) == ("play", "blue")
    bob.lays("S", "5")
    assert bob.offered("influence", "agent") == list("ABSL56")


# ---- ties decided by the counter


@pytest.mark.parametrize(
    ("space", "red", "taker"), [(-1, 3, "red"), (1, 3, "blue"), (-2, 2, "red"), (2, 4, "blue")]
)
def test_a_tie_goes_to_the_side_of_the_counter_on_inner_and_dark_spaces(
    space: int, red: int, taker: str
) -> None:
    """Blue gives 3; the dark spaces bring one more to their side."""
    gives = {2: (1, 3, 2, 2, 4, 5), 3: (1, 2, 3, 2, 4, 5), 4: (1, 2, 4, 2, 3, 5)}[red]
    table, ana, _ = scene(
        {"S": row("red", 1, 1, 1)}, red=gives, blue=(1, 2, 3, 2, 4, 5), influence={"S": space}
    )
    ana.lays("S", "1")
    told = table.news("delivered")
    assert told["loyalty"]["red"]["total"] == told["loyalty"]["blue"]["total"]
    assert (told["taker"], told["why"]) == (taker, "influence")


# ---- skipped seats, the sheet


def test_a_seat_without_cards_is_skipped() -> None:
    table, ana, _ = scene({})
    state = table.state
    counts = {"hands": {"red": 2, "blue": 0}, "decks": {"red": 0, "blue": 0}}
    gone = {"red": 20, "blue": 22}
    acted = {seat: ("x",) * n for seat, n in gone.items()}
    table.becomes(replace(state, table=replace(state.table, boxed=gone, acted=acted, spent=acted, **counts)))
    ana.lays("S", "1")
    assert table.public["turn"] == "red"
    ana.lays("S", "1")
    assert table.outcome.reason == "exhausted"


def test_the_sheet_tells_who_took_what_and_why() -> None:
    names = ["1", "2", "3", "4", "5", "6"]
    lying = {name: row("red", 1, 1, 1) for name in names[:5]} | {"6": [("blue", "?", "4")]}
    table, ana, _ = scene(lying, agents=names)
    ana.lays("3", "7", "personal")
    text = sheet(table.match)
    assert "Agent 3 : Ana" in text
    assert "2 +1 P = 3" in text
    assert "P7" in text
    assert "Loyautés égales : côté du pion" in text
    assert "Agent 6 : pas livré" in text


def sheet(match: Match) -> str:
    lines = lay_out(score_sheet(match.seen_by(), words("fr"), "now"), 32)
    return "\n".join(line.text for line in lines if isinstance(line, PrintedLine))
