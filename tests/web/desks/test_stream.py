"""The desk's stream: what a screen that follows it may see, and what the desk may report."""

import sqlite3
from contextlib import closing
from random import Random

from referee.presentation.cues import CUES
from tests.support.fixtures import Start
from tests.support.waiting import TIMEOUT
from tests.support.web.desk_stream import EVENTS, SCREEN, jobs, news
from tests.support.web.http_client import Client, Table
from tests.support.web.questions import answers, asks
from tests.support.web.random_player import hide, play_on
from tests.support.web.server_process import Running


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
            *("table", "n", "kind", "by", "commitment", "text", "key", "cue", "spoken", "seat_lamps", "wait")
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


def test_a_game_that_goes_on_after_its_end_has_its_desk_again(client: Client, desk: Client) -> None:
    table = client.open_table(game="agent_avenue", options={"first": "green"})
    phones = table.everybody()
    phones["green"].moves("show", agent="mole")
    phones["green"].moves("conceal", agent="sidekick")
    phones["blue"].moves("take", card="face_up")
    rematch = phones["green"].client.post(f"{table.path}/rematch", {}).json["table"]
    with desk.follow(EVENTS) as stream:
        assert stream.first("view").json["table"] == rematch
        asks(phones["green"], "correct", table, n=6, fields={"agent": "enforcer"})
        assert answers(phones["blue"]).status == 200
        view = stream.wait(lambda e: e.kind == "view" and e.json["table"] == table.code).json
        assert (view["status"], view["public"]["turn"]) == ("playing", "blue")
        cued = [event.json for event in stream.all("news") if event.json["kind"] in CUES]
        assert [(item["table"], item["key"]) for item in cued] == [(table.code, "corrected")]


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
        assert (joined["table"], joined["text"]) == (newer.code, "Dan has joined the table.")
        assert {event.json["table"] for event in stream.all("news")} == {newer.code}
        assert elsewhere.view()["version"] == 1


def test_a_finished_game_keeps_its_version_when_its_desk_goes(client: Client) -> None:
    table = client.open_table(options={"first": "target", "turn_cap": 2})
    phones = table.everybody()
    play_on(phones, Random(4))
    version = table.view()["version"]
    client.open_table()
    assert table.view()["version"] == version


def test_a_screen_needs_no_key_and_gets_no_more_with_one(client: Client, desk: Client, table: Table) -> None:
    with client.follow(SCREEN) as plain, desk.follow(SCREEN) as bearing:
        client.bearing(table.host).post(f"{table.path}/print", {"what": "join"})
        for screen in (plain, bearing):
            assert screen.first("view").json["table"] == table.code
            assert screen.first("job").json.keys() == {"job", "what", "table", "state", "reason"}
        table.join("mask", "Bo")
        assert plain.wait(news("joined")).json["key"] == "joined"


def test_health_is_taken(desk: Client) -> None:
    health = {"lights": {"ok": True, "detail": ""}, "printer": {"ok": False, "detail": "no-paper"}}
    answer = desk.post("/api/desks/main/health", health)
    assert (answer.status, answer.json) == (200, {})


def test_the_key_is_readable_by_its_owner_alone_and_outlives_a_restart(own_server: Running) -> None:
    file, key = own_server.data / "desk-main.key", own_server.desk_key()
    assert file.stat().st_mode & 0o777 == 0o600
    assert len(key) >= 32
    own_server.kill()
    with own_server.again() as later:
        assert later.desk_key() == key


def test_an_empty_key_file_opens_nothing(own_server: Running) -> None:
    own_server.stop()
    (own_server.data / "desk-main.key").write_text("")
    with own_server.again() as later:
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
    slips = server.client.bearing(lost.host).post(f"{lost.path}/print", {"what": "join"})
    assert slips.status == 202
    server.stop()
    with closing(sqlite3.connect(server.data / "referee.db")) as db, db:
        db.execute("UPDATE tables SET game = 'a_game_that_is_gone'")
    with server.again() as later:
        assert later.client.get(lost.path).code == "broken"
        with later.client.bearing(later.desk_key()).follow(EVENTS) as stream:
            assert stream.first("view").json is None
            assert later.client.get("/desk/main").status == 200
            newer = later.client.open_table()
            stream.wait(lambda e: e.kind == "view" and e.json and e.json["table"] == newer.code)
        with closing(sqlite3.connect(server.data / "referee.db")) as db:
            waits = db.execute("SELECT state FROM jobs WHERE job = ?", (slips.json["job"],)).fetchone()
            assert waits == ("waiting",), "its paper is not lost: a later release may read it"


# ---- how loud, faults for trying out, the end


def test_how_loud_a_desk_is_to_be_outlives_the_server(
    own_server: Running, desk: Client, client: Client
) -> None:
    with desk.follow(EVENTS) as stream, client.follow(SCREEN) as screen:
        assert stream.first("sound").json == {"sound": "loud"}
        assert desk.post("/api/desks/main/sound", {"sound": "quiet"}).status == 200
        for heard in (stream, screen):
            heard.wait(lambda e: e.kind == "sound" and e.json == {"sound": "quiet"})
    own_server.kill()
    with own_server.again() as later, later.client.bearing(later.desk_key()).follow(EVENTS) as stream:
        assert stream.first("sound").json == {"sound": "quiet"}


def test_only_the_desk_sets_its_volume_and_only_to_a_known_level(desk: Client, client: Client) -> None:
    assert client.post("/api/desks/main/sound", {"sound": "off"}).code == "no-token"
    assert desk.post("/api/desks/main/sound", {"sound": "deafening"}).code == "malformed"
    assert desk.post("/api/desks/cellar/sound", {"sound": "off"}).code == "unknown-desk"


def form(client: Client, path: str, **fields: str) -> int:
    return client.post_form(path, **fields).status


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
    with desk.follow(EVENTS), client.follow(f"/t/{table.code}/live") as screen:
        desk.post("/api/desks/main/health", {"printer": {"ok": False, "detail": "paper-out"}})
        screen.first("desk")
        assert "put in a new roll" in page.get(f"/t/{table.code}").content.decode()
        assert "put in a new roll" not in client.get(f"/t/{table.code}").content.decode()


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
    own_server: Running, desk: Client, client: Client
) -> None:
    assert client.post("/api/desks/main/end", {}).code == "no-token"
    assert desk.post("/api/desks/main/end", {"now": True}).code == "malformed"
    assert client.get("/healthz").status == 200
    assert desk.post("/api/desks/main/end", {}).status == 202
    assert own_server.process.wait(TIMEOUT) == 0
    assert "Traceback" not in own_server.said()
