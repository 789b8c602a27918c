"""A second, independent implementation of Agent Hunter, which random games are compared with.

It shares no code with the game: it tracks where each of the twenty cards lies, and what people announce.
"""

from typing import Any

from referee.core.entries import Moved
from referee.core.match import Match
from referee.games.agent_hunter import AGENT_HUNTER
from referee.program.simulate import opened, steps
from tests.support.soak import games

HAND, OUT = "hand", "out"
Say = tuple[str, dict[str, Any]]


class Box:
    """Where each of the twenty cards is: in hand, in house 1, 2 or 3, or out."""

    def __init__(self, options: Any) -> None:
        self.place: dict[tuple[str, int], Any] = {(s, v): HAND for s in ("target", "mask") for v in range(10)}
        self.fallen: dict[tuple[str, int], int] = {}
        self.decoys: list[tuple[str, int]] = []
        self.known: dict[str, set[int]] = {"target": set(), "mask": set()}
        self.to_refill: tuple[str, int] | None = None
        self.cap, self.refill_at_end = options["turn_cap"], options["refill_after_final"]
        self.turns = 0

    def at(self, side: str, place: Any) -> list[int]:
        return sorted(v for (s, v), p in self.place.items() if (s, p) == (side, place))

    def over(self) -> str | None:
        if self.to_refill and not self._abandoned():
            return None
        if self._decided():
            return "houses"
        return "turn_cap" if self.cap is not None and self.turns >= self.cap else None

    def _decided(self) -> bool:
        return any(sum(s == side for s, _ in self.fallen) == 3 for side in ("target", "mask"))

    def _abandoned(self) -> bool:
        return self._decided() and not self.refill_at_end

    def points(self, side: str) -> int:
        lost = [house for house in self.fallen if house[0] != side]
        return len(lost) + sum(self.decoys.count(house) for house in lost)

    def winners(self) -> list[str]:
        """By points, then by the cards in hand."""
        strength = {s: (self.points(s), sum(self.at(s, HAND))) for s in ("target", "mask")}
        best = max(strength.values())
        return [s for s in strength if strength[s] == best] if len(set(strength.values())) > 1 else []

    def move(self, by: str, kind: str, f: dict[str, Any]) -> list[Say]:
        said: list[Say] = getattr(self, kind)(by, "mask" if by == "target" else "target", f)
        if kind != "hide" and (not self.to_refill or self._abandoned()):
            self.turns += 1
        return said

    def hide(self, by: str, _foe: str, f: dict[str, Any]) -> list[Say]:
        for house, card in zip((1, 2, 3), f["houses"], strict=True):
            self.place[by, card] = house
        return [("hidden", {"by": by})]

    def attack_from_hand(self, by: str, foe: str, f: dict[str, Any]) -> list[Say]:
        said = self._aims(by, foe, f["card"], f["house"], {"origin": "hand"})
        if said[-1][0] == "attack":
            self.known[by].add(f["card"])
        return said

    def attack_from_house(self, by: str, foe: str, f: dict[str, Any]) -> list[Say]:
        (card,) = self.at(by, f["from"])
        said = self._aims(by, foe, card, f["house"], {"origin": "house", "from": f["from"]})
        if said[-1][0] == "destroyed":
            self.to_refill = (by, f["from"])
            return said
        came_from = self.place[foe, card]
        fate = {"by": foe, "value": card, "origin": "hand"}
        if came_from != HAND:
            self.to_refill = (foe, came_from)
            fate |= {"origin": "house", "house": came_from}
        return [*said, *self._falls(by, f["from"], card), ("matched", fate)]

    def _aims(self, by: str, foe: str, card: int, house: int, how: dict[str, Any]) -> list[Say]:
        (held,) = self.at(foe, house)
        word = ("moins", "reussite", "plus")[(held > card) - (held < card) + 1]
        said: list[Say] = [("attack", {"by": by, **how, "card": card, "house": house, "answer": word})]
        return said + (self._falls(foe, house, card) if held == card else [])

    def _falls(self, side: str, house: int, value: int) -> list[Say]:
        self.fallen[side, house] = value
        for each in ("target", "mask"):
            self.place[each, value] = OUT
            self.known[each].discard(value)
        return [("destroyed", {"side": side, "house": house, "value": value})]

    def swap(self, by: str, _foe: str, f: dict[str, Any]) -> list[Say]:
        (shown,) = self.at(by, f["house"])
        self.place[by, shown] = HAND
        self._lays(by, f)
        self.decoys.append((by, f["decoy"]))
        return [("swapped", {"by": by, "house": f["house"], "shown": shown, "decoy": f["decoy"]})]

    def refill(self, by: str, _foe: str, f: dict[str, Any]) -> list[Say]:
        assert self.to_refill == (by, f["house"])
        self.to_refill = None
        self._lays(by, f)
        return [("refilled", {"by": by, "house": f["house"]})]

    def _lays(self, by: str, f: dict[str, Any]) -> None:
        assert self.place[by, f["card"]] == HAND
        self.place[by, f["card"]] = f["house"]
        self.known[by].clear()


def _agree(box: Box, match: Match) -> None:
    """The box of cards and the match show the same table and the same hands."""
    assert match.state is not None
    public = AGENT_HUNTER.public(match.state.table)
    for side in ("target", "mask"):
        hand, shown = AGENT_HUNTER.hand(match.state.hands[side]), public["sides"][side]
        assert hand["cards"] == box.at(side, HAND)
        assert [v for v in hand["houses"].values() if v is not None] == [
            v for house in (1, 2, 3) for v in box.at(side, house)
        ]
        assert shown["hand_size"] == len(box.at(side, HAND))
        assert shown["known_in_hand"] == sorted(box.known[side])
        assert {h["house"]: h["value"] for h in shown["houses"] if h["destroyed"]} == {
            house: value for (s, house), value in box.fallen.items() if s == side
        }
        assert [h["decoys"] for h in shown["houses"]] == [box.decoys.count((side, h)) for h in (1, 2, 3)]
        assert shown["decoys_left"] == 5 - sum(s == side for s, _ in box.decoys)


def test_random_games_go_as_the_cards_say() -> None:
    for i in games(150):
        match = opened(AGENT_HUNTER, f"oracle/{i}")
        box = Box(match.options)
        for step in steps(match, f"oracle/{i}"):
            if isinstance(step.entry, Moved):
                said = box.move(step.entry.seat, step.entry.move.type, dict(step.entry.move.fields))
                told = [t.news for t in step.match.news if t.entry == step.match.entries]
                own = [(n.kind, dict(n.fields)) for n in told if n.kind not in ("turn", "over")]
                assert own == said
                _agree(box, step.match)
                assert (step.match.outcome.reason if step.match.outcome else None) == box.over()
            match = step.match
        assert match.outcome is not None
        assert list(match.outcome.winners) == box.winners()
        assert match.outcome.scores == {s: box.points(s) for s in ("target", "mask")}
        tied = box.points("target") == box.points("mask")
        sums = {s: sum(box.at(s, HAND)) for s in ("target", "mask")}
        assert match.outcome.tie_break == ({"hand_sum": sums} if tied else None)
