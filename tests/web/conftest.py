"""The server that the web tests share, and a table there at each stage of a game."""

import pytest

from tests.support.fixtures import server
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.random_player import hide
from tests.support.web.server_process import Running

__all__ = ["server"]


@pytest.fixture
def client(server: Running) -> Client:
    return server.client.with_(Accept_Language="en")


@pytest.fixture
def table(client: Client) -> Table:
    """A table nobody sits at yet, away from any desk; TARGET will begin."""
    return client.open_table(desk=None, options={"first": "target"})


@pytest.fixture
def phones(table: Table) -> dict[str, Phone]:
    return table.everybody()


@pytest.fixture
def playing(phones: dict[str, Phone]) -> dict[str, Phone]:
    """Both have hidden: TARGET 1 2 3, MASK 4 5 6; TARGET begins."""
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
