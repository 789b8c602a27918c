"""The key of the table's own QR code takes any free seat until the game begins, never a reissued one."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.fixtures import Start
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.journal import rows
from tests.support.web.questions import asks
from tests.support.web.raw_sockets import ClientAtAddress
from tests.support.web.server_process import Running
from web.security.tokens import hashed
from web.store.row_copies import copy_shown_rows

NONCE = "a-random-nonce-of-a-phone"


def test_it_takes_any_free_seat(table: Table) -> None:
    joined = table.choose("mask", "Bo", nonce="0B", avatar="fox")
    assert joined.status == 200
    mine = Phone(table, "mask", joined.json["token"]).view()
    assert (mine["me"]["seat"], mine["seats"]["mask"]["name"]) == ("mask", "Bo")
    assert mine["dice"]["nonces"] == {"mask": "0b"}
    assert mine["seats"]["mask"]["avatar"] == "fox"
    assert mine["version"] == 1


def test_the_second_who_wants_a_seat_is_told_who_was_quicker(table: Table) -> None:
    assert table.choose("target", "Ana").status == 200
    late = table.choose("target", "Bo")
    assert (late.status, late.code) == (409, "seat-taken")
    assert "Ana" in late.json["detail"]
    assert table.take("target", "Bo").code == "seat-taken"
    assert table.choose("mask", "Bo").status == 200


def test_of_many_who_want_a_seat_at_once_one_gets_it(client: Client) -> None:
    for _ in range(5):
        table = client.open_table(desk=None)
        with ThreadPoolExecutor(6) as pool:
            takes = [table.choose, table.take] * 3
            answers = [pool.submit(take, "mask", f"P{n}") for n, take in enumerate(takes)]
        assert sorted(answer.result().status for answer in answers) == [200, *[409] * 5]
        assert table.view()["version"] == 1


@pytest.mark.parametrize("wrong", ["", "WRONGWRONGWR", "é", "seat", "host"])
def test_another_key_is_refused(table: Table, wrong: str) -> None:
    table.key = {"seat": table.keys["mask"], "host": table.host}.get(wrong, wrong)
    refused = table.choose("mask")
    assert (refused.status, refused.code) == (403, "bad-key")
    assert table.view()["version"] == 0


def test_the_key_of_the_table_opens_no_seat_by_its_own_call(table: Table) -> None:
    table.keys["mask"] = table.key
    assert table.take("mask").code == "bad-key"


@pytest.mark.parametrize(
    "body",
    [{"seat": "mask"}, {"table_key": 5}, {"seat": 5}, {"avatar": "dragon"}, {"nonce": "xyz"}, {"x": 1}],
)
def test_what_is_malformed_is_refused(table: Table, body: dict[str, object]) -> None:
    whole = {"table_key": table.key, "seat": "mask", "name": "Ana", **body}
    if body == {"seat": "mask"}:
        del whole["name"]
    refused = table.client.post(f"{table.path}/join", whole)
    assert (refused.status, refused.code) == (400, "malformed")
    assert table.view()["version"] == 0


def test_an_unknown_seat_or_table_is_told_before_a_wrong_key(table: Table) -> None:
    table.key = "WRONG"
    assert (table.choose("nobody").status, table.choose("nobody").code) == (404, "unknown-seat")
    table.path = "/api/tables/ZZZZZ"
    assert table.choose("mask").code == "unknown-table"


def test_it_is_spent_when_the_game_begins(server: Running, table: Table) -> None:
    [(key, key_hash)] = rows(server, "SELECT key, key_hash FROM tables WHERE code = ?", table.code)
    assert (key, key_hash) == (table.key, hashed(table.key))
    phones = table.everybody()
    assert rows(server, "SELECT key FROM tables WHERE code = ?", table.code) == [(None,)]
    assert table.choose("mask").code == "seat-taken"
    asks(phones["target"], "reissue", table, seat="mask")
    assert table.choose("mask", "Eve").code == "seat-taken", "never a seat that got a new key"
    assert table.key not in table.host_browser.get(f"/t/{table.code}").content.decode()


def test_before_the_beginning_it_takes_no_seat_that_got_a_new_key(table: Table) -> None:
    ana = table.join("target", "Ana")
    asked = asks(table.client.bearing(table.host), "reissue", table, seat="target")
    new = asked.json["seats"][0]["key"]
    refused = table.choose("target", "Eve")
    assert (refused.status, refused.code) == (409, "seat-taken")
    assert ana.client.get(f"{table.path}/me").status == 401
    table.keys["target"] = new
    assert table.take("target", "Ana").status == 200
    assert table.choose("mask", "Bo").status == 200


def test_a_repeated_call_gets_the_same_seat_even_after_the_beginning(table: Table) -> None:
    sure = Table(table.client.with_(Idempotency_Key=NONCE), {"table": table.code, "host": "", "seats": []})
    sure.key = table.key
    table.join("target", "Ana")
    first, again = sure.choose("mask", "Bo"), sure.choose("mask", "Bo")
    assert first.status == again.status == 200
    assert first.json == again.json
    assert table.view()["version"] == 2


def test_a_key_that_could_be_guessed_protects_nobody_and_is_refused(table: Table) -> None:
    """Everybody at the table has its key: whoever repeats somebody's call must not get the token."""
    weak = table.client.with_(Idempotency_Key="1").post(
        f"{table.path}/join", {"table_key": table.key, "seat": "mask", "name": "Bo"}
    )
    assert (weak.status, weak.code) == (400, "malformed")
    assert table.choose("mask", "Bo").status == 200
    copied = table.client.with_(Idempotency_Key=NONCE).post(
        f"{table.path}/join", {"table_key": table.key, "seat": "mask", "name": "Bo"}
    )
    assert copied.code == "seat-taken"


def test_guessing_it_is_rate_limited_and_its_holder_is_not(start: Start) -> None:
    server = start("limits.failures = 5")
    table = server.client.open_table(desk=None)
    guesser = ClientAtAddress(server.url, "127.0.1.1")
    wrong = {"table_key": "WRONGWRONGWR", "seat": "mask", "name": "Eve"}
    told = [guesser.post(f"{table.path}/join", wrong).code for _ in range(7)]
    assert told == ["bad-key"] * 5 + ["slow-down"] * 2
    assert guesser.get(f"/j/{table.code}/WRONGWRONGWR").status == 429
    assert guesser.get(f"/j/{table.code}/{table.key}").status == 200
    assert guesser.post(f"{table.path}/join", {**wrong, "table_key": table.key}).status == 200


def test_nobody_but_the_host_is_shown_it(table: Table) -> None:
    ana = table.join("target", "Ana")
    shown = (
        ana.client.get(f"{table.path}/me"),
        table.client.get(table.path),
        table.client.bearing(table.host).get(table.path),
        table.client.get(f"/t/{table.code}"),
        ana.client.get(f"/t/{table.code}/s/target"),
        table.client.get("/overview"),
    )
    assert not any(table.key in answer.content.decode() for answer in shown)
    assert table.key in table.host_browser.get(f"/t/{table.code}").content.decode()


def test_it_holds_after_a_restart(start: Start) -> None:
    server = start()
    table = server.client.open_table(desk=None)
    server.stop()
    with server.again() as later:
        table.client = later.client
        assert table.choose("mask", "Bo").status == 200


def test_after_an_end_without_a_beginning_it_takes_nothing(table: Table) -> None:
    asks(table.client.bearing(table.host), "abandon", table)
    assert table.view()["status"] == "over"
    assert table.choose("mask").code == "seat-taken"


def test_a_copy_without_secrets_has_none(start: Start, tmp_path: Path) -> None:
    server = start()
    table = server.client.open_table(desk=None)
    copy_shown_rows(server.data / "referee.db", tmp_path / "copy.db")
    assert table.key.encode() not in (tmp_path / "copy.db").read_bytes()
