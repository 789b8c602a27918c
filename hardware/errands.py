"""Errands: what the buttons ask for, done through the server's contract with the desk's key."""

import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hardware.inbox import Inbox
from hardware.server import GONE, Server
from hardware.worker import Worker

log = logging.getLogger(__name__)

POWER_OFF = "power-off"  # a file of this name in the folder that the system gave us asks it to power off


class Errands(Worker[str]):
    """One at a time, by a worker of their own; `answer` tells whoever pressed whether it was done."""

    def __init__(self, server: Server, can_print: bool, answer: Callable[[str, bool], None]) -> None:
        super().__init__("errands", Inbox(room=2))
        self._server, self._can_print, self._answer = server, can_print, answer
        self.has_screen = False  # whether the desk's own screen shows the codes of free seats
        self._view: Mapping[str, Any] | None = None
        self._worker.start()

    def at(self, view: Mapping[str, Any] | None) -> None:
        """The table that the desk serves, as everyone may see it."""
        self._view = view

    def run(self, what: str) -> None:
        """`print`, `table` or `shutdown`."""
        self._inbox.put(what)

    def _work(self) -> None:
        errands = {"print": self._print, "table": self._table, "shutdown": self._shutdown}
        while not self._inbox.closed:
            if what := self._inbox.get(None):
                self._answer(what, self._done(errands[what]))

    def _done(self, errand: Callable[[], bool]) -> bool:
        try:
            return errand()
        except (*GONE, LookupError) as trouble:
            log.info("The server does not do it: %s", trouble)
            return False

    def _print(self) -> bool:
        """The sheet of a game that is over; slips for the seats that are still free."""
        if self._view is None:
            return False
        what = "sheet" if self._view["status"] == "over" else "join"
        self._server.call(f"tables/{self._view['table']}/print", {"what": what})
        return True

    def _table(self) -> bool:
        """A new table of the game played last. There must be a way in: slips of paper, or a screen."""
        if self._view is None or not (self._can_print or self.has_screen):
            return False
        wish = {"game": self._view["game"], "options": self._view["options"], "desk": self._server.desk}
        opened = self._server.call("tables", wish)
        self._server.call(f"tables/{opened['table']}/print", {"what": "join"})
        return True

    def _shutdown(self) -> bool:
        """The server ends first, if it can be reached; then the machine, where the system lets us ask."""
        ended = self._done(self._end_server)
        if folder := os.environ.get("RUNTIME_DIRECTORY"):
            (Path(folder) / POWER_OFF).touch()
        return ended or bool(folder)

    def _end_server(self) -> bool:
        self._server.post("end", {})
        return True
