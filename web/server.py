"""The HTTP server: granian, embedded in our own event loop, from the first connection to the last.

granian (hyper underneath) bounds what reaches us: the size of a head and the time it may take, the number of
headers, trailers, and requests sent behind one that is still being answered. It binds its own socket, and
would share the port with a second referee; so the port is reserved first, and the second one is refused.
"""

import asyncio
import logging
import resource
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server

from referee.notify import WELL, notify, pulse
from web.front import Front
from web.sockets import give_up_silent_peers
from web.store import NotSaved

log = logging.getLogger("referee")

MOST_FILES = 16_384
MOST_CONNECTIONS = 8192  # at once; more than one caller can hold without effort, and fewer than the files
OTHER_FILES = 96  # files besides connections: mostly the store's, three for each thread
BACKLOG = 1024  # connections that may wait to be accepted
MOST_HEAD = 32 * 1024  # bytes of request line and headers: a long form and all cookies of a browser
HEAD_TIME = 10_000  # milliseconds a caller may take to send them, and a connection may be idle
FAREWELL = 1.0  # seconds for requests in progress when we stop
STEP = 0.002  # seconds between two looks whether the server listens
STOPS = (signal.SIGTERM, signal.SIGINT)


class Place(NamedTuple):
    """An address and port that nobody else listens on."""

    address: str
    port: int


# ---- before


@contextmanager
def reserved(host: str, port: int) -> Iterator[Place]:
    """Reserve an address and port; port 0 lets the system choose one, and `::` hears IPv4 too.

    The socket is bound and does not listen. That fails where another socket listens, keeps the system from
    giving the port away, and does not hinder the server, which binds it once more.
    """
    if not 0 <= port <= 65535:
        raise OSError(f"The port cannot be {port}: it is a number from 0 to 65535.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            holder.bind((host, port))
        except OSError as error:
            raise OSError(
                f"Cannot listen on {host}, port {port}: {error.strerror}. Try another --port."
            ) from error
        yield Place(*holder.getsockname()[:2])


def make_room() -> None:
    """Every stream is an open file, and the usual limit of 1024 would be reached by a full house."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def room() -> int:
    """How many connections there may be. Without a file left for the next one, accepting it would be tried
    over and over."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = MOST_FILES if soft == resource.RLIM_INFINITY else soft
    return max(8, min(files - OTHER_FILES, MOST_CONNECTIONS))


# ---- serving


def run(front: Front, place: Place, ready: Callable[[], None], is_well: Callable[[], Any]) -> None:
    """Serve until SIGTERM or SIGINT. The loop is not closed afterwards: the server's threads may still have
    something to say to it."""
    loop = _new_loop()
    stopping = asyncio.Event()
    before = {number: signal.getsignal(number) for number in STOPS}
    for number in STOPS:
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(stopping.set))
    try:
        loop.run_until_complete(_serve(front, place, ready, is_well, stopping))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _new_loop() -> asyncio.AbstractEventLoop:
    """uvloop where it is installed."""
    try:
        import uvloop  # noqa: PLC0415  # not everywhere
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


async def _serve(
    front: Front,
    place: Place,
    ready: Callable[[], None],
    is_well: Callable[[], Any],
    stopping: asyncio.Event,
) -> None:
    front.begin(asyncio.get_running_loop())
    server = _server(front, place)
    serving = asyncio.ensure_future(server.serve())
    await _listening(place, serving)
    give_up_silent_peers(place.port)
    ready()
    told = [asyncio.ensure_future(stopping.wait()), asyncio.ensure_future(_tell_well(is_well))]
    await asyncio.wait([serving, told[0]], return_when=asyncio.FIRST_COMPLETED)
    for task in told:
        task.cancel()
    if serving.done():
        raise OSError("The HTTP server has ended by itself.") from serving.exception()
    front.close_streams()
    server.stop()  # type: ignore[no-untyped-call]
    await asyncio.wait([serving], timeout=FAREWELL)


def _server(front: Front, place: Place) -> Server:
    return Server(
        front,
        address=place.address,
        port=place.port,
        interface=Interfaces.ASGINL,
        http=HTTPModes.http1,
        websockets=False,
        backlog=BACKLOG,
        backpressure=room(),
        http1_settings=HTTP1Settings(header_read_timeout=HEAD_TIME, max_buffer_size=MOST_HEAD),
        log_enabled=False,
    )


async def _listening(place: Place, serving: asyncio.Future[None]) -> None:
    """Wait until the server answers a connection."""
    itself = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(place.address, place.address)
    while not serving.done():
        with suppress(OSError):
            _, writer = await asyncio.open_connection(itself, place.port)
            writer.close()
            return
        await asyncio.sleep(STEP)
    raise OSError(f"Cannot listen on {place.address}, port {place.port}.") from serving.exception()


async def _tell_well(is_well: Callable[[], Any]) -> None:
    """Tell the system that we are well while both this loop and the store are; else it starts us anew."""
    every = pulse()
    while every:
        try:
            await asyncio.get_running_loop().run_in_executor(None, is_well)
            notify(WELL)
        except NotSaved:
            log.warning("the store does not answer")
        await asyncio.sleep(every)
