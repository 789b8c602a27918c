"""Fixtures for tests of any folder. `tests/conftest.py` offers them to all tests."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from referee.program.settings import Settings
from tests.support.web.forked_server import Forked
from tests.support.web.server_process import Running
from tests.support.web.table_service import table_service
from web.service.tables import TableService

Clock = Callable[[], float]
Start = Callable[..., Running]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that the tests of one folder share: the conftest of each such folder imports it."""
    with Running(tmp_path_factory.mktemp("shared") / "data") as running:
        yield running
        assert "Traceback" not in running.said()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a server for one test: `start(settings, modifications=["nosync"])`."""
    with ExitStack() as until_done:

        def run(settings: str = "", **more: Any) -> Running:
            kind = Running if "before" in more else Forked
            return until_done.enter_context(kind(tmp_path / "data", settings, **more))

        yield run


@pytest.fixture
def own_server(start: Start) -> Running:
    """A server that no other test uses."""
    return start()


@pytest.fixture
def settings() -> Settings:
    """The settings of `service`; a test file may replace them."""
    return Settings()


@pytest.fixture
def clock() -> Clock:
    """The clock of `service`; a test file may replace it."""
    return time.monotonic


@pytest.fixture
def service(tmp_path: Path, settings: Settings, clock: Clock) -> Iterator[TableService]:
    """All tables of a referee, without a server around them."""
    with table_service(tmp_path, settings, clock) as service:
        yield service
