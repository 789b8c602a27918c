"""The score sheet of Espion contre Espion: the final board, both spies' paths, the counts of every turn."""

from collections.abc import Iterator

from referee.game import Finished
from referee.sheets import Block, Text


def sheet(game: Finished) -> Iterator[Block]:
    yield Text(game.say("turns"), bold=True)
