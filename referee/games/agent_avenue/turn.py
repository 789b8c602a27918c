"""The course of a turn in Agent Avenue: recruits move pawns, then the market, then the turn ends."""

from collections.abc import Collection

from referee.core.frozen import replaced
from referee.core.game import News
from referee.core.moves import Side
from referee.games.agent_avenue.cards import HOMES, MARKET_SPACES, move_of, other, space
from referee.games.agent_avenue.ending import outcome
from referee.games.agent_avenue.position import Position
from referee.games.agent_avenue.table import Place

GETAWAY = 3


def recruited(before: Position, side: Side, agent: str, source: Place) -> Position:
    """A side puts an agent in play from `source`, and its pawn moves as the symbol says."""
    team = before.table.teams[side].with_agent(agent)
    copies = team.has(agent)
    move = move_of(agent, copies, team.permanents)
    told = {"side": side, "agent": agent, "copies": copies, "move": move}
    after = before.carried(agent, source, Place("zone", side))
    return moved(after.with_team(side, team, News("recruited", told)), side, move)


def moved(before: Position, side: Side, spaces: int) -> Position:
    """Move a pawn. Getaway Car moves it on from a home space; a market space earns a card."""
    after = _walked(before, side, spaces)
    team = after.table.teams[side]
    if spaces and "getaway_car" in team.permanents and _stands_on(after, side, HOMES.values()):
        after = after.say("market_effect", by=side, card="getaway_car", result="drives_on")
        after = _walked(after, side, GETAWAY)
    if spaces and after.table.market and _stands_on(after, side, MARKET_SPACES):
        return _landed(after, side)
    return after


def _walked(before: Position, side: Side, spaces: int) -> Position:
    team = before.table.teams[side]
    progress = team.progress + spaces
    told = {
        "side": side,
        "from": space(side, team.progress),
        "to": space(side, progress),
        "progress": progress,
        "way": "forward" if spaces > 0 else "back" if spaces else "still",
        "spaces": abs(spaces),
    }
    return before.with_team(side, replaced(team, progress=progress), News("moved", told))


def _stands_on(state: Position, side: Side, spaces: Collection[int]) -> bool:
    return space(side, state.table.teams[side].progress) in spaces


def _landed(before: Position, side: Side) -> Position:
    """Queue a side for the market: the active side always comes first."""
    active = str(before.table.turn)
    there = {*before.table.landed, side}
    return before.on_table(landed=tuple(each for each in (active, other(active)) if each in there))


def go_on(before: Position) -> Position:
    """Continue after a recruit or a market card: the next queued side takes a card, or the turn ends."""
    if before.table.landed and before.market().row:
        return before.on_table(step="market_pick")
    return _end_turn(before.on_table(landed=()))


def _end_turn(before: Position) -> Position:
    table = before.table
    after = before.on_table(turns=table.turns + 1, step="show")
    if ended := outcome(table):
        return after.on_table(turn=None, outcome=ended)
    return turn_of(after, other(str(table.turn)))


def turn_of(before: Position, side: Side) -> Position:
    """A side begins its turn. For a pair, the last card of the deck is reserved for the face-up player."""
    reserved = before.table.is_pair(side) and before.table.deck == 1
    return before.on_table(turn=side, step="show", reserved=reserved)
