"""Serving: the store, the house, the desks and the front put together, until somebody says stop."""

import fcntl
import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from referee.settings import Settings
from web.address import base_url, local_url
from web.app import create_app
from web.bots import Bots
from web.desks import Desks
from web.front import Front
from web.house import House
from web.logs import write_to_stderr
from web.server import Place, make_room, reserved, run
from web.sticks import found, keep_on_sticks
from web.store.backups import keep_every_day, open_store
from web.ways_in import leave_ways_in


def _spare_the_collector() -> None:
    """What we are made of stays, and almost nothing here goes round in circles: looking for circles all the
    time would cost a sixth of every move. What is new is looked at in small pieces, so that nobody waits."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(2_000, 5, 500)


def serve(settings: Settings, data: Path, ready: Callable[[str, str], None]) -> None:
    """Serve until SIGTERM or SIGINT. `ready` is told the address for people and the one for this machine."""
    write_to_stderr()
    make_room()
    _spare_the_collector()
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    with locked(data):
        _serve(settings, data, ready)


@contextmanager
def locked(data: Path) -> Iterator[None]:
    """The folder is ours until we end, however we end: two referees on one journal would disagree."""
    with (data / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise OSError(f"Another referee runs on {data}. Stop it, or choose another --data.") from error
        yield


def _serve(settings: Settings, data: Path, ready: Callable[[str, str], None]) -> None:
    with reserved(settings.server.host, settings.server.port) as place:
        _serve_at(place, settings, data, ready)


def _serve_at(place: Place, settings: Settings, data: Path, ready: Callable[[str, str], None]) -> None:
    port = place.port
    local = local_url(settings.server.host, port)

    def base() -> str:
        return base_url(settings.server.address, settings.server.host, port)

    store = open_store(data / "referee.db")
    sticks = (data / "referee.db", found(settings.games.stick))
    threading.Thread(target=keep_on_sticks, args=sticks, daemon=True).start()  # a slow one holds up nobody
    ended = threading.Event()
    days = threading.Thread(target=keep_every_day, args=(data / "referee.db", ended), daemon=True)

    def answering() -> None:
        ready(base(), local)
        days.start()  # not before: nobody waits until years of games are copied

    try:
        house = House(store, settings)
        desks = Desks(house, data, base)
        leave_ways_in(data, desks, settings.desk.name, local)
        Bots(house, settings.bots.pause / 1000)
        front = Front(house, desks, create_app(house, desks))
        run(front, place, answering, store.pulse)
    finally:
        ended.set()
        store.close()


def leave() -> NoReturn:
    """End the process when all is closed, without Python's own ending: the server's threads, which are not
    Python's, may still look for the interpreter and would panic if they met it half gone."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
