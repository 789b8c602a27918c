"""The desk's own screen: follows the newest table, and shows keys only where the server let it in."""

from pathlib import Path

import pytest

from tests.web.client import Client
from tests.web.conftest import Start
from tests.web.server import Running

SCREEN = "/desk/main/screen"


@pytest.fixture
def house(start: Start) -> Running:
    return start('[wifi]\nssid = "Table"\npassword = "abc23456"\n')


def way_in(data: Path) -> str:
    """Where the page leads that the server left for the screen."""
    return (data / "screen.html").read_text().partition("url=")[2].partition('"')[0]


def let_in(house: Running) -> Client:
    """A browser that went the way in."""
    entered = house.client.get(way_in(house.data).removeprefix(house.url))
    assert (entered.status, entered.headers["Location"]) == (303, SCREEN)
    assert "HttpOnly" in entered.headers["Set-Cookie"]
    return house.client.with_(Cookie=entered.headers["Set-Cookie"].partition(";")[0])


def page(client: Client, path: str = SCREEN) -> str:
    answer = client.get(path)
    assert answer.status == 200, answer.content
    return answer.content.decode()


def test_before_the_first_table_it_says_where_to_open_one(house: Running) -> None:
    assert house.url in page(house.client)
    assert "abc23456" not in page(house.client)
    assert "abc23456" in page(let_in(house))


def test_it_shows_the_newest_table_and_its_keys_to_the_screen_alone(house: Running) -> None:
    first, newest = house.client.open_table(), house.client.open_table()
    screen = let_in(house)
    assert newest.code in page(screen)
    assert first.code not in page(screen)
    for key in newest.keys.values():
        assert key in page(screen)
        assert key not in page(house.client)
    assert newest.host not in page(screen)
    newest.everybody()
    assert not any(key in page(screen) for key in newest.keys.values())


def test_it_has_nothing_to_send_but_the_language(house: Running) -> None:
    table = house.client.open_table()
    assert page(let_in(house)).count("<form") == 1
    table.everybody()
    assert page(let_in(house)).count("<form") == 1


@pytest.mark.parametrize("way", ["", "x", "desk key", "é"])
def test_a_wrong_way_in_is_refused(house: Running, way: str) -> None:
    table = house.client.open_table()
    wrong = house.desk_key() if way == "desk key" else way
    if way:
        assert house.client.get(f"{SCREEN}/{'%C3%A9' if way == 'é' else wrong}").status == 403
    liar = house.client.with_(Cookie=f"screen={'%C3%A9' if way == 'é' else wrong}")
    assert not any(key in page(liar) for key in table.keys.values())


def test_the_ways_in_are_for_their_owner_alone_and_the_same_after_a_restart(house: Running) -> None:
    assert (house.data / "screen.html").stat().st_mode & 0o777 == 0o600
    assert (house.data / "desk.key").read_text().strip() == house.desk_key()
    screen = let_in(house)
    key = way_in(house.data).rpartition("/")[2]
    table = house.client.open_table()
    house.stop()
    with house.again() as later:
        assert way_in(later.data).rpartition("/")[2] == key
        again = later.client.with_(**screen.headers)
        assert next(iter(table.keys.values())) in page(again)


def test_a_desk_of_another_name_has_its_own(start: Start) -> None:
    server = start('[desk]\nname = "living room"\n')
    key = (server.data / "desk-living room.key").read_text()
    assert (server.data / "desk.key").read_text() == key
    assert "/desk/living%20room/screen/" in way_in(server.data)
    assert server.client.get(way_in(server.data).removeprefix(server.url)).status == 303
