"""An independent oracle of Agent Double: random games are judged again from the record alone.

It knows only the moves that were made and the rules of a delivery, written once more in another way: one
list of cards, thresholds counted anew, sums added up by hand, what owners say of their cards noted down.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from referee.core.entries import Moved
from referee.core.match import Match
from referee.core.moves import Move
from referee.games.agent_double import AGENT_DOUBLE
from referee.program.simulate import opened, steps
from tests.support.soak import games

OPEN = {"deck": None}


@dataclass
class Spot:
    """All that lies before an agent, secrets included."""

    track: int  # 0, 1 red's spaces; 2, 3 blue's
    tokens: dict[str, int] = field(default_factory=dict)
    cards: list[tuple[str, str, str]] = field(default_factory=list)  # owner, back, face
    extra: int = 0
    closed: bool = False


class Oracle:
    """Follows a game with open decks and foretells every delivery."""

    def __init__(self, options: Any) -> None:
        self.options = options
        self.names = list(options["agents"])
        starts = {"red": 1, "blue": 2}
        self.row = {n: Spot(starts[options["influence"][i]]) for i, n in enumerate(self.names)}
        self.plan: list[Move] = []
        self.keeps = False  # the card of the action that is planned returns to hand
        self.left = {"red": 22, "blue": 22}  # cards in hand and deck
        self.score = {"red": [0, 0], "blue": [0, 0]}
        self.start: str | None = None
        self.at = ""  # the agent whose delivery waits for a word
        self.asking: list[str] = []  # the owners of cards that still ask, in their order
        self.said, self.word, self.refused = "", "", 0

    def follow(self, seat: str, move: Move) -> list[tuple[str, str | None, int]]:
        """The deliveries that this move sets off: agent, who takes them by the sum, points."""
        match move.type:
            case "assign_loyalty":
                for name, token in zip(self.names, move["tokens"], strict=True):
                    self.row[name].tokens[seat] = token
            case "place":
                self.row[move["agent"]].cards.append((seat, move["back"], move["file"]))
                self.left[seat] -= 1
                return self.deliver(move["agent"])
            case "influence":
                self.row[move["agent"]].track += -1 if seat == "red" else 1
            case "act":
                self.plan = []
            case "act_done":
                self.keeps = move.fields == {"card": "hand"}
            case "ruling":
                assert seat == self.asking[0]
                self.said = move["taker"]
            case "agree" | "disagree" if self.asking:
                return self.answer(move.type == "agree")
            case "agree":
                self.left["blue" if seat == "red" else "red"] -= not self.keeps
                for each in self.plan:
                    self.happen(each)
                self.plan = []
                return self.deliver(None)
            case kind if kind.startswith("fx_"):
                self.plan.append(move)
        return []

    def happen(self, move: Move) -> None:
        match move.type:
            case "fx_marker":
                self.row[move["agent"]].extra += 1
            case "fx_influence":
                self.row[move["agent"]].track += -1 if move["toward"] == "red" else 1
            case "fx_swap_loyalty":
                one, two = self.row[move["a"]].tokens, self.row[move["b"]].tokens
                one[move["side"]], two[move["side"]] = two[move["side"]], one[move["side"]]
            case "fx_move_file":
                self.row[move["to"]].cards.append(self.row[move["from"]].cards.pop(move["index"]))
            case "fx_remove_file":
                self.row[move["agent"]].cards.pop(move["index"])

    def ready(self, name: str) -> bool:
        spot, at = self.row[name], self.names.index(name)
        near = [self.row[self.names[i]] for i in (at - 1, at + 1) if 0 <= i < 6]
        need = (3 if any(other.closed for other in near) else 4) + spot.extra
        return not spot.closed and len(spot.cards) >= need

    def deliver(self, start: str | None) -> list[tuple[str, str | None, int]]:
        self.start = start
        return list(self.go_on())

    def go_on(self) -> Iterator[tuple[str, str | None, int]]:
        while able := [name for name in self.names if self.ready(name)]:
            self.start = self.start or able[0]
            middle = self.names.index(self.start)
            rings = [middle + way * far for far in range(6) for way in ((-1, 1) if far else (1,))]
            self.at = next(self.names[i] for i in rings if 0 <= i < 6 and self.names[i] in able)
            self.asking, self.word = list(self.owners(self.at)), ""
            if self.asking:
                return
            yield self.take(self.at)

    def owners(self, name: str) -> Iterator[str]:
        """Whose cards ask: Docs personnels before Docs piégés, red's before blue's."""
        lying = [(face, owner) for owner, _, face in self.row[name].cards]
        for face in ("personal", "trapped"):
            for seat in ("red", "blue"):
                yield from [seat] * (lying.count((face, seat)) if self.options[face] == "ask" else 0)

    def answer(self, yes: bool) -> list[tuple[str, str | None, int]]:
        """To what an owner said: it holds, or is said once more, or counts for nothing."""
        self.refused = 0 if yes else self.refused + 1
        if self.refused == 1:
            return []
        self.word = self.said if yes else self.word
        self.refused = 0
        self.asking.pop(0)
        return [] if self.asking else [self.take(self.at), *self.go_on()]

    def take(self, name: str) -> tuple[str, str | None, int]:
        spot = self.row[name]
        sums = dict(spot.tokens)
        for seat, dark in (("red", 0), ("blue", 3)):
            sums[seat] += spot.track == dark
            if self.options["personal"] == "plus_one":
                sums[seat] += [(owner, face) for owner, _, face in spot.cards].count((seat, "personal"))
        taker = "red" if (sums["red"], spot.track < 2) > (sums["blue"], spot.track >= 2) else "blue"
        points = sum(
            int(face) if face.isdigit() else 0 if back == "0/7" else int(back) for _, back, face in spot.cards
        )
        self.row[name] = Spot(spot.track, closed=True)
        taker = self.word or taker
        if taker == "nobody":
            return name, taker, 0
        self.score[taker][0] += points
        self.score[taker][1] += len(spot.cards)
        return name, taker, points


def judged(seed: str, **options: Any) -> Iterator[tuple[Match, Oracle]]:
    """Follow a random game move by move."""
    match = opened(AGENT_DOUBLE, seed)
    match = opened(AGENT_DOUBLE, seed, {**match.options, **OPEN, **options})
    oracle = Oracle(match.options)
    for step in steps(match, seed):
        if isinstance(step.entry, Moved):
            foretold = oracle.follow(step.entry.seat, step.entry.move)
            told = [t.news.fields for t in step.match.told() if t.news.kind == "delivered"]
            real = [(f["agent"], f["taker"], f["points"]) for f in told]
            assert real == foretold, seed
            assert step.match.state is not None
            table = AGENT_DOUBLE.public(step.match.state.table)
            there = {who: table["hands"][who] + table["decks"][who] for who in oracle.left}
            assert there == oracle.left, seed
        yield step.match, oracle


@pytest.mark.parametrize(
    ("trapped", "personal", "chains"), [("none", "plus_one", 5), ("ask", "plus_one", 5), ("ask", "ask", 0)]
)
def test_every_delivery_is_foretold(trapped: str, personal: str, chains: int) -> None:
    met: Counter[str] = Counter()
    for i in games(30):
        worlds = list(judged(f"oracle/{i}", trapped=trapped, personal=personal))
        for match, _ in worlds:
            kinds = [told.news.kind for told in match.told()]
            met.update(kinds, chain=kinds.count("delivered") > 1)
        match, oracle = worlds[-1]
        assert match.outcome is not None
        assert match.outcome.scores == {seat: points for seat, (points, _) in oracle.score.items()}
        _ends_as_it_should(match, oracle)
    assert met["chain"] >= chains
    assert (met["asks"] > 20) == (trapped == "ask")


def _ends_as_it_should(match: Match, oracle: Oracle) -> None:
    """The higher total, then the fewer cards, then nobody."""
    assert match.outcome is not None
    ranks = {seat: (points, -cards) for seat, (points, cards) in oracle.score.items()}
    best = [seat for seat in ranks if ranks[seat] == max(ranks.values())]
    assert list(match.outcome.winners) == (best if len(best) == 1 else [])
    closed = sum(spot.closed for spot in oracle.row.values())
    assert match.outcome.reason == "exhausted" or closed >= 5
