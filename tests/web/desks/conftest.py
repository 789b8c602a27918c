"""A server of one's own, its desk, and a table that the desk serves."""

import pytest

from tests.web.client import Client, Table
from tests.web.conftest import Start
from tests.web.server import Running


@pytest.fixture
def house(start: Start) -> Running:
    return start()


@pytest.fixture
def client(house: Running) -> Client:
    return house.client


@pytest.fixture
def desk(house: Running) -> Client:
    return house.client.bearing(house.desk_key())


@pytest.fixture
def table(client: Client) -> Table:
    return client.open_table(options={"first": "target", "language": "en"})
