"""A server of one's own, its desk, and a table that the desk serves."""

import pytest

from tests.support.web.http_client import Client, Table
from tests.support.web.server_process import Running


@pytest.fixture
def client(own_server: Running) -> Client:
    return own_server.client


@pytest.fixture
def desk(own_server: Running) -> Client:
    return own_server.client.bearing(own_server.desk_key())


@pytest.fixture
def table(client: Client) -> Table:
    return client.open_table(options={"first": "target", "language": "en"})
