"""The desk's stream, its print jobs, and what a screen that shows the desk may know."""

import json
import sqlite3
from contextlib import closing
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.web.client import PATIENCE, Client, Event, Phone, Stream, Table
from tests.web.conftest import Start
from tests.web.journal import rows
from tests.web.play import hide, play_on
from tests.web.server import Running
from web.desks import MOST_KEYS


@pytest.fixture
def house(start: Start) -> Running:
    return start()


@pytest.fixture
def client(house: Running) -> Client:
    return house.client


@pytest.fixture
def desk(house: Running) -> Client:
    return house.client.bearing(house.desk_key())


@pytest.fixture
def table(client: Client) -> Table:
    return client.open_table(options={"first": "target", "language": "en"})


EVENTS = "/api/desks/main/events"
SCREEN = "/desk/main/events"


def jobs(stream: Stream) -> list[dict[str, Any]]:
    return [event.json for event in stream.all("job")]


def news(kind: str) -> Any:
    def is_it(event: Event) -> bool:
        return event.kind == "news" and event.json["kind"] == kind

    return is_it


def test_before_the_first_table_the_view_is_null(desk: Client) -> None:
    with desk.follow(EVENTS) as stream:
        assert stream.first("view").json is None


def test_the_view_of_the_table_comes_first_then_news_with_cue_and_lamp(desk: Client, table: Table) -> None:
    with desk.follow(EVENTS) as stream:
        first = stream.first("view")
        assert (first.json, first.id) == (table.view() | {"news": []}, "0")
        phones = table.everybody()
        hide(phones)
        phones["target"].moves("attack_from_hand", card=0, house=1)
        attack = stream.wait(news("attack")).json
        assert attack["table"] == table.code
        assert attack["key"] == "attack.plus.hand"
        assert attack["seat_lamps"] == [1]
        turn = stream.wait(lambda e: news("turn")(e) and e.json["seat"] == "mask").json
        assert (turn["key"], turn["seat_lamps"]) == ("turn", [2])
        assert stream.wait(news("began")).json["seat_lamps"] == []
        assert stream.wait(news("hidden")).json.keys() == {
            *("table", "n", "kind", "by", "commitment", "text", "key", "seat_lamps")
        }
        numbers = [event.json["n"] for event in stream.all("news")]
        assert numbers == list(range(1, len(numbers) + 1))
        assert all(event.json["me"] is None for event in stream.all("view"))
        versions = [event.id for event in stream.all("view")]
        assert versions == ["0", "1", "2", "3", "4", "5"]


def test_the_desk_speaks_the_language_of_the_table(client: Client, desk: Client) -> None:
    table = client.open_table(options={"language": "fr"})
    with desk.with_(Accept_Language="en").follow(EVENTS) as stream:
        table.join("mask", "Bo")
        french = client.with_(Accept_Language="fr").get(table.path).json["news"][0]["text"]
        assert stream.wait(news("joined")).json["text"] == french


def test_old_cues_are_never_played_again(desk: Client, table: Table) -> None:
    phones = table.everybody()
    with desk.follow(EVENTS) as stream:
        assert stream.first("view").id == "2"
        phones["target"].moves("hide", houses=[1, 2, 3])
        stream.wait(news("hidden"))
        assert [event.json["kind"] for event in stream.all("news")] == ["hidden"]


def test_a_desk_serves_the_newest_table_and_the_older_is_told(
    client: Client, desk: Client, table: Table
) -> None:
    elsewhere = client.open_table(desk=None)
    with desk.follow(EVENTS) as stream, table.events() as older:
        assert stream.first("view").json["table"] == table.code
        newer = client.open_table(options={"language": "en"})
        taken = older.wait(lambda e: e.kind == "view" and len(e.json["news"]) == 1).json
        assert (taken["version"], taken["news"][-1]["kind"]) == (0, "desk_taken")
        stream.wait(lambda e: e.kind == "view" and e.json["table"] == newer.code)
        table.join("mask", "Bo")
        elsewhere.join("mask", "Chloé")
        newer.join("mask", "Dan")
        joined = stream.wait(news("joined")).json
        assert (joined["table"], joined["text"]) == (newer.code, "Dan is at the table.")
        assert {event.json["table"] for event in stream.all("news")} == {newer.code}
        assert elsewhere.view()["version"] == 1


def test_a_finished_game_keeps_its_version_when_its_desk_goes(client: Client) -> None:
    table = client.open_table(options={"first": "target", "turn_cap": 2})
    phones = table.everybody()
    play_on(phones, Random(4))
    version = table.view()["version"]
    client.open_table()
    assert table.view()["version"] == version


def test_join_slips_are_for_the_desk_alone(client: Client, desk: Client, table: Table) -> None:
    with desk.follow(EVENTS) as stream, client.follow(SCREEN) as screen:
        made = client.bearing(table.host).post(f"{table.path}/print", {"what": "join"}).json
        job = stream.first("job").json
        assert job.keys() == {"job", "what", "table", "blocks"}
        assert (job["job"], job["what"], job["table"]) == (made["job"], "join", table.code)
        assert [b["data"] for b in job["blocks"] if b["kind"] == "code"] == list(table.links.values())
        told = screen.first("job").json
        assert told == {**made, "what": "join", "table": table.code, "state": "waiting", "reason": ""}
        desk.post(f"/api/desks/main/jobs/{made['job']}", {"state": "failed", "reason": "no-paper"})
        screen.wait(lambda e: e.kind == "job" and e.json["reason"] == "no-paper")
        desk.post(f"/api/desks/main/jobs/{made['job']}", {"state": "printed"})
        screen.wait(lambda e: e.kind == "job" and e.json["state"] == "printed")
        everything = json.dumps([event.data for event in screen.events])
        assert "blocks" not in everything
        assert not any(key in everything for key in table.keys.values())


def test_a_screen_needs_no_key_and_gets_no_more_with_one(client: Client, desk: Client, table: Table) -> None:
    with client.follow(SCREEN) as plain, desk.follow(SCREEN) as bearing:
        client.bearing(table.host).post(f"{table.path}/print", {"what": "join"})
        for screen in (plain, bearing):
            assert screen.first("view").json["table"] == table.code
            assert screen.first("job").json.keys() == {"job", "what", "table", "state", "reason"}
        table.join("mask", "Bo")
        assert plain.wait(news("joined")).json["key"] == "joined"


def slips(table: Table) -> int:
    """Have the join slips of a table printed: the number of the job."""
    return int(table.client.bearing(table.host).post(f"{table.path}/print", {"what": "join"}).json["job"])


def test_waiting_jobs_come_again_with_each_connection_and_printed_ones_do_not(
    client: Client, desk: Client
) -> None:
    first, second = (slips(client.open_table()) for _ in range(2))
    with desk.follow(EVENTS) as stream:
        stream.wait(lambda _: [job["job"] for job in jobs(stream)] == [first, second])
    assert desk.post(f"/api/desks/main/jobs/{first}", {"state": "printed"}).json == {}
    answer = desk.post(f"/api/desks/main/jobs/{second}", {"state": "failed", "reason": "paper"})
    assert answer.status == 200
    with desk.follow(EVENTS) as stream:
        stream.first("job")
        third = slips(client.open_table())
        stream.wait(lambda _: [job["job"] for job in jobs(stream)] == [second, third])


def test_a_job_stays_printed(house: Running, desk: Client, table: Table) -> None:
    job = desk.post(f"{table.path}/print", {"what": "join"}).json["job"]
    for state in ("printed", "failed", "printed"):
        assert desk.post(f"/api/desks/main/jobs/{job}", {"state": state, "reason": ""}).status == 200
    assert rows(house, "SELECT state FROM jobs WHERE job = ?", job) == [("printed",)]


def left_waiting(house: Running, table: Table, number: int) -> None:
    """So many slips of a table, as if they had been asked for over months."""
    with closing(sqlite3.connect(house.data / "referee.db")) as db, db:
        for _ in range(number):
            db.execute(
                "INSERT INTO jobs (desk, code, what, at) VALUES ('main', ?, 'join', '')", (table.code,)
            )


def test_a_desk_catches_up_with_however_many_jobs_wait(house: Running, desk: Client, table: Table) -> None:
    left_waiting(house, table, 100)
    with desk.follow(EVENTS) as stream:
        stream.wait(lambda _: len(jobs(stream)) == 100)


def test_a_paper_that_waits_is_not_put_in_the_queue_again(
    house: Running, client: Client, table: Table
) -> None:
    phone = table.join("mask")
    first = slips(table)
    for who in (phone.client, client.bearing(table.host), client.bearing(house.desk_key())):
        assert [who.post(f"{table.path}/print", {"what": "join"}).json["job"] for _ in range(3)] == [
            first
        ] * 3
    assert rows(house, "SELECT count(*) FROM jobs") == [(1,)]
    page = client.with_(
        Cookie=f"host_{table.code}={table.host}", Content_Type="application/x-www-form-urlencoded"
    )
    assert page.call("POST", f"/t/{table.code}/print", b"what=join").status == 303
    assert rows(house, "SELECT count(*) FROM jobs") == [(1,)]


def test_a_paper_that_waits_keeps_no_endless_list_of_keys(house: Running, table: Table) -> None:
    path, body, host = f"{table.path}/print", {"what": "join"}, table.client.bearing(table.host)
    told = [host.with_(Idempotency_Key=str(n)).post(path, body).status for n in range(MOST_KEYS + 5)]
    assert told == [202] * MOST_KEYS + [429] * 5
    assert host.with_(Idempotency_Key="0").post(path, body).status == 202
    assert host.post(path, body).status == 202


def is_told_to_wait(table: Table) -> None:
    answer = table.client.bearing(table.host).post(f"{table.path}/print", {"what": "join"})
    assert (answer.status, answer.code) == (429, "slow-down")
    assert 0 < int(answer.headers["Retry-After"]) <= 61


def test_nobody_empties_the_roll(house: Running, client: Client, desk: Client, table: Table) -> None:
    def printed(at: Table) -> None:
        assert desk.post(f"/api/desks/main/jobs/{slips(at)}", {"state": "printed"}).status == 200

    for _ in range(6):
        printed(table)
    is_told_to_wait(table)
    printed(client.open_table())  # another table still prints
    assert rows(house, "SELECT count(*), sum(state = 'waiting') FROM jobs") == [(7, 0)]


def test_all_tables_together_do_not_either(house: Running, client: Client) -> None:
    for _ in range(30):
        slips(client.open_table(desk=None))
    is_told_to_wait(client.open_table(desk=None))
    assert rows(house, "SELECT count(*) FROM jobs") == [(30,)]


def test_a_desk_that_is_away_collects_no_thousand_jobs(house: Running, client: Client, table: Table) -> None:
    left_waiting(house, table, 100)
    is_told_to_wait(client.open_table())
    assert slips(table) == 1, "what waits is still the answer"
    assert rows(house, "SELECT count(*) FROM jobs") == [(100,)]


def test_slips_of_a_full_table_are_not_sent(
    house: Running, client: Client, desk: Client, table: Table
) -> None:
    job = client.bearing(table.host).post(f"{table.path}/print", {"what": "join"}).json["job"]
    table.everybody()
    with desk.follow(EVENTS) as stream:
        assert stream.first("view").json["version"] == 2
        assert jobs(stream) == []
    assert rows(house, "SELECT state FROM jobs WHERE job = ?", job) == [("void",)]


def finished(client: Client) -> tuple[Table, dict[str, Phone]]:
    table = client.open_table(options={"first": "target", "turn_cap": 2})
    phones = table.everybody()
    hide(phones)
    phones["target"].moves("attack_from_hand", card=0, house=1)
    phones["mask"].moves("attack_from_hand", card=0, house=1)
    return table, phones


def test_the_sheet_prints_by_itself_where_a_desk_has_come(client: Client, desk: Client) -> None:
    with desk.follow(EVENTS) as stream, client.follow(SCREEN) as screen:
        table, _ = finished(client)
        job = stream.first("job").json
        assert (job["what"], job["table"]) == ("sheet", table.code)
        assert job["blocks"][0] == {"kind": "heading", "text": "Agent Hunter"}
        assert screen.first("job").json["what"] == "sheet"
        over = stream.wait(news("over")).json
        assert over["winners"] == table.view()["outcome"]["winners"]


def test_without_a_desk_nothing_is_printed(house: Running, client: Client) -> None:
    table, _ = finished(client)
    assert rows(house, "SELECT * FROM jobs WHERE code = ?", table.code) == []


def test_health_is_taken(desk: Client) -> None:
    health = {"lights": {"ok": True, "detail": ""}, "printer": {"ok": False, "detail": "no-paper"}}
    answer = desk.post("/api/desks/main/health", health)
    assert (answer.status, answer.json) == (200, {})


def test_the_key_is_readable_by_its_owner_alone_and_outlives_a_restart(house: Running) -> None:
    file, key = house.data / "desk-main.key", house.desk_key()
    assert file.stat().st_mode & 0o777 == 0o600
    assert len(key) >= 32
    house.kill()
    with house.again() as later:
        assert later.desk_key() == key


def test_an_empty_key_file_opens_nothing(house: Running) -> None:
    house.stop()
    (house.data / "desk-main.key").write_text("")
    with house.again() as later:
        assert len(later.desk_key()) >= 32
        assert later.client.with_(Authorization="Bearer ").get(EVENTS).status == 401


def test_a_desk_may_have_any_name(start: Start) -> None:
    server = start('desk.name = "près-du-bar 2"')
    key = (server.data / "desk-près-du-bar 2.key").read_text()
    with server.client.bearing(key).follow("/api/desks/pr%C3%A8s-du-bar%202/events") as stream:
        assert stream.first("view").json is None


def test_a_table_that_cannot_be_read_does_not_hold_up_its_desk(start: Start) -> None:
    server = start()
    lost = server.client.open_table()
    server.stop()
    with closing(sqlite3.connect(server.data / "referee.db")) as db, db:
        db.execute("UPDATE tables SET game = 'a_game_that_is_gone'")
    with server.again() as later:
        assert later.client.get(lost.path).code == "broken"
        with later.client.bearing(later.desk_key()).follow(EVENTS) as stream:
            assert stream.first("view").json is None
            newer = later.client.open_table()
            stream.wait(lambda e: e.kind == "view" and e.json and e.json["table"] == newer.code)


def test_a_job_that_can_never_be_printed_is_given_up(start: Start) -> None:
    server = start()
    table = server.client.open_table()
    desk = server.client.bearing(server.desk_key())
    job = desk.post(f"{table.path}/print", {"what": "join"}).json["job"]
    assert desk.post(f"/api/desks/main/jobs/{job}", {"state": "failed", "reason": "unreadable"}).status == 200
    with desk.follow(EVENTS) as stream:
        assert stream.first("view").json["table"] == table.code
        later = desk.post(f"{table.path}/print", {"what": "join"}).json["job"]
        assert stream.first("job").json["job"] == later


# ---- how loud, faults for trying out, the end


def test_how_loud_a_desk_is_to_be_outlives_the_server(house: Running, desk: Client, client: Client) -> None:
    with desk.follow(EVENTS) as stream, client.follow(SCREEN) as screen:
        assert stream.first("sound").json == {"sound": "loud"}
        assert desk.post("/api/desks/main/sound", {"sound": "quiet"}).status == 200
        for heard in (stream, screen):
            heard.wait(lambda e: e.kind == "sound" and e.json == {"sound": "quiet"})
    house.kill()
    with house.again() as later, later.client.bearing(later.desk_key()).follow(EVENTS) as stream:
        assert stream.first("sound").json == {"sound": "quiet"}


def test_only_the_desk_says_so_and_only_what_there_is(desk: Client, client: Client) -> None:
    assert client.post("/api/desks/main/sound", {"sound": "off"}).code == "no-token"
    assert desk.post("/api/desks/main/sound", {"sound": "deafening"}).code == "malformed"
    assert desk.post("/api/desks/cellar/sound", {"sound": "off"}).code == "unknown-desk"


def form(client: Client, path: str, **fields: str) -> int:
    sent = client.with_(Content_Type="application/x-www-form-urlencoded")
    return sent.call("POST", path, urlencode(fields).encode()).status


def test_the_page_sets_the_volume_too(desk: Client, client: Client) -> None:
    with desk.follow(EVENTS) as stream:
        assert form(client, "/desk/main/sound", sound="off") == 303
        stream.wait(lambda e: e.kind == "sound" and e.json == {"sound": "off"})
        assert form(client, "/desk/main/sound", sound="deafening") == 400


VIRTUAL = {"printer": {"ok": True, "detail": "virtual"}}


def test_a_virtual_printer_can_be_made_to_fail_and_a_real_one_cannot(desk: Client, client: Client) -> None:
    with desk.follow(EVENTS) as stream, client.follow(SCREEN) as screen:
        desk.post("/api/desks/main/health", {"printer": {"ok": True, "detail": "ready"}})
        assert form(client, "/desk/main/fault", fault="paper-out") == 403
        desk.post("/api/desks/main/health", VIRTUAL)
        assert form(client, "/desk/main/fault", fault="on-fire") == 400
        assert form(client, "/desk/main/fault", fault="paper-out") == 303
        assert stream.first("fault").json == {"fault": "paper-out"}
        desk.post("/api/desks/main/health", {"printer": {"ok": False, "detail": "paper-out"}})
        assert form(client, "/desk/main/fault", fault="") == 303
        stream.wait(lambda e: e.kind == "fault" and e.json == {"fault": ""})
        assert not screen.all("fault")
        assert len(screen.all("desk")) == 3, "screens show how the devices are"


def test_the_host_is_told_what_to_do_about_a_device(desk: Client, client: Client, table: Table) -> None:
    page = client.with_(Cookie=f"host_{table.code}={table.host}")
    with desk.follow(EVENTS), client.follow(f"{table.path}/events?seats=1") as screen:
        desk.post("/api/desks/main/health", {"printer": {"ok": False, "detail": "paper-out"}})
        screen.first("desk")
        assert "put in a roll" in page.get(f"/t/{table.code}").content.decode()
        assert "put in a roll" not in client.get(f"/t/{table.code}").content.decode()


def test_a_paper_is_printed_again_by_one_tap_of_whoever_may(
    desk: Client, client: Client, table: Table
) -> None:
    with desk.follow(EVENTS) as stream:
        phones = table.everybody()
        play_on(phones, Random(4))
        first = stream.first("job").json["job"]
        desk.post(f"/api/desks/main/jobs/{first}", {"state": "printed"})
        assert form(client, f"/desk/main/paper/{first}") == 403
        seat = client.with_(Cookie=f"seat_{table.code}_mask={phones['mask'].token}")
        assert f'action="/desk/main/paper/{first}"' in seat.get("/desk/main").content.decode()
        assert form(seat, f"/desk/main/paper/{first}", nonce="tap") == 303
        again = stream.wait(lambda e: e.kind == "job" and e.json["job"] != first).json
        assert again["what"] == "sheet"
        assert form(seat, f"/desk/main/paper/{first}", nonce="tap") == 303
        assert len(jobs(stream)) == 2, "a tap that bounced is one tap"


def test_the_shutdown_button_ends_the_server_in_good_order(
    house: Running, desk: Client, client: Client
) -> None:
    assert client.post("/api/desks/main/end", {}).code == "no-token"
    assert desk.post("/api/desks/main/end", {"now": True}).code == "malformed"
    assert client.get("/healthz").status == 200
    assert desk.post("/api/desks/main/end", {}).status == 202
    assert house.process.wait(PATIENCE) == 0
    assert "Traceback" not in house.said()
