"""The game's own lines of the score sheet."""

from collections.abc import Iterator, Mapping
from typing import Any

from referee.core.game import Finished, Part, Say
from referee.core.moves import Side
from referee.presentation.sheets import Block, Row


def sheet(game: Finished) -> Iterator[Block]:
    order = [*game.outcome.winners, *reversed(game.public["out"])]
    for place, seat in enumerate(order, 1):
        rolls = len(game.debrief[seat]["rolls"])
        yield Row(f"{place}. {game.names[seat]}", game.say("rolls", n=rolls))


def score_parts(public: Mapping[str, Any]) -> Mapping[Side, tuple[Part, ...]]:
    return {seat: (Part(Say("dice"), dice),) for seat, dice in public["dice"].items()}
