"""The limit of entries: players are warned before it, and at a full table the game can still be ended."""

from typing import Any

import pytest

from tests.support.fixtures import Start
from tests.support.waiting import eventually
from tests.support.web.http_client import Answer, Client, Phone, Table
from tests.support.web.journal import rows
from tests.support.web.random_player import hide
from web.service import journal_cap

CAP = 6
FULL = "too long for any more moves"
SETTINGS = f"[limits]\nentries = {CAP}\n[bots]\npause = 0\n"


@pytest.fixture
def client(start: Start) -> Client:
    return start(SETTINGS).client.with_(Accept_Language="en")


@pytest.fixture
def table(client: Client) -> Table:
    return client.open_table(desk=None, options={"first": "target"})


@pytest.fixture
def phones(table: Table) -> dict[str, Phone]:
    """Both have hidden, and two attacks were made: no more fits."""
    phones = table.everybody()
    hide(phones)
    phones["target"].moves("attack_from_hand", card=9, house=1)
    phones["mask"].moves("attack_from_hand", card=9, house=1)
    return phones


def page_of(phone: Phone) -> Answer:
    cookie = f"seat_{phone.table.code}_{phone.seat}={phone.token}; language=en"
    return phone.table.client.with_(Cookie=cookie).get(f"/t/{phone.table.code}/s/{phone.seat}")


def asks(phone: Phone, kind: str, **fields: Any) -> Answer:
    body = {"version": phone.view()["version"], "kind": kind, **fields}
    return phone.client.post(f"{phone.table.path}/ask", body)


def answers(phone: Phone, accept: bool) -> Answer:
    return phone.client.post(f"{phone.table.path}/answer", {"accept": accept})


def test_at_the_cap_no_move_is_taken(phones: dict[str, Phone], table: Table) -> None:
    before = table.view()
    refused = phones["target"].tries("attack_from_hand", card=8, house=1)
    assert (refused.status, refused.code) == (409, "table-full")
    assert FULL in refused.json["detail"]
    assert phones["target"].tries("no_such_move").code == "table-full", "409 comes before 422"
    assert phones["target"].client.post(f"{table.path}/moves", {"version": "x"}).code == "malformed"
    assert table.view() == before


def test_the_form_of_the_page_is_told_the_same(phones: dict[str, Phone], table: Table) -> None:
    cookie = f"seat_{table.code}_target={phones['target'].token}; language=en"
    browser = table.client.with_(Cookie=cookie, Content_Type="application/x-www-form-urlencoded")
    form = f"type=attack_from_hand&field.card=8&field.house=1&version={table.view()['version']}".encode()
    answer = browser.call("POST", f"/t/{table.code}/s/target", form)
    assert answer.status == 409
    assert FULL in answer.content.decode()


def test_nothing_is_taken_back_or_corrected_at_a_full_table(phones: dict[str, Phone]) -> None:
    assert asks(phones["target"], "undo").code == "table-full"
    correction = {"n": 3, "fields": {"houses": [1, 2, 7]}}
    assert asks(phones["target"], "correct", **correction).code == "table-full"


def test_a_full_table_can_be_ended(phones: dict[str, Phone], table: Table) -> None:
    assert asks(phones["target"], "abandon").status == 200
    assert answers(phones["mask"], False).status == 200
    assert asks(phones["mask"], "abandon", show=True).status == 200
    assert answers(phones["target"], True).status == 200
    assert table.view()["outcome"]["reason"] == "abandoned"
    assert table.client.get(f"{table.path}/record").status == 200


def test_a_full_table_can_be_ended_with_a_lost_phone(phones: dict[str, Phone], table: Table) -> None:
    """All must agree to end a game, so the seat of a lost phone gets a new key first."""
    asked = asks(phones["target"], "reissue", seat="mask")
    assert asked.status == 200
    given = answers(phones["mask"], True)
    assert given.status == 200
    key = phones["target"].view()["me"]["keys"]["mask"]
    taken = table.client.post(f"{table.path}/seats/mask", {"key": key, "name": "Bo"})
    assert taken.status == 200
    assert asks(phones["target"], "abandon").status == 200
    new = table.client.bearing(taken.json["token"])
    assert new.post(f"{table.path}/answer", {"accept": True}).status == 200
    assert table.view()["status"] == "over"


def test_a_question_that_is_open_at_the_cap_is_answered(table: Table) -> None:
    phones = table.everybody()
    hide(phones)
    assert phones["target"].moves("attack_from_hand", card=9, house=1)["version"] == CAP - 1
    assert asks(phones["mask"], "undo").status == 200  # the last entry that fits
    assert answers(phones["target"], True).status == 200
    assert asks(phones["mask"], "undo").code == "table-full"
    assert phones["target"].tries("attack_from_hand", card=9, house=1).code == "table-full"


def test_bots_stop_at_the_cap_and_log_nothing(start: Start) -> None:
    server = start("[limits]\nentries = 4\n[bots]\npause = 0\n")
    for _ in range(2):  # whoever is due first plays first: once the second bot has hidden, the first is done
        table = server.client.open_table(desk=None, options={"first": "mask"}, bots=["mask"])
        table.join("target").moves("hide", houses=[1, 2, 3])
        eventually(lambda table=table: table.view()["version"] == 4)  # type: ignore[misc]
    assert server.stop() == 0
    assert rows(server, "SELECT DISTINCT count(*) FROM journal GROUP BY code") == [(4,)]
    assert "try again" not in server.said()


def test_pages_tell_it_kindly_before_it_comes(start: Start) -> None:
    client = start(f"[limits]\nentries = {journal_cap.FEW + 3}\n").client.with_(Accept_Language="en")
    table = client.open_table(desk=None)
    phones = table.everybody()
    screen = client.with_(Cookie="language=en")
    for page in (page_of(phones["mask"]), screen.get(f"/t/{table.code}")):
        assert "very long" not in page.content.decode()
    phones["mask"].moves("hide", houses=[1, 2, 3])
    for page in (page_of(phones["target"]), screen.get(f"/t/{table.code}")):
        assert f"there’s room for only {journal_cap.FEW} more moves" in page.content.decode()
    assert asks(phones["mask"], "abandon").status == 200
    assert answers(phones["target"], True).status == 200
    assert "very long" not in screen.get(f"/t/{table.code}").content.decode(), "it is over"


def test_a_full_table_says_so_on_its_pages(phones: dict[str, Phone], table: Table) -> None:
    for page in (page_of(phones["mask"]), table.client.with_(Cookie="language=en").get(f"/t/{table.code}")):
        assert FULL in page.content.decode()
