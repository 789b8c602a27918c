"""Two servers with the same fixed randomness, and twin tables there."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from referee.core.game import Game
from tests.support.secrecy.played_world import World
from tests.support.secrecy.twin_plans import Twins, find_twins
from tests.support.web.forked_server import Forked
from tests.support.web.server_process import free_port

ADDRESS = 'server.address = "http://192.0.2.1"'  # the same in both worlds
TABLES = 4  # tables opened in the search for a twin


@contextmanager
def worlds(folder: Path, modifications: Sequence[str] = ()) -> Iterator[tuple[World, World]]:
    with ExitStack() as running:
        both = []
        for name in ("true", "twin"):
            port = free_port()
            where = ("--host", "127.0.0.1", "--port", str(port))
            server = Forked(folder / name, ADDRESS, ["fixed_chance", *modifications], options=where)
            both.append(World(running.enter_context(server), f"http://127.0.0.1:{port}"))
        yield both[0], both[1]


def open_twins(both: tuple[World, World], game: Game[Any, Any], observe: int) -> Twins:
    """Open tables, the same in both worlds, until one has a twin that goes on for a while."""
    for n in range(TABLES):
        opened, other = (world.open(game, n) for world in both)
        assert opened == other, "chance is not steady"
        found = find_twins(opened, opened.seats[observe])
        if found and (found.length > 1 or n == TABLES - 1):
            return found
    raise AssertionError("no table has a twin")
