"""What the rules remember between moves has an end, which is reached within an evening: a server that has
been warm once does not grow."""

import sys
from collections.abc import Iterator

import pytest

from referee.games import GAMES
from referee.simulate import simulate

MOST = 1024  # entries of a kilobyte at most


def remembered(game: str) -> Iterator[tuple[str, int | None]]:
    """The caches in a game's modules, and how much each may hold."""
    for name, module in list(sys.modules.items()):
        if name.startswith(f"referee.games.{game}."):
            for thing in vars(module).values():
                if hasattr(thing, "cache_parameters"):
                    yield f"{name}.{thing.__name__}", thing.cache_parameters()["maxsize"]


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_remember_so_much_and_no_more(game: str) -> None:
    simulate(GAMES[game], 1, "caches")  # whatever is imported late is there by now
    assert [(name, most) for name, most in remembered(game) if most is None or most > MOST] == []
