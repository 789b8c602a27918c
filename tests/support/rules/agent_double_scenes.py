"""Rare situations of Agent Double, most of them after an undo or a correction, each with its instructions."""

from collections.abc import Iterator
from typing import Any

from referee.core.match import Match
from referee.core.moves import Move, Seat
from tests.support.rules.agent_double_language import Player, Table, row, scene, sit_down

NOT_NOW = Move("assign_loyalty", {"tokens": (1, 2, 2, 3, 4, 5)})  # what nobody may do there
Effect = tuple[str, dict[str, Any]]


def scenes() -> Iterator[tuple[Match, Seat, Move]]:
    yield from _facts_of_the_rulebook()
    for matches in (_documents(), _orders(), _deliveries(), _rulings(), _actions(), _tokens(), _corrected()):
        yield from ((match, "red", NOT_NOW) for match in matches)


def _facts_of_the_rulebook() -> Iterator[tuple[Match, Seat, Move]]:
    table, _, _ = scene({"S": [("red", "2", "personal"), ("red", "2", "trapped")]})
    for card in ("personal", "trapped"):
        yield table.match, "red", Move("place", {"agent": "A", "back": "1", "file": card})
    table, ana, _ = scene({"S": [("red", "0/7", "7")] * 2, "A": [("red", "0/7", "7")] * 2})
    yield table.match, "red", Move("place", {"agent": "A", "back": "0/7", "file": "0"})
    ana.does("act", name="x")
    yield table.match, "red", Move("act_done", {"card": "box"})


def _acts(ana: Player, bob: Player, *effects: Effect, **done: str) -> None:
    ana.composes(*effects, **done)
    bob.does("agree")


def _moves(start: str, end: str, index: int) -> Effect:
    return "fx_move_file", {"from": start, "to": end, "index": index}


def _removes(agent: str, index: int) -> Effect:
    return "fx_remove_file", {"agent": agent, "index": index}


def _documents() -> Iterator[Match]:
    """Moved, one of two that look alike; removed; laid and removed again."""
    table, ana, bob = scene({"S": row("red", 3, 3, 3), "A": row("blue", 4, 5)})
    _acts(ana, bob, _moves("S", "B", 1), _moves("A", "B", 0), _removes("A", 0), _removes("S", 0))
    yield table.match
    table.takes_back()
    yield table.match
    table, ana, bob = scene({"S": row("red", 3), "A": row("red", 3)})
    _acts(ana, bob, _moves("S", "A", 0))
    yield table.match
    table.takes_back()
    yield table.match
    table, ana, bob = scene({})
    ana.lays("S", "3")
    bob.lays("S", "4")
    _acts(ana, bob, _removes("S", 0), _removes("S", 0), card="hand")
    yield table.match
    table.takes_back(len(table.match.made))
    yield table.match


def _orders() -> Iterator[Match]:
    """A document went away and came back: it lies behind the other now."""
    for second in (3, 4):
        table, ana, bob = scene({"S": row("red", 3, second)})
        _acts(ana, bob, _moves("S", "A", 0), _moves("A", "S", 0))
        yield table.match
        table.takes_back()
        yield table.match


def _deliveries() -> Iterator[Match]:
    """With markers, counters on every space, and a token swapped before."""
    for space in (-2, -1, 1, 2):
        table, ana, bob = scene({"S": row("blue", 1, 1, 1, 1)}, markers={"S": 1}, influence={"S": space})
        _acts(
            ana, bob, ("fx_swap_loyalty", {"side": "red", "a": "S", "b": "A"}), ("fx_marker", {"agent": "A"})
        )
        bob.lays("S", "2")
        yield table.match
        table.takes_back(len(table.match.made))
        yield table.match


def _rulings() -> Iterator[Match]:
    for taker in ("red", "nobody"):
        table, ana, bob = scene({"S": [("blue", "2", "trapped"), *row("red", 1, 1)]})
        ana.lays("S", "5")
        bob.does("ruling", taker=taker)
        ana.does("agree")
        for taken_back in (1, 2):  # once it is talked about again, once nothing was ever turned up
            before = table.match
            table.takes_back(taken_back)
            yield table.match
            table.match = before
        table.takes_back(len(table.match.made))
        yield table.match
        ana.lays("S", "5")
        table.takes_back()
        yield table.match


def _actions() -> Iterator[Match]:
    """Announced by either; refused, and that taken back."""
    table, ana, bob = scene({})
    ana.composes(card="hand")
    bob.does("disagree")
    table.takes_back()
    yield table.match
    table.takes_back(2)
    yield table.match


def _tokens() -> Iterator[Match]:
    table, ana, bob = sit_down()
    ana.gives(1, 2, 2, 3, 4, 5)
    bob.gives(1, 2, 2, 3, 4, 5)
    table.takes_back(2)
    yield table.match


def _corrected() -> Iterator[Match]:
    """Another takes the documents; the same with another sum; a trap after all."""
    for tokens in ((1, 3, 4, 2, 2, 5), (2, 3, 1, 2, 4, 5)):
        table = _delivered_to_red()
        table.corrects("blue", 1, tokens=tokens)
        yield table.match
    table, ana, _ = scene({"S": row("blue", 1, 1, 1), "L": row("blue", 2, 2, 2)})
    ana.lays("S", "5")
    table.corrects("red", file="trapped")
    yield table.match
    table.corrects("red", file="5")
    yield table.match


def _delivered_to_red() -> Table:
    table, ana, bob = sit_down()
    ana.gives(1, 2, 3, 2, 4, 5)
    bob.gives(1, 3, 2, 2, 4, 5)
    for player, back, counter in ((ana, "3", "A"), (bob, "4", "B"), (ana, "5", "L"), (bob, "2", "6")):
        player.lays("S", back)
        player.does("influence", agent=counter)
    return table
