"""A move goes one of two ways: in the loop, or through Flask where anything about the call is out of the
ordinary. Both say the same, in status, headers and words. (A query sends a call the long way.)"""

from typing import Any

import pytest

from tests.support.fixtures import Start
from tests.support.web.http_client import Answer, Client, Phone, Table
from tests.support.web.random_player import hide

LONG_WAY = "?by=flask"
ATTACK = {"type": "attack_from_hand", "card": 0, "house": 1}
OURS = (
    "content-type",
    "cache-control",
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
)

BODIES: dict[str, Any] = {
    "not JSON": None,
    "no version": ATTACK,
    "a version that is text": {**ATTACK, "version": "4"},
    "an unknown field": {**ATTACK, "version": 4, "colour": "red"},
    "a field of another type": {**ATTACK, "version": 4, "card": "0"},
    "too late": {**ATTACK, "version": 2},
    "from the future": {**ATTACK, "version": 99},
    "a card that is not in hand": {**ATTACK, "version": 4, "card": 1},
    "an unknown move": {"version": 4, "type": "dance"},
    "too long": {**ATTACK, "version": 4, "note": "x" * 17_000},
}


def both(client: Client, table: Table, body: Any) -> tuple[Answer, Answer]:
    path = f"{table.path}/moves"
    return client.post(path, body), client.post(path + LONG_WAY, body)


def alike(one: Answer, other: Answer) -> None:
    assert (one.status, one.json) == (other.status, other.json)
    assert [one.headers[name] for name in OURS] == [other.headers[name] for name in OURS]


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_refusal_reads_the_same(playing: dict[str, Phone], table: Table, body: Any) -> None:
    one, other = both(playing["target"].client, table, body)
    assert one.status >= 400
    alike(one, other)


@pytest.mark.parametrize("token", [None, "nobody's", "host"])
def test_whoever_holds_no_seat_is_told_the_same(
    playing: dict[str, Phone], table: Table, token: str | None
) -> None:
    shown = table.host if token == "host" else token
    client = table.client.bearing(shown) if shown else table.client
    one, other = both(client, table, {**ATTACK, "version": 4})
    assert one.status in (401, 403)
    alike(one, other)


def test_out_of_turn_is_told_the_same_in_either_language(playing: dict[str, Phone], table: Table) -> None:
    for language in ("fr", "en"):
        client = playing["mask"].client.with_(Accept_Language=language)
        one, other = both(client, table, {**ATTACK, "version": 4})
        assert one.status == 422
        alike(one, other)


def test_a_page_of_another_site_makes_no_move_either_way(playing: dict[str, Phone], table: Table) -> None:
    for headers in ({"Origin": "http://elsewhere.example"}, {"Sec_Fetch_Site": "cross-site"}):
        one, other = both(playing["target"].client.with_(**headers), table, {**ATTACK, "version": 4})
        assert one.code == "not-allowed"
        alike(one, other)
    assert table.view()["version"] == 4


def test_a_move_is_answered_the_same(start: Start) -> None:
    """Two tables that stand alike, a move each: one in the loop, one by Flask."""
    client = start().client
    answers = []
    for way in ("", LONG_WAY):
        table = client.open_table(desk=None, options={"first": "target"})
        phones = table.everybody()
        hide(phones)
        answers.append(phones["target"].client.post(f"{table.path}/moves{way}", {**ATTACK, "version": 4}))
    assert answers[0].status == 200
    alike(*answers)
