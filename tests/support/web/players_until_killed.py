"""Players who play until the server is killed, and a check that nothing answered was lost."""

import http.client
import threading
from contextlib import suppress
from random import Random
from typing import Any

from tests.support.waiting import TIMEOUT
from tests.support.web.http_client import Phone, without_presence
from tests.support.web.journal import journal
from tests.support.web.random_player import picked, play_on
from tests.support.web.server_process import Running

GONE = (OSError, http.client.HTTPException)


def views(phones: dict[str, Phone]) -> dict[str, Any]:
    return {seat: without_presence(phone.view()) for seat, phone in phones.items()}


def again(phones: dict[str, Phone], server: Running) -> dict[str, Phone]:
    return {seat: phone.at(server.url) for seat, phone in phones.items()}


class Players(threading.Thread):
    """Both seats playing as fast as they can, until the server is gone or the game is over."""

    def __init__(self, phones: dict[str, Phone], dice: Random) -> None:
        super().__init__(daemon=True)
        self.phones, self.dice = phones, dice
        self.version = next(iter(phones.values())).table.view()["version"]
        self.sent: tuple[str, dict[str, Any]] | None = None  # the move that is under way
        self.played = threading.Condition()
        self.done = False

    def run(self) -> None:
        with suppress(*GONE):  # the server was killed while somebody asked or moved
            while self._plays():
                pass
        with self.played:
            self.done = True
            self.played.notify_all()

    def _plays(self) -> bool:
        able = [(phone, phone.view()) for phone in self.phones.values()]
        able = [(phone, view) for phone, view in able if view["me"]["choices"]]
        if not able:
            return False
        phone, view = self.dice.choice(able)
        move = picked(view["me"]["choices"], self.dice)
        self.sent = phone.seat, move
        answer = phone.client.post(f"{phone.table.path}/moves", {"version": view["version"], **move})
        assert answer.status == 200, answer.content
        with self.played:
            self.version, self.sent = answer.json["version"], None
            self.played.notify_all()
        return True

    def wait(self, version: int) -> None:
        with self.played:
            assert self.played.wait_for(lambda: self.version >= version or self.done, TIMEOUT)


def comes_back(players: Players, later: Running) -> None:
    """The table stands where the last answer left it, or one whole move further: the one under way."""
    phones = again(players.phones, later)
    code = next(iter(phones.values())).table.code
    version = next(iter(phones.values())).view()["version"]
    assert version in (players.version, players.version + 1)
    lines = journal(later, code)
    assert len(lines) == version
    if version > players.version:
        assert players.sent is not None
        seat, move = players.sent
        assert f"{lines[-1]} ".startswith(f"{seat} {move['type']} ")
    later_on = play_on(phones, Random(code), moves=3)
    assert later_on["version"] > version or later_on["status"] == "over"
