"""Serving: the store, the house, the desks and the front put together, until somebody says stop."""

import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn

from referee.settings import Settings
from web.address import base_url
from web.app import create_app
from web.desks import Desks
from web.front import Front
from web.house import House
from web.store import Store


class Referee(uvicorn.Server):
    """uvicorn, except that closing tells the streams to end rather than wait for them."""

    def __init__(self, config: uvicorn.Config, front: Front, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._front = front
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._front.close_streams()
        await super().shutdown(sockets)


def serve(settings: Settings, data: Path, ready: Callable[[str, str], None]) -> None:
    """Serve until SIGTERM or SIGINT. `ready` is told the address for people and the one for this machine."""
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    listening = listen(settings.server.host, settings.server.port)
    port = listening.getsockname()[1]
    local = base_url(
        "", "127.0.0.1" if settings.server.host in ("0.0.0.0", "::") else settings.server.host, port
    )

    def base() -> str:
        return base_url(settings.server.address, settings.server.host, port)

    store = Store(data / "referee.db")
    house = House(store, settings)
    desks = Desks(house, data, base)
    front = Front(house, desks, create_app(house, desks))
    config = uvicorn.Config(
        front,
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        http="httptools",
        loop="asyncio",
        ws="none",
        timeout_graceful_shutdown=1,
    )
    try:
        Referee(config, front, lambda: ready(base(), local)).run([listening])
    finally:
        store.close()


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 lets the system choose one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=1024)
