"""The two servers that are compared, each in its own process: this referee and boardgame.io."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.web.server_process import ROOT, free_port

SCRIPTS = Path(__file__).with_name("peer")
BUILD = ROOT / "build"
INSTALLED = BUILD / "peer"  # what npm brings
CLIENT = INSTALLED / "client.js"  # boardgame.io's React client with the duel's page, as browsers load it
PATIENCE = 60.0  # seconds in which a server must have answered
TICKS = os.sysconf("SC_CLK_TCK")
SYNCS = 200
CORES = sorted(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Server:
    """A server that runs: where, as which process, and how long it took to answer."""

    kind: str  # how the load speaks to it
    url: str
    pid: int
    seconds: float

    def resident(self) -> float:
        """Megabytes."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")) / 1024

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


@dataclass(frozen=True)
class Peer:
    """One of those compared: its name and how to start it on a port with a folder of its own."""

    name: str
    kind: str
    command: Callable[[int, Path], list[str]]
    answers: str  # a page that it answers once it is there
    env: Mapping[str, str] = field(default_factory=dict)

    @contextmanager
    def running(self) -> Iterator[Server]:
        with scratch() as folder, (folder / "log").open("w") as log:
            port = free_port()
            began = time.perf_counter()
            process = subprocess.Popen(
                [*on_cores(CORES[:1]), *self.command(port, folder / "data")],
                cwd=ROOT,
                env={**os.environ, **self.env},
                stdout=log,
                stderr=log,
            )
            try:
                url = f"http://127.0.0.1:{port}"
                _until_answered(url + self.answers)
                yield Server(self.kind, url, process.pid, time.perf_counter() - began)
            finally:
                process.terminate()
                process.wait()


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder on the disk that this repository is on; what is kept for passing files may be no disk."""
    BUILD.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        yield Path(folder)


def sync_milliseconds() -> float:
    """How long this disk takes to keep a page for good: the median of many."""
    times = []
    with scratch() as folder, (folder / "page").open("wb", buffering=0) as page:
        for _ in range(SYNCS):
            page.write(bytes(4096))
            began = time.perf_counter()
            os.fdatasync(page.fileno())
            times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def _referee(port: int, data: Path) -> list[str]:
    where = ["--host", "127.0.0.1", "--port", str(port), "--data", str(data), "--desk", "off"]
    return [sys.executable, "-m", "referee.program.cli", "serve", *where]


def _duel(port: int, store: str) -> list[str]:
    return ["node", str(SCRIPTS / "duel.cjs"), str(port), store]


NODE = {"NODE_PATH": str(INSTALLED / "node_modules"), "NODE_ENV": "production"}
REFEREE = Peer("referee", "referee", _referee, "/healthz")
IN_MEMORY = Peer("boardgame.io, memory", "boardgame", lambda port, _: _duel(port, "memory"), "/games", NODE)
IN_REACT = Peer(
    "boardgame.io, React client",
    "boardgame",
    lambda port, _: [*_duel(port, "memory"), str(CLIENT)],
    "/phone",
    NODE,
)
IN_FILES = Peer("boardgame.io, files", "boardgame", lambda port, to: _duel(port, str(to)), "/games", NODE)
PEERS = (REFEREE, IN_MEMORY, IN_FILES)


def install() -> None:
    """Have npm bring boardgame.io, in the version that is pinned, unless it is there."""
    wanted = (SCRIPTS / "package.json").read_bytes()
    here = INSTALLED / "package.json"
    if here.exists() and here.read_bytes() == wanted and (INSTALLED / "node_modules").exists():
        return
    INSTALLED.mkdir(parents=True, exist_ok=True)
    shutil.copy(SCRIPTS / "package.json", here)
    subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock"], cwd=INSTALLED, check=True
    )


def bundle() -> None:
    """Make the client's page one file, as it would be put on a server."""
    command = [
        str(INSTALLED / "node_modules" / ".bin" / "esbuild"),
        str(SCRIPTS / "client.jsx"),
        "--bundle",
        "--minify",
        "--jsx=automatic",
        '--define:process.env.NODE_ENV="production"',
        "--log-level=warning",
        f"--outfile={CLIENT}",
    ]
    subprocess.run(command, env={**os.environ, **NODE}, check=True)


@contextmanager
def load(server: Server, *what: str | int) -> Iterator[Callable[[], dict[str, Any]]]:
    """The load in a process of its own, its tables set up. Called, it plays, and tells what it measured."""
    command = [
        *on_cores(CORES[1:] or CORES),
        "node",
        str(SCRIPTS / "load.cjs"),
        server.kind,
        server.url,
        *map(str, what),
    ]
    process = subprocess.Popen(
        command,
        env={**os.environ, **NODE},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin and process.stdout
    talk, listen = process.stdin, process.stdout

    def play() -> dict[str, Any]:
        talk.write("go\n")
        talk.flush()
        told: dict[str, Any] = json.loads(listen.readline())
        return told

    try:
        assert listen.readline() == "ready\n", "the load could not be set up"
        yield play
    finally:
        process.kill()
        process.communicate()


def on_cores(cores: list[int]) -> list[str]:
    """What starts a command on these cores: the server has one to itself, the load the others."""
    return ["taskset", "--cpu-list", ",".join(map(str, cores))]


def _until_answered(url: str) -> None:
    ends = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(url, timeout=2) as answered:
                assert answered.status == 200
                return
        except (urllib.error.URLError, ConnectionError):
            assert time.monotonic() < ends, f"{url} never answered"
            time.sleep(0.005)
