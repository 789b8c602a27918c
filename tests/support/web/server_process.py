"""A server in its own process with its own data folder, as people run it."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import SystemRandom
from types import TracebackType
from typing import IO, Protocol, Self

from tests.support.web.http_client import Client

ROOT = Path(__file__).parents[3]
STOPS = 30.0  # seconds after which a server that should have ended is stuck


class Process(Protocol):
    """What a test needs to know of a process."""

    @property
    def pid(self) -> int: ...
    @property
    def stdout(self) -> IO[str] | None: ...
    @property
    def returncode(self) -> int | None: ...
    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, number: int, /) -> None: ...
    def kill(self) -> None: ...


class Running:
    """A server that runs until it is stopped, killed, or the `with` ends; and then again, if one likes."""

    def __init__(
        self,
        data: Path,
        settings: str = "",
        modifications: Sequence[str] = (),
        before: Sequence[str] = (),
        options: Sequence[str] = ("--host", "127.0.0.1", "--port", "0"),
        desk: str = "off",
        packages: Sequence[Path] = (),
    ) -> None:
        self.data = data
        self.packages = packages  # folders with installed packages
        self._settings, self._modifications, self._before, self._options = (
            settings,
            modifications,
            before,
            options,
        )
        self._desk = desk
        self.log = data.with_name(f"{data.name}.log")
        self.told = ""  # all that it wrote to its standard output, each time until it ended
        self.process = self._start()
        self.url = self._address()

    def _arguments(self) -> list[str]:
        config = self.data.with_name(f"{self.data.name}.toml")
        config.write_text(_without_sticks(self._settings))
        where = ["--data", str(self.data), "--desk", self._desk, "--config", str(config)]
        return ["serve", *self._options, *where]

    def _start(self) -> Process:
        module = (
            ["tests.support.web.modified_server", ",".join(self._modifications)]
            if self._modifications
            else ["referee.program.cli"]
        )
        with self.log.open("a") as log:
            return subprocess.Popen(
                [*self._before, sys.executable, "-m", *module, *self._arguments()],
                cwd=ROOT,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(map(str, (ROOT, *self.packages))),
                    "LC_ALL": "C.UTF-8",
                },
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    def _address(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.told += line
        found = [word for word in line.split() if word.startswith(("http://", "https://"))]
        assert found, f"the server did not start: {line!r} {self.log.read_text()}"
        return found[0]

    @property
    def client(self) -> Client:
        return Client(self.url)

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def said(self) -> str:
        """What it wrote to its log."""
        return self.log.read_text()

    def desk_key(self) -> str:
        return (self.data / "desk-main.key").read_text().strip()

    def megabytes(self) -> float:
        return _megabytes(Path(f"/proc/{self.process.pid}/status"), "VmRSS")

    def heap(self) -> float:
        """What it has allocated, in megabytes: program files that are only now read do not count."""
        return _megabytes(Path(f"/proc/{self.process.pid}/status"), "RssAnon")

    def share_of_memory(self) -> float:
        """The proportional set size of all its processes in megabytes: what they share with others counts in
        part."""
        return sum(_megabytes(Path(f"/proc/{pid}/smaps_rollup"), "Pss") for pid in _family(self.process.pid))

    def kept_waiting(self) -> float:
        """Seconds in which it could have gone on, had this machine not been busy with others."""
        return int(Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[1]) / 1e9

    def sockets(self) -> int:
        """How many sockets it has open."""
        links = Path(f"/proc/{self.process.pid}/fd").iterdir()
        return sum(_points_to_socket(link) for link in links)

    def stop(self) -> int:
        """Ask it to end, as the system does."""
        self.process.send_signal(signal.SIGTERM)
        return self._ended()

    def kill(self) -> None:
        """End it in the middle of whatever it does, as a power cut would."""
        self.process.kill()
        self._ended()

    def again(self) -> Self:
        """Start it once more on the same folder, when it has ended; at another port, if it may choose."""
        self.process = self._start()
        self.url = self._address()
        return self

    def _ended(self) -> int:
        try:
            return self.process.wait(STOPS)
        finally:
            self.process.kill()
            self.process.wait()
            if self.process.stdout:
                self.told += self.process.stdout.read()
                self.process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _where: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.stop()
        elif self.process.stdout:
            self.process.stdout.close()


def _megabytes(file: Path, name: str) -> float:
    """The figure of this name in a file of the system."""
    line = next(line for line in file.read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) / 1024


def _family(pid: int) -> Iterator[int]:
    """A process and all that it or they have started."""
    yield pid
    for thread in Path(f"/proc/{pid}/task").iterdir():
        for child in (thread / "children").read_text().split():
            yield from _family(int(child))


def _without_sticks(settings: str) -> str:
    """No test writes to a stick that happens to be there."""
    own = '[games]\nstick = ""\n'
    return settings.replace("[games]\n", own) if "[games]\n" in settings else f"{settings}\n{own}"


def free_port() -> int:
    """A port to listen on later, and again later: from below those that the system hands out meanwhile."""
    for port in SystemRandom().sample(range(20000, 32000), 100):
        if _is_free(port):
            return port
    raise AssertionError("no free port")


def _is_free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def _points_to_socket(link: Path) -> bool:
    try:
        return str(link.readlink()).startswith("socket:")
    except FileNotFoundError:
        return False
