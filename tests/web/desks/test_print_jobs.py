"""The desk's print jobs: who may read them, when they are sent again, and how many there may be."""

import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from tests.support.fixtures import Start
from tests.support.web.desk_stream import EVENTS, SCREEN, jobs, news
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.journal import rows
from tests.support.web.questions import answers, asks
from tests.support.web.random_player import hide
from tests.support.web.server_process import Running
from web.security.tokens import hashed
from web.store.statements import EACH_TOKENS


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


def test_a_job_stays_printed(own_server: Running, desk: Client, table: Table) -> None:
    job = desk.post(f"{table.path}/print", {"what": "join"}).json["job"]
    for state in ("printed", "failed", "printed"):
        assert desk.post(f"/api/desks/main/jobs/{job}", {"state": state, "reason": ""}).status == 200
    assert rows(own_server, "SELECT state FROM jobs WHERE job = ?", job) == [("printed",)]


def left_waiting(own_server: Running, table: Table, number: int) -> None:
    """So many slips of a table, as if they had been asked for over months."""
    with closing(sqlite3.connect(own_server.data / "referee.db")) as db, db:
        for _ in range(number):
            db.execute(
                "INSERT INTO jobs (desk, code, what, at) VALUES ('main', ?, 'join', '')", (table.code,)
            )


def test_a_desk_catches_up_with_however_many_jobs_wait(
    own_server: Running, desk: Client, table: Table
) -> None:
    left_waiting(own_server, table, 100)
    with desk.follow(EVENTS) as stream:
        stream.wait(lambda _: len(jobs(stream)) == 100)


def test_a_paper_that_waits_is_not_put_in_the_queue_again(
    own_server: Running, client: Client, table: Table
) -> None:
    phone = table.join("mask")
    first = slips(table)
    for who in (phone.client, client.bearing(table.host), client.bearing(own_server.desk_key())):
        assert [who.post(f"{table.path}/print", {"what": "join"}).json["job"] for _ in range(3)] == [
            first
        ] * 3
    assert rows(own_server, "SELECT count(*) FROM jobs") == [(1,)]
    assert table.host_browser.post_form(f"/t/{table.code}/print", what="join").status == 303
    assert rows(own_server, "SELECT count(*) FROM jobs") == [(1,)]


def test_a_paper_that_waits_keeps_no_endless_list_of_keys(own_server: Running, table: Table) -> None:
    path, body, host = f"{table.path}/print", {"what": "join"}, table.client.bearing(table.host)
    told = [host.with_(Idempotency_Key=str(n)).post(path, body) for n in range(EACH_TOKENS + 5)]
    assert [(answer.status, answer.json) for answer in told] == [(202, told[0].json)] * len(told)
    given = rows(own_server, "SELECT count(*) FROM answers WHERE scope = ?", hashed(table.host))
    assert given == [(EACH_TOKENS,)]


def is_told_to_wait(table: Table) -> None:
    answer = table.client.bearing(table.host).post(f"{table.path}/print", {"what": "join"})
    assert (answer.status, answer.code) == (429, "slow-down")
    assert 0 < int(answer.headers["Retry-After"]) <= 61


def test_nobody_empties_the_roll(own_server: Running, client: Client, desk: Client, table: Table) -> None:
    def printed(at: Table) -> None:
        assert desk.post(f"/api/desks/main/jobs/{slips(at)}", {"state": "printed"}).status == 200

    for _ in range(6):
        printed(table)
    is_told_to_wait(table)
    printed(client.open_table())  # another table still prints
    assert rows(own_server, "SELECT count(*), sum(state = 'waiting') FROM jobs") == [(7, 0)]


def test_all_tables_together_do_not_either(own_server: Running, client: Client) -> None:
    for _ in range(30):
        slips(client.open_table(desk=None))
    is_told_to_wait(client.open_table(desk=None))
    assert rows(own_server, "SELECT count(*) FROM jobs") == [(30,)]


def test_a_desk_that_is_away_collects_no_thousand_jobs(
    own_server: Running, client: Client, table: Table
) -> None:
    left_waiting(own_server, table, 100)
    is_told_to_wait(client.open_table())
    assert slips(table) == 1, "what waits is still the answer"
    assert rows(own_server, "SELECT count(*) FROM jobs") == [(100,)]


def test_slips_of_a_full_table_are_not_sent(
    own_server: Running, client: Client, desk: Client, table: Table
) -> None:
    job = client.bearing(table.host).post(f"{table.path}/print", {"what": "join"}).json["job"]
    table.everybody()
    with desk.follow(EVENTS) as stream:
        assert stream.first("view").json["version"] == 2
        assert jobs(stream) == []
    assert rows(own_server, "SELECT state FROM jobs WHERE job = ?", job) == [("void",)]


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


def test_a_sheet_that_waits_is_withdrawn_where_the_game_goes_on(client: Client, desk: Client) -> None:
    """Green wins by a card that was mistyped; her sheet waits for paper."""
    with desk.follow(EVENTS) as stream:
        table = client.open_table(game="agent_avenue", options={"first": "green", "language": "en"})
        green, blue = table.everybody().values()
        green.moves("show", agent="mole")
        green.moves("conceal", agent="sidekick")
        blue.moves("take", card="face_up")
        first = stream.first("job").json
        concealed = next(item["n"] for item in green.view()["news"] if item["kind"] == "concealed")
        asks(green, "correct", table, n=concealed, fields={"agent": "enforcer"})
        assert answers(blue).status == 200
        withdrawn = stream.wait(lambda e: e.kind == "job" and not e.json["blocks"]).json
        assert withdrawn["job"] == first["job"]


def test_a_sheet_that_waits_tells_the_corrected_result(client: Client, desk: Client) -> None:
    with desk.follow(EVENTS) as stream:
        table = client.open_table(options={"first": "target", "turn_cap": 2, "language": "en"})
        phones = table.everybody()
        hide(phones)
        phones["target"].moves("attack_from_hand", card=0, house=1)
        phones["mask"].moves("attack_from_hand", card=0, house=1)
        first = stream.first("job").json
        asks(phones["target"], "correct", table, n=4, fields={"houses": [7, 8, 9]})
        assert answers(phones["mask"]).status == 200
        again = stream.wait(lambda e: e.kind == "job" and e.json["blocks"] != first["blocks"]).json
        assert again["job"] == first["job"]
        assert any("Bo wins" in block.get("text", "") for block in again["blocks"])


def test_without_a_desk_nothing_is_printed(own_server: Running, client: Client) -> None:
    table, _ = finished(client)
    assert rows(own_server, "SELECT * FROM jobs WHERE code = ?", table.code) == []


@pytest.mark.parametrize("reason", ["unreadable", "unsure"])
def test_a_job_that_can_never_be_printed_is_given_up(start: Start, reason: str) -> None:
    server = start()
    table = server.client.open_table()
    desk = server.client.bearing(server.desk_key())
    job = desk.post(f"{table.path}/print", {"what": "join"}).json["job"]
    assert desk.post(f"/api/desks/main/jobs/{job}", {"state": "failed", "reason": reason}).status == 200
    with desk.follow(EVENTS) as stream:
        assert stream.first("view").json["table"] == table.code
        later = desk.post(f"{table.path}/print", {"what": "join"}).json["job"]
        assert stream.first("job").json["job"] == later


# ---- slips with a reissued key


def printed(job: dict[str, Any]) -> list[str]:
    """The links on a paper."""
    return [block["data"] for block in job["blocks"] if block["kind"] == "code"]


@pytest.mark.parametrize("asking", ["target", "host"])
def test_a_reissued_key_is_printed_only_for_who_asked_for_it(
    own_server: Running, client: Client, desk: Client, asking: str
) -> None:
    """Any seat could have it printed, though pages let only the host print slips."""
    table = client.open_table(game="agent_avenue", options={"players": 3}, desk="main")
    phones = table.everybody()
    lost, *others = phones
    callers = {seat: phones[seat].client for seat in others} | {"host": client.bearing(table.host)}
    asking = "host" if asking == "host" else others[0]
    phones[lost].goes_away()
    asks(callers[asking], "reissue", table, seat=lost)
    for seat in others:
        if seat != asking:
            assert answers(phones[seat]).status == 200
    path, slips = f"{table.path}/print", {"what": "join"}
    with desk.follow(EVENTS) as stream, client.follow(SCREEN) as screen:
        strangers = [who for name, who in callers.items() if name != asking]
        for who in (*strangers, desk):
            assert who.post(path, slips).code == "seat-taken"
        job = callers[asking].post(path, slips).json["job"]
        sent = stream.wait(lambda e: e.kind == "job" and e.json["job"] == job).json
        (link,) = printed(sent)
        key = link.rpartition("/")[2]
        assert screen.wait(lambda e: e.kind == "job" and e.json["job"] == job)
        assert key not in json.dumps([event.data for event in screen.events])
        assert callers[asking].post(path, slips).json["job"] == job
    picture = f"/desk/main/paper/{job}.png"
    allowed = 200 if asking == "host" else 403
    assert table.host_browser.get(picture).status == allowed, "the host sees no slip of a seat"
    assert client.get(picture).status == 403
    kiosk = own_server.client.get(own_screen(own_server)).headers["Set-Cookie"].partition(";")[0]
    screens = (client.with_(Cookie=kiosk), *([table.host_browser] if asking != "host" else []))
    for browser in screens:
        assert browser.get(picture).status == 403
        for page in ("/desk/main/screen", f"/t/{table.code}", "/desk/main"):
            assert key not in browser.get(page).content.decode(), page


def own_screen(own_server: Running) -> str:
    page = (own_server.data / "screen.html").read_text().partition("url=")[2].partition('"')[0]
    return page.removeprefix(own_server.url)


def test_slips_of_free_seats_and_of_a_reissued_one_are_two_papers(client: Client, desk: Client) -> None:
    table = client.open_table(options={"language": "en"})
    host = client.bearing(table.host)
    table.join("mask").goes_away()
    assert asks(host, "reissue", table, seat="mask").status == 200
    path, slips = f"{table.path}/print", {"what": "join"}
    with desk.follow(EVENTS) as stream:
        of_desk, of_host = (who.post(path, slips).json["job"] for who in (desk, host))
        assert of_desk != of_host
        stream.wait(lambda _: len(jobs(stream)) == 2)
        links = {job["job"]: printed(job) for job in jobs(stream)}
        assert links[of_desk] == [table.links["target"]]
        assert links[of_host][0] == table.links["target"] and len(links[of_host]) == 2
