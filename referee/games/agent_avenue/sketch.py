"""What a drawing of Agent Avenue shows beyond the view: the agents’ symbols, and who is how far ahead."""

from typing import Any

from referee.game import Slice
from referee.games.agent_avenue.cards import AGENTS, CATCH, COPIES, MANY, SIDES, symbol
from referee.games.agent_avenue.table import AvenueHand, AvenueTable

ENDS = {"codebreaker": "wins", "daredevil": "loses"}  # what the third symbol of an agent says


def sketch(seen: Slice[AvenueTable, AvenueHand]) -> dict[str, Any]:
    green, blue = (seen.table.teams[side].progress for side in SIDES)
    lead = abs(green - blue)
    return {
        "symbols": {agent: _symbols(agent) for agent in AGENTS},
        "ahead": SIDES[blue > green] if lead else None,
        "lead": lead,
        "gap": max(0, CATCH - lead),
        "next": {side: _next(seen.table, side) for side in SIDES},
    }


def _symbols(agent: str) -> list[int | str]:
    """The row of symbols as it is printed on the card."""
    printed: list[int | str] = [symbol(agent, copies) for copies in range(1, min(COPIES[agent], MANY) + 1)]
    return [*printed[:-1], ENDS.get(agent, printed[-1])]


def _next(table: AvenueTable, side: str) -> dict[str, int]:
    """The place in its row of the symbol that the next copy of each agent uses; none without a next copy."""
    have = table.teams[side].has
    return {
        agent: min(have(agent) + 1, len(_symbols(agent))) if have(agent) < COPIES[agent] else 0
        for agent in AGENTS
    }
