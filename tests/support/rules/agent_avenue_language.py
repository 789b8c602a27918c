"""A test language for Agent Avenue: `ana.shows("mole")`, `bob.takes("face_up")`.

Ana plays the Greens and Bob the Blues; with more people Chloé joins the Greens and Dan the Blues. Every move
goes through the match's own checks.
"""

from dataclasses import replace
from typing import Any

from referee.core.moves import Seat
from referee.games.agent_avenue import AGENT_AVENUE
from referee.games.agent_avenue.table import Counts, Team, added
from tests.support.rules.table_language import AnyPlayer, AnyTable

NAMES = {
    "green": "Ana",
    "blue": "Bob",
    "green_1": "Ana",
    "green_2": "Chloé",
    "blue_1": "Bob",
    "blue_2": "Dan",
}


FILLER = ("masterplan", "leader_of_the_pack")  # permanent cards that change no move


class Table(AnyTable):
    """Where they sit, and what has been said so far."""

    def __init__(self, **options: Any) -> None:
        super().__init__(AGENT_AVENUE, **{"first": "green", **options})
        for seat in self.match.seats:
            self.sits(seat, NAMES[seat])

    def stands(self, **changes: Any) -> None:
        """Set things on the table otherwise: a position that a test begins with."""
        state = self.match.state
        assert state is not None
        state = replace(state, table=replace(state.table, **changes))
        standing = {**self.match.state_changes(state), "changed": self.match.changed}
        self.match = replace(self.match, **standing)

    def team(
        self, side: str, progress: int | None = None, permanents: tuple[str, ...] = (), **zone: int
    ) -> None:
        """A side has come so far, with these agents in play and these market cards."""
        before = self.state.table.teams[side]
        counts: Counts = before.zone
        for agent, n in zone.items():
            counts = added(counts, agent, n)
        far = before.progress if progress is None else progress
        cards = (*before.permanents, *permanents)
        team = Team(far, counts, cards, (*before.bought, *permanents))
        self.stands(teams={**self.state.table.teams, side: team})

    def holds(self, seat: Seat, **changes: Any) -> None:
        held = replace(self.state.table.holdings[seat], **changes)
        self.stands(holdings={**self.state.table.holdings, seat: held})

    @property
    def step(self) -> str:
        return str(self.public["step"])

    @property
    def progress(self) -> tuple[int, int]:
        """Of the Greens and of the Blues."""
        sides = self.public["sides"]
        return sides["green"]["progress"], sides["blue"]["progress"]

    @property
    def end(self) -> tuple[str, str]:
        """Which side won, and why."""
        return self.outcome.winners[0].partition("_")[0], self.outcome.reason


class Player(AnyPlayer[Table]):
    """Somebody of the Greens or of the Blues."""

    def discards(self) -> None:
        self.does("discard")

    def shows(self, agent: str) -> None:
        self.does("show", agent=agent)

    def conceals(self, agent: str, **more: Any) -> None:
        self.does("conceal", agent=agent, **more)

    def takes(self, card: str) -> None:
        self.does("take", card=card)

    def picks(self, card: str, refill: str | None = None) -> None:
        """Take a card from the market's row; the one turned up in its place is told too."""
        self.does("market_pick", card=card)
        if refill:
            self.does("market_refill", card=refill)

    def offered(self, kind: str, name: str = "agent") -> list[Any]:
        """The options of a field, of all choices of this type together."""
        return [option for options in super().offered(kind, name) for option in options]


def sit_down(**options: Any) -> tuple[Table, Player, Player]:
    """A game of two; the Greens begin unless an option says otherwise."""
    table = Table(**options)
    return table, Player(table, "green"), Player(table, "blue")


def in_market(row: tuple[str, ...] = ("watchtower", "masterplan", "outpost")) -> tuple[Table, Player, Player]:
    """A game of two with the black market laid out."""
    table, ana, bob = sit_down(mode="advanced")
    ana.does("market_setup", cards=row)
    return table, ana, bob


def turn(active: Player, other: Player, mine: str, theirs: str) -> None:
    """A whole turn: whoever plays recruits one agent, the others take the other, which lies face up."""
    active.shows(theirs)
    if mine == theirs:
        active.conceals(mine, whole_hand=True)
    else:
        active.conceals(mine)
    other.takes("face_up")


def landing(card: str, **green: Any) -> tuple[Table, Player, Player]:
    """Ana stands one before a market space (or where a test says) and this card lies in the row."""
    table, ana, bob = in_market((card, *FILLER))
    table.team("green", **{"progress": 1, **green})
    return table, ana, bob


def with_effect(card: str, **green: Any) -> tuple[Table, Player, Player]:
    """Ana has just taken this card from the market, and the row is full again."""
    table, ana, bob = landing(card, **green)
    turn(ana, bob, mine="enforcer", theirs="codebreaker")
    ana.picks(card, refill="security_system")
    return table, ana, bob
