"""Agent Double: what people put back after an undo, and put right after a correction."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from referee.core.corrections import choices_then, own_secrets
from referee.core.dice import Dice
from referee.core.entries import Answered
from referee.core.errors import IllegalMove
from referee.core.match import Match
from referee.core.moves import offered
from referee.core.questions import question
from referee.core.restatements import TAKEN_BACK
from referee.games.agent_double import AGENT_DOUBLE
from referee.games.agent_double.table import SEATS
from referee.presentation.views import view
from referee.presentation.words import LANGUAGES, words
from referee.program.simulate import opened, steps
from tests.support.rules.agent_double_language import Table, begin, row, scene, sit_down
from tests.support.rules.agent_double_pieces import pieces, read_aloud
from tests.support.rules.table_language import NEW_SALT
from tests.support.soak import games


def told(table: Table, seat: str | None = None, language: str = "fr") -> list[str]:
    """What a phone, or the table screen, says is to be done."""
    seen = view(table.match.seen_by(seat), words(language))
    return list(seen["me"]["todo"] if seat else seen["todo"])


# ---- after an undo


def test_a_document_goes_back_to_hand_and_the_card_drawn_to_the_deck() -> None:
    table, ana, _ = scene({})
    ana.lays("S", "0/7", "7")
    table.takes_back()
    assert told(table, "red")[:2] == [
        "Reprenez en main votre document à dos « 0/7 », le dernier posé devant l’agent S.",
        "Remettez sur votre pioche la dernière carte piochée.",
    ]
    for seat in ("blue", None):
        assert told(table, seat)[:2] == [
            "Ana reprend en main son document à dos « 0/7 », posé devant l’agent S.",
            "Ana remet sur sa pioche la dernière carte piochée.",
        ]
    assert ana.todo()[-1] == "next.play.you"


def test_what_was_put_back_is_not_asked_for_again_after_the_next_move() -> None:
    table, ana, _ = scene({})
    ana.lays("S", "0/7", "7")
    table.takes_back()
    ana.lays("A", "3")
    assert not [key for key in ana.todo() if key.startswith("back.")]


def test_several_turns_taken_back_at_once() -> None:
    """Two documents of Ana and one of Bob; the latest card goes on the deck first."""
    table, ana, bob = scene({})
    ana.lays("S", "3")
    bob.lays("S", "4")
    ana.lays("A", "5")
    table.takes_back(3)
    assert ana.todo() == [
        *("back.hand.you", "back.hand.they", "back.hand.you"),
        *("back.draw.you", "back.draw.they", "next.play.you"),
    ]
    assert "Remettez sur votre pioche les 2 dernières cartes piochées, la plus récente d’abord." in told(
        table, "red"
    )


def test_an_agent_that_had_delivered_opens_again() -> None:
    table, ana, _ = scene(
        {"S": [*row("red", 1), ("blue", "?", "5"), *row("red", 2)]},
        red=(1, 2, 5, 2, 3, 4),
        blue=(1, 2, 3, 2, 4, 5),
        influence={"S": 2},
        markers={"A": 1},
    )
    ana.lays("S", "3", "personal")
    assert table.delivered == [("S", "red")]
    table.takes_back()
    assert told(table)[:6] == [
        "Reprenez dans la pile d’Ana et remettez face cachée devant l’agent S, côté Ana, dans cet ordre : "
        "1, 2, Docs personnels (dos : 1, 2, 3).",
        "Reprenez dans la pile d’Ana et remettez face cachée devant l’agent S, côté Bob, dans cet ordre : "
        "5 (dos : ?).",
        "Remettez devant l’agent S ses deux jetons loyauté, valeurs cachées : rouge 5, bleu 3.",
        "Ana reprend en main son document à dos « 3 », posé devant l’agent S.",
        "Remettez le pion influence de l’agent S sur la case sombre de Bleu, face grise visible.",
        "Ana remet sur sa pioche la dernière carte piochée.",
    ]


def test_markers_that_left_with_an_agent_come_back() -> None:
    table, ana, bob = scene({"S": row("red", 1, 1, 1, 1), "A": row("red", 2)}, markers={"S": 1})
    ana.composes(("fx_move_file", {"from": "A", "to": "S", "index": 0}), ("fx_marker", {"agent": "B"}))
    bob.does("agree")
    assert table.delivered
    table.takes_back()
    lines = told(table)
    assert (
        "Ramenez face cachée, de l’agent S à l’agent A, le document d’Ana à dos « 2 » : "
        "c’est le n° 1 de sa colonne." in lines
    )
    assert "Il doit y avoir 1 marqueur +1 document sur l’agent S." in lines
    assert "Il doit y avoir 0 marqueur +1 document sur l’agent B." in lines
    assert "Il doit y avoir 1 marqueur +1 document à côté du plateau." in lines


def test_an_action_taken_back_undoes_all_it_did() -> None:
    table, ana, bob = scene({"S": row("blue", 3, 3), "A": row("red", 4)})
    ana.composes(
        ("fx_move_file", {"from": "S", "to": "B", "index": 0}),
        ("fx_remove_file", {"agent": "A", "index": 0}),
        ("fx_swap_loyalty", {"side": "blue", "a": "A", "b": "6"}),
        ("fx_influence", {"agent": "L", "toward": "blue"}),
    )
    bob.does("agree")
    table.takes_back()
    assert ana.todo() == [
        *("back.removed.you", "back.moved.only", "did_swap_loyalty", "back.counter"),
        *("back.card.you", "back.announced.you", "back.draw.you", "next.agree.they"),
    ]
    assert (
        "Sortez de la boîte votre document à dos « 4 » (vos documents secrets, plus bas, montrent lequel) "
        "et remettez-le face cachée devant l’agent A : "
        "c’est le n° 1 de votre colonne." in told(table, "red")
    )
    assert "face 4" not in " ".join(told(table, "blue") + told(table))
    assert "Reprenez dans la boîte votre carte action « Fouineur »." in told(table, "red")
    table.takes_back(6)
    assert ana.todo() == ["back.draft.you", "next.play.you"]


def test_a_card_that_had_returned_to_hand_stays_there() -> None:
    table, ana, bob = scene({})
    ana.composes(card="hand")
    bob.does("agree")
    table.takes_back(3)
    assert ana.todo() == ["next.play.you"]


def test_an_action_that_was_refused_is_announced_again() -> None:
    table, ana, bob = scene({})
    ana.composes()
    bob.does("disagree")
    table.takes_back()
    assert ana.todo() == ["back.announced.you", "next.agree.they"]
    assert bob.todo() == ["back.announced.they", "next.agree.action.you"]


def test_documents_that_were_turned_up_are_hidden_again() -> None:
    table, ana, bob = scene({"S": [("blue", "2", "trapped"), *row("red", 1, 1)]})
    ana.lays("S", "5")
    table.takes_back()
    assert ana.todo()[:2] == ["back.hide", "back.hand.you"]
    assert told(table)[0] == "Cachez de nouveau les jetons et les documents de l’agent S."
    assert bob.todo() == ["back.hide", "back.hand.they"]


@pytest.mark.parametrize(("taker", "place"), [("red", "pile"), ("nobody", "box")])
def test_a_delivery_whose_card_is_talked_about_again_lies_face_up(taker: str, place: str) -> None:
    table, ana, bob = scene({"S": [("blue", "2", "trapped"), *row("red", 1, 1)]})
    ana.lays("S", "5")
    bob.does("ruling", taker=taker)
    ana.does("agree")
    table.takes_back()
    assert ana.todo()[:3] == [f"back.column.up.{place}"] * 2 + ["back.tokens.up"]
    table.takes_back()
    assert ana.todo() == ["next.ruling.they"], "nothing lies elsewhere: only words were said"


def test_tokens_that_were_not_given_yet_come_back() -> None:
    table, ana, bob = begin()
    table.takes_back()
    assert bob.todo() == ["back.given.you", "next.assign.you"]
    assert ana.todo() == ["back.given.they"]
    table, ana, _ = sit_down()
    ana.gives(1, 2, 2, 3, 4, 5)
    table.asks("red", "undo")
    assert ana.todo()[0] == "back.given.you"


# ---- after a correction


def delivered_to_red(**options: Any) -> tuple[Table, Any, Any]:
    """Ana's 3 and 5 and Bob's 4 and 2 before S: Ana takes them, 3 against 2."""
    table, ana, bob = sit_down(**options)
    ana.gives(1, 2, 3, 2, 4, 5)
    bob.gives(1, 3, 2, 2, 4, 5)
    for player, back, counter in ((ana, "3", "A"), (bob, "4", "B"), (ana, "5", "L"), (bob, "2", "6")):
        player.lays("S", back)
        if table.public["step"] == "influence":
            player.does("influence", agent=counter)
    assert table.public["piles"]["red"] == {"points": 14, "cards": 4}
    return table, ana, bob


def test_documents_in_the_wrong_pile_go_to_the_right_one() -> None:
    table, ana, bob = delivered_to_red()
    table.corrects("blue", 1, tokens=(1, 3, 4, 2, 2, 5))
    assert table.public["piles"]["blue"] == {"points": 14, "cards": 4}
    for seat in ("red", "blue", None):
        assert told(table, seat)[0] == (
            "Agent S, loyauté rouge 3, bleu 4 : ses documents, valeur 14, passent de la pile d’Ana "
            "à celle de Bob."
        )
    assert "go from Ana’s pile to Bob’s" in told(table, None, "en")[0]
    assert (ana.todo()[0], bob.todo()[0]) == ("right.taken", "right.taken")


def test_a_sum_that_changed_is_told_where_nothing_moves() -> None:
    table, ana, _ = delivered_to_red()
    table.corrects("red", 0, tokens=(1, 2, 4, 2, 3, 5))
    assert told(table)[0] == (
        "Agent S, valeurs corrigées : loyauté rouge 4, bleu 2, documents 14. Rien à déplacer."
    )
    assert ana.todo()[0] == "right.sum"


def test_a_document_whose_value_changed_is_told_too() -> None:
    table, _, _ = scene({"S": row("blue", 1, 1, 1)})
    table.moves("red", "place", agent="S", back="?", file="4")
    table.corrects("red", file="6")
    assert "documents 9" in told(table)[0]


def test_a_mistyped_trap_is_asked_about_after_all() -> None:
    """All had been taken, and a neighbour had followed: both are open again, S face up."""
    table, ana, bob = scene({"S": row("blue", 1, 1, 1), "L": row("blue", 2, 2, 2)})
    ana.lays("S", "5")
    assert [agent for agent, _ in table.delivered] == ["S", "L"]
    table.corrects("red", file="trapped")
    assert table.public["step"] == "ruling"
    keys = [key for key in bob.todo() if key.startswith("back.")]
    assert keys == [
        *("back.column.up.pile", "back.column.up.pile", "back.tokens.up"),
        *("back.column.down.pile", "back.tokens.down"),
        *("back.counter", "back.counter", "back.draw.they"),
    ]
    assert "Docs piégés" in told(table)[0]


def test_a_trap_that_was_none_lets_the_delivery_go_on() -> None:
    table, ana, _ = scene({"S": row("blue", 1, 1, 1), "L": row("blue", 2, 2, 2)})
    ana.lays("S", "5", "trapped")
    table.corrects("red", file="5")
    assert ana.todo()[:4] == ["delivered.taken", "show", "delivered.taken", "draw.you"]


def test_a_correction_that_changes_nothing_on_the_table_asks_for_nothing() -> None:
    table, ana, bob = begin()
    table.corrects("red", 0, tokens=(5, 4, 3, 2, 2, 1))
    assert (ana.todo(), bob.todo()) == (["next.play.you"], [])


# ---- in random games people who do as they are told have the right table


def questioned(match: Match, dice: Dice) -> Iterator[Match]:
    """The same match after an undo of any depth, and after a correction of anything, where these can be."""
    if match.made:
        yield from _agreed(match, "red", "undo", {"n": dice.pick(tuple(match.made)).n})
    for seat in SEATS:
        if mine := tuple(own_secrets(match, seat)):
            made = dice.pick((mine[-1], dice.pick(mine)))
            choice = offered(choices_then(match, made), made.entry.move)
            assert choice is not None
            picked = choice.pick(dice)
            fields = {name: picked[name] for name in choice.secrets()}
            yield from _agreed(match, seat, "correct", {"n": made.n, "fields": fields})


def _agreed(match: Match, by: str, kind: str, fields: dict[str, Any]) -> Iterator[Match]:
    try:
        asked = question(match, by, kind, fields, match.version)
    except IllegalMove:
        return
    match = match.after(replace(asked, salt=NEW_SALT) if kind == "correct" else asked)
    for seat in asked.of:
        match = match.after(Answered(seat, True))
    yield match


def check_instructions(match: Match) -> str:
    """Follow them, and compare. Returns what happened."""
    repair, now = match.repair, match.state
    assert repair is not None and now is not None
    truth = repair.before if repair.kind == TAKEN_BACK else now
    real, wanted = pieces(repair.before, truth), pieces(now, now)
    says = {}
    for seat in (*SEATS, None):
        before, after = repair.before.slice(seat), now.slice(seat)
        if repair.kind == TAKEN_BACK:
            says[seat] = AGENT_DOUBLE.put_back(before, after)
        else:
            right = AGENT_DOUBLE.put_right(before, after, repair.restated)
            says[seat] = tuple(say for say in right if say.key != "right.peeked")  # for one seat's eyes
    if real == wanted and repair.kind == TAKEN_BACK:
        assert says[None] == ()
    real.follow(read_aloud(says))
    assert real == wanted
    for seat, language in product((*SEATS, None), LANGUAGES):
        assert all(view(match.seen_by(seat), words(language))["todo"])
    return repair.kind


def test_whoever_follows_the_instructions_has_the_table_as_it_should_be() -> None:
    met: dict[str, int] = {}
    for i in games(25):
        dice = Dice(f"repairs/{i}")
        for step in steps(opened(AGENT_DOUBLE, f"repairs/{i}"), f"repairs/{i}"):
            if step.match.state and not dice.pick(range(4)):
                for match in questioned(step.match, dice):
                    kind = check_instructions(match)
                    met[kind] = met.get(kind, 0) + 1
    assert min(met.values()) > 50


def test_who_looked_at_a_document_is_told_alone_that_it_is_another() -> None:
    table, ana, bob = scene({})
    ana.lays("A", "3")
    bob.lays("S", "?", "4")
    ana.composes(("fx_peek", {"agent": "S"}))
    bob.does("agree")
    laid = next(made for made in table.match.made if made.entry.move.fields.get("agent") == "S")
    table.asks("blue", "correct", n=laid.n, fields={"file": "6"})
    table.answers("red")
    assert table.kinds() == ["corrected"], "nothing was said aloud"
    assert "right.peeked" in ana.todo()
    assert "right.peeked" not in bob.todo()
    assert not any("regardé" in line for line in told(table))
