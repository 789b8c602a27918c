"""Builds the server (store, table service, desks, bots, applications) and runs it until it is stopped."""

import fcntl
import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote

from referee.program.settings import Settings
from web.output.address import base_url, local_url, named_url
from web.server.application import AsgiApplication
from web.server.certificate import found_certificate
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

NEW_OBJECTS = 5000  # that may be made before they are looked at for garbage; Python's default is 700
SCREEN = "screen"  # the file with the address of the desk's own screen, in systemd's runtime directory


def _limit_garbage_collection() -> None:
    """Exempt modules and other objects that exist by now from garbage collection. Every few thousand moves a
    full collection holds up all tables: with them for 44 ms on a desktop processor, without for 10 ms.
    New objects are looked at less often than by default: most of what a move makes lives on in its table."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS)


Ready = Callable[[str, str, str], None]


def serve(settings: Settings, data: Path, ready: Ready, desk_key: Path | None = None) -> None:
    """Serve until SIGTERM or SIGINT. `ready` is called with the URL for people, the URL on this machine, and
    the URL of https, which is empty without a certificate. `desk_key` is a file with the desk's key; without
    one, the server makes the key."""
    write_to_stderr(DatabaseError)
    raise_file_limit()
    _limit_garbage_collection()
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    with locked(data):
        if desk_key:
            _take_desk_key(data, settings.desk.name, desk_key)
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


def _take_desk_key(data: Path, desk: str, key: Path) -> None:
    """Store this key as the desk's. On an installed machine it comes from a folder that only root may write,
    for the server and the desk alike."""
    file = data / f"desk-{desk}.key"
    file.touch(mode=0o600)
    file.write_text(key.read_text())


def _serve(settings: Settings, data: Path, ready: Ready) -> None:
    host, certificate = settings.server.host, found_certificate(data)
    with ExitStack() as until_stopped:
        listeners = [until_stopped.enter_context(reserved(host, settings.server.port))]
        if certificate:
            tls = reserved(host, settings.server.tls_port, certificate)
            listeners.append(until_stopped.enter_context(tls))
        _serve_at(listeners, settings, data, ready)


def _serve_at(listeners: Sequence[ListenAddress], settings: Settings, data: Path, ready: Ready) -> None:
    port = listeners[0].port
    local = local_url(settings.server.host, port)
    secure = "".join(named_url(f"https://own:{listen.port}") for listen in listeners[1:])

    def base() -> str:
        return base_url(settings.server.address, settings.server.host, port)

    store = open_store(data / "referee.db")
    sticks = (data / "referee.db", find_sticks(settings.games.stick))
    threading.Thread(target=copy_to_sticks, args=sticks, daemon=True).start()  # a stick may be slow
    ended = threading.Event()
    daily_backups = threading.Thread(target=run_daily_backups, args=(data / "referee.db", ended), daemon=True)

    def on_ready() -> None:
        ready(base(), local, secure)
        daily_backups.start()  # after the start, which does not wait for the copy of a large database

    try:
        service = TableService(store, settings)
        desks = Desks(service, data, base)
        write_key_files(data, desks, settings.desk.name, local)
        if runtime := os.environ.get("RUNTIME_DIRECTORY"):  # systemd's, where other users may read
            _tell_screen(Path(runtime) / SCREEN, f"{local}/desk/{quote(settings.desk.name)}/screen")
        Bots(service, settings.bots.pause / 1000)
        flask = create_app(service, desks)
        application = AsgiApplication(service, desks, flask)
        with flask.app_context():  # of the loop, which renders pages for every move
            run(application, listeners, on_ready, store.check_health, settings.limits.exempt)
    finally:
        ended.set()
        store.close()


def _tell_screen(file: Path, address: str) -> None:
    """Write where the desk's own screen is, without its secret, for the browser of the kiosk service."""
    file.write_text(f"{address}\n")
    file.chmod(0o644)


def exit_now() -> NoReturn:
    """Exit the process without finalizing the interpreter: granian's Rust threads may still use it, and would
    panic during finalization."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
