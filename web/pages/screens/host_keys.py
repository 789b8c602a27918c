"""Host keys: a short key by which another screen becomes a host's screen too and shows the QR codes."""

import hashlib
import threading
from collections import OrderedDict

from flask import Blueprint, current_app
from flask.blueprints import BlueprintSetupState

from web.request_context import caller, service
from web.security.tokens import LETTERS
from web.service.live_table import LiveTable

MOST_KEYS = 256  # keys kept; the least recently used is dropped
LENGTH = 8  # short enough to type with a remote control, too long to guess at the rate limit


class HostKeys:
    """The keys that host screens show, with the host token each stands for.

    A key is derived from the host's token, so it is the same after a restart. It works again as soon as the
    host's screen has reloaded.
    """

    def __init__(self) -> None:
        self._tokens: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._lock = threading.Lock()

    def key(self, table: LiveTable, token: str) -> str:
        """The key for this table's host token; registers it."""
        key = _key(table.code, token)
        with self._lock:
            self._tokens[table.code, key] = token
            self._tokens.move_to_end((table.code, key))
            if len(self._tokens) > MOST_KEYS:
                self._tokens.popitem(last=False)
        return key

    def token(self, table: LiveTable, key: str) -> str:
        """The host's token for this key. Wrong keys are refused and rate-limited."""
        with self._lock:
            token = self._tokens.get((table.code, "".join(key.split()).upper()), "")
        service().guesses.check_key(caller(), bool(token), "bad-key")
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
