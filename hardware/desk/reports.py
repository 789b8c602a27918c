"""Sends reports to the server in a worker thread, and retries until they are accepted or refused for good."""

import logging
from collections.abc import Mapping
from typing import Any

from hardware.desk.server_client import UNREACHABLE, Refused, ServerClient
from hardware.devices.worker import QueueWorker

log = logging.getLogger(__name__)

CAPACITY = 256  # unsent reports; when there are more, the oldest is dropped
SLOW_DOWN = 429


class Reports(QueueWorker):
    """The reports still to be sent, by path. A newer report replaces an unsent one for the same path. When it
    is closed, what is left is sent."""

    def __init__(self, server: ServerClient, retry: float = 2.0) -> None:
        super().__init__("reports")
        self._server, self._retry = server, retry
        self._unsent: dict[str, Mapping[str, Any]] = {}
        self._worker.start()

    def send(self, path: str, body: Mapping[str, Any]) -> None:
        with self._changed:
            self._unsent[path] = body
            if len(self._unsent) > CAPACITY:
                del self._unsent[next(iter(self._unsent))]
            self._changed.notify_all()

    def _work(self) -> None:
        while report := self._next():
            is_done = self._send(*report)
            with self._changed:
                if is_done and self._unsent.get(report[0]) is report[1]:
                    del self._unsent[report[0]]
                if not is_done and self._closed:
                    return
                if not is_done:
                    self._changed.wait_for(lambda: self._closed, self._retry)

    def _next(self) -> tuple[str, Mapping[str, Any]] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._unsent or self._closed)
            return next(iter(self._unsent.items()), None)

    def _send(self, path: str, body: Mapping[str, Any]) -> bool:
        """Send a report; whether it is done: accepted, or refused for good."""
        try:
            self._server.post(path, body)
        except Refused as refused:
            log.warning("%s", refused)
            return refused.status < 500 and refused.status != SLOW_DOWN
        except UNREACHABLE as trouble:
            log.info("The report could not be sent: %s", trouble)
            return False
        return True
