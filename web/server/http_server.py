"""Runs granian, the HTTP server, in our own event loop: reserves the port, starts, notifies systemd, stops.

granian (built on hyper) limits the size of a request head and the time to send it, the number of headers,
trailers, and pipelined requests. It does not limit the connections of one caller; `web/server/sockets.py`
does. It binds its own socket with port sharing, so a second server could use the same port: we reserve the
port first, and a second server fails to start.

With a certificate, a second granian serves https in the same loop, for the same application.
"""

import asyncio
import logging
import resource
import signal
import socket
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server

from referee.program.sd_notify import ALIVE, notify, watchdog_interval
from web.server.application import AsgiApplication
from web.server.certificate import Certificate
from web.server.sockets import close_excess, is_crowded, set_ack_timeout
from web.store import NotSaved

log = logging.getLogger("referee")

MOST_FILES = 16_384
MOST_CONNECTIONS = 8192  # at once; fewer than the open files
OTHER_FILES = 96  # open files besides connections: mostly SQLite's, three per thread
BACKLOG = 4096  # connections waiting to be accepted: the default maximum of Linux
MOST_HEAD = 32 * 1024  # bytes of request line and headers: a long query, all cookies of a browser
HEAD_TIME = 10_000  # milliseconds to send them, and of an idle connection
SHUTDOWN_TIME = 1.0  # seconds for requests in progress at shutdown
CHECK_INTERVAL = 0.25  # seconds between two checks of the number of connections
POLL_INTERVAL = 0.002  # seconds between two checks whether the server listens
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class ListenAddress(NamedTuple):
    """A reserved address and port. With a certificate, https is spoken there."""

    address: str
    port: int
    certificate: Certificate | None = None


# ---- before the start


@contextmanager
def reserved(host: str, port: int, certificate: Certificate | None = None) -> Iterator[ListenAddress]:
    """Reserve an address and port. Port 0 lets the system choose one; `::` also accepts IPv4.

    Binds a socket that does not listen. This fails if another socket listens on the port, keeps the system
    from assigning the port to others, and does not prevent granian from binding it too.
    """
    if not 0 <= port <= 65535:
        raise OSError(f"The port cannot be {port}: it is a number from 0 to 65535.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            holder.bind((host, port))
        except OSError as error:
            another = "server.tls_port in the settings" if certificate else "--port"
            raise OSError(
                f"Cannot listen on {host}, port {port}: {error.strerror}. Try another {another}."
            ) from error
        address, chosen = holder.getsockname()[:2]
        yield ListenAddress(address, chosen, certificate)


def raise_file_limit() -> None:
    """Raise the limit of open files: each stream is one, and the usual limit of 1,024 is too low for a full
    hall."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def max_connections() -> int:
    """The maximum number of connections. It leaves some files free: without a free file, granian would retry
    accepting a connection in a busy loop."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = MOST_FILES if soft == resource.RLIM_INFINITY else soft
    return max(8, min(files - OTHER_FILES, MOST_CONNECTIONS))


# ---- serving


def run(
    application: AsgiApplication,
    listeners: Sequence[ListenAddress],
    ready: Callable[[], None],
    check_health: Callable[[], Any],
    exempt: Collection[str] = (),
) -> None:
    """Serve until SIGTERM or SIGINT. Exempt addresses may have any number of connections. The loop is not
    closed afterwards, because granian's threads may still call into it."""
    loop = _new_loop()
    stopping = asyncio.Event()
    old_handlers = {number: signal.getsignal(number) for number in STOP_SIGNALS}
    for number in STOP_SIGNALS:
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(stopping.set))
    try:
        loop.run_until_complete(_serve(application, listeners, ready, check_health, exempt, stopping))
    finally:
        for number, handler in old_handlers.items():
            signal.signal(number, handler)


def _new_loop() -> asyncio.AbstractEventLoop:
    """A uvloop loop if uvloop is installed, else asyncio's own."""
    try:
        import uvloop  # noqa: PLC0415  # not everywhere
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


async def _serve(
    application: AsgiApplication,
    listeners: Sequence[ListenAddress],
    ready: Callable[[], None],
    check_health: Callable[[], Any],
    exempt: Collection[str],
    stopping: asyncio.Event,
) -> None:
    application.begin(asyncio.get_running_loop())
    most, ports = max_connections(), [listen.port for listen in listeners]
    servers = [_server(application, listen, most // len(listeners)) for listen in listeners]
    serving = [asyncio.ensure_future(server.serve()) for server in servers]
    for listen, its_serving in zip(listeners, serving, strict=True):
        await _wait_until_listening(listen, its_serving)
    set_ack_timeout(ports)
    ready()
    stop_requested = asyncio.ensure_future(stopping.wait())
    background = (_notify_watchdog(check_health), _limit_connections(ports, most // 2, exempt))
    tasks = [stop_requested, *map(asyncio.ensure_future, background)]
    await asyncio.wait([*serving, stop_requested], return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    for ended in serving:
        if ended.done():
            raise OSError("The HTTP server stopped unexpectedly.") from ended.exception()
    application.close_streams()
    for server in servers:
        server.stop()  # type: ignore[no-untyped-call]
    await asyncio.wait(serving, timeout=SHUTDOWN_TIME)


def _server(application: AsgiApplication, listen: ListenAddress, most: int) -> Server:
    return Server(
        application,
        address=listen.address,
        port=listen.port,
        interface=Interfaces.ASGINL,
        http=HTTPModes.http1,
        websockets=False,
        backlog=BACKLOG,
        backpressure=most,
        http1_settings=HTTP1Settings(header_read_timeout=HEAD_TIME, max_buffer_size=MOST_HEAD),
        log_enabled=False,
        ssl_cert=listen.certificate.chain if listen.certificate else None,
        ssl_key=listen.certificate.key if listen.certificate else None,
    )


async def _wait_until_listening(listen: ListenAddress, serving: asyncio.Future[None]) -> None:
    """Wait until the server accepts a connection."""
    itself = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(listen.address, listen.address)
    while not serving.done():
        with suppress(OSError):
            _, writer = await asyncio.open_connection(itself, listen.port)
            writer.close()
            return
        await asyncio.sleep(POLL_INTERVAL)
    raise OSError(f"Cannot listen on {listen.address}, port {listen.port}.") from serving.exception()


async def _limit_connections(ports: Collection[int], most: int, exempt: Collection[str]) -> None:
    """Close connections of greedy callers while more than this many are open."""
    while True:
        await asyncio.sleep(CHECK_INTERVAL)
        try:
            if is_crowded(most):
                await asyncio.to_thread(close_excess, ports, most, exempt)
        except OSError as error:  # for example no free file: tried again
            log.warning("connections could not be counted: %s", error.strerror)


async def _notify_watchdog(check_health: Callable[[], Any]) -> None:
    """Notify systemd's watchdog while this loop and the store respond; without it, systemd restarts us."""
    every = watchdog_interval()
    while every:
        try:
            await asyncio.get_running_loop().run_in_executor(None, check_health)
            notify(ALIVE)
        except NotSaved:
            log.warning("watchdog: the store does not respond")
        await asyncio.sleep(every)
