"""Agent Hunter after an undo or a correction: what is said aloud, and what goes back on the real table."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from referee.core.game import News, Say
from referee.core.match import Match
from referee.core.moves import Seat
from referee.games.agent_hunter import AGENT_HUNTER
from referee.games.agent_hunter.table import HOUSES, SEATS, HunterTable, other
from tests.support.rules.agent_hunter_language import Player, Table, play
from tests.support.rules.agent_hunter_scenes import hits_after_all, nothing_hidden
from tests.support.rules.repairs import corrects, instructions, repaired, takes_back, told
from tests.support.soak import games

# ---- taken back


def test_what_was_done_before_the_move_that_is_taken_back_is_not_asked_for_again() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    ana.swaps(house=1, card=9, decoy=2)
    assert any("leurre" in said for said in told(table, "target"))
    bob.attacks(house=3, card=8)
    takes_back(table, "mask")
    assert told(table, "target") == told(table, "mask") == told(table) == [], "the 8 is in hand already"


def test_a_hit_that_is_taken_back_tells_everybody_what_to_put_back() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    ana.swaps(house=1, card=9, decoy=2)
    bob.attacks(house=2, card=2)
    takes_back(table, "mask")
    assert told(table, "target") == [
        "Bob reprend son 2, posé sur votre planque 2.",
        "Votre planque 2 n’est plus détruite : remettez son espion face cachée.",
        "Bob remet ses espions, en main et en planque, comme ils étaient.",
    ]
    assert told(table, "mask") == [
        "Reprenez en main votre 2, posé sur la planque 2 d’Ana.",
        "La planque 2 d’Ana n’est plus détruite : son espion y revient face cachée.",
    ]
    assert told(table, language="en") == [
        "Bob takes back the 2 from Ana’s house 2.",
        "Ana’s house 2 is no longer destroyed: its agent goes back face down.",
        "Bob puts the agents in hand and in the houses back as they were.",
    ]


def test_a_swap_that_is_taken_back_names_no_card_on_an_open_page() -> None:
    table, ana, _ = play(ana=(1, 2, 3), bob=(4, 5, 6))
    ana.swaps(house=1, card=9, decoy=2)
    takes_back(table, "target")
    assert told(table, "target") == [
        "Reprenez 1 leurre posé à côté de votre planque 2.",
        "Reprenez en main l’espion de votre planque 1.",
        "Posez face cachée, dans votre planque 1, l’espion qu’indiquent vos cartes secrètes, plus bas.",
    ]
    assert (
        told(table, "mask")
        == told(table)
        == [
            "Ana reprend 1 leurre posé à côté de sa planque 2.",
            "Ana remet ses espions, en main et en planque, comme ils étaient.",
        ]
    )


def test_a_swap_of_the_same_card_moves_only_the_decoy_back() -> None:
    table, ana, _ = play(ana=(1, 2, 3), bob=(4, 5, 6))
    ana.swaps(house=1, card=1, decoy=1)
    takes_back(table, "target")
    assert ana.todo() == ["decoys_back.you"]
    assert len(told(table, "mask")) == 2, "nobody else learns that it was the same"


def test_houses_that_were_hidden_are_taken_up_again() -> None:
    table = nothing_hidden()
    assert told(table, "target") == [
        "Reprenez en main les espions de vos trois planques.",
        "Choisissez trois espions pour vos planques 1, 2 et 3.",
    ]
    assert "Ana reprend en main les espions de ses trois planques." in told(table, "mask")
    assert told(table) == ["Ana reprend en main les espions de ses trois planques."]


def _hit_from_a_house() -> tuple[Table, Player, Player]:
    """Ana's 5 of house 1 has hit Bob's house 2, and a 9 lies in its place."""
    table, ana, bob = play(ana=(5, 2, 3), bob=(4, 5, 6))
    ana.attacks(house=2, from_house=1)
    ana.refills(house=1, card=9)
    return table, ana, bob


def test_a_refill_that_is_taken_back_leaves_the_house_empty() -> None:
    table, _, _ = _hit_from_a_house()
    takes_back(table, "target")
    assert told(table, "target") == [
        "Reprenez en main l’espion de votre planque 1.",
        "Regarnissez votre planque 1 avec un espion de votre main, face cachée.",
    ]
    empty = ["Ana reprend en main l’espion de sa planque 1.", "Ana doit regarnir sa planque 1."]
    assert told(table, "mask") == told(table) == empty


def test_an_attack_from_a_house_is_taken_back_with_its_refill() -> None:
    table, ana, bob = _hit_from_a_house()
    takes_back(table, "target", moves=2)
    assert told(table, "target") == [
        "Reprenez en main votre 5, posé sur la planque 2 de Bob.",
        "Reprenez en main l’espion de votre planque 1.",
        "Posez face cachée, dans votre planque 1, l’espion qu’indiquent vos cartes secrètes, plus bas.",
        "La planque 2 de Bob n’est plus détruite : son espion y revient face cachée.",
    ]
    assert bob.todo() == ["lifted.they", "arranged", "rebuilt.you"]
    assert ana.houses == {1: 5, 2: 2, 3: 3}


def test_a_miss_from_a_house_is_taken_back_with_the_matching_card() -> None:
    table, ana, _ = play(ana=(6, 2, 3), bob=(4, 5, 6))
    ana.attacks(house=2, from_house=1)
    takes_back(table, "target")
    assert ana.todo() == ["lifted.they", "rebuilt.you", "arranged"]
    assert told(table, "mask") == [
        "Reprenez en main votre 6, posé sur la planque 1 d’Ana.",
        "La planque 1 d’Ana n’est plus détruite : son espion y revient face cachée.",
        "Posez face cachée, dans votre planque 3, l’espion qu’indiquent vos cartes secrètes, plus bas.",
    ]


def test_many_moves_at_once_are_taken_back_to_where_all_was() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    for decoy in (2, 2):
        ana.swaps(house=1, card=9 if ana.houses[1] == 1 else 0, decoy=decoy)
        bob.misses()
    takes_back(table, "target", moves=4)
    assert told(table, "target") == [
        "Reprenez 2 leurres posés à côté de votre planque 2.",
        "Reprenez en main l’espion de votre planque 1.",
        "Posez face cachée, dans votre planque 1, l’espion qu’indiquent vos cartes secrètes, plus bas.",
    ]


def test_once_somebody_moves_nothing_is_put_back_any_more() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    ana.swaps(house=1, card=9, decoy=2)
    takes_back(table, "target")
    ana.attacks(house=1, card=8)
    assert ana.todo() == ["miss.you"]
    assert bob.todo() == ["miss.they"]


# ---- corrected


def test_a_corrected_answer_is_told_and_stands_on_every_phone() -> None:
    """Bob hides 4 7 8 and meant 9 7 8: 5 against his house 1 was MOINS and is PLUS."""
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 7, 8))
    assert ana.attacks(house=1, card=5) == "moins"
    corrects(table, "mask", houses=(9, 7, 8))
    attack = {"by": "target", "origin": "hand", "card": 5, "house": 1}
    assert table.kinds() == ["corrected", "restated"]
    assert table.news("restated") == {
        "of": table.match.made[-1].n,
        "was": {"kind": "attack", "fields": {**attack, "answer": "moins"}},
        "now": {"kind": "attack", "fields": {**attack, "answer": "plus"}},
        "ago": 0,
    }
    right = "est PLUS, et non MOINS."
    assert told(table) == [f"Attaque d’Ana avec le 5 : la réponse pour la planque 1 de Bob {right}"]
    assert told(table, "target") == [f"Votre attaque avec le 5 : la réponse pour la planque 1 de Bob {right}"]
    assert told(table, "mask") == [f"Attaque d’Ana avec le 5 : la réponse pour votre planque 1 {right}"]
    assert bob.houses == {1: 9, 2: 7, 3: 8}


def test_every_answer_that_changed_is_told_in_order() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 7, 8))
    ana.attacks(house=1, card=5)
    bob.misses()
    ana.attacks(house=2, card=5)
    bob.misses()
    ana.attacks(house=1, card=6)
    corrects(table, "mask", houses=(9, 7, 8))
    assert [news["now"]["fields"]["card"] for news in table.all_news("restated")] == [5, 6]
    assert ana.todo() == ["answer", "answer"]


def test_a_correction_that_changes_no_answer_asks_for_nothing() -> None:
    table, ana, _ = play(ana=(1, 2, 3), bob=(4, 7, 8))
    ana.attacks(house=1, card=5)
    corrects(table, "mask", houses=(3, 7, 8))
    assert table.kinds() == ["corrected"]
    assert told(table, "target") == told(table, "mask") == told(table) == []


def test_a_house_that_is_not_destroyed_after_all_stands_again() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 7, 8))
    assert ana.attacks(house=1, card=4) == "reussite"
    corrects(table, "mask", houses=(9, 7, 8))
    assert bob.lost == {}
    assert told(table, "mask") == [
        "Attaque d’Ana avec le 4 : la réponse pour votre planque 1 est PLUS, et non RÉUSSITE.",
        "Ana reprend son 4, posé sur votre planque 1.",
        "Votre planque 1 n’est plus détruite : remettez son espion face cachée.",
    ]
    assert ana.todo() == ["answer", "lifted.you", "rebuilt.they"]


def test_a_house_that_is_destroyed_after_all_is_turned_up_and_covered() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(9, 7, 8))
    assert ana.attacks(house=1, card=4) == "plus"
    corrects(table, "mask", houses=(4, 7, 8))
    assert bob.lost == {1: 4}
    assert told(table, "target")[1:] == ["Posez votre 4 sur la planque 1 de Bob, une fois retournée."]
    assert bob.todo() == ["answer", "hit.they"]


def test_an_attack_from_a_house_that_hits_after_all_gives_the_matching_card_back() -> None:
    table, ana, bob = hits_after_all()
    assert (ana.lost, bob.lost) == ({}, {1: 4})
    assert told(table, "mask") == [
        "Attaque d’Ana avec le 4 : la réponse pour votre planque 1 est RÉUSSITE, et non PLUS.",
        "Reprenez votre espion posé sur la planque 1 d’Ana et remettez-le où il était.",
        "Retournez votre planque 1 : ce doit être un 4. Ana pose son 4 dessus.",
        "Ana doit regarnir sa planque 1.",
    ]
    assert ana.todo() == ["answer", "returned.they", "hit.you", "refill.you"]


def test_an_attack_from_a_house_that_misses_after_all_costs_that_house() -> None:
    table, ana, bob = play(ana=(4, 2, 3), bob=(4, 7, 8))
    assert ana.attacks(house=1, from_house=1) == "reussite"
    corrects(table, "mask", houses=(9, 7, 8))
    assert (ana.lost, bob.lost) == ({1: 4}, {})
    assert ana.todo() == ["answer", "returned.you", "rebuilt.they", "matched.hand.they"]
    assert bob.todo() == ["answer", "returned.they", "rebuilt.you", "matched.hand.you"]


def test_another_card_in_the_house_that_attacked_is_matched_by_another() -> None:
    """Ana typed 4 and shows a 6: Bob takes his 4 back and lays his 6, which was in house 3."""
    table, ana, _ = play(ana=(4, 2, 3), bob=(9, 7, 6))
    assert ana.attacks(house=1, from_house=1) == "plus"
    corrects(table, "target", houses=(6, 2, 3))
    assert told(table, "mask") == [
        "Reprenez votre espion posé sur la planque 1 d’Ana et remettez-le où il était.",
        "Prenez le 6 de votre planque 3 et posez-le sur la planque détruite d’Ana, la 1.",
        "Regarnissez votre planque 3 avec un espion de votre main, face cachée.",
    ]
    assert ana.todo() == ["returned.they", "matched.house.they", "refill.they"]


def test_a_correction_after_the_end_reopens_the_game_and_says_what_stands_again() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    for house, card in ((1, 4), (2, 5), (3, 6)):
        ana.attacks(house=house, card=card)
        if house < 3:
            bob.misses()
    assert table.over
    corrects(table, "mask", houses=(4, 5, 7))
    assert not table.over
    assert told(table)[1:] == [
        "Ana reprend son 6, posé sur la planque 3 de Bob.",
        "La planque 3 de Bob n’est plus détruite : son espion y revient face cachée.",
    ]


# ---- whatever is taken back or corrected


@dataclass
class RealTable:
    """The real cards and tokens as one seat, or nobody in particular, can see them."""

    seat: Seat | None
    cards: dict[int, Any]  # where each of one's own cards is: in hand, in a house, on a house opposite
    lost: dict[tuple[Seat, int], int] = field(default_factory=dict)  # houses that lie open
    covered: set[tuple[Seat, int]] = field(default_factory=set)
    decoys: dict[tuple[Seat, int], int] = field(default_factory=dict)
    hidden: set[Seat] = field(default_factory=set)  # whose houses are laid out

    def follow(self, say: Say) -> None:
        """Do as one is told; what cannot be done fails."""
        about = say.fields
        match say.key.split(".")[0]:
            case "decoys_back":
                self.decoys[about["by"], about["house"]] -= about["n"]
            case "lifted":
                self.covered.remove((about["side"], about["house"]))
                if about["by"] == self.seat:
                    assert self.cards[about["card"]] == ("on", about["house"])
                    self.cards[about["card"]] = "hand"
            case "picked_up":
                self._pick_up(about["by"])
            case "taken":
                assert self.cards[about["card"]] == ("house", about["house"])
                self.lost.pop((str(self.seat), about["house"]), None)
                self.cards[about["card"]] = "hand"
            case "laid":
                assert self.cards[about["card"]] == "hand"
                assert ("house", about["house"]) not in self.cards.values()
                self.cards[about["card"]] = ("house", about["house"])
            case "rebuilt" | "stands":
                side = about.get("side", self.seat)
                assert (side, about["house"]) not in self.covered
                del self.lost[side, about["house"]]
            case key:
                assert key in ("emptied", "arranged")

    def _pick_up(self, by: Seat) -> None:
        self.hidden.remove(by)
        for house in HOUSES:
            self.lost.pop((by, house), None)
        if by == self.seat:
            assert not any(where[0] == "on" for where in self.cards.values())
            self.cards = dict.fromkeys(self.cards, "hand")


def real(match_table: HunterTable, seat: Seat | None, mine: Any) -> RealTable:
    sides = match_table.sides
    lost = {
        (side, h): house.value
        for side in SEATS
        for h, house in sides[side].houses.items()
        if house.value is not None
    }
    cards: dict[int, Any] = {}
    if seat:
        cards = dict.fromkeys(mine.cards, "hand")
        cards |= {card: ("house", h) for h, card in mine.houses.items() if card is not None}
        cards |= {value: ("house" if side == seat else "on", h) for (side, h), value in lost.items()}
    decoys = {(side, h): house.decoys for side in SEATS for h, house in sides[side].houses.items()}
    hidden = {side for side in SEATS if sides[side].hidden}
    return RealTable(seat, cards, lost, set(lost), decoys, hidden)


def seen_before_and_now(match: Match, seat: Seat | None) -> tuple[Any, Any]:
    assert match.repair and match.state
    return match.repair.before.slice(seat), match.state.slice(seat)


@pytest.mark.parametrize("seat", [None, *SEATS])
def test_whoever_follows_what_is_said_after_an_undo_has_the_table_of_before(seat: Seat | None) -> None:
    followed = 0
    for i in games(20):
        for match in repaired(AGENT_HUNTER, f"back/{i}"):
            if match.repair and match.repair.kind == "taken_back":
                before, now = seen_before_and_now(match, seat)
                table, wanted = (real(seen.table, seat, seen.hand) for seen in (before, now))
                says = instructions(match, seat)
                if table == wanted:
                    assert all(say.key in ("arranged", "emptied") for say in says)
                for say in says:
                    table.follow(say)
                assert table == wanted
                followed += len(says)
    assert followed > 100


@pytest.mark.parametrize("seat", [None, *SEATS])
def test_whoever_follows_what_is_said_after_a_correction_has_the_right_houses(seat: Seat | None) -> None:
    followed = 0
    for i in games(20):
        for match in repaired(AGENT_HUNTER, f"right/{i}"):
            if match.repair and match.repair.kind == "corrected":
                before, now = seen_before_and_now(match, seat)
                lost, wanted = (set(real(seen.table, None, None).lost) for seen in (before, now))
                covered, says = set(lost), instructions(match, seat)
                assert bool(says) == _must_be_told(match)
                for say in says:
                    _put_right({"side": seat, **say.fields}, say.key.split(".")[0], lost, covered)
                    followed += say.key != "answer"
                assert lost == covered == wanted
    assert followed > 5


def _must_be_told(match: Match) -> bool:
    """Whether an answer, or what lies on a house, is told otherwise than it was."""
    assert match.repair
    return any(_matters(was, now) for _, was, now, _ in match.repair.restated)


def _matters(was: News | None, now: News | None) -> bool:
    matched = [news.fields["value"] for news in (was, now) if news and news.kind == "matched"]
    if matched:
        return len(matched) == 1 or matched[0] != matched[1]
    attacked = was and now and was.kind == "attack"
    return bool(attacked and was and now and was.fields["answer"] != now.fields["answer"])


def _put_right(
    about: dict[str, Any], key: str, lost: set[tuple[Seat, int]], covered: set[tuple[Seat, int]]
) -> None:
    match key:
        case "lifted" | "returned":
            covered.remove((about["side"], about["house"]))
        case "rebuilt":
            lost.remove((about["side"], about["house"]))
        case "hit":
            lost.add((about["side"], about["house"]))
            covered.add((about["side"], about["house"]))
            lost.discard((other(about["side"]), about.get("from", 0)))
        case "matched":
            lost.add((about["side"], about["lost"]))
            covered.add((about["side"], about["lost"]))
        case _:
            assert key == "answer"


def test_nobody_is_told_that_a_swapped_card_stays_where_it_was() -> None:
    """The 5 that Ana laid there is hit and both moves are taken back: the 1 of before lies there again."""
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 7, 8))
    ana.swaps(house=1, card=5, decoy=1)
    assert bob.attacks(house=1, card=5) == "reussite"
    takes_back(table, "mask", moves=2)
    for seat in (None, "mask"):
        said = told(table, seat)
        assert "La planque 1 d’Ana n’est plus détruite." in said
        assert not any("remettez son espion face cachée" in line or "redevient" in line for line in said)
