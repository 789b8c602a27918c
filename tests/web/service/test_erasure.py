"""Deletion leaves nothing: no row of a deleted game, no answer stored for a token that is gone."""

import sqlite3
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from referee.core.entries import Entry
from referee.core.match import Match
from referee.core.sliced_work import SlicedWork
from referee.core.story import Story, story_in_slices
from tests.support.fixtures import Start
from tests.support.waiting import TIMEOUT, eventually
from tests.support.web.history import finished, history, page, stop
from tests.support.web.http_client import Client, Table
from tests.support.web.seated_table import SeatedTable
from tests.support.web.server_process import Running
from tests.support.web.table_service import HERE
from web.service import record_cache
from web.service.erasure import forget_person
from web.service.tables import TableService
from web.wire.errors import ApiError


@pytest.fixture
def server(start: Start) -> Running:
    return start()


def rows(server: Running, sql: str) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(server.data / "referee.db")) as db:
        return db.execute(sql).fetchall()


def traces(server: Running, code: str) -> list[str]:
    """The kinds of rows that still name a table."""
    named = rows(
        server, "SELECT m.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE c.name = 'code'"
    )
    tables = {name for (name,) in named if not name.startswith("sqlite_")}
    assert {"tables", "journal", "seats", "bots", "kept_tables"} <= tables
    return [name for name in tables if rows(server, f"SELECT 1 FROM {name} WHERE code = '{code}'")]


def stopped_demonstration(client: Client) -> Table:
    table = client.open_table(desk=None, bots=["mask"])
    ana = table.join("target", "Ana").client.with_(Idempotency_Key="once")
    body = {"version": table.view()["version"], "kind": "abandon"}
    assert ana.post(f"{table.path}/ask", body).status == 200
    eventually(lambda: table.view()["status"] == "over")  # the bot says yes
    return table


def test_a_deleted_game_leaves_no_row(server: Running) -> None:
    table = stopped_demonstration(server.client)
    assert set(traces(server, table.code)) >= {"bots", "journal", "seats", "tables"}
    assert rows(server, "SELECT 1 FROM answers")
    assert server.client.call("DELETE", f"/api/history/{table.code}").status == 200
    assert traces(server, table.code) == []
    assert not rows(server, "SELECT 1 FROM answers")


def test_a_demonstration_is_not_remembered(server: Running) -> None:
    stopped_demonstration(server.client)
    assert history(server.client) == []


def test_a_name_in_an_answer_to_a_phone_that_was_replaced_goes_too(server: Running) -> None:
    table = server.client.open_table(desk=None)
    phones = {
        seat: table.join(seat, name) for seat, name in zip(table.keys, ("Philomène", "Bo"), strict=True)
    }
    hide = {"version": 2, "type": "hide", "houses": [1, 2, 3]}
    kept = phones["target"].client.with_(Idempotency_Key="once")
    assert "Philomène" in kept.post(f"{table.path}/moves", hide).json["news"][0]["text"]
    phones["target"].goes_away()
    reissue = {"version": 3, "kind": "reissue", "seat": "target"}
    (new,) = phones["mask"].client.post(f"{table.path}/ask", reissue).json["seats"]
    joined = server.client.post(f"{table.path}/seats/target", {"key": new["key"], "name": "Philomène"})
    phones["target"].client = server.client.bearing(joined.json["token"])
    stop(table, phones)
    assert server.client.call("DELETE", "/api/players/philomene").status == 200
    files = b"".join(file.read_bytes() for file in server.data.rglob("*") if file.is_file())
    assert b"Philom" not in files


def test_a_game_whose_rules_are_gone_is_listed_and_can_be_deleted(start: Start) -> None:
    server = start()
    table = finished(server.client, "Ana", "Bo", turn_cap=2)
    server.stop()
    with closing(sqlite3.connect(server.data / "referee.db")) as db, db:
        db.execute("UPDATE tables SET game = 'a_game_that_is_gone'")
        db.execute("UPDATE games SET game = 'a_game_that_is_gone'")
    with server.again() as later:
        assert "a_game_that_is_gone" in page(later.client, "/person?name=ana")
        assert later.client.call("DELETE", f"/api/history/{table.code}").status == 200
        assert history(later.client) == []


def test_a_damaged_table_keeps_no_other_from_losing_a_name(service: TableService) -> None:
    damaged, sound = (SeatedTable(service) for _ in range(2))
    for at in (damaged, sound):
        at.agrees("abandon")
    held = sound.table, damaged.table
    with closing(sqlite3.connect(service.store.path)) as db, db:
        db.execute("UPDATE journal SET checksum = '' WHERE code = ? AND n = 3", (damaged.code,))
    assert service.wait(forget_person(service, "Target")) == 2
    assert held[0].match.names == {"target": "", "mask": "Mask"}
    with pytest.raises(ApiError, match="broken"):
        service.find(damaged.code, HERE)


def test_a_record_that_was_being_built_tells_no_deleted_name_later(
    service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    at, begun, goes_on = SeatedTable(service), threading.Event(), threading.Event()
    at.hide()
    at.agrees("abandon", show=True)

    def first_is_slow(opened: Match, entries: Iterable[Entry]) -> SlicedWork[Story]:
        if not begun.is_set():
            begun.set()
            while not goes_on.is_set():
                yield
        return (yield from story_in_slices(opened, entries))

    monkeypatch.setattr(record_cache, "story_in_slices", first_is_slow)
    with ThreadPoolExecutor(1) as apart:
        early = apart.submit(service.records.get, at.table)
        assert begun.wait(TIMEOUT)
        service.wait(forget_person(service, "Target"))
        try:
            assert b"Target" not in service.records.get(at.table).record
        finally:
            goes_on.set()
    assert early.exception() or b"Target" in early.result().record


def test_an_unknown_person_is_unknown_with_and_without_a_pin(start: Start) -> None:
    client = start('server.host_pin = "4711"').client
    assert client.call("DELETE", "/api/players/nobody").code == "unknown-person"
