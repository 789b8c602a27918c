"""A test language in the words of the table: `ana.attacks(house=2, card=3)`.

Ana plays the Agence T.A.R.G.E.T., Bob the Men in Mask. Every move goes through the match's own checks.
"""

from typing import Any

from referee.games.agent_hunter import AGENT_HUNTER
from referee.games.agent_hunter.table import HOUSES, Side
from tests.support.rules.table_language import AnyPlayer, AnyTable


class Table(AnyTable):
    """Where Ana and Bob sit, and what has been said so far."""

    def __init__(self, **options: Any) -> None:
        super().__init__(AGENT_HUNTER, **{"first": "target", **options})

    @property
    def scores(self) -> tuple[int, int]:
        """The points of Ana and of Bob."""
        return self.outcome.scores["target"], self.outcome.scores["mask"]

    @property
    def winner(self) -> str | None:
        names = [str(self.match.names[seat]) for seat in self.outcome.winners]
        return " ".join(names) or None


class Player(AnyPlayer[Table]):
    """Ana, Bob or one of their friends."""

    def hides(self, one: int, two: int, three: int) -> None:
        self.does("hide", houses=(one, two, three))

    def attacks(self, *, house: int, card: int | None = None, from_house: int | None = None) -> str:
        """Attack from hand or from a house; returns the answer."""
        if from_house is None:
            self.does("attack_from_hand", card=card, house=house)
        else:
            self.does("attack_from_house", **{"from": from_house, "house": house})
        return str(self.table.news("attack")["answer"])

    def swaps(self, *, house: int, card: int, decoy: int) -> None:
        self.does("swap", house=house, card=card, decoy=decoy)

    def refills(self, *, house: int, card: int) -> None:
        self.does("refill", house=house, card=card)

    def misses(self) -> None:
        """A turn that changes nothing: an attack from hand that finds another card."""
        card, house = next(
            (card, house)
            for card in sorted(self.cards)
            for house, held in self.enemy.houses.items()
            if held not in (card, None)
        )
        assert self.attacks(house=house, card=card) != "reussite"

    @property
    def enemy(self) -> "Player":
        return Player(self.table, "mask" if self.seat == "target" else "target")

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


def sit_down(**options: Any) -> tuple[Table, Player, Player]:
    """Ana and Bob take their seats; nothing is hidden yet. Ana begins unless an option says otherwise."""
    table = Table(**options)
    table.sits("target", "Ana")
    table.sits("mask", "Bob")
    return table, Player(table, "target"), Player(table, "mask")


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
