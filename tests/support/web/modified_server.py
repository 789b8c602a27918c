"""A referee with one thing bent: `python -m tests.support.web.modified_server nosync serve …`."""

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
from tests.support.secrecy import canary_game
from tests.support.secrecy import fixed_randomness as chance
from tests.support.secrecy import planted_leaks as leaks
from tests.support.secrecy import talkative_desk as babble
from tests.support.web.old_schemas import MIGRATIONS
from web import clock as clocks
from web.api import contract
from web.server import application, asgi, http_server, sockets
from web.service import presence
from web.service.live_table import LiveTable
from web.store import engine, schema
from web.store.statements import Change


def nosync() -> None:
    """The disk is trusted to keep what it was never asked to keep."""
    connect = engine._connect

    def careless(path: Path) -> sqlite3.Connection:
        db = connect(path)
        db.execute("PRAGMA synchronous = OFF")
        return db

    engine._connect = careless


def beat() -> None:
    """Signs of life come quickly."""
    application.HEARTBEAT = 0.05


def hasty() -> None:
    """Little patience with callers that are slow to send or to take."""
    asgi.BODY_TIME = application.SEND_TIMEOUT = 0.3
    http_server.HEAD_TIME = sockets.ACK_TIMEOUT = 300


def dawdle() -> None:
    """Sheets take long to draw."""
    draw = contract.sheet_as

    def slowly(table: LiveTable, form: str, spoken_in: str) -> Response:
        time.sleep(1)
        return draw(table, form, spoken_in)

    contract.sheet_as = slowly


def canary() -> None:
    """One more game, whose secrets can be searched for."""
    canary_game.register()


def leaky() -> None:
    """What is hidden comes out wherever it can."""
    leaks.plant()


def babbling() -> None:
    """A desk that notes down all it hears."""
    babble.plant()


def steady() -> None:
    """Chance falls the same way each time the server is started."""
    chance.settle()


def heavy() -> None:
    """The disk is slow, so that calls meet: each change takes some milliseconds more."""
    transact = engine._transact

    def slow(db: sqlite3.Connection, groups: list[list[Change]]) -> list[int]:
        time.sleep(0.005)
        return transact(db, groups)

    engine._transact = slow


def older() -> None:
    """Made-up earlier versions of the store's schema are known."""
    schema.MIGRATIONS = dict(MIGRATIONS)


def stopped() -> None:
    """There is no clock: it begins anew with the machine."""

    class New(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls.fromtimestamp(time.monotonic() % 1000, tz)

    clocks.datetime = New  # type: ignore[attr-defined]


def clock() -> None:
    """The clock is set back or forth between any two looks at it."""
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


BENDS: Mapping[str, Callable[[], None]] = {
    bend.__name__: bend
    for bend in (
        nosync,
        beat,
        hasty,
        dawdle,
        heavy,
        older,
        stopped,
        clock,
        canary,
        leaky,
        steady,
        babbling,
        absent,
    )
}

if __name__ == "__main__":
    for name in sys.argv[1].split(","):
        BENDS[name]()
    sys.exit(main(sys.argv[2:]))
