"""Runs the desk as a child process of the server, and restarts it with increasing delays if it crashes."""

import subprocess
from collections.abc import Sequence
from threading import Event, Thread

PAUSES = (1.0, 2.0, 5.0, 15.0, 60.0)  # seconds before each restart; the last one repeats
CLOSE_TIMEOUT = 1.0  # seconds in which the desk must switch off its devices and exit


class Supervisor:
    """The desk in a child process, so that a crash does not affect the server."""

    def __init__(self, command: Sequence[str], pauses: Sequence[float] = PAUSES) -> None:
        self._command = command
        self._pauses = pauses
        self._closed = Event()
        self._desk = self._start()
        self._watch = Thread(target=self._watch_desk, name="supervisor", daemon=True)
        self._watch.start()

    @property
    def pid(self) -> int:
        return self._desk.pid

    def close(self) -> None:
        self._closed.set()
        self._desk.terminate()
        try:
            self._desk.wait(CLOSE_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._desk.kill()
        self._watch.join()

    def _start(self) -> subprocess.Popen[bytes]:
        """Start the desk with a pipe as its stdin. It exits when the pipe closes, even if we are killed."""
        return subprocess.Popen(self._command, stdin=subprocess.PIPE)

    def _watch_desk(self) -> None:
        starts = 0
        while self._desk.wait() is not None and not self._closed.is_set():
            self._close_pipe()
            if self._closed.wait(self._pauses[min(starts, len(self._pauses) - 1)]):
                return
            self._desk = self._start()
            starts += 1
        self._close_pipe()

    def _close_pipe(self) -> None:
        if self._desk.stdin:
            self._desk.stdin.close()
