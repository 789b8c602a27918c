"""Idempotency-Key: the same key and body get the same answer, and nothing is applied twice."""

from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

from tests.support.fixtures import Start
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.journal import journal, sizes
from tests.support.web.random_player import hide, play_on
from tests.support.web.server_process import Running

ATTACK = {"version": 4, "type": "attack_from_hand", "card": 0, "house": 1}
SWAP = {"version": 4, "type": "swap", "house": 1, "card": 9, "decoy": 2}


def test_the_same_key_and_body_get_the_same_answer(playing: dict[str, Phone], table: Table) -> None:
    first, again = (playing["target"].sends_once("k1", SWAP) for _ in range(2))
    assert first.status == again.status == 200
    assert first.json == again.json
    assert first.json["salt"]
    assert table.view()["version"] == 5


def test_it_holds_when_the_game_has_moved_on(playing: dict[str, Phone], table: Table) -> None:
    first = playing["target"].sends_once("k1", ATTACK)
    playing["mask"].moves("attack_from_hand", card=0, house=1)
    assert playing["target"].sends_once("k1", ATTACK).json == first.json
    assert table.view()["version"] == 6


def test_another_body_with_the_same_key_is_refused_and_changes_nothing(
    server: Running, playing: dict[str, Phone], table: Table
) -> None:
    assert playing["target"].sends_once("k1", ATTACK).status == 200
    before = table.view(), playing["mask"].view(), journal(server, table.code), sizes(server)
    others: list[Any] = [{**ATTACK, "house": 2}, {**ATTACK, "version": 5}, [], "hello"]
    for other in others:
        refused = playing["target"].sends_once("k1", other)
        assert (refused.status, refused.code) == (400, "malformed")
        assert "Idempotency-Key" in refused.json["detail"]
    assert (table.view(), playing["mask"].view(), journal(server, table.code), sizes(server)) == before


def test_a_refused_call_leaves_its_key_free(playing: dict[str, Phone], table: Table) -> None:
    assert playing["target"].sends_once("k1", {**ATTACK, "card": 77}).code == "illegal-move"
    assert playing["target"].sends_once("k1", ATTACK).status == 200


def test_keys_are_each_tokens_own(playing: dict[str, Phone], table: Table) -> None:
    assert playing["target"].sends_once("k1", ATTACK).json["version"] == 5
    assert playing["mask"].sends_once("k1", {**ATTACK, "version": 5}).json["version"] == 6


def test_a_key_used_for_a_move_is_refused_for_a_rematch(playing: dict[str, Phone], table: Table) -> None:
    assert playing["target"].sends_once("k1", ATTACK).status == 200
    play_on(playing, Random("rematch"))
    refused = playing["target"].sends_once("k1", {}, "rematch")
    assert (refused.status, refused.code) == (400, "malformed")
    assert table.view()["next"] is None
    made, again = (playing["target"].sends_once("k2", {}, "rematch") for _ in range(2))
    assert made.status == again.status == 201
    assert made.json == again.json


def test_a_desk_that_asks_again_opens_one_table(server: Running) -> None:
    desk = server.client.bearing(server.desk_key()).with_(Idempotency_Key="k1")
    wish = {"game": "agent_hunter"}
    with ThreadPoolExecutor() as several:
        first, *again = several.map(lambda _: desk.post("/api/tables", wish), range(4))
    assert first.status == 201
    assert [answer.json for answer in again] == [first.json] * 3
    table = Table(server.client, first.json)
    table.everybody()
    assert desk.bearing(table.host).post(f"{table.path}/print", {"what": "sheet"}).code == "not-over"
    for key, begins in (("k1", "mask"), ("k1", "dealer"), ("k" * 129, "dealer")):
        other = desk.with_(Idempotency_Key=key).post("/api/tables", {**wish, "options": {"first": begins}})
        assert (other.status, other.code) == (400, "malformed"), "before what is wrong with the options"


def test_at_once_it_is_applied_once(client: Client) -> None:
    for _ in range(5):
        table = client.open_table(desk=None, options={"first": "target"})
        phones = table.everybody()
        hide(phones)
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _, who=phones: who["target"].sends_once("k1", SWAP), range(8)))
        assert [answer.status for answer in answers] == [200] * 8
        assert all(answer.json == answers[0].json for answer in answers)
        assert table.view()["version"] == 5


def test_a_join_sent_twice_gets_the_same_token(table: Table) -> None:
    client = table.client.with_(Idempotency_Key="phone 1")
    body = {"key": table.keys["mask"], "name": "Bo"}
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: client.post(f"{table.path}/seats/mask", body), range(4)))
    assert [answer.status for answer in answers] == [200] * 4
    assert len({answer.json["token"] for answer in answers}) == 1
    assert table.view()["version"] == 1
    assert client.post(f"{table.path}/seats/mask", {**body, "name": "Eve"}).code == "malformed"
    assert table.take("mask", "Bo").code == "seat-taken"
    wrong = client.post(f"{table.path}/seats/mask", {**body, "key": table.keys["target"]})
    assert wrong.code == "bad-key"


def test_a_print_sent_twice_is_printed_once(server: Running, client: Client) -> None:
    table = client.open_table(desk=None)
    phone = table.join("mask")
    jobs = [phone.sends_once(key, {"what": "join"}, "print") for key in ("k1", "k1", "k2")]
    assert [answer.status for answer in jobs] == [202, 202, 202]
    first = jobs[0].json
    assert [answer.json for answer in jobs] == [first] * 3, "the same paper, as long as it waits"
    done = client.bearing(server.desk_key()).post(
        f"/api/desks/main/jobs/{first['job']}", {"state": "printed"}
    )
    assert done.status == 200
    for key in ("k1", "k2"):
        assert phone.sends_once(key, {"what": "join"}, "print").json == first
    assert phone.sends_once("k3", {"what": "join"}, "print").json != first
    assert phone.sends_once("k1", {"what": "sheet"}, "print").code == "not-over"


def test_keys_outlive_a_restart(start: Start) -> None:
    server = start()
    table = server.client.open_table(options={"first": "target"})
    joined = server.client.with_(Idempotency_Key="j").post(
        f"{table.path}/seats/target", {"key": table.keys["target"], "name": "Ana"}
    )
    phones = {"target": Phone(table, "target", joined.json["token"]), "mask": table.join("mask", "Bo")}
    hide(phones)
    first = phones["target"].sends_once("k1", SWAP)
    server.kill()
    with server.again() as later:
        target = phones["target"].at(later.url)
        assert target.sends_once("k1", SWAP).json == first.json
        assert target.sends_once("k1", ATTACK).code == "malformed"
        again = later.client.with_(Idempotency_Key="j").post(
            f"{table.path}/seats/target", {"key": table.keys["target"], "name": "Ana"}
        )
        assert again.json == joined.json
        assert target.table.view()["version"] == 5
        over = play_on({seat: phone.at(later.url) for seat, phone in phones.items()}, Random(1))
        assert over["status"] == "over"
