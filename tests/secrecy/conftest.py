"""A server that the tests of this folder share."""

from collections.abc import Iterator

import pytest

from tests.web.server import Running


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with Running(tmp_path_factory.mktemp("shared") / "data") as running:
        yield running
        assert "Traceback" not in running.said()
