"""Card counting for Agent Avenue: which agents a seat may hold, deduced from public information only."""

from collections.abc import Collection

from referee.core.moves import Seat
from referee.games.agent_avenue.cards import AGENTS, COPIES
from referee.games.agent_avenue.table import INDEX, AvenueTable


def unmarked(table: AvenueTable, agent: str) -> int:
    """How many copies are neither face up nor known to belong to one seat: they may be anywhere."""
    i = INDEX[agent]
    in_play = sum(team.zone[i] for team in table.teams.values()) + (table.face_up == agent)
    return COPIES[agent] - in_play - sum(held.marked[i] for held in table.holdings.values())


def most(table: AvenueTable, seat: Seat, agent: str) -> int:
    """The most copies of an agent that a seat may hold."""
    held, i = table.holdings[seat], INDEX[agent]
    room = held.hand - sum(held.certain) + held.certain[i]
    unknown = held.hand + held.discarded - sum(held.marked)
    return min(room, held.marked[i] + min(unmarked(table, agent), unknown))


def may_hold(table: AvenueTable, seat: Seat, copies: int = 1) -> tuple[str, ...]:
    """The agents of which a seat may hold at least this many copies."""
    return tuple(agent for agent in AGENTS if most(table, seat, agent) >= copies)


def may_lack(table: AvenueTable, seat: Seat, agents: Collection[str]) -> bool:
    """Whether a hand may hold none of these agents."""
    held = table.holdings[seat]
    if any(held.certain[INDEX[agent]] for agent in agents):
        return False
    return sum(most(table, seat, agent) for agent in AGENTS if agent not in agents) >= held.hand


def may_lack_pairs(table: AvenueTable, seat: Seat) -> bool:
    """Whether all cards of a hand may differ."""
    held = table.holdings[seat]
    return max(held.certain) < 2 and len(may_hold(table, seat)) >= held.hand


def may_be_drawn(table: AvenueTable) -> tuple[str, ...]:
    """The agents that may lie on top of the deck."""
    return tuple(agent for agent in AGENTS if unmarked(table, agent))
