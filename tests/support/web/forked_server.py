"""Servers that start at once: each is a fork of one process that has everything loaded already."""

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any, TextIO

import web.server.serve  # noqa: F401  # what a server would load first of all
from referee.presentation.words import LANGUAGES, words
from referee.program.cli import main
from tests.support.web.modified_server import MODIFICATIONS
from tests.support.web.server_process import ROOT, Running

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([__name__])
for language in LANGUAGES:
    words(language)  # read once here, and not by each server


class Fork:
    """A process that was forked, as far as a test needs to know one: like `subprocess.Popen`."""

    def __init__(self, modifications: Sequence[str], arguments: Sequence[str], log: Path) -> None:
        reading, writing = os.pipe()
        self.stdout: TextIO = os.fdopen(reading)
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        # The pipe is handed over while the process is started: not before, and not after.
        self._process = FORKS.Process(
            target=_run, args=(_Handed(writing), log, environment, modifications, arguments), daemon=True
        )
        self._process.start()
        os.close(writing)
        assert self._process.pid
        self.pid: int = self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("serve", timeout or 0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self._process.kill()


class _Handed:
    """A file that the new process inherits."""

    def __init__(self, file: int) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return _taken, (DupFd(self.file),)


def _taken(handed: Any) -> int:
    return int(handed.detach())


def _run(
    out: int,
    log: Path,
    environment: Mapping[str, str],
    modifications: Sequence[str],
    arguments: Sequence[str],
) -> None:
    os.chdir(ROOT)
    os.environ.clear()
    os.environ.update(environment)
    with log.open("a") as err:
        for file, number in ((out, 1), (err.fileno(), 2)):
            os.dup2(file, number)
    os.close(out)
    for modification in modifications:
        MODIFICATIONS[modification]()
    sys.exit(main(arguments))


class Forked(Running):
    """A referee that runs as any other does, but for how it began."""

    def _start(self) -> Fork:
        return Fork(self._modifications, self._arguments(), self.log)
