"""A server that the tests of this folder share, a way to start one's own, and a house without a server."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.web.client import Client, Phone, Table
from tests.web.loops import a_house
from tests.web.nursery import Forked
from tests.web.play import hide
from tests.web.server import Running
from web.house import House

Start = Callable[..., Running]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with Running(tmp_path_factory.mktemp("shared") / "data") as running:
        yield running
        assert "Traceback" not in running.said()


@pytest.fixture
def client(server: Running) -> Client:
    return server.client.with_(Accept_Language="en")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a server of one's own: `start(settings, bends=["nosync"])`."""
    with ExitStack() as until_done:

        def run(settings: str = "", **more: Any) -> Running:
            kind = Running if "before" in more else Forked
            return until_done.enter_context(kind(tmp_path / "data", settings, **more))

        yield run


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """All tables of a referee, without a server around them."""
    with a_house(tmp_path) as house:
        yield house


@pytest.fixture
def table(client: Client) -> Table:
    """A table nobody sits at yet, away from any desk; TARGET will begin."""
    return client.open_table(desk=None, options={"first": "target"})


@pytest.fixture
def phones(table: Table) -> dict[str, Phone]:
    return table.everybody()


@pytest.fixture
def playing(phones: dict[str, Phone]) -> dict[str, Phone]:
    """Both have hidden: TARGET 1 2 3, MASK 4 5 6; TARGET to play."""
    hide(phones)
    return phones


@pytest.fixture
def over(playing: dict[str, Phone]) -> dict[str, Phone]:
    """A game that TARGET has won."""
    for house, card in ((1, 4), (2, 5), (3, 6)):
        playing["target"].moves("attack_from_hand", card=card, house=house)
        if house < 3:
            playing["mask"].moves("attack_from_hand", card=9, house=1)
    return playing
