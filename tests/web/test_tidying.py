"""Tables that have rested for long: asked about, put away or kept, and never without somebody's tap."""

import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from random import Random
from urllib.parse import urlencode

import pytest

from referee.games import GAMES
from tests.web.client import Answer, Client, Phone, Table, eventually
from tests.web.conftest import Start
from tests.web.journal import journal
from tests.web.play import hide, play_on
from tests.web.server import Running


@pytest.fixture
def house(start: Start) -> Running:
    return start()


def rests(house: Running, table: Table, days: float = 31) -> None:
    """As if so much time had passed since anything happened there."""
    then = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="seconds")
    with closing(sqlite3.connect(house.data / "referee.db")) as db, db:
        db.execute("UPDATE tables SET opened = ? WHERE code = ?", (then, table.code))
        db.execute("UPDATE journal SET at = ? WHERE code = ?", (then, table.code))
        db.execute("UPDATE spared SET at = ? WHERE code = ?", (then, table.code))


def asked(client: Client) -> list[str]:
    """The numbers of the tables that the page asks about."""
    page = client.get("/tidy")
    assert page.status == 200
    numbers = re.findall(r'name="table" value="(\d+)"', page.content.decode())
    assert ('href="/tidy"' in client.get("/").content.decode()) == bool(numbers)
    return numbers


def says(client: Client, do: str, numbers: list[str], **more: str) -> Answer:
    form = [("do", do), *(("table", number) for number in numbers), *more.items()]
    sender = client.with_(Content_Type="application/x-www-form-urlencoded")
    return sender.call("POST", "/tidy", urlencode(form).encode())


def away(phones: dict[str, Phone]) -> None:
    for phone in phones.values():
        phone.goes_away()


def test_a_table_that_rested_is_asked_about_and_ends_without_a_winner(house: Running) -> None:
    table, fresh = house.client.open_table(), house.client.open_table()
    phones = table.everybody()
    hide(phones)
    away(phones)
    assert asked(house.client) == []
    rests(house, table)
    before = table.view()
    [number] = asked(house.client)
    assert table.view() == before, "asking changes nothing"
    done = says(house.client, "tidy", [number])
    assert (done.status, done.headers["Location"]) == (303, "/tidy?done=1")
    over = phones["target"].view()
    assert (over["status"], over["outcome"]["reason"]) == ("over", "abandoned")
    assert (over["outcome"]["winners"], over["outcome"]["debrief"]) == ([], None)
    assert house.client.get(f"{table.path}/record").status == 403, "what was hidden stays so"
    assert fresh.view()["status"] == "joining"
    assert asked(house.client) == []
    lines = journal(house, table.code)
    house.stop()
    with house.again() as later:
        assert journal(later, table.code) == lines
        assert later.client.get(table.path).json["outcome"]["reason"] == "abandoned"


def test_any_game_can_be_put_away_before_it_began_or_later(house: Running) -> None:
    joining = [house.client.open_table(game=game) for game in GAMES]
    playing = [house.client.open_table(game=game) for game in GAMES]
    for table in playing:
        away(table.everybody())
    for table in (*joining, *playing):
        rests(house, table)
    done = says(house.client, "tidy", asked(house.client))
    assert done.headers["Location"] == f"/tidy?done={2 * len(GAMES)}"
    assert {table.view()["outcome"]["reason"] for table in (*joining, *playing)} == {"abandoned"}


def test_the_page_tells_who_played_what_and_neither_code_nor_key_nor_secret(house: Running) -> None:
    table = house.client.open_table()
    phone = table.join("target", "Zoé")
    phone.goes_away()
    rests(house, table)
    page = house.client.with_(Accept_Language="en").get("/tidy").content.decode()
    assert "Agent Hunter" in page
    assert "Zoé" in page
    for hidden in (table.code, *table.keys.values(), table.host, phone.token):
        assert hidden not in page


def test_what_is_kept_is_asked_about_again_after_as_long(house: Running) -> None:
    table = house.client.open_table()
    rests(house, table)
    assert says(house.client, "keep", asked(house.client)).headers["Location"] == "/tidy?kept=1"
    assert asked(house.client) == []
    assert table.view()["status"] == "joining"
    rests(house, table)
    assert len(asked(house.client)) == 1


def test_whoever_comes_back_plays_on(house: Running) -> None:
    table = house.client.open_table(options={"first": "target"})
    phones = table.everybody()
    hide(phones)
    away(phones)
    rests(house, table)
    [number] = asked(house.client)
    phones["target"].moves("attack_from_hand", card=0, house=1)
    away(phones)
    assert asked(house.client) == []
    assert says(house.client, "tidy", [number]).headers["Location"] == "/tidy?done=0"
    assert table.view()["status"] == "playing"
    rests(house, table)
    with phones["mask"].events() as stream:
        stream.first("view")
        assert asked(house.client) == [], "somebody is there"
    eventually(lambda: not table.view()["seats"]["mask"]["connected"])
    assert len(asked(house.client)) == 1


def test_only_what_was_ticked_and_rests_is_put_away(house: Running) -> None:
    one, two = house.client.open_table(), house.client.open_table()
    for table in (one, two):
        rests(house, table)
    first, second = asked(house.client)
    assert says(house.client, "tidy", []).headers["Location"] == "/tidy?done=0"
    assert says(house.client, "tidy", ["x", "-1", "٣", "9" * 20, "9" * 5000, first]).status == 303
    assert asked(house.client) == [second]


def test_a_finished_game_is_nothing_to_tidy(house: Running) -> None:
    table = house.client.open_table(options={"turn_cap": 24})
    phones = table.everybody()
    assert play_on(phones, Random(1))["status"] == "over"
    away(phones)
    rests(house, table)
    assert asked(house.client) == []


def test_with_a_pin_only_who_knows_it(start: Start) -> None:
    house = start('[server]\nhost_pin = "2468"\n')
    pinned = house.client.with_(X_Host_Pin="2468")
    table = pinned.open_table()
    rests(house, table)
    numbers = asked(house.client)
    refused = says(house.client, "tidy", numbers, pin="1111")
    assert refused.status == 403
    assert refused.content.count(b" checked>") == len(numbers)
    assert asked(house.client) == numbers
    assert says(house.client, "tidy", numbers, pin="2468").status == 303
    assert asked(house.client) == []


@pytest.mark.parametrize(("days", "count"), [(0, 0), (400, 1)])
def test_after_how_long_is_a_setting_and_0_is_never(start: Start, days: int, count: int) -> None:
    house = start(f"[games]\ntidy_after = {days}\n")
    shorter, longer = house.client.open_table(), house.client.open_table()
    rests(house, shorter, days=399)
    rests(house, longer, days=401)
    assert len(asked(house.client)) == count


def test_a_tap_with_nothing_chosen_changes_nothing(house: Running) -> None:
    table = house.client.open_table()
    rests(house, table)
    for do in ("keep", "tidy"):
        assert says(house.client, do, []).status == 303
        assert asked(house.client)
