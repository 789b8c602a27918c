"""Idle tables: listed, then ended or kept, only when the host says so."""

import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from referee.games import GAMES
from tests.support.fixtures import Start
from tests.support.waiting import eventually
from tests.support.web.http_client import Answer, Client, Phone, Table
from tests.support.web.journal import journal, mend_checksums, mend_opening
from tests.support.web.random_player import hide, play_on
from tests.support.web.server_process import Running


def rests(own_server: Running, table: Table, days: float = 31) -> None:
    """As if so much time had passed since anything happened there."""
    then = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="seconds")
    with closing(sqlite3.connect(own_server.data / "referee.db")) as db, db:
        db.execute("UPDATE tables SET opened = ? WHERE code = ?", (then, table.code))
        mend_opening(db, table.code)
        db.execute("UPDATE journal SET at = ? WHERE code = ?", (then, table.code))
        db.execute("UPDATE kept_tables SET at = ? WHERE code = ?", (then, table.code))
        mend_checksums(db, table.code)


def asked(client: Client) -> list[str]:
    """The numbers of the tables that the page asks about."""
    page = client.get("/cleanup")
    assert page.status == 200
    numbers = re.findall(r'name="table" value="(\d+)"', page.content.decode())
    assert ('href="/cleanup"' in client.get("/").content.decode()) == bool(numbers)
    return numbers


def says(client: Client, do: str, numbers: list[str], **more: str) -> Answer:
    form = [("do", do), *(("table", number) for number in numbers), *more.items()]
    return client.post_form("/cleanup", *form)


def away(phones: dict[str, Phone]) -> None:
    for phone in phones.values():
        phone.goes_away()


def test_an_idle_table_is_listed_and_ends_without_a_winner(own_server: Running) -> None:
    table, fresh = own_server.client.open_table(), own_server.client.open_table()
    phones = table.everybody()
    hide(phones)
    away(phones)
    assert asked(own_server.client) == []
    rests(own_server, table)
    before = table.view()
    [number] = asked(own_server.client)
    assert table.view() == before, "asking changes nothing"
    done = says(own_server.client, "end", [number])
    assert (done.status, done.headers["Location"]) == (303, "/cleanup?done=1")
    over = phones["target"].view()
    assert (over["status"], over["outcome"]["reason"]) == ("over", "abandoned")
    assert (over["outcome"]["winners"], over["outcome"]["debrief"]) == ([], None)
    assert own_server.client.get(f"{table.path}/record").status == 403, "what was hidden stays so"
    assert fresh.view()["status"] == "joining"
    assert asked(own_server.client) == []
    lines = journal(own_server, table.code)
    own_server.stop()
    with own_server.again() as later:
        assert journal(later, table.code) == lines
        assert later.client.get(table.path).json["outcome"]["reason"] == "abandoned"


def test_any_game_can_be_put_away_before_it_began_or_later(own_server: Running) -> None:
    joining = [own_server.client.open_table(game=game) for game in GAMES]
    playing = [own_server.client.open_table(game=game) for game in GAMES]
    for table in playing:
        away(table.everybody())
    for table in (*joining, *playing):
        rests(own_server, table)
    done = says(own_server.client, "end", asked(own_server.client))
    assert done.headers["Location"] == f"/cleanup?done={2 * len(GAMES)}"
    assert {table.view()["outcome"]["reason"] for table in (*joining, *playing)} == {"abandoned"}


def test_the_page_tells_who_played_what_and_neither_code_nor_key_nor_secret(own_server: Running) -> None:
    table = own_server.client.open_table()
    phone = table.join("target", "Zoé")
    phone.goes_away()
    rests(own_server, table)
    page = own_server.client.with_(Accept_Language="en").get("/cleanup").content.decode()
    assert "Agent Hunter" in page
    assert "Zoé" in page
    for hidden in (table.code, *table.keys.values(), table.host, phone.token):
        assert hidden not in page


def test_a_kept_table_is_listed_again_after_the_same_time(own_server: Running) -> None:
    table = own_server.client.open_table()
    rests(own_server, table)
    assert says(own_server.client, "keep", asked(own_server.client)).headers["Location"] == "/cleanup?kept=1"
    assert asked(own_server.client) == []
    assert table.view()["status"] == "joining"
    rests(own_server, table)
    assert len(asked(own_server.client)) == 1


def test_whoever_comes_back_plays_on(own_server: Running) -> None:
    table = own_server.client.open_table(options={"first": "target"})
    phones = table.everybody()
    hide(phones)
    away(phones)
    rests(own_server, table)
    [number] = asked(own_server.client)
    phones["target"].moves("attack_from_hand", card=0, house=1)
    away(phones)
    assert asked(own_server.client) == []
    assert says(own_server.client, "end", [number]).headers["Location"] == "/cleanup?done=0"
    assert table.view()["status"] == "playing"
    rests(own_server, table)
    with phones["mask"].events() as stream:
        stream.first("view")
        assert asked(own_server.client) == [], "somebody is there"
    eventually(lambda: not table.view()["seats"]["mask"]["connected"])
    assert len(asked(own_server.client)) == 1


def test_only_what_was_ticked_and_rests_is_put_away(own_server: Running) -> None:
    one, two = own_server.client.open_table(), own_server.client.open_table()
    for table in (one, two):
        rests(own_server, table)
    first, second = asked(own_server.client)
    assert says(own_server.client, "end", []).headers["Location"] == "/cleanup?done=0"
    assert says(own_server.client, "end", ["x", "-1", "٣", "9" * 20, "9" * 5000, first]).status == 303
    assert asked(own_server.client) == [second]


def test_a_finished_game_is_nothing_to_tidy(own_server: Running) -> None:
    table = own_server.client.open_table(options={"turn_cap": 24})
    phones = table.everybody()
    assert play_on(phones, Random(1))["status"] == "over"
    away(phones)
    rests(own_server, table)
    assert asked(own_server.client) == []


def test_with_a_pin_only_who_knows_it(start: Start) -> None:
    own_server = start('[server]\nhost_pin = "2468"\n')
    pinned = own_server.client.with_(X_Host_Pin="2468")
    table = pinned.open_table()
    rests(own_server, table)
    numbers = asked(own_server.client)
    refused = says(own_server.client, "end", numbers, pin="1111")
    assert refused.status == 403
    assert refused.content.count(b" checked>") == len(numbers)
    assert asked(own_server.client) == numbers
    assert says(own_server.client, "end", numbers, pin="2468").status == 303
    assert asked(own_server.client) == []


@pytest.mark.parametrize(("days", "count"), [(0, 0), (400, 1)])
def test_after_how_long_is_a_setting_and_0_is_never(start: Start, days: int, count: int) -> None:
    own_server = start(f"[games]\ncleanup_after = {days}\n")
    shorter, longer = own_server.client.open_table(), own_server.client.open_table()
    rests(own_server, shorter, days=399)
    rests(own_server, longer, days=401)
    assert len(asked(own_server.client)) == count


def test_a_tap_with_nothing_chosen_changes_nothing(own_server: Running) -> None:
    table = own_server.client.open_table()
    rests(own_server, table)
    for do in ("keep", "end"):
        assert says(own_server.client, do, []).status == 303
        assert asked(own_server.client)
