"""Repairs of Agent Hunter that random games seldom meet."""

from collections.abc import Iterator

from referee.core.match import Match
from referee.core.moves import Move, Seat
from tests.support.rules.agent_hunter_language import Player, Table, play, sit_down
from tests.support.rules.repairs import corrects, takes_back


def scenes() -> Iterator[tuple[Match, Seat, Move]]:
    for table in (nothing_hidden(), hits_after_all()[0]):
        yield table.match, "target", Move("attack_from_hand", {"card": 9, "house": 1})


def nothing_hidden() -> Table:
    """Ana takes her three houses up again."""
    table, ana, _ = sit_down()
    ana.hides(1, 2, 3)
    takes_back(table, "target")
    return table


def hits_after_all() -> tuple[Table, Player, Player]:
    """Ana's house 1 has attacked Bob's: PLUS was told of a 9 that is a 4."""
    table, ana, bob = play(ana=(4, 2, 3), bob=(9, 7, 8))
    assert ana.attacks(house=1, from_house=1) == "plus"
    corrects(table, "mask", houses=(4, 7, 8))
    return table, ana, bob
