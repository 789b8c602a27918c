"""Answers stored for repeated calls are bounded."""

from typing import Any

from tests.support.fixtures import Start
from tests.support.web.http_client import Answer, Phone
from tests.support.web.journal import rows
from tests.support.web.random_player import hide
from tests.support.web.server_process import Running
from web.security.caller import Caller
from web.service.idempotency import IdempotencyKey
from web.service.opening import Opened
from web.service.tables import TableService
from web.store import statements
from web.store.statements import ALL_ANSWERS, EACH_TOKENS
from web.wire.requests import OpenTableRequest

SHORT = 40  # bytes


def at_most(server: Running) -> int:
    """How many answers are kept for the token that has the most."""
    counted = rows(server, "SELECT count(*) FROM answers GROUP BY scope ORDER BY 1 DESC LIMIT 1")
    return int(counted[0][0])


def submits(phone: Phone, card: int, service: int) -> Answer:
    """Attack as a page does: its form has a nonce."""
    version = str(phone.table.view()["version"])
    return resubmits(phone, version, card, service)


def resubmits(phone: Phone, version: str, card: int, service: int) -> Answer:
    fields = {"field.card": str(card), "field.house": str(service)}
    return phone.sends_form(type="attack_from_hand", version=version, nonce=f"at {version}", **fields)


def attacks(phone: Phone, key: str, version: int) -> Answer:
    return phone.sends_once(key, {"version": version, "type": "attack_from_hand", "card": 0, "house": 1})


def test_a_game_played_through_pages_leaves_a_few_short_answers(start: Start) -> None:
    server = start()
    table = server.client.open_table(options={"first": "target"})
    phones = table.everybody()
    hide(phones)
    attacks = [(0, 1)] * 2 * EACH_TOKENS + [(4, 1), (5, 2), (6, 3)]  # the last three hit
    for card, service in attacks:
        assert submits(phones["target"], card, service).status == 303
        if table.view()["status"] == "playing":
            assert submits(phones["mask"], 9, 1).status == 303
    over = table.view()
    assert over["status"] == "over"
    assert at_most(server) == EACH_TOKENS
    assert rows(server, "SELECT answer FROM answers WHERE length(answer) > ?", SHORT) == []
    server.kill()
    server.again()
    target = phones["target"].at(server.url)
    assert resubmits(target, str(over["version"] - 1), 6, 3).status == 303, "it was taken, and still is"
    assert resubmits(target, str(over["version"] - 1), 6, 2).status == 409
    assert target.table.view()["version"] == over["version"]


def test_the_move_that_ends_a_game_is_answered_again_and_so_is_the_rematch(start: Start) -> None:
    server = start()
    table = server.client.open_table(options={"first": "target"})
    phones = table.everybody()
    target = phones["target"]
    hide(phones)
    for service, card in ((1, 4), (2, 5)):
        target.moves("attack_from_hand", card=card, house=service)
        phones["mask"].moves("attack_from_hand", card=9, house=1)
    body = {"version": table.view()["version"], "type": "attack_from_hand", "card": 6, "house": 3}
    last, next_ = target.sends_once("last", body), target.sends_once("next", {}, "rematch")
    assert table.view()["status"] == "over"
    for _ in range(2):
        server.kill()
        server.again()
        assert target.at(server.url).sends_once("last", body).json == last.json
        assert target.at(server.url).sends_once("next", {}, "rematch").json == next_.json


def test_a_long_game_keeps_the_last_answers_of_each_token(start: Start) -> None:
    server = start()
    table = server.client.open_table(options={"first": "target"})
    phones = table.everybody()
    hide(phones)
    given = {seat: list[tuple[str, int, Any]]() for seat in phones}
    for version in range(4, 4 + 6 * EACH_TOKENS):
        seat = ("target", "mask")[version % 2]
        answer = attacks(phones[seat], f"k{version}", version)
        assert answer.status == 200
        given[seat].append((f"k{version}", version, answer.json))
    for seat, phone in phones.items():
        for key, version, answer in given[seat][-EACH_TOKENS:]:
            assert attacks(phone, key, version).json == answer
        key, version, _ = given[seat][0]
        assert attacks(phone, key, version).code == "stale", "nothing is done twice, even so"
    assert at_most(server) == EACH_TOKENS


def test_questions_that_are_asked_over_and_over_keep_no_more(start: Start) -> None:
    server = start()
    table = server.client.open_table(options={"first": "target"})
    phones = table.everybody()
    hide(phones)
    for n in range(asked := EACH_TOKENS + 5):
        for whose, what, body in (
            (phones["target"], "ask", {"version": 4 + 2 * n, "kind": "undo"}),
            (phones["mask"], "answer", {"accept": False}),
        ):
            assert whose.sends_once(f"{what} {n}", body, what).status == 200
    assert table.view()["version"] == 4 + 2 * asked
    assert at_most(server) == EACH_TOKENS


def test_whoever_opens_a_table_clears_away_what_was_answered_long_ago(service: TableService) -> None:
    store, desk, wish = service.store, Caller("::1", "desk"), OpenTableRequest("agent_hunter", {}, None)

    def opened(key: str) -> Opened:
        return service.wait(service.open(wish, desk, trusted=True, retry=IdempotencyKey(key, "body")))

    first = opened("first")
    assert opened("first") == first
    others = (statements.answer_given(f"phone {n}", "key", "body", {"n": n}) for n in range(ALL_ANSWERS))
    store.commit(others)
    second = opened("second")
    assert opened("second") == second
    assert store.read("SELECT count(*) FROM answers") == [(ALL_ANSWERS,)]
    assert store.answer("phone 0", "key") is None
    assert store.answer("phone 1", "key") == ("body", '{"n": 1}')
