"""Serving: the store, the house, the desks and the front put together, until somebody says stop."""

import asyncio
import fcntl
import gc
import logging
import resource
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import uvicorn

from referee.notify import WELL, notify, pulse
from referee.settings import Settings
from web.address import base_url, local_url
from web.app import create_app
from web.bots import Bots
from web.desks import Desks
from web.front import Front
from web.house import House
from web.line import Line, Lines
from web.logs import write_to_stderr
from web.sticks import found, keep_on_sticks
from web.store import NotSaved, Store
from web.store.backups import keep_every_day, open_store
from web.ways_in import leave_ways_in

log = logging.getLogger("referee")

MOST_FILES = 16_384
MOST_LINES = 4096  # connections at once
OURS = 96  # files besides: mostly the store's, three for each thread
QUEUE = 1024  # callers that may wait to be let in
FAREWELL = 0.5  # seconds a phone has to take its last words when we stop
OUT_OF_REACH = 30_000  # milliseconds in which a phone must have acknowledged what it was sent


class Referee(uvicorn.Server):
    """uvicorn, except that closing tells the streams to end rather than wait for them."""

    def __init__(self, config: uvicorn.Config, front: Front, ready: Callable[[], None], store: Store) -> None:
        super().__init__(config)
        self._front = front
        self._ready = ready
        self._store = store
        self._watch: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(QUEUE)  # more may wait than are taken in one go
        self._ready()
        if every := pulse():
            self._watch = asyncio.create_task(self._beat(every))

    async def _beat(self, every: float) -> None:
        """Tell the system that we are well while both this loop and the store are; else it starts us anew."""
        while True:
            try:
                await asyncio.get_running_loop().run_in_executor(None, self._store.pulse)
                notify(WELL)
            except NotSaved:
                log.warning("the store does not answer")
            await asyncio.sleep(every)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._watch:
            self._watch.cancel()
        self._front.close_streams()
        asyncio.get_running_loop().call_later(FAREWELL, self._hang_up)
        await super().shutdown(sockets)

    def _hang_up(self) -> None:
        """Whoever has not taken what we sent by now never will."""
        for line in list(self.server_state.connections):
            if isinstance(line, Line):
                line.transport.abort()


def _spare_the_collector() -> None:
    """What we are made of stays, and almost nothing here goes round in circles: looking for circles all the
    time would cost a sixth of every move. What is new is looked at in small pieces, so that nobody waits."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(2_000, 5, 500)


def serve(settings: Settings, data: Path, ready: Callable[[str, str], None]) -> None:
    """Serve until SIGTERM or SIGINT. `ready` is told the address for people and the one for this machine."""
    write_to_stderr()
    _make_room()
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
    listening = listen(settings.server.host, settings.server.port)
    port = listening.getsockname()[1]
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
        bots = Bots(house, settings.bots.pause / 1000)
        front = Front(house, desks, create_app(house, desks))
        bots.start()
        try:
            Referee(_config(front), front, answering, store).run([listening])
        finally:
            bots.stop()
    finally:
        ended.set()
        store.close()


def _config(front: Front) -> uvicorn.Config:
    room = _room()
    return uvicorn.Config(
        front,
        log_config=None,
        log_level="error",  # below that, it is one line for each malformed request
        access_log=False,
        server_header=False,
        lifespan="off",
        http=partial(Line, Lines(room)),  # type: ignore[arg-type]  # it is called like a class
        backlog=min(room // 4, 256),  # as many are taken in one go
        loop="auto",  # uvloop where it is installed
        ws="none",
        timeout_graceful_shutdown=1,
    )


def _make_room() -> None:
    """Every stream is an open file, and the usual limit of 1024 would be reached by a full house."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _room() -> int:
    """How many connections there may be: whoever comes when no file is left would wait without an answer.

    Half of the files that are not ours, because some come before the first of them is made room for.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_LINES if soft == resource.RLIM_INFINITY else max(8, min((soft - OURS) // 2, MOST_LINES))


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 lets the system choose one, and `::` hears IPv4 too.

    What is set here holds for every connection: what we write leaves at once (asyncio sees to that only on
    sockets that name their protocol), and a phone that walked out of reach is given up (on Linux).
    """
    if not 0 <= port <= 65535:
        raise OSError(f"The port cannot be {port}: it is a number from 0 to 65535.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    both = host == "::" and socket.has_dualstack_ipv6()
    try:
        listening = socket.create_server((host, port), family=family, backlog=QUEUE, dualstack_ipv6=both)
    except OSError as error:
        raise OSError(
            f"Cannot listen on {host}, port {port}: {error.strerror}. Try another --port."
        ) from error
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, OUT_OF_REACH)
    return listening
