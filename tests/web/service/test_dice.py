"""Nobody chooses the dice: the seed's hash is shown first, phones add numbers, a rematch is bound before."""

from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from referee.fairness.verify import follows, verify
from tests.support.fixtures import Start
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.journal import rows
from tests.support.web.questions import answers, asks
from tests.support.web.random_player import hide
from tests.support.web.server_process import Running
from tests.support.web.store_file import referee
from web.store.backups import copy


def hash_of(seed: str) -> str:
    return sha256(bytes.fromhex(seed)).hexdigest()


def played(table: Table) -> dict[str, Any]:
    """Two phones with numbers sit down and play to the end; the record."""
    phones = {
        seat: Phone(table, seat, table.take(seat, seat, nonce=nonce).json["token"])
        for seat, nonce in (("target", "0a" * 32), ("mask", "0B"))
    }
    return ended(table, phones)


def ended(table: Table, phones: dict[str, Phone]) -> dict[str, Any]:
    hide(phones)
    for house, card in ((1, 4), (2, 5), (3, 6)):
        phones["target"].moves("attack_from_hand", card=card, house=house)
        if house < 3:
            phones["mask"].moves("attack_from_hand", card=9, house=1)
    record: dict[str, Any] = table.client.get(f"{table.path}/record").json
    return record


def test_the_seed_is_bound_before_anybody_sits_and_opened_at_the_end(table: Table, server: Running) -> None:
    before = table.view()
    assert before["version"] == 0 and before["dice"]["nonces"] == {} and before["dice"]["before"] is None
    bound = before["dice"]["seed_hash"]
    shown, seal = " ".join(bound[i : i + 4] for i in range(0, 64, 4)), f"/t/{table.code}/seal"
    for page in (f"/t/{table.code}", f"/j/{table.code}/target/{table.keys['target']}"):
        assert f'href="{seal}"' in table.client.get(page).content.decode(), page
    assert shown in table.client.get(seal).content.decode()
    record = played(table)
    assert hash_of(record["seed"]) == bound == table.view()["dice"]["seed_hash"]
    assert verify(record) == []
    joins = {item["seat"]: item["fields"] for item in record["entries"] if item["type"] == "joins"}
    assert joins == {"target": {"nonce": "0a" * 32}, "mask": {"nonce": "0b"}}
    assert table.view()["dice"]["nonces"] == {"target": "0a" * 32, "mask": "0b"}
    [(seed,)] = rows(server, "SELECT seed FROM tables WHERE code = ?", table.code)
    assert seed == record["seed"]


def test_no_seed_is_told_before_the_end(table: Table, server: Running) -> None:
    [(seed, root)] = rows(server, "SELECT seed, root FROM tables WHERE code = ?", table.code)
    phones = table.everybody()
    hide(phones)
    for answer in (
        *(table.client.get(path) for path in (table.path, f"/t/{table.code}")),
        *(phone.client.get(f"{table.path}/me") for phone in phones.values()),
        *(phone.browser.get(f"/t/{table.code}/s/{seat}") for seat, phone in phones.items()),
    ):
        assert (
            answer.status == 200
            and seed.encode() not in answer.content
            and root.encode() not in answer.content
        )


@pytest.mark.parametrize("nonce", ["xy", "0" * 65, 7, None, ["0a"], "0a ", "é", "0a\n"])
def test_what_is_no_number_is_refused_and_the_seat_stays_free(table: Table, nonce: Any) -> None:
    refused = table.take("target", "Ana", nonce=nonce)
    assert (refused.status, refused.code) == (400, "malformed")
    assert table.view()["version"] == 0
    assert table.take("target", "Ana", nonce="").status == 200


def test_a_join_that_is_sent_again_with_its_number_counts_once(table: Table) -> None:
    body = {"key": table.keys["target"], "name": "Ana", "nonce": "0a"}
    client, path = table.client.with_(Idempotency_Key="once"), f"{table.path}/seats/target"
    first = client.post(path, body)
    assert first.status == 200 and client.post(path, body).json == first.json
    assert client.post(path, {**body, "nonce": "0b"}).code == "malformed", "another number is another call"
    assert table.view()["dice"]["nonces"] == {"target": "0a"}


def test_the_form_of_the_join_page_takes_the_number(table: Table) -> None:
    path = f"/j/{table.code}/target/{table.keys['target']}"
    assert 'name="dice"' in table.client.get(path).content.decode()
    refused = table.client.post_form(path, name="Ana", dice="nonsense")
    assert refused.status == 400 and table.view()["version"] == 0
    assert table.client.post_form(path, name="Ana", dice="c0ffee").status == 303
    assert table.view()["dice"]["nonces"] == {"target": "c0ffee"}


def test_a_rematch_falls_from_a_seed_that_was_bound_before(table: Table) -> None:
    first = played(table)
    asked = table.client.bearing(table.host).post(f"{table.path}/rematch", {"nonce": "F00D"})
    other = Table(table.client, {"table": asked.json["table"], "host": table.host, "seats": []})
    dice = other.view()["dice"]
    assert dice["seed_hash"] == first["seed"], "what the first game's seed was is the hash of the next one"
    assert dice["before"] == {"table": table.code, "head": first["head"], "nonce": "f00d"}


def test_every_game_of_a_row_follows_the_one_before(client: Client) -> None:
    table = client.open_table(desk=None, options={"first": "target"})
    phones = table.everybody()
    records = [ended(table, phones)]
    for _ in range(2):
        code = phones["mask"].client.post(f"{table.path}/rematch", {"nonce": "0a"}).json["table"]
        table = Table(client, {"table": code, "host": table.host, "seats": []})
        phones = {seat: Phone(table, seat, phone.token) for seat, phone in phones.items()}
        records.append(ended(table, phones))
    assert [verify(record) for record in records] == [[], [], []]
    for earlier, later in pairwise(records):
        assert follows(later, earlier) == []
    assert follows(records[2], records[0]) != []


def test_after_a_game_that_stays_hidden_the_seed_is_a_new_one(table: Table, server: Running) -> None:
    """The hash of the next seed of the row would tell the seed of that game."""
    phones = table.everybody()
    ask = {"version": 2, "kind": "abandon"}
    assert phones["mask"].client.post(f"{table.path}/ask", ask).status == 200
    assert phones["target"].client.post(f"{table.path}/answer", {"accept": True}).status == 200
    code = phones["mask"].client.post(f"{table.path}/rematch", {"nonce": "0a"}).json["table"]
    dice = table.client.get(f"/api/tables/{code}").json["dice"]
    [(seed,)] = rows(server, "SELECT seed FROM tables WHERE code = ?", table.code)
    assert dice["seed_hash"] != seed
    assert (dice["before"], dice["nonces"]) == (None, {"mask": "0a"})


@pytest.mark.parametrize("body", [{"nonce": "xy"}, {"nonce": 7}, {"more": ""}])
def test_what_is_no_rematch_is_refused(over: dict[str, Phone], table: Table, body: Any) -> None:
    assert over["mask"].client.post(f"{table.path}/rematch", body).code == "malformed"
    assert table.view()["next"] is None


def rematch_of(
    table: Table, phones: dict[str, Phone], nonce: str = "0a", asker: str = "mask"
) -> tuple[Table, dict[str, Phone]]:
    code = phones[asker].client.post(f"{table.path}/rematch", {"nonce": nonce}).json["table"]
    other = Table(table.client, {"table": code, "host": table.host, "seats": []})
    return other, {seat: Phone(other, seat, phone.token) for seat, phone in phones.items()}


def test_no_seed_that_a_deleted_record_told_is_used_again(client: Client) -> None:
    """Whoever kept the record of the deleted rematch would know all dice, and could choose the number."""
    table = client.open_table(desk=None, options={"first": "target"})
    phones = table.everybody()
    ended(table, phones)
    told = ended(*rematch_of(table, phones))
    assert client.call("DELETE", f"/api/history/{told['table']}").status == 200
    again, _ = rematch_of(table, phones, "0b")
    assert again.code != told["table"]
    assert again.view()["dice"]["seed_hash"] != hash_of(told["seed"])


MISTYPED: dict[str, Any] = {"n": 6, "fields": {"agent": "enforcer"}}


def caught(client: Client) -> tuple[Table, dict[str, Phone]]:
    """A game that ended by a card that was mistyped."""
    table = client.open_table(game="agent_avenue", options={"first": "green"}, desk=None)
    phones = table.everybody()
    phones["green"].moves("show", agent="mole")
    phones["green"].moves("conceal", agent="sidekick")
    phones["blue"].moves("take", card="face_up")
    return table, phones


def agreed(kind: str, phones: dict[str, Phone], **fields: Any) -> None:
    assert asks(phones["green"], kind, phones["green"].table, **fields).status == 200
    assert answers(phones["blue"]).status == 200


@pytest.mark.parametrize("is_shown", [True, False])
def test_a_game_that_went_on_has_another_rematch_whose_seed_nobody_knows(
    client: Client, server: Running, is_shown: bool
) -> None:
    table, phones = caught(client)
    first, there = rematch_of(table, phones, asker="blue")
    if is_shown:
        agreed("abandon", there, show=True)
        assert client.get(f"{first.path}/record").json["seed"]
    agreed("correct", phones, **MISTYPED)
    agreed("abandon", phones, show=True)
    again, _ = rematch_of(table, phones, asker="green")
    told = {each.code: each.view()["dice"] for each in (first, again)}
    is_same = told[first.code]["seed_hash"] == told[again.code]["seed_hash"]
    assert is_same is not is_shown
    assert (told[again.code]["before"] is None) is is_shown
    if not is_shown:
        assert client.get(f"{first.path}/record").status == 403, "the closed one never tells its seed"
        assert told[again.code]["seed_hash"] == client.get(f"{table.path}/record").json["seed"]
        assert told[again.code]["before"] != told[first.code]["before"]


@pytest.mark.parametrize("alone", [True, False])
def test_after_a_restore_no_seed_that_was_told_since_is_used_again(
    start: Start, tmp_path: Path, alone: bool
) -> None:
    server, backup = start(), tmp_path / "backup.db"
    table = server.client.open_table(desk=None, options={"first": "target"})
    phones = table.everybody()
    ended(table, phones)
    copy(server.data / "referee.db", backup)
    told = ended(*rematch_of(table, phones))
    assert server.client.call("DELETE", f"/api/history/{told['table']}").status == 200
    server.stop()
    only = ["--table", table.code] if alone else []
    assert referee("restore", backup, *only, "--data", server.data).returncode == 0
    with server.again() as later:
        moved = {seat: phone.at(later.url) for seat, phone in phones.items()}
        again, _ = rematch_of(moved["mask"].table, moved)
        assert again.view()["dice"]["seed_hash"] != hash_of(told["seed"])
