"""Keeps a desk process alive beside the server: one that falls over is started again, ever more slowly."""

import subprocess
from collections.abc import Sequence
from threading import Event, Thread

PAUSES = (1.0, 2.0, 5.0, 15.0, 60.0)  # seconds before each new start; the last one over and over
FAREWELL = 1.0  # seconds a desk has to put out its lights


class Keeper:
    """A desk as a child process: it can fall over without touching a game."""

    def __init__(self, command: Sequence[str], pauses: Sequence[float] = PAUSES) -> None:
        self._command = command
        self._pauses = pauses
        self._closed = Event()
        self._desk = self._start()
        self._watch = Thread(target=self._keep, name="keeper", daemon=True)
        self._watch.start()

    @property
    def pid(self) -> int:
        return self._desk.pid

    def close(self) -> None:
        self._closed.set()
        self._desk.terminate()
        try:
            self._desk.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            self._desk.kill()
        self._watch.join()

    def _start(self) -> subprocess.Popen[bytes]:
        """The desk reads its end from standard input: a server that is killed leaves none behind."""
        return subprocess.Popen(self._command, stdin=subprocess.PIPE)

    def _keep(self) -> None:
        starts = 0
        while self._desk.wait() is not None and not self._closed.is_set():
            self._let_go()
            if self._closed.wait(self._pauses[min(starts, len(self._pauses) - 1)]):
                return
            self._desk = self._start()
            starts += 1
        self._let_go()

    def _let_go(self) -> None:
        if self._desk.stdin:
            self._desk.stdin.close()
