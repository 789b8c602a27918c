"""The actions of the buttons: requests to the server with the desk's key, and powering off."""

import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hardware.desk.server_client import UNREACHABLE, ServerClient
from hardware.devices.inbox import Inbox
from hardware.devices.worker import Worker

log = logging.getLogger(__name__)

POWER_OFF = "power-off"  # creating this file in RUNTIME_DIRECTORY makes systemd power off the machine


class ButtonActions(Worker[str]):
    """Runs actions one at a time in a worker thread. `answer` is called with each action and its success."""

    def __init__(self, server: ServerClient, can_print: bool, answer: Callable[[str, bool], None]) -> None:
        super().__init__("actions", Inbox(capacity=2))
        self._server, self._can_print, self._answer = server, can_print, answer
        self.has_screen = False  # whether the desk's own screen shows the QR codes of free seats
        self._view: Mapping[str, Any] | None = None
        self._worker.start()

    def at(self, view: Mapping[str, Any] | None) -> None:
        """Set the public view of the table at the desk."""
        self._view = view

    def run(self, what: str) -> None:
        """Queue an action: `print`, `table` or `shutdown`."""
        self._inbox.put(what)

    def _work(self) -> None:
        actions = {"print": self._print, "table": self._table, "shutdown": self._shutdown}
        while not self._inbox.closed:
            if what := self._inbox.get(None):
                self._answer(what, self._done(actions[what]))

    def _done(self, action: Callable[[], bool]) -> bool:
        try:
            return action()
        except (*UNREACHABLE, LookupError) as trouble:
            log.info("The server did not do what a button asked for: %s", trouble)
            return False

    def _print(self) -> bool:
        """Print the sheet of a finished game, else join slips for the free seats."""
        if self._view is None:
            return False
        what = "sheet" if self._view["status"] == "over" else "join"
        self._server.call(f"tables/{self._view['table']}/print", {"what": what})
        return True

    def _table(self) -> bool:
        """Open a new table of the game played last. Players need a way to join: printed slips or a screen."""
        if self._view is None or not (self._can_print or self.has_screen):
            return False
        request = {"game": self._view["game"], "options": self._view["options"], "desk": self._server.desk}
        opened = self._server.call("tables", request)
        self._server.call(f"tables/{opened['table']}/print", {"what": "join"})
        return True

    def _shutdown(self) -> bool:
        """Shut down the server, if it can be reached; then power off the machine, if systemd allows it."""
        ended = self._done(self._end_server)
        if folder := os.environ.get("RUNTIME_DIRECTORY"):
            (Path(folder) / POWER_OFF).touch()
        return ended or bool(folder)

    def _end_server(self) -> bool:
        self._server.post("end", {})
        return True
