"""Durability: what was answered is on disk, a power cut loses nothing, a full disk breaks nothing."""

import http.client
import resource
import threading
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee.games import GAMES
from tests.referee.budget import games
from tests.web.client import PATIENCE, Answer, Phone, Table, eventually, whoever_is_there
from tests.web.conftest import Start
from tests.web.journal import journal, sizes
from tests.web.play import hide, picked, play_on
from tests.web.server import Running
from tests.web.traces import STRACE, is_whole, synced_before_told

GONE = (OSError, http.client.HTTPException)
SHORT = {"turn_cap": 24}


# ---- on disk before it is answered


def traced_move(start: Start, trace: Path, **more: Any) -> tuple[Path, str]:
    """Play a little under strace; the trace, and what the last move's request was."""
    server = start(before=[*STRACE, str(trace)], **more)
    table = server.client.open_table(options={"first": "target"})
    phones = table.everybody()
    with table.events() as screen:
        hide(phones)
        phones["target"].moves("attack_from_hand", card=0, house=1)
        screen.view(5)
    assert server.stop() == 0
    eventually(lambda: is_whole(trace, server.process.pid))
    return trace, r"\"attack_from_hand\", \"card\": 0"


def test_a_move_is_on_disk_before_it_is_answered_or_told(start: Start, tmp_path: Path) -> None:
    trace, request = traced_move(start, tmp_path / "trace")
    assert synced_before_told(trace, request, r"HTTP/1.1 200 OK")
    assert synced_before_told(trace, request, r"id: 5\n")


def test_without_the_sync_the_check_above_fails(start: Start, tmp_path: Path) -> None:
    trace, request = traced_move(start, tmp_path / "trace", bends=["nosync"])
    assert not synced_before_told(trace, request, r"HTTP/1.1 200 OK")
    assert not synced_before_told(trace, request, r"id: 5\n")


# ---- power cuts


def views(phones: dict[str, Phone]) -> dict[str, Any]:
    return {seat: whoever_is_there(phone.view()) for seat, phone in phones.items()}


def again(phones: dict[str, Phone], server: Running) -> dict[str, Phone]:
    return {seat: phone.at(server.url) for seat, phone in phones.items()}


@pytest.mark.parametrize("moves", [0, 1, 2, 7, 20])
def test_killed_between_moves_it_comes_back_as_it_was(start: Start, moves: int) -> None:
    dice = Random(moves)
    server = start()
    waiting = server.client.open_table()
    table = server.client.open_table(options=SHORT)
    phones = table.everybody()
    play_on(phones, dice, moves)
    before, lines = views(phones), journal(server, table.code)
    server.kill()
    with server.again() as later:
        assert journal(later, table.code) == lines
        assert views(again(phones, later)) == before
        assert play_on(again(phones, later), dice)["status"] == "over"
        waiting.client = later.client
        assert waiting.take("mask", "Late").status == 200


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
            assert self.played.wait_for(lambda: self.version >= version or self.done, PATIENCE)


@pytest.mark.parametrize("seed", games(1))
def test_killed_in_mid_move_it_is_wholly_there_or_not_at_all(start: Start, seed: int) -> None:
    dice = Random(seed)
    server = start()
    tables = [server.client.open_table(game=game, desk=None) for game in (*GAMES, "agent_hunter")]
    tellers = [Players(table.everybody(), Random(f"{seed}/{i}")) for i, table in enumerate(tables)]
    for players in tellers:
        players.start()
    dice.choice(tellers).wait(dice.randrange(3, 15))
    server.kill()
    with server.again() as later:
        for players in tellers:
            players.join(PATIENCE)
            comes_back(players, later)


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


# ---- a disk that refuses


def allow_files_of(server: Running, size: int) -> None:
    """From now on the server's files cannot grow beyond this: a full disk, as far as it can tell."""
    hard = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)[1]
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, hard))


def refused_for_the_disk(answer: Answer) -> bool:
    return (answer.status, answer.code) == (503, "not-saved")


def test_a_full_disk_is_told_and_nothing_changes_until_there_is_room(start: Start) -> None:
    server = start()
    table = server.client.open_table(options={"first": "target", **SHORT})
    phones = table.everybody()
    hide(phones)
    before = whoever_is_there(table.view()), views(phones), journal(server, table.code), sizes(server)
    with table.events() as screen, phones["mask"].events() as phone:
        screen.view(4), phone.view(4)
        attack = {"version": 4, "type": "attack_from_hand", "card": 0, "house": 1}
        allow_files_of(server, 4096)
        keyed = phones["target"].client.with_(Idempotency_Key="k1", Accept_Language="en")
        refused = keyed.post(f"{table.path}/moves", attack)
        assert refused_for_the_disk(refused)
        assert "nothing has changed" in refused.json["detail"]
        assert refused_for_the_disk(server.client.post("/api/tables", {"game": "agent_hunter"}))
        assert server.client.get("/healthz").status == 200
        allow_files_of(server, resource.RLIM_INFINITY)
        table_now = whoever_is_there(table.view())
        assert (table_now, journal(server, table.code), sizes(server)) == (before[0], *before[2:])
        assert keyed.post(f"{table.path}/moves", attack).json["version"] == 5
        screen.view(5), phone.view(5)
        for stream in (screen, phone):
            assert [event.id for event in stream.all("view")] == ["4", "5"]
    assert play_on(phones, Random(1))["status"] == "over"
    lines = journal(server, table.code)
    server.kill()
    with server.again() as later:
        assert journal(later, table.code) == lines
        assert again(phones, later)["mask"].view()["status"] == "over"


def test_a_full_disk_leaves_no_half_joined_seat(start: Start) -> None:
    server = start()
    table: Table = server.client.open_table()
    table.join("target", "Ana")
    allow_files_of(server, 4096)
    assert refused_for_the_disk(table.take("mask", "Bo"))
    allow_files_of(server, resource.RLIM_INFINITY)
    assert table.view()["seats"]["mask"]["joined"] is False
    assert table.take("mask", "Bo").status == 200
