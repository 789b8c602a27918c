"""A server with modifications for tests: `python -m tests.support.web.modified_server nosync serve …`."""

import sqlite3
import sys
import time
from collections.abc import Callable, Mapping
from datetime import datetime, tzinfo
from pathlib import Path
from random import Random
from typing import Self

from flask import Response

from referee.program.cli import main
from tests.support.secrecy import canary_game, fixed_randomness, planted_leaks, talkative_desk
from tests.support.web import large_game
from tests.support.web.old_schemas import MIGRATIONS
from web import clock as clocks
from web.api import contract
from web.server import asgi, http_server, sockets, stream_endpoints
from web.service import presence
from web.service.live_table import LiveTable
from web.store import engine, schema
from web.store.statements import Change


def nosync() -> None:
    """Writes without fsync."""
    connect = engine._connect

    def careless(path: Path) -> sqlite3.Connection:
        db = connect(path)
        db.execute("PRAGMA synchronous = OFF")
        return db

    engine._connect = careless


def fast_heartbeat() -> None:
    """Streams send keep-alives every 50 ms."""
    stream_endpoints.HEARTBEAT = 0.05


def short_timeouts() -> None:
    """Callers that are slow to send or to read are cut off soon."""
    asgi.BODY_TIME = stream_endpoints.SEND_TIMEOUT = 0.3
    http_server.HEAD_TIME = sockets.ACK_TIMEOUT = 300


def slow_sheets() -> None:
    """Drawing a score sheet takes a second."""
    draw = contract.sheet_as

    def slowly(table: LiveTable, form: str, spoken_in: str) -> Response:
        time.sleep(1)
        return draw(table, form, spoken_in)

    contract.sheet_as = slowly


def with_canaries() -> None:
    """Has one more game, whose secrets can be searched for."""
    canary_game.register()


def with_large_game() -> None:
    """Has one more game, for up to eight players."""
    large_game.register()


def with_leaks() -> None:
    """Has planted leaks."""
    planted_leaks.plant()


def talkative() -> None:
    """Has a desk that writes down every event."""
    talkative_desk.plant()


def fixed_chance() -> None:
    """Has the same random numbers at each start."""
    fixed_randomness.fix()


def slow_disk() -> None:
    """Each change takes 5 ms more, so that calls overlap."""
    transact = engine._transact

    def slow(db: sqlite3.Connection, groups: list[list[Change]]) -> list[int]:
        time.sleep(0.005)
        return transact(db, groups)

    engine._transact = slow


def older_schemas() -> None:
    """Knows invented earlier versions of the store's schema."""
    schema.MIGRATIONS = dict(MIGRATIONS)


def no_clock() -> None:
    """Has a clock that starts near 1970, as on a machine without a battery."""

    class New(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls.fromtimestamp(time.monotonic() % 1000, tz)

    clocks.datetime = New  # type: ignore[attr-defined]


def jumping_clock() -> None:
    """Has a clock that returns a random time at each call."""
    dice = Random("clock")

    class Jumping(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls.fromtimestamp(dice.randrange(2**31), tz)

    clocks.datetime = Jumping  # type: ignore[attr-defined]
    time.time = lambda: float(dice.randrange(2**31))


def absent() -> None:
    """Who closed a page counts as away at once."""
    presence.AWAY = 0.0


MODIFICATIONS: Mapping[str, Callable[[], None]] = {
    modification.__name__: modification
    for modification in (
        nosync,
        fast_heartbeat,
        short_timeouts,
        slow_sheets,
        slow_disk,
        older_schemas,
        no_clock,
        jumping_clock,
        with_canaries,
        with_large_game,
        with_leaks,
        fixed_chance,
        talkative,
        absent,
    )
}

if __name__ == "__main__":
    for name in sys.argv[1].split(","):
        MODIFICATIONS[name]()
    sys.exit(main(sys.argv[2:]))
