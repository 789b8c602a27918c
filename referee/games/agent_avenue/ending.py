"""The end conditions of Agent Avenue, tested only at the end of a turn."""

from collections.abc import Iterator

from referee.core.game import Outcome
from referee.core.moves import Side
from referee.games.agent_avenue.cards import CATCH, HOMES, MANY, SIDES, other, space
from referee.games.agent_avenue.table import AvenueTable, in_zone

TYPES_OF_A_MASTERPLAN = 7


def outcome(table: AvenueTable) -> Outcome | None:
    """The outcome at the end of the active side's turn, or None if the game goes on."""
    active = str(table.turn)
    wins = {side: next(_wins(table, side), None) for side in SIDES}
    loses = {side: _loses(table, side) for side in SIDES}
    if _conflict(wins, loses):
        return _won(table, active, "conflict")
    for side in SIDES:
        if reason := wins[side]:
            return _won(table, side, reason)
    for side in SIDES:
        if loses[side]:
            return _won(table, other(side), "daredevils")
    return None if _can_play(table, other(active)) else _won(table, _ahead(table), "exhausted")


def lead(table: AvenueTable, side: Side) -> int:
    return table.teams[side].progress - table.teams[other(side)].progress


def _wins(table: AvenueTable, side: Side) -> Iterator[str]:
    """The reasons why a side wins. Only the first is announced."""
    team, foe = table.teams[side], other(side)
    if lead(table, side) >= CATCH:
        yield "catch"
    if team.has("codebreaker") >= MANY:
        yield "codebreakers"
    if team.has("daredevil") >= MANY and "leader_of_the_pack" in team.permanents:
        yield "leader_of_the_pack"
    if "masterplan" in team.permanents and len(in_zone(team)) >= TYPES_OF_A_MASTERPLAN:
        yield "masterplan"
    if "security_system" in team.permanents and space(foe, table.teams[foe].progress) == HOMES[side]:
        yield "security_system"


def _loses(table: AvenueTable, side: Side) -> bool:
    team = table.teams[side]
    return team.has("daredevil") >= MANY and "leader_of_the_pack" not in team.permanents


def _conflict(wins: dict[Side, str | None], loses: dict[Side, bool]) -> bool:
    """Both win, both lose, or one side does both at once."""
    return all(wins.values()) or all(loses.values()) or any(wins[s] and loses[s] for s in SIDES)


def _can_play(table: AvenueTable, side: Side) -> bool:
    """A solo player needs two cards, each player of a pair one. A deck that is not empty fills every hand."""
    needed = 1 if table.is_pair(side) else 2
    return table.deck > 0 or all(table.holdings[seat].hand >= needed for seat in table.members(side))


def _ahead(table: AvenueTable) -> Side:
    """The side that is nearer to catching the other; the active side if both are equally near."""
    active = str(table.turn)
    return other(active) if lead(table, active) < 0 else active


def _won(table: AvenueTable, side: Side, reason: str) -> Outcome:
    scores = {each: table.teams[each].progress for each in SIDES}
    return Outcome(table.members(side), reason, scores)
