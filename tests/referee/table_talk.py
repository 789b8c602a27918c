"""A test language in the words of the table: `ana.attacks(house=2, card=3)`.

Ana plays the Agence T.A.R.G.E.T., Bob the Men in Mask. Every move goes through the match's own checks.
"""

from dataclasses import dataclass
from typing import Any

from referee.game import News, Outcome
from referee.games.agent_hunter import AGENT_HUNTER
from referee.games.agent_hunter.table import HOUSES, Side
from referee.match import Match, open_match
from referee.moves import Choice, Move, Seat
from referee.record import Joined, Moved
from referee.refused import Refused

SEED = "5e" * 32
SALT = "a1" * 32


class Table:
    """Where Ana and Bob sit, and what has been said so far."""

    def __init__(self, **options: Any) -> None:
        self.match: Match = open_match("KX7QF", AGENT_HUNTER, {"first": "target", **options}, SEED)

    def sits(self, seat: Seat, name: str) -> None:
        self.match = self.match.after(Joined(seat, name))

    def moves(self, seat: Seat, move: Move) -> None:
        self.match.check(seat, move, self.match.version)
        salt = SALT if AGENT_HUNTER.moves[move.type].secret else ""
        self.match = self.match.after(Moved(seat, move, salt))

    @property
    def state(self) -> Any:
        assert self.match.state is not None
        return self.match.state

    @property
    def heard(self) -> list[News]:
        """What the last move told everybody."""
        return [told.news for told in self.match.news if told.entry == self.match.entries]

    def kinds(self) -> list[str]:
        return [news.kind for news in self.heard]

    def news(self, kind: str) -> dict[str, Any]:
        """The fields of the one piece of news of this kind that the last move brought."""
        (fields,) = (news.fields for news in self.heard if news.kind == kind)
        return dict(fields)

    @property
    def public(self) -> dict[str, Any]:
        return AGENT_HUNTER.public(self.state.table)

    @property
    def outcome(self) -> Outcome:
        assert self.match.outcome is not None, "the game is not over"
        return self.match.outcome

    @property
    def over(self) -> bool:
        return self.match.outcome is not None

    @property
    def scores(self) -> tuple[int, int]:
        """The points of Ana and of Bob."""
        return self.outcome.scores["target"], self.outcome.scores["mask"]

    @property
    def winner(self) -> str | None:
        names = [str(self.match.names[seat]) for seat in self.outcome.winners]
        return " ".join(names) or None


@dataclass(frozen=True)
class Player:
    """Somebody at the table."""

    table: Table
    seat: Seat
    name: str

    def hides(self, one: int, two: int, three: int) -> None:
        self.table.moves(self.seat, Move("hide", {"houses": (one, two, three)}))

    def attacks(self, *, house: int, card: int | None = None, from_house: int | None = None) -> str:
        """Attack from hand or from a house; returns the answer."""
        if from_house is None:
            move = Move("attack_from_hand", {"card": card, "house": house})
        else:
            move = Move("attack_from_house", {"from": from_house, "house": house})
        self.table.moves(self.seat, move)
        return str(self.table.news("attack")["answer"])

    def swaps(self, *, house: int, card: int, decoy: int) -> None:
        self.table.moves(self.seat, Move("swap", {"house": house, "card": card, "decoy": decoy}))

    def refills(self, *, house: int, card: int) -> None:
        self.table.moves(self.seat, Move("refill", {"house": house, "card": card}))

    def misses(self) -> None:
        """A turn that changes nothing: an attack from hand that finds another card."""
        card, house = next(
            (card, house)
            for card in sorted(self.cards)
            for house, held in self.enemy.houses.items()
            if held not in (card, None)
        )
        assert self.attacks(house=house, card=card) != "reussite"

    def is_refused(self, kind: str, /, **fields: Any) -> str:
        """The rule that forbids this move, or the refusal's code; fails when it is allowed."""
        try:
            self.table.match.check(self.seat, Move(kind, fields), self.table.match.version)
        except Refused as refused:
            return refused.why.key.removeprefix("agent_hunter.why.") if refused.why else refused.code
        raise AssertionError(f"{self.name} may {kind} {fields}")

    @property
    def enemy(self) -> "Player":
        seat = "mask" if self.seat == "target" else "target"
        return Player(self.table, seat, str(self.table.match.names[seat]))

    @property
    def choices(self) -> list[Choice]:
        return list(self.table.match.choices[self.seat])

    @property
    def may(self) -> list[str]:
        """The types of move this player is offered, each once."""
        return list(dict.fromkeys(choice.type for choice in self.choices))

    def offered(self, kind: str, name: str) -> list[tuple[Any, ...]]:
        """The options of a field, in every choice of this type."""
        return [
            f.options
            for choice in self.choices
            if choice.type == kind
            for f in choice.fields
            if f.name == name
        ]

    @property
    def cards(self) -> set[int]:
        """What is in hand."""
        return set(self.table.state.hands[self.seat].cards)

    @property
    def houses(self) -> dict[int, int | None]:
        """What the houses hold; None: destroyed, or empty."""
        return dict(self.table.state.hands[self.seat].houses)

    @property
    def side(self) -> Side:
        """What everybody sees of this player."""
        side = self.table.state.table.sides[self.seat]
        assert isinstance(side, Side)
        return side

    @property
    def known(self) -> list[int]:
        return list(self.table.public["sides"][self.seat]["known_in_hand"])

    @property
    def lost(self) -> dict[int, int | None]:
        """The destroyed houses and the value each of them held."""
        return {n: self.side.houses[n].value for n in HOUSES if self.side.houses[n].destroyed}

    @property
    def decoys(self) -> list[int]:
        return [self.side.houses[n].decoys for n in HOUSES]

    def todo(self) -> list[str]:
        """What this player is asked to do with the real cards."""
        return [say.key for say in AGENT_HUNTER.todo(self.table.state.slice(self.seat))]


def sit_down(**options: Any) -> tuple[Table, Player, Player]:
    """Ana and Bob take their seats; nothing is hidden yet. Ana begins unless an option says otherwise."""
    table = Table(**options)
    ana, bob = Player(table, "target", "Ana"), Player(table, "mask", "Bob")
    for player in (ana, bob):
        table.sits(player.seat, player.name)
    return table, ana, bob


def play(
    ana: tuple[int, int, int], bob: tuple[int, int, int], **options: Any
) -> tuple[Table, Player, Player]:
    """A game in which these cards have been hidden in the houses 1, 2 and 3."""
    table, a, b = sit_down(**options)
    a.hides(*ana)
    b.hides(*bob)
    return table, a, b


def down_to_one_house(ana: Player, bob: Player) -> None:
    """Ana (houses 1, 2, …) loses two of them and a decoy: 3 points. Bob (4, 5, …) loses two: 2 points."""
    ana.swaps(house=1, card=1, decoy=1)
    bob.attacks(house=1, card=1)
    ana.attacks(house=1, card=4)
    bob.attacks(house=2, card=2)
    ana.attacks(house=2, card=5)
    bob.misses()
