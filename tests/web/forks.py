"""Servers that are quick to start and to kill: each is a fork of one process that has everything loaded."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from referee.settings import Games, Server, Settings
from tests.web.client import Client
from tests.web.server import ROOT, free_port
from web.serve import serve


class Forks:
    """A server on one folder and one port, killed and started again as often as one likes."""

    def __init__(self, data: Path) -> None:
        self.data, self.port = data, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = data.with_name("forks.log")
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.web.forks", str(data), str(self.port)],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self._server = 0

    @property
    def client(self) -> Client:
        return Client(self.url)

    def said(self) -> str:
        """What all of them wrote to their log."""
        return self._log.read_text()

    def start(self) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write("start\n")
        self._process.stdin.flush()
        told = self._process.stdout.readline().split()
        assert told[:1] == ["ready"], f"it does not start: {told} {self._log.read_text()}"
        self._server = int(told[1])

    def kill(self) -> None:
        """kill -9, and nothing of it is left when this returns."""
        os.kill(self._server, signal.SIGKILL)
        assert self._process.stdout
        assert self._process.stdout.readline() == "ended\n"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _where: TracebackType | None
    ) -> None:
        with self._process:
            os.kill(self._server, signal.SIGKILL)
            assert self._process.stdin
            self._process.stdin.close()


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def main(data: Path, port: int) -> None:
    settings = Settings(server=Server(host="127.0.0.1", port=port), games=Games(stick=""))
    for _ in sys.stdin:
        child = os.fork()
        if not child:
            serve(settings, data, lambda *_: say(f"ready {os.getpid()}"))
            os._exit(0)
        os.waitpid(child, 0)
        say("ended")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
