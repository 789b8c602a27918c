"""Tokens: as bearer or as cookie, one phone with two seats, the host, and the public stream."""

import pytest

from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.journal import rows
from tests.support.web.server_process import Running

ATTACK = {"version": 4, "type": "attack_from_hand", "card": 0, "house": 1}


def cookie(phone: Phone) -> str:
    return f"seat_{phone.table.code}_{phone.seat}={phone.token}"


def test_a_token_travels_as_bearer_in_any_case(playing: dict[str, Phone], table: Table) -> None:
    for scheme in ("Bearer", "bearer", "BEARER"):
        client = table.client.with_(Authorization=f"{scheme} {playing['mask'].token}")
        assert client.get(f"{table.path}/me").json["me"]["seat"] == "mask"
    basic = table.client.with_(Authorization=f"Basic {playing['mask'].token}")
    assert basic.get(f"{table.path}/me").code == "no-token"


def test_a_token_travels_as_cookie(playing: dict[str, Phone], table: Table) -> None:
    client = table.client.with_(Cookie=cookie(playing["target"]))
    assert client.get(f"{table.path}/me").json["me"]["seat"] == "target"
    assert client.post(f"{table.path}/moves", ATTACK).status == 200
    with client.follow(f"{table.path}/me/events") as stream:
        assert stream.view(5)["me"]["seat"] == "target"


def test_one_phone_holds_two_seats(playing: dict[str, Phone], table: Table) -> None:
    both = table.client.with_(Cookie="; ".join(map(cookie, playing.values())))
    for seat in playing:
        assert both.get(f"{table.path}/me?seat={seat}").json["me"]["seat"] == seat
        with both.follow(f"{table.path}/me/events?seat={seat}") as stream:
            assert stream.view(4)["me"]["seat"] == seat
    assert both.post(f"{table.path}/moves?seat=mask", ATTACK).code == "illegal-move"
    assert both.post(f"{table.path}/moves?seat=target", ATTACK).status == 200
    assert both.get(f"{table.path}/me?seat=dealer").code == "no-token"


def test_a_bearer_token_goes_before_cookies(playing: dict[str, Phone], table: Table) -> None:
    client = table.client.with_(Cookie=cookie(playing["target"])).bearing(playing["mask"].token)
    assert client.get(f"{table.path}/me").json["me"]["seat"] == "mask"
    assert client.get(f"{table.path}/me?seat=target").json["me"]["seat"] == "mask"


def test_a_cookie_of_another_table_or_seat_opens_nothing(playing: dict[str, Phone], client: Client) -> None:
    other = client.open_table(desk=None)
    other.everybody()
    mine = playing["mask"]
    assert client.with_(Cookie=cookie(mine)).get(f"{other.path}/me").code == "no-token"
    crossed = f"seat_{other.code}_mask={mine.token}"
    assert client.with_(Cookie=crossed).get(f"{other.path}/me").code == "bad-token"


def test_a_key_works_once_and_is_no_token(table: Table) -> None:
    assert table.take("mask", "Bo").status == 200
    again = table.take("mask", "Eve")
    assert (again.status, again.code) == (409, "seat-taken")
    assert table.view()["seats"]["mask"]["name"] == "Bo"
    assert table.client.bearing(table.keys["mask"]).get(f"{table.path}/me").code == "bad-token"


def test_keys_are_sent_to_nobody_after_opening(table: Table) -> None:
    table.join("mask")
    for client in (table.client, table.client.bearing(table.host)):
        told = client.get(table.path).content.decode()
        assert not any(key in told for key in table.keys.values())


PUBLIC = ("nothing", "bearer", "cookie", "both", "host", "nonsense")


@pytest.mark.parametrize("comes_along", PUBLIC)
def test_the_public_stream_is_public_whatever_comes_along(
    playing: dict[str, Phone], table: Table, comes_along: str
) -> None:
    phone = playing["target"]
    clients = {
        "nothing": table.client,
        "bearer": phone.client,
        "cookie": table.client.with_(Cookie=cookie(phone)),
        "both": phone.client.with_(Cookie="; ".join(map(cookie, playing.values()))),
        "host": table.client.bearing(table.host),
        "nonsense": table.client.bearing("nonsense"),
    }
    public = table.view()
    assert clients[comes_along].get(f"{table.path}?seat=target").json == public
    with clients[comes_along].follow(f"{table.path}/events?seat=target") as stream:
        assert stream.view(4) == public
        phone.moves("attack_from_hand", card=0, house=1)
        assert stream.view(5)["me"] is None


def test_tokens_and_used_keys_are_stored_as_hashes(server: Running, table: Table) -> None:
    once = table.client.with_(Idempotency_Key="once")
    join = {"key": table.keys["mask"], "name": "Bo"}
    token = once.post(f"{table.path}/seats/mask", join).json["token"]
    assert once.post(f"{table.path}/seats/mask", join).json["token"] == token  # and yet it can be told again
    tables = [name for (name,) in rows(server, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    assert {"seats", "answers", "journal"} <= set(tables)
    kept = "".join(str(rows(server, f"SELECT * FROM {name}")) for name in tables)
    assert token not in kept
    assert table.host not in kept
    assert table.keys["mask"] not in kept
