"""Extra data for the page's drawing of Agent Avenue: the agents' symbols, and the lead of one side."""

from typing import Any

from referee.games.agent_avenue.cards import AGENTS, CATCH, COPIES, MANY, SIDES, symbol
from referee.games.agent_avenue.table import AvenueTable

ENDS = {"codebreaker": "wins", "daredevil": "loses"}  # the meaning of an agent's third symbol


def sketch(table: AvenueTable) -> dict[str, Any]:
    green, blue = (table.teams[side].progress for side in SIDES)
    lead = abs(green - blue)
    return {
        "symbols": SYMBOLS,
        "ahead": SIDES[blue > green] if lead else None,
        "lead": lead,
        "gap": max(0, CATCH - lead),
        "left": {agent: _left(table, agent) for agent in AGENTS},
        "next": {side: _next(table, side) for side in SIDES},
    }


def _left(table: AvenueTable, agent: str) -> int:
    """How many copies nobody has seen in play: in the deck, in the hands, discarded or face down."""
    in_play = sum(team.has(agent) for team in table.teams.values())
    return COPIES[agent] - in_play - (table.face_up == agent)


def _symbols(agent: str) -> list[int | str]:
    """The symbols as printed on the card."""
    printed: list[int | str] = [symbol(agent, copies) for copies in range(1, min(COPIES[agent], MANY) + 1)]
    return [*printed[:-1], ENDS.get(agent, printed[-1])]


SYMBOLS = {agent: _symbols(agent) for agent in AGENTS}


def _next(table: AvenueTable, side: str) -> dict[str, int]:
    """For each agent, the position (from 1) of the symbol that its next copy uses; 0 if no copy is left."""
    have = table.teams[side].has
    return {
        agent: min(have(agent) + 1, len(SYMBOLS[agent])) if have(agent) < COPIES[agent] else 0
        for agent in AGENTS
    }
