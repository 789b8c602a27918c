"""Builds the server (store, table service, desks, bots, applications) and runs it until it is stopped."""

import fcntl
import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from referee.program.settings import Settings
from web.output.address import base_url, local_url
from web.server.application import AsgiApplication
from web.server.flask_app import create_app
from web.server.http_server import ListenAddress, raise_file_limit, reserved, run
from web.server.logs import write_to_stderr
from web.service.bots import Bots
from web.service.desks import Desks
from web.service.key_files import write_key_files
from web.service.tables import TableService
from web.service.usb_copies import copy_to_sticks, find_sticks
from web.store.backups import open_store, run_daily_backups
from web.store.engine import DatabaseError


def _tune_garbage_collector() -> None:
    """Run the cyclic garbage collector less often, and not over modules and other objects that exist by now.
    We create almost no reference cycles, and a full collection would hold up every table. Each run over young
    objects stays short."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(2_000, 5, 500)


def serve(settings: Settings, data: Path, ready: Callable[[str, str], None]) -> None:
    """Serve until SIGTERM or SIGINT. `ready` is called with the URL for people and the URL on this
    machine."""
    write_to_stderr(DatabaseError)
    raise_file_limit()
    _tune_garbage_collector()
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    with locked(data):
        _serve(settings, data, ready)


@contextmanager
def locked(data: Path) -> Iterator[None]:
    """Hold the file lock of the data folder, which the system releases even after a crash: two servers that
    write the same journals would contradict each other."""
    with (data / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise OSError(f"Another referee runs on {data}. Stop it, or choose another --data.") from error
        yield


def _serve(settings: Settings, data: Path, ready: Callable[[str, str], None]) -> None:
    with reserved(settings.server.host, settings.server.port) as listen:
        _serve_at(listen, settings, data, ready)


def _serve_at(
    listen: ListenAddress, settings: Settings, data: Path, ready: Callable[[str, str], None]
) -> None:
    port = listen.port
    local = local_url(settings.server.host, port)

    def base() -> str:
        return base_url(settings.server.address, settings.server.host, port)

    store = open_store(data / "referee.db")
    sticks = (data / "referee.db", find_sticks(settings.games.stick))
    threading.Thread(target=copy_to_sticks, args=sticks, daemon=True).start()  # a stick may be slow
    ended = threading.Event()
    daily_backups = threading.Thread(target=run_daily_backups, args=(data / "referee.db", ended), daemon=True)

    def on_ready() -> None:
        ready(base(), local)
        daily_backups.start()  # after the start, which does not wait for the copy of a large database

    try:
        service = TableService(store, settings)
        desks = Desks(service, data, base)
        write_key_files(data, desks, settings.desk.name, local)
        Bots(service, settings.bots.pause / 1000)
        flask = create_app(service, desks)
        application = AsgiApplication(service, desks, flask)
        with flask.app_context():  # of the loop, which renders pages for every move
            run(application, listen, on_ready, store.check_health, settings.limits.exempt)
    finally:
        ended.set()
        store.close()


def exit_now() -> NoReturn:
    """Exit the process without finalizing the interpreter: granian's Rust threads may still use it, and would
    panic during finalization."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
