"""The game's own lines of the score sheet."""

from collections.abc import Iterator

from referee.core.game import Finished
from referee.presentation.sheets import Block, Row


def sheet(game: Finished) -> Iterator[Block]:
    for seat, held in game.debrief.items():
        was_found = seat in game.public["found"]
        yield Row(game.names[seat], game.say("found" if was_found else "kept", number=held["number"] or "–"))
