"""The host's page: names, clocks, closing with or without the players' consent, standstill, printers."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.support.fixtures import Start
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.seated_table import SeatedTable
from tests.support.web.table_service import opened
from web.server.flask_app import create_app
from web.service import presence
from web.service.desks import Desks
from web.service.tables import TableService
from web.store import statements

PIN = "4711"


def shown(client: Client, path: str = "/overview") -> str:
    answer = client.get(path)
    assert answer.status == 200
    return answer.content.decode()


def test_a_name_is_kept_and_shown_and_can_be_taken_away(client: Client, table: Table) -> None:
    path = f"/overview/{table.code}"
    assert client.post_form(path, name="  Window\u202e 3 ").status == 303
    assert '<b class="table-name">Window 3</b>' in shown(client)
    assert 'value="Window 3"' in shown(client, path)
    refused = client.post_form(path, name="x" * 60)
    assert refused.status == 400 and "x" * 60 in refused.content.decode()
    assert "Window 3" in shown(client)
    assert client.post_form(path, name=" ").status == 303
    assert "Window 3" not in shown(client)


def test_names_are_hostile(client: Client, table: Table) -> None:
    assert client.post_form(f"/overview/{table.code}", name='<b a="1">&').status == 303
    assert "&lt;b a=&#34;1&#34;&gt;&amp;" in shown(client) and '<b a="1">' not in shown(client)


def test_notes_change_no_version_and_no_journal(
    client: Client, phones: dict[str, Phone], table: Table
) -> None:
    before = table.view()
    assert client.post_form(f"/overview/{table.code}", name="3", clock="on").status == 303
    assert table.view() == before
    seat = phones["target"].browser.get(f"/t/{table.code}/s/target").content.decode()
    assert 'class="turn-clock"' in seat
    assert 'class="turn-clock"' in shown(client, f"/t/{table.code}")
    assert client.post_form(f"/overview/{table.code}", name="3").status == 303
    assert 'class="turn-clock"' not in shown(client, f"/t/{table.code}")


def test_notes_survive_a_restart_and_go_with_a_deleted_game(start: Start) -> None:
    server = start()
    table = server.client.open_table(desk=None)
    server.client.post_form(f"/overview/{table.code}", name="Fenêtre")
    server.stop()
    client = server.again().client
    assert "Fenêtre" in shown(client)
    client.post_form(f"/overview/{table.code}", close="1")
    assert client.call("DELETE", f"/api/history/{table.code}").status in (200, 204)
    server.stop()
    assert "Fenêtre".encode() not in (server.data / "referee.db").read_bytes()


# ---- closing


def test_a_table_that_has_not_begun_closes_at_once(client: Client, table: Table) -> None:
    table.join("target")
    assert "closes straight away" in shown(client, f"/overview/{table.code}")
    answer = client.post_form(f"/overview/{table.code}", close="1")
    assert (answer.status, answer.headers["Location"]) == (303, "/overview?done=closed#tables")
    assert (table.view()["status"], table.view()["outcome"]["reason"]) == ("over", "abandoned")
    assert table.code not in shown(client)
    assert "This game is over." in shown(client, f"/overview/{table.code}")
    assert client.post_form(f"/overview/{table.code}", close="1").status == 422


def test_the_players_of_a_game_are_asked_and_may_refuse(
    client: Client, table: Table, phones: dict[str, Phone]
) -> None:
    path = f"/overview/{table.code}"
    assert "the players have to agree" in shown(client, path)
    for accepts, status in ((False, "playing"), (True, "over")):
        answer = client.post_form(path, close="1")
        assert answer.headers["Location"] == "/overview?done=asked#tables"
        assert client.post_form(path, close="1").status == 409, "one question at a time"
        for phone in phones.values():
            if table.view()["question"]:
                phone.client.post(f"{table.path}/answer", {"accept": accepts})
        assert table.view()["status"] == status
    assert table.view()["outcome"]["debrief"] is None, "nothing hidden is shown"


class Seconds:
    """A clock that a test sets."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Seconds:
    return Seconds()


def test_a_game_that_everybody_has_left_closes_at_once(
    service: TableService, browser: FlaskClient, clock: Seconds
) -> None:
    table = SeatedTable(service)
    table.play(3)
    clock.now += presence.IDLE
    answer = browser.post(f"/overview/{table.code}", data={"close": "1"})
    assert answer.location == "/overview?done=closed#tables"
    assert table.match.outcome and not table.match.is_open


def test_with_a_pin_only_a_host_names_or_closes(start: Start) -> None:
    client = start(f'server.host_pin = "{PIN}"').client.with_(Accept_Language="en")
    table = client.with_(X_Host_Pin=PIN).open_table(desk=None)
    path = f"/overview/{table.code}"
    for form in ({"name": "Mine"}, {"close": "1"}):
        answer = client.post_form(path, **form).content.decode()
        assert 'name="pin"' in answer and "Mine" not in answer
    assert table.view()["status"] == "joining"
    assert table.code not in shown(client, path)
    pass_ = client.post_form("/overview", pin=PIN).cookies
    host = client.with_(Cookie="; ".join(f"{n}={v}" for n, v in pass_.items()))
    assert host.post_form(path, name="Mine").status == 303
    assert "Mine" in shown(host)
    assert host.post_form(path, close="1").status == 303
    assert table.view()["status"] == "over"


def test_an_unknown_table_cannot_be_managed(client: Client) -> None:
    assert client.get("/overview/ZZZZZ").status == 404
    assert client.post_form("/overview/ZZZZZ", close="1").status == 404


# ---- standing still, desks


@pytest.fixture
def browser(service: TableService, tmp_path: Path) -> FlaskClient:
    return create_app(service, Desks(service, tmp_path, lambda: "http://localhost")).test_client()


def test_a_table_that_stands_still_is_told_first_and_who_is_waited_for(
    service: TableService, browser: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, quick = SeatedTable(service), SeatedTable(service)
    free = opened(service)
    now = service.clock.now()
    monkeypatch.setattr(service.clock, "now", lambda: now + timedelta(minutes=12))
    quick.play(1)
    text = browser.get("/overview", headers={"Accept-Language": "en"}).text
    assert "1 table is at a standstill" in text and "No move for 12 min." in text
    codes = re.findall(r'overview-head">.*?href="/t/(\w{5})"', text)
    assert codes[0] == slow.code and {*codes} == {slow.code, quick.code, free.code}
    cards = text.split('<li class="overview-table')
    assert ["is-still" in card[:20] for card in cards[1:]] == [True, False, False]
    assert "Waiting for Target and Mask" in cards[1]
    for minutes, still in (("5", 1), ("20", 0), ("7", 1), ("x", 1)):
        told = browser.get(f"/overview?still={minutes}").text
        assert f'data-still="{still}"' in told


def test_the_clock_starts_again_with_a_move_within_the_same_second(
    service: TableService, browser: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, now = SeatedTable(service), service.clock.now().replace(microsecond=0)
    browser.post(f"/overview/{table.code}", data={"clock": "on"}, headers={"Origin": "http://localhost"})
    since = []
    for part in (100, 500):
        monkeypatch.setattr(service.clock, "now", lambda part=part: now + timedelta(milliseconds=part))
        table.play(1)
        since += re.findall(r'data-since="(.+?)"', browser.get(f"/t/{table.code}").text)
    assert len({*since}) == 2, since


def test_each_desk_says_what_its_printer_does(service: TableService, tmp_path: Path) -> None:
    desks = Desks(service, tmp_path, lambda: "http://localhost")
    browser = create_app(service, desks).test_client()
    for state, reason in (("printed", ""), ("given_up", "paper-out"), ("waiting", "offline")):
        job = service.wait(service.commit([statements.job_added("main", "KX7QF", "sheet", service.now())]))
        service.wait(service.commit([statements.job_changed(job, state, reason)]))
    desks.last_seen["main"] = service.now()
    text = browser.get("/overview", headers={"Accept-Language": "en"}).text
    states: list[Any] = re.findall(
        r'<li class="is-(\w+)[ \w-]*"><span>Score sheet <b>KX7QF</b></span> <em>(.*?)</em>', text
    )
    assert [state for state, _ in states] == ["waiting", "given_up", "printed"]
    assert "not responding" in states[0][1] and "out of paper" in states[1][1]
    assert "1 printout waiting" in text and "Last seen: just now." in text
