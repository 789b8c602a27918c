"""After an undo nobody can tell a world from its twins either; and a planted leak is found.

What is to be put back is worked out from the game before the undo: from as much of it as each seat may know.
"""

from itertools import islice
from typing import Any

import pytest

from referee.core.dice import Dice
from referee.core.entries import Answered
from referee.core.game import Game
from referee.core.match import Match
from referee.core.moves import Seat
from referee.core.questions import question
from referee.core.restatements import Repair, RepairView
from referee.games import GAMES
from referee.games.agent_hunter import AGENT_HUNTER
from referee.kit.twin_worlds import Leak, could_differ, differs, history, news_of, shown, twins
from tests.support.soak import games

DEEP = 8  # moves that are taken back at once, at most
WORLDS = 6  # twins of one game and one observer that are looked at
BUDGET = 40  # entries played in search of them
ENOUGH = 100  # undos whose views were compared


def without(match: Match, by: Seat, n: int) -> Match:
    """The match once everybody agreed to take back this move and all since."""
    asked = question(match, by, "undo", {"n": n}, match.version)
    match = match.after(asked)
    for seat in asked.of:
        match = match.after(Answered(seat, True))
    return match


def look_for_leaks(game: Game[Any, Any], seeds: int) -> int:
    """Take moves back in random games and in their twins; how many times. Raises Leak."""
    compared = 0
    for i in games(seeds):
        past = history(game, f"back/{i}")
        for observer in (None, *past.worlds[0].seats):
            dice = Dice(f"back/{i}/{observer}")
            secret = [at for at in past.secret(observer) if could_differ(past, at)]
            found = twins(past, observer, dice.pick(secret), dice, BUDGET) if secret else iter(())
            for world in islice(found, WORLDS):
                true = past.worlds[world.version]
                if not world.outcome and differs(world, true):
                    n = dice.pick(true.made[-DEEP:]).n
                    _compare(without(true, true.seats[0], n), without(world, true.seats[0], n), observer)
                    compared += 1
    return compared


def _compare(true: Match, twin: Match, observer: Seat | None) -> None:
    assert news_of(true) == news_of(twin)
    one, two = shown(true, observer), shown(twin, observer)
    for name, value in one.items():
        if value != two[name]:
            raise Leak(f"{name} of {observer or 'nobody'} tells another's secret after an undo")


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_after_an_undo_no_seat_can_tell_a_world_from_its_twins(game: Game[Any, Any]) -> None:
    assert look_for_leaks(game, 20) >= ENOUGH


def test_a_repair_that_shows_the_game_as_another_seat_knew_it_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def seen_by(repair: Repair, _seat: Seat | None) -> RepairView:
        return RepairView(repair.kind, repair.before.slice("mask"), repair.restated)

    monkeypatch.setattr(Repair, "seen_by", seen_by)
    with pytest.raises(Leak, match="after an undo"):
        look_for_leaks(AGENT_HUNTER, 20)
