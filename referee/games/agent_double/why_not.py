"""Which rule of Agent Double forbids a move, from what its seat may know."""

from referee.core.game import Say
from referee.core.moves import Move
from referee.games.agent_double.choices import DoubleSlice, _eithers, waited_for
from referee.games.agent_double.deck import BACKS, EITHER, EITHERS, HIDDEN, faces
from referee.games.agent_double.table import (
    DoubleHand,
    DoubleTable,
)


def why_not(seen: DoubleSlice, move: Move) -> Say | None:
    """The rule that forbids a well-formed move to a seat that must act."""
    table, seat = seen.table, str(seen.seat)
    if seat not in waited_for(table):
        return None
    match move.type:
        case "assign_loyalty" if table.step == "assign":
            return Say("tokens")
        case "place" if table.step == "play":
            return _why_not_place(table, seen.mine(), move)
        case "act" if table.step == "play":
            return Say("name" if table.deck is None else "not_left")
        case "influence" if table.step == "influence":
            return _why_not_influence(table, move["agent"])
        case "ruling" if table.step == "ruling":
            return Say("taker")
        case "act_done" if table.step == "acting":
            return Say("card")
    if table.step == "acting":
        return Say("target" if move.type.startswith("fx_") else "acting")
    return Say("answer") if table.step == "agree" else None


def _closed(table: DoubleTable, agent: str) -> Say | None:
    """The refusal for an agent that does not exist or has delivered."""
    if agent not in (each.name for each in table.agents):
        return Say("agent", {"agent": agent})
    return None if agent in (each.name for each in table.live()) else Say("closed", {"agent": agent})


def _why_not_place(table: DoubleTable, mine: DoubleHand, move: Move) -> Say:
    agent, back = move["agent"], move["back"]
    if why := _closed(table, agent):
        return why
    if back not in BACKS or move["file"] not in faces(back):
        return Say("file")
    if back == HIDDEN and table.agents[table.index(agent)].has_hidden():
        return Say("one_hidden", {"agent": agent})
    if table.deck:
        return Say("not_left")
    return Say("eithers") if back == EITHER and _eithers(mine) == EITHERS else Say(f"one_{move['file']}")


def _why_not_influence(table: DoubleTable, agent: str) -> Say:
    return _closed(table, agent) or Say("counter", {"agent": agent})
