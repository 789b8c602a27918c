"""Handing the host's screen over: a short key that lets another screen show the seats' QR codes too."""

import hashlib
import threading
from collections import OrderedDict

from flask import Blueprint, current_app
from flask.blueprints import BlueprintSetupState

from web.api import caller, house
from web.door import LETTERS
from web.table import LiveTable

ROOM = 256  # tables whose keys are at hand
LENGTH = 8  # short enough to type with a remote control, too long to guess at the pace of the door


class HostKeys:
    """The keys that host screens show now. They are made from the host's token, so that a key outlives
    a restart of the server: the host's screen comes back by itself and brings it along."""

    def __init__(self) -> None:
        self._tokens: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._lock = threading.Lock()

    def key(self, table: LiveTable, token: str) -> str:
        """The key to this table's host screen; from now on it opens."""
        key = _key(table.code, token)
        with self._lock:
            self._tokens[table.code, key] = token
            self._tokens.move_to_end((table.code, key))
            if len(self._tokens) > ROOM:
                self._tokens.popitem(last=False)
        return key

    def token(self, table: LiveTable, key: str) -> str:
        """The host's token for whoever knows the key."""
        with self._lock:
            token = self._tokens.get((table.code, "".join(key.split()).upper()), "")
        house().check_guess(caller(), bool(token), "bad-key")
        return token


def _key(code: str, token: str) -> str:
    digest = hashlib.sha256(f"host screen {code} {token}".encode()).digest()
    return "".join(LETTERS[byte % len(LETTERS)] for byte in digest[:LENGTH])


def add_to(part: Blueprint) -> None:
    @part.record_once
    def _add(state: BlueprintSetupState) -> None:
        state.app.extensions["host_keys"] = HostKeys()


def host_keys() -> HostKeys:
    return current_app.extensions["host_keys"]  # type: ignore[no-any-return]
