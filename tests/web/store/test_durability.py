"""Durability: what was answered is on disk, a power cut loses nothing, a full disk breaks nothing."""

import resource
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee.games import GAMES
from tests.support.fixtures import Start
from tests.support.soak import games
from tests.support.waiting import TIMEOUT, eventually
from tests.support.web.http_client import Answer, Table, without_presence
from tests.support.web.journal import journal, sizes
from tests.support.web.players_until_killed import Players, again, comes_back, views
from tests.support.web.random_player import hide, play_on
from tests.support.web.server_process import Running
from tests.support.web.strace_log import STRACE, is_whole, synced_before_told

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
    trace, request = traced_move(start, tmp_path / "trace", modifications=["nosync"])
    assert not synced_before_told(trace, request, r"HTTP/1.1 200 OK")
    assert not synced_before_told(trace, request, r"id: 5\n")


# ---- power cuts


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
            players.join(TIMEOUT)
            comes_back(players, later)


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
    before = without_presence(table.view()), views(phones), journal(server, table.code), sizes(server)
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
        table_now = without_presence(table.view())
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
