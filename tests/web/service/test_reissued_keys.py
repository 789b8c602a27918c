"""A new key that the host asked for: in its own answers and its own view until it is used, nowhere else."""

from typing import Any

import pytest

from tests.support.fixtures import Start
from tests.support.web.http_client import Answer, Client, Phone, Table
from tests.support.web.journal import rows
from tests.support.web.questions import answers, asks, host
from tests.support.web.random_player import hide
from tests.support.web.server_process import Running
from web.security.caller import host_cookie


@pytest.fixture
def key(playing: dict[str, Phone], table: Table) -> str:
    """The host has asked for a new key of a phone that is away, and the other has agreed."""
    playing["mask"].goes_away()
    asked = asks(host(table), "reissue", table, seat="mask")
    assert "seats" not in asked.json, "not before all agreed"
    assert host(table).get(table.path).json == table.view()
    assert answers(playing["target"]).status == 200
    return str(host(table).get(table.path).json["keys"]["mask"])


def comes_back(table: Table, key: str) -> Phone:
    joined = table.client.post(f"{table.path}/seats/mask", {"key": key, "name": "Bo"})
    assert joined.status == 200, joined.content
    return Phone(table, "mask", joined.json["token"])


def test_the_hosts_view_has_the_key_until_it_is_used(table: Table, key: str) -> None:
    seen = host(table).get(table.path).json
    assert seen.pop("keys") == {"mask": key}
    assert seen == table.view(), "and is the public view besides"
    assert comes_back(table, key).view()["me"]["keys"] == {}
    assert host(table).get(table.path).json == table.view()


def test_the_answers_to_the_hosts_own_calls_have_it_with_its_address(table: Table, key: str) -> None:
    handed = [{"seat": "mask", "key": key, "join_url": f"{table.links['mask'].rpartition('/')[0]}/{key}"}]
    assert asks(host(table), "abandon", table).json["seats"] == handed
    assert host(table).post(f"{table.path}/answer", {"accept": False}).json["seats"] == handed
    comes_back(table, key)
    assert "seats" not in asks(host(table), "abandon", table).json


def test_a_key_that_nobody_has_to_agree_to_is_in_the_answer_to_that_very_call(table: Table) -> None:
    """Nobody else sits there yet."""
    table.join("mask").goes_away()
    asked = asks(host(table), "reissue", table, seat="mask").json
    (new,) = asked["seats"]
    assert [news["kind"] for news in asked["news"]] == ["asked", "reissued"]
    assert host(table).get(table.path).json["keys"] == {"mask": new["key"]}
    comes_back(table, new["key"])


# ---- and nobody else


def without(key: str, answer: Answer) -> None:
    assert key not in answer.content.decode(), answer.content


def test_nobody_else_sees_it(playing: dict[str, Phone], table: Table, key: str) -> None:
    """Neither another seat, nor a stranger, nor the host of another table, nor the phone that was lost."""
    elsewhere = table.client.open_table(desk=None)
    others = {
        "another seat": playing["target"].client,
        "a stranger": table.client,
        "another host": host(elsewhere),
        "the lost phone": playing["mask"].client,
        "half a token": table.client.bearing(table.host[:-1]),
    }
    for who, client in others.items():
        seen = client.get(table.path)
        assert seen.status == 200, who
        assert "keys" not in seen.json, who
        without(key, seen)
        for what in ("me", "record", "sheet.txt"):
            without(key, client.get(f"{table.path}/{what}"))
        with client.follow(f"{table.path}/events") as stream:
            assert key not in stream.first("view").data, who
    assert playing["target"].view()["me"]["keys"] == {}
    without(key, asks(playing["target"], "abandon", table))
    without(key, answers(playing["target"], accept=False))


def test_a_cookie_of_the_host_adds_nothing_to_the_public_view(table: Table, key: str) -> None:
    """A browser sends it along with every call, that of a screen too, which everyone can read."""
    screen = table.client.with_(Cookie=f"{host_cookie(table.code)}={table.host}")
    assert screen.get(table.path).json == table.view()
    for client in (screen, host(table)):
        with client.follow(f"{table.path}/events") as stream:
            assert "keys" not in stream.first("view").json


def test_the_host_sees_no_key_that_a_seat_asked_for(playing: dict[str, Phone], table: Table) -> None:
    playing["mask"].goes_away()
    (new,) = asks(playing["target"], "reissue", table, seat="mask").json["seats"]
    assert host(table).get(table.path).json == table.view()
    without(new["key"], asks(host(table), "abandon", table))


# ---- calls that come twice


def sends(client: Client, table: Table, once: str, body: Any) -> Answer:
    return client.with_(Idempotency_Key=once).post(f"{table.path}/ask", body)


def test_a_call_that_comes_again_has_the_key_while_it_is_good_and_none_is_kept(start: Start) -> None:
    server = start()
    table = server.client.open_table(desk=None, options={"first": "target"})
    table.join("mask").goes_away()
    body = {"version": table.view()["version"], "kind": "reissue", "seat": "mask"}
    first, again = (sends(host(table), table, "once", body) for _ in range(2))
    assert first.json == again.json
    (new,) = first.json["seats"]
    assert "reissued" in kept(server)
    assert new["key"] not in kept(server)
    without(new["key"], sends(table.client, table, "once", body))
    comes_back(table, new["key"])
    assert "seats" not in sends(host(table), table, "once", body).json
    target = table.join("target")
    without(new["key"], sends(target.client, table, "once", body))


def kept(server: Running) -> str:
    """All that is kept for calls that come again."""
    return str(rows(server, "SELECT * FROM answers"))


def test_a_second_new_key_takes_the_place_of_the_first(
    playing: dict[str, Phone], table: Table, key: str
) -> None:
    assert asks(host(table), "reissue", table, seat="mask").status == 200
    assert answers(playing["target"]).status == 200
    second = host(table).get(table.path).json["keys"]["mask"]
    assert second != key
    refused = table.client.post(f"{table.path}/seats/mask", {"key": key, "name": "Bo"})
    assert refused.code == "bad-key"
    comes_back(table, second)


def test_it_outlives_a_restart(start: Start) -> None:
    server = start()
    table = server.client.open_table(desk=None, options={"first": "target"})
    phones = table.everybody()
    hide(phones)
    phones["mask"].goes_away()
    asks(host(table), "reissue", table, seat="mask")
    answers(phones["target"])
    before = host(table).get(table.path).json["keys"]
    assert before
    server.stop()
    again = start().client
    assert again.bearing(table.host).get(table.path).json["keys"] == before
