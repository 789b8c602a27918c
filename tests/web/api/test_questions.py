"""Questions and the record over HTTP: who is asked, what is refused, what outlives a restart."""

from random import Random
from typing import Any

import pytest

from referee.fairness.verify import verify
from tests.support.fixtures import Start
from tests.support.waiting import eventually
from tests.support.web.http_client import Answer, Phone, Table
from tests.support.web.journal import journal, sizes
from tests.support.web.questions import answers, asks, host, kinds
from tests.support.web.random_player import hide, play_on
from tests.support.web.server_process import Running

SECRET: dict[str, Any] = {"n": 4, "fields": {"houses": [7, 8, 9]}}


# ---- asking and answering


def test_everyone_sees_the_question_and_the_move_is_taken_back(
    playing: dict[str, Phone], table: Table
) -> None:
    target, mask = playing["target"], playing["mask"]
    before = target.view()["me"]
    target.moves("attack_from_hand", card=0, house=1)
    with table.events() as screen, mask.events() as phone:
        asked = asks(target, "undo", table)
        assert kinds(asked) == ["asked"]
        question = {
            "kind": "undo",
            "by": "target",
            "about": {"n": 7, "moves": [7]},
            "of": ["mask"],
            "reveals": True,
            "reopens": False,
            "accepted": [],
        }
        for stream in (screen, phone):
            assert stream.view(6)["question"] == question
        assert target.tries("attack_from_hand", card=0, house=1).code == "question-open"
        assert kinds(answers(mask)) == ["taken_back"]
        for stream in (screen, phone):
            assert stream.view(7)["question"] is None
    after = target.view()["me"]
    assert (after["hand"], after["choices"]) == (before["hand"], before["choices"])


def test_a_move_and_all_since_are_taken_back_in_one_question(playing: dict[str, Phone], table: Table) -> None:
    target, mask = playing["target"], playing["mask"]
    target.moves("attack_from_hand", card=0, house=1)
    mask.moves("attack_from_hand", card=0, house=1)
    asked = asks(target, "undo", table, n=7)
    assert asked.json["news"][0]["moves"] == [7, 9]
    assert table.view()["question"]["about"] == {"n": 7, "moves": [7, 9]}
    told = answers(mask)
    assert kinds(told) == ["taken_back"]
    assert told.json["news"][0]["text"] == "The last 2 moves have been taken back."
    assert table.view()["waiting_for"] == ["target"]


def test_one_no_closes_it_and_the_asker_may_withdraw(playing: dict[str, Phone], table: Table) -> None:
    target, mask = playing["target"], playing["mask"]
    for who in (mask, target):
        assert asks(target, "undo", table).status == 200
        assert answers(target).code == "not-allowed"  # nobody agrees with themselves
        assert kinds(answers(who, accept=False)) == ["declined"]
        assert table.view()["question"] is None
    target.moves("attack_from_hand", card=0, house=1)


def test_the_host_asks_and_withdraws(playing: dict[str, Phone], table: Table) -> None:
    assert asks(host(table), "abandon", table).status == 200
    assert table.view()["question"]["by"] == "host"
    assert table.view()["question"]["of"] == ["target", "mask"]
    assert kinds(answers(playing["mask"])) == ["agreed"]
    assert answers(playing["mask"]).code == "stale"  # twice is once
    assert host(table).post(f"{table.path}/answer", {"accept": False}).status == 200
    assert table.view()["question"] is None


def test_one_corrects_ones_secret(playing: dict[str, Phone], table: Table) -> None:
    asked = asks(playing["target"], "correct", table, **SECRET)
    news = asked.json["news"][0]
    assert len(asked.json["salt"]) == len(news["commitment"]) == 64
    assert news["text"] == (
        "Ana asks to correct a secret entered by mistake."
        " It’s about: “Ana has hidden three safe houses.” (no. 4)"
    )
    assert table.view()["question"]["commitment"] == news["commitment"]
    assert asked.json["salt"] not in answers(playing["mask"]).content.decode()
    assert playing["target"].view()["me"]["hand"]["houses"] == {"1": 7, "2": 8, "3": 9}


REFUSED: dict[str, tuple[int, str, str, Any]] = {
    "an unknown seat": (404, "unknown-seat", "target", {"kind": "reissue", "version": 4, "seat": "dealer"}),
    "no token": (401, "no-token", "", {"kind": "undo"}),
    "a strange token": (401, "bad-token", "stranger", []),
    "no kind": (400, "malformed", "target", {"version": 4}),
    "a strange kind": (400, "malformed", "target", {"version": 4, "kind": {}}),
    "an unknown kind": (400, "malformed", "target", {"version": 4, "kind": "dance"}),
    "no version": (400, "malformed", "target", {"kind": "undo"}),
    "a version in words": (400, "malformed", "target", {"kind": "undo", "version": "4"}),
    "one field too many": (400, "malformed", "target", {"kind": "undo", "version": 4, "of": 4}),
    "a move in words": (400, "malformed", "target", {"kind": "undo", "version": 4, "n": "4"}),
    "a move that is true": (400, "malformed", "target", {"kind": "undo", "version": 4, "n": True}),
    "a move that is none": (400, "malformed", "target", {"kind": "undo", "version": 4, "n": None}),
    "a move that never was": (422, "illegal-move", "target", {"kind": "undo", "version": 4, "n": 99}),
    "a list": (400, "malformed", "target", []),
    "show in words": (400, "malformed", "target", {"kind": "abandon", "version": 4, "show": "yes"}),
    "a number that is true": (
        400,
        "malformed",
        "target",
        {**SECRET, "kind": "correct", "version": 4, "n": True},
    ),
    "not the secret's fields": (
        400,
        "malformed",
        "target",
        {"kind": "correct", "version": 99, "n": 4, "fields": {"house": 1}},
    ),
    "an old version": (409, "stale", "target", {"kind": "undo", "version": 3}),
    "a version to come": (409, "stale", "target", {"kind": "undo", "version": 5}),
    "another's secret": (422, "illegal-move", "mask", {**SECRET, "kind": "correct", "version": 4}),
    "the host's no secret": (422, "illegal-move", "host", {**SECRET, "kind": "correct", "version": 4}),
    "an impossible secret": (
        422,
        "illegal-move",
        "target",
        {"kind": "correct", "version": 4, "n": 4, "fields": {"houses": [1, 1, 1]}},
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_is_told_and_changes_nothing(
    server: Running, playing: dict[str, Phone], table: Table, case: str
) -> None:
    status, code, who, body = REFUSED[case]
    tokens = {seat: phone.token for seat, phone in playing.items()}
    tokens |= {"host": table.host, "stranger": "A" * 32}
    client = table.client.bearing(tokens[who]) if who else table.client
    before = table.view(), journal(server, table.code), sizes(server)
    refused = client.post(f"{table.path}/ask", body)
    assert (refused.status, refused.code) == (status, code)
    assert refused.json["detail"]
    assert (refused.json.get("version") == 4) == (code == "stale")
    assert (table.view(), journal(server, table.code), sizes(server)) == before


def test_refusals_come_in_the_order_of_the_contract(playing: dict[str, Phone], table: Table) -> None:
    target, mask = playing["target"], playing["mask"]
    assert asks(mask, "abandon", table).status == 200
    malformed = {"kind": "correct", "version": 99, "n": 4, "fields": {}}
    assert target.client.post(f"{table.path}/ask", malformed).code == "malformed"
    assert asks(target, "undo", table, version=99).code == "question-open"
    assert target.client.post(f"{table.path}/answer", {"accept": "yes"}).code == "malformed"
    assert table.client.post(f"{table.path}/answer", {"accept": "yes"}).code == "no-token"
    assert host(table).post(f"{table.path}/answer", {"accept": "yes"}).code == "not-allowed"
    assert target.client.post("/api/tables/22222/answer", {}).code == "unknown-table"


def test_an_answer_to_nothing_is_stale(playing: dict[str, Phone], table: Table) -> None:
    refused = answers(playing["mask"])
    assert (refused.status, refused.code, refused.json["version"]) == (409, "stale", 4)


def test_before_all_are_there(table: Table) -> None:
    phone = table.join("mask", "Bo")
    assert asks(phone, "undo", table).code == "not-started"
    assert asks(phone, "correct", table, n=1, fields={}).code == "not-started"
    assert kinds(asks(phone, "abandon", table)) == ["asked", "abandoned"]
    assert table.take("target").status == 200
    assert table.view()["status"] == "over"
    assert asks(phone, "undo", table).code in ("not-started", "illegal-move")


def test_the_same_key_asks_and_answers_once(playing: dict[str, Phone], table: Table) -> None:
    body = {"kind": "undo", "version": 4}
    target = playing["target"].client.with_(Idempotency_Key="k")
    mask = playing["mask"].client.with_(Idempotency_Key="k")
    first, again = (target.post(f"{table.path}/ask", body) for _ in range(2))
    assert first.json == again.json
    first, again = (mask.post(f"{table.path}/answer", {"accept": True}) for _ in range(2))
    assert first.status == again.status == 200
    assert first.json == again.json
    assert target.post(f"{table.path}/ask", body).status == 200
    assert table.view()["version"] == 6
    assert target.post(f"{table.path}/ask", {**body, "version": 6}).code == "malformed"


# ---- reissue


def sits_again(table: Table, asked: Answer, seat: str, name: str) -> Phone:
    (new,) = asked.json["seats"]
    assert new["seat"] == seat
    assert new["join_url"].endswith(f"/j/{table.code}/{seat}/{new['key']}")
    joined = table.client.post(f"{table.path}/seats/{seat}", {"key": new["key"], "name": name})
    assert joined.status == 200, joined.content
    again = table.client.post(f"{table.path}/seats/{seat}", {"key": new["key"], "name": name})
    assert again.code == "seat-taken"
    return Phone(table, seat, joined.json["token"])


@pytest.mark.parametrize("by", ["target", "host"])
def test_a_lost_phone_costs_a_minute(playing: dict[str, Phone], table: Table, by: str) -> None:
    lost, asker = playing["mask"], playing["target"].client if by == "target" else host(table)
    hand = lost.view()["me"]["hand"]
    lost.goes_away()
    asked = asks(asker, "reissue", table, seat="mask")
    if by == "host":
        assert "seats" not in asked.json
        assert answers(playing["target"]).status == 200
        asked = asks(asker, "undo", table)  # whatever it asks next brings the key along, as its view does
        assert answers(playing["target"], accept=False).status == 200
    assert lost.client.get(f"{table.path}/me").code == "bad-token"
    assert table.take("mask").code == "bad-key"  # the first key is gone with it
    assert (by == "target") == ("mask" in playing["target"].view()["me"]["keys"])
    found = sits_again(table, asked, "mask", "Bo again")
    assert found.view()["me"]["hand"] == hand
    assert table.view()["seats"]["mask"]["name"] == "Bo again"
    assert playing["target"].view()["me"]["keys"] == {}
    assert play_on({**playing, "mask": found}, Random(7))["status"] == "over"
    assert "Bo again was given a new code" in one_line(table, "sheet.txt")


def test_while_the_phone_is_there_it_is_asked_too_and_its_stream_ends(
    playing: dict[str, Phone], table: Table
) -> None:
    with playing["mask"].events() as stream:
        stream.view(4)
        eventually(lambda: bool(table.view()["seats"]["mask"]["connected"]))
        asked = asks(playing["target"], "reissue", table, seat="mask")
        assert kinds(asked) == ["asked"]
        assert "seats" not in asked.json
        stream.view(5)
        assert kinds(answers(playing["mask"])) == ["reissued"]
        stream.until_end()
    assert playing["mask"].client.get(f"{table.path}/me/events").code == "bad-token"
    assert "mask" in playing["target"].view()["me"]["keys"]
    assert "keys" not in table.client.get(table.path).content.decode()


def test_a_phone_that_called_a_moment_ago_is_asked_though_it_follows_no_stream(
    playing: dict[str, Phone], table: Table
) -> None:
    assert playing["mask"].view()["seats"]["mask"]["connected"]
    assert kinds(asks(playing["target"], "reissue", table, seat="mask")) == ["asked"]
    assert table.view()["question"]["of"] == ["mask"]
    assert answers(playing["mask"], accept=False).status == 200
    assert playing["mask"].client.get(f"{table.path}/me").status == 200


def one_line(table: Table, paper: str) -> str:
    """A paper's words, however its lines break."""
    said = table.client.get(f"{table.path}/{paper}").content.decode()
    return " ".join(said.split())


def test_whoever_gives_up_the_own_phone_is_handed_the_key_by_the_other(
    playing: dict[str, Phone], table: Table
) -> None:
    asks(playing["mask"], "reissue", table, seat="mask")
    found = sits_again(table, answers(playing["target"]), "mask", "Bo")
    assert play_on({**playing, "mask": found}, Random(8))["status"] == "over"
    assert "new code" not in one_line(table, "sheet.txt")  # it was agreed


def test_a_new_key_is_for_the_asker_alone(playing: dict[str, Phone], table: Table) -> None:
    playing["mask"].goes_away()
    asked = asks(playing["target"], "reissue", table, seat="mask")
    key = asked.json["seats"][0]["key"]
    for client in (table.client, host(table)):
        assert key not in client.get(table.path).content.decode()


# ---- the record


def test_the_record_of_a_finished_game_verifies(over: dict[str, Phone], table: Table) -> None:
    record = table.client.get(f"{table.path}/record")
    assert record.status == 200
    assert verify(record.json) == []
    assert record.json["head"] == table.view()["head"]
    assert over["target"].token not in record.content.decode()


def test_no_record_before_the_end(playing: dict[str, Phone], table: Table) -> None:
    for client in (table.client, playing["target"].client, host(table)):
        refused = client.get(f"{table.path}/record")
        assert (refused.status, refused.code) == (403, "not-over")


@pytest.mark.parametrize("show", [False, True])
def test_what_was_hidden_stays_so_unless_all_agreed_to_show(
    playing: dict[str, Phone], table: Table, show: bool
) -> None:
    assert asks(playing["target"], "abandon", table, show=show).status == 200
    assert answers(playing["mask"]).status == 200
    view = table.view()
    assert (view["status"], view["outcome"]["reason"]) == ("over", "abandoned")
    assert (view["outcome"]["debrief"] is not None) == show
    record = table.client.get(f"{table.path}/record")
    if show:
        assert verify(record.json) == []
    else:
        assert (record.status, record.code) == (403, "not-allowed")


# ---- a power cut


def test_an_open_question_outlives_a_power_cut(start: Start) -> None:
    server = start()
    table = server.client.open_table(desk=None, options={"first": "target"})
    phones = table.everybody()
    hide(phones)
    phones["target"].moves("attack_from_hand", card=0, house=1)
    assert asks(phones["target"], "undo", table).status == 200
    question = table.view()["question"]
    server.kill()
    with server.again() as later:
        back = {seat: phone.at(later.url) for seat, phone in phones.items()}
        assert back["mask"].view()["question"] == question
        assert back["mask"].tries("attack_from_hand", card=0, house=1).code == "question-open"
        assert kinds(answers(back["mask"])) == ["taken_back"]
        assert back["target"].view()["waiting_for"] == ["target"]
