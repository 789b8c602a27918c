"""What is kept for calls that come again stays little, however long and however often people play."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.web.client import Answer, Phone
from tests.web.conftest import Start
from tests.web.journal import rows
from tests.web.play import hide
from tests.web.server import Running
from tests.web.test_backups import as_it_was
from tests.web.test_mend_pages import sends as form
from tests.web.test_retries import sends
from web.bodies import Wish
from web.caller import Caller
from web.house import House
from web.opening import Opened
from web.retries import Retry
from web.store import changes as kept
from web.store.backups import open_store
from web.store.changes import ALL_ANSWERS, EACH_TOKENS

SHORT = 40  # bytes


def at_most(server: Running) -> int:
    """How many answers are kept for the token that has the most."""
    counted = rows(server, "SELECT count(*) FROM answers GROUP BY scope ORDER BY 1 DESC LIMIT 1")
    return int(counted[0][0])


def submits(phone: Phone, card: int, house: int) -> Answer:
    """Attack as a page does: its form has a nonce."""
    version = str(phone.table.view()["version"])
    return resubmits(phone, version, card, house)


def resubmits(phone: Phone, version: str, card: int, house: int) -> Answer:
    fields = {"field.card": str(card), "field.house": str(house)}
    return form(phone, type="attack_from_hand", version=version, nonce=f"at {version}", **fields)


def attacks(phone: Phone, key: str, version: int) -> Answer:
    return sends(phone, key, {"version": version, "type": "attack_from_hand", "card": 0, "house": 1})


def test_a_game_played_through_pages_leaves_a_few_short_answers(start: Start) -> None:
    server = start()
    table = server.client.open_table(options={"first": "target"})
    phones = table.everybody()
    hide(phones)
    attacks = [(0, 1)] * 2 * EACH_TOKENS + [(4, 1), (5, 2), (6, 3)]  # the last three hit
    for card, house in attacks:
        assert submits(phones["target"], card, house).status == 303
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
    for house, card in ((1, 4), (2, 5)):
        target.moves("attack_from_hand", card=card, house=house)
        phones["mask"].moves("attack_from_hand", card=9, house=1)
    body = {"version": table.view()["version"], "type": "attack_from_hand", "card": 6, "house": 3}
    last, next_ = sends(target, "last", body), sends(target, "next", {}, "rematch")
    assert table.view()["status"] == "over"
    for _ in range(2):
        server.kill()
        server.again()
        assert sends(target.at(server.url), "last", body).json == last.json
        assert sends(target.at(server.url), "next", {}, "rematch").json == next_.json


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
            assert sends(whose, f"{what} {n}", body, what).status == 200
    assert table.view()["version"] == 4 + 2 * asked
    assert at_most(server) == EACH_TOKENS


def test_whoever_opens_a_table_clears_away_what_was_answered_long_ago(house: House) -> None:
    store, desk, wish = house.store, Caller("::1", "desk"), Wish("agent_hunter", {}, None)

    def opened(key: str) -> Opened:
        return house.wait(house.open(wish, desk, trusted=True, retry=Retry(key, "body")))

    first = opened("first")
    assert opened("first") == first
    others = (kept.answer_given(f"phone {n}", "key", "body", {"n": n}) for n in range(ALL_ANSWERS))
    store.commit(others)
    second = opened("second")
    assert opened("second") == second
    assert store.read("SELECT count(*) FROM answers") == [(ALL_ANSWERS,)]
    assert store.answer("phone 0", "key") is None
    assert store.answer("phone 1", "key") == ("body", '{"n": 1}')


def test_a_store_in_which_answers_piled_up_is_rid_of_them(tmp_path: Path) -> None:
    path, pile = tmp_path / "referee.db", 500
    open_store(path).close()
    as_it_was(path, 4)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("INSERT INTO journal VALUES ('KX7QF', 1, 'then', 'line 1')")
        answers = ((f"phone {n}", "key", "body", "x" * 2000) for n in range(pile))
        db.executemany("INSERT INTO answers (scope, key, body, answer) VALUES (?,?,?,?)", answers)
    before = path.stat().st_size
    with closing(open_store(path)) as store:
        assert store.read("SELECT count(*) FROM answers") == [(0,)]
        assert store.journal("KX7QF") == ["line 1"]
    assert path.stat().st_size < before - pile * 2000
    with closing(sqlite3.connect(tmp_path / "backups" / "0001.db")) as db:
        assert db.execute("SELECT count(*) FROM answers").fetchone() == (pile,)
