"""Agent Avenue a second time, as piles of cards on a table, to compare with the real rules.

Nothing here is shared with the game: agents lie in zones, pawns walk space by space around the block, and
what people enter is followed to the letter.
"""

from collections import Counter
from typing import Any

from referee.core.entries import Moved
from referee.core.match import Match
from referee.games.agent_avenue import AGENT_AVENUE
from referee.program.simulate import opened, steps
from tests.support.soak import games

PRINTED = {
    "double_agent": "-1 +6 -1",
    "enforcer": "+1 +2 +3",
    "codebreaker": "0 0 win",
    "saboteur": "-1 -1 -2",
    "daredevil": "+2 +3 lose",
    "sentinel": "0 +2 +6",
    "sidekick": "+4",
    "mole": "-3",
}
KEPT = {
    *("watchtower", "leader_of_the_pack", "distraction_device", "getaway_car"),
    *("sinister_twin", "masterplan", "supercomputer", "security_system"),
}
CORNERS = {2, 5, 9, 12}
FOE = {"green": "blue", "blue": "green"}


class Walker:
    """A pawn that walks one space at a time, and how far ahead of its home that brought it."""

    def __init__(self, home: int) -> None:
        self.at, self.walked = home, 0

    def walk(self, spaces: int) -> None:
        for _ in range(abs(spaces)):
            self.at = (self.at + (1 if spaces > 0 else 13)) % 14
            self.walked += 1 if spaces > 0 else -1


class Block:
    """Everything on the table, moved by hand."""

    def __init__(self, options: Any, seats: tuple[str, ...], first: str) -> None:
        self.pawns = {"green": Walker(0), "blue": Walker(7)}
        self.zones: dict[str, Counter[str]] = {"green": Counter(), "blue": Counter()}
        self.kept: dict[str, set[str]] = {"green": set(), "blue": set()}
        self.hands = dict.fromkeys(seats, 4)
        self.deck, self.gone = 38 - 4 * len(seats), 0
        self.advanced, self.active = options["mode"] == "advanced", first
        self.offer: list[tuple[str, str]] = []
        self.card: tuple[str, str] | None = None  # who took which immediate card
        self.waits: set[str] = set()  # sides that stopped on a corner
        self.row, self.unseen, self.used = 0, 15, 0
        self.one_left = False  # in the deck, when the turn began
        self.last_card: str | None = None  # which of a pair discarded for it, and so must play face up
        self.ended: tuple[str, str] | None = None

    def side(self, seat: str) -> str:
        return seat[:5] if seat.startswith("green") else seat[:4]

    def draw(self, seat: str) -> None:
        while self.hands[seat] < 4 and self.deck:
            self.hands[seat], self.deck = self.hands[seat] + 1, self.deck - 1

    def recruit(self, side: str, agent: str) -> None:
        self.zones[side][agent] += 1
        printed = PRINTED[agent].split()
        symbol = printed[min(self.zones[side][agent], len(printed)) - 1]
        spaces = 0 if symbol in ("win", "lose") else int(symbol)
        if agent == "saboteur" and "distraction_device" in self.kept[side]:
            spaces = abs(spaces)
        spaces *= 2 if agent == "double_agent" and "sinister_twin" in self.kept[side] else 1
        spaces += 2 if agent == "enforcer" and "watchtower" in self.kept[side] else 0
        spaces += 3 if agent == "codebreaker" and "supercomputer" in self.kept[side] else 0
        self.walk(side, spaces)

    def walk(self, side: str, spaces: int) -> None:
        pawn = self.pawns[side]
        pawn.walk(spaces)
        if spaces and pawn.at in (0, 7) and "getaway_car" in self.kept[side]:
            pawn.walk(3)
        if spaces and self.advanced and pawn.at in CORNERS:
            self.waits.add(side)

    def enter(self, seat: str, kind: str, f: dict[str, Any]) -> None:
        getattr(self, kind)(seat, self.side(seat), f)

    def discard(self, seat: str, side: str, _f: dict[str, Any]) -> None:
        assert self.deck > 0
        if self.one_left and seat != side:
            assert not self.offer, "the last card is for whoever plays face up"
            self.last_card = seat
        self.deck, self.gone = self.deck - 1, self.gone + 1

    def show(self, seat: str, _side: str, f: dict[str, Any]) -> None:
        self.hands[seat] -= 1
        self.offer = [(seat, f["agent"])]
        assert self.last_card in (None, seat)
        if seat != self.side(seat):  # one of a pair; who plays alone does not draw between both cards
            self.draw(seat)

    def conceal(self, seat: str, _side: str, f: dict[str, Any]) -> None:
        self.hands[seat] -= 1
        self.offer.append((seat, f["agent"]))
        self.draw(seat)

    def take(self, _seat: str, side: str, f: dict[str, Any]) -> None:
        shown, hidden = (agent for _, agent in self.offer)
        taken, left = (shown, hidden) if f["card"] == "face_up" else (hidden, shown)
        self.offer = []
        self.recruit(FOE[side], left)
        self.recruit(side, taken)
        self.with_defaults()

    def market_setup(self, _seat: str, _side: str, _f: dict[str, Any]) -> None:
        self.row, self.unseen = 3, 12

    def market_pick(self, seat: str, side: str, f: dict[str, Any]) -> None:
        self.waits.discard(side)
        self.row -= 1
        if f["card"] in KEPT:
            self.kept[side].add(f["card"])
        else:
            self.card = (seat, f["card"])
        if not self.unseen:
            self.effect()

    def market_refill(self, _seat: str, _side: str, _f: dict[str, Any]) -> None:
        self.row, self.unseen = self.row + 1, self.unseen - 1
        self.effect()

    def effect(self) -> None:
        """What happens by itself; what is asked of somebody comes with their next entry."""
        if self.card is None:
            self.with_defaults()
        elif self.card[1] == "surveillance_truck":
            self.walk(self.side(self.card[0]), 1)
            self.use()

    def use(self) -> None:
        self.card, self.used = None, self.used + 1
        self.with_defaults()

    def recruit_from_hand(self, seat: str, side: str, f: dict[str, Any]) -> None:
        self.hands[seat] -= 1
        self.recruit(side, f["agent"])
        self.draw(seat)
        self.use()

    def recruit_from_deck(self, _seat: str, side: str, f: dict[str, Any]) -> None:
        self.deck -= 1
        self.recruit(side, f["agent"])
        self.use()

    def take_from(self, seat: str, side: str, f: dict[str, Any]) -> None:
        self.zones[FOE[side]][f["agent"]] -= 1
        self.hands[seat] += 1
        self.use()

    def take_back(self, seat: str, side: str, f: dict[str, Any]) -> None:
        self.zones[side][f["agent"]] -= 1
        self.hands[seat] += 1
        if f["recruit"]:
            self.hands[seat] -= 1
            self.recruit(side, f["agent"])
        self.use()

    def cannot(self, _seat: str, _side: str, _f: dict[str, Any]) -> None:
        self.use()

    def with_defaults(self) -> None:
        """Nobody has anything left to do this turn: does it end the game?"""
        if self.waits and self.row:
            return
        self.waits = set()
        self.ended = self.verdict()
        self.active = FOE[self.active]
        self.one_left, self.last_card = self.deck == 1, None

    def verdict(self) -> tuple[str, str] | None:
        won = {side: self.wins(side) for side in FOE}
        lost = {s: self.zones[s]["daredevil"] > 2 and "leader_of_the_pack" not in self.kept[s] for s in FOE}
        good, bad = [s for s in FOE if won[s]], [s for s in FOE if lost[s]]
        if len(good) == 2 or len(bad) == 2 or set(good) & set(bad):
            return self.active, "conflict"
        if good:
            return good[0], won[good[0]][0]
        if bad:
            return FOE[bad[0]], "daredevils"
        return None if self.deck or self.can_play(FOE[self.active]) else (self.nearer(), "exhausted")

    def wins(self, side: str) -> list[str]:
        zone, kept, pawn, foe = self.zones[side], self.kept[side], self.pawns[side], self.pawns[FOE[side]]
        tests = {
            "catch": pawn.walked >= 7 + foe.walked,
            "codebreakers": zone["codebreaker"] > 2,
            "leader_of_the_pack": zone["daredevil"] > 2 and "leader_of_the_pack" in kept,
            "masterplan": "masterplan" in kept and sum(n > 0 for n in zone.values()) > 6,
            "security_system": "security_system" in kept and foe.at == {"green": 0, "blue": 7}[side],
        }
        return [reason for reason, met in tests.items() if met]

    def can_play(self, side: str) -> bool:
        hands = [n for seat, n in self.hands.items() if self.side(seat) == side]
        return all(n > 0 for n in hands) if len(hands) == 2 else hands[0] > 1

    def nearer(self) -> str:
        ahead = {side: self.pawns[side].walked for side in FOE}
        return self.active if ahead[self.active] >= ahead[FOE[self.active]] else FOE[self.active]


def _agree(block: Block, match: Match) -> None:
    assert match.state is not None
    shown = AGENT_AVENUE.public(match.state.table)
    for side in ("green", "blue"):
        told = shown["sides"][side]
        assert (told["progress"], told["space"]) == (block.pawns[side].walked, block.pawns[side].at)
        assert told["zone"] == {agent: n for agent, n in block.zones[side].items() if n}
        assert set(told["permanents"]) == block.kept[side]
    assert (shown["hands"], shown["deck"]) == (block.hands, block.deck)
    if block.advanced:
        market = shown["market"]
        assert (len(market["row"]), market["deck"]) == (block.row, block.unseen)
        assert len(market["discard"]) == block.used
    if not match.outcome and shown["turn"]:
        assert shown["turn"] == block.active
    cards = sum(block.hands.values()) + block.deck + block.gone + len(block.offer)
    assert cards + sum(sum(zone.values()) for zone in block.zones.values()) == 38


def test_random_games_go_as_the_cards_on_the_table() -> None:
    met = Counter[str]()
    for i in games(250):
        match = opened(AGENT_AVENUE, f"block/{i}")
        block: Block | None = None
        for step in steps(match, f"block/{i}"):
            match = step.match
            if block is None and match.state:
                block = Block(match.options, match.seats, match.state.table.first)
            if block and isinstance(step.entry, Moved):
                block.enter(step.entry.seat, step.entry.move.type, dict(step.entry.move.fields))
                if any(
                    t.news.fields.get("result") == "impossible"
                    for t in match.news
                    if t.entry == match.entries
                ):
                    block.use()
                    met["impossible"] += 1
                _agree(block, match)
                ended = match.outcome and (match.outcome.winners[0].split("_")[0], match.outcome.reason)
                assert ended == block.ended
                assert not match.outcome or match.outcome.scores == {
                    s: p.walked for s, p in block.pawns.items()
                }
        assert match.outcome is not None
        met[match.outcome.reason] += 1
    assert met.keys() >= {"catch", "codebreakers", "daredevils", "conflict"}
