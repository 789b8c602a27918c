"""The desk's own screen: follows the newest table, and shows keys only where the server let it in."""

from contextlib import closing
from pathlib import Path

import pytest

from hardware.buttons import SETTLE
from hardware.desk import Desk
from hardware.server import Server
from referee.settings import Settings
from tests.hardware.board import Board
from tests.web.client import Client, Stream, eventually
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


def shown(told: Stream) -> list[bool]:
    """What the desk was told of its screen."""
    return [event.json["shown"] for event in told.all("screen")]


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


def test_the_desk_is_told_whether_its_own_screen_is_on(house: Running) -> None:
    desk, own, anyone = house.client.bearing(house.desk_key()), let_in(house), house.client
    with desk.follow("/api/desks/main/events") as told:
        with anyone.follow("/desk/main/events"), own.follow("/desk/main/events"):
            eventually(lambda: shown(told) == [False, True])
            with desk.follow("/api/desks/main/events") as later:
                eventually(lambda: shown(later) == [True])
        eventually(lambda: shown(told) == [False, True, False])


def test_a_long_press_on_a_desk_without_a_printer_brings_the_next_table_to_its_screen(
    house: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardware.buttons.LONG", 2 * SETTLE)
    before, screen, board = house.client.open_table(), let_in(house), Board()
    server = Server(house.url, "main", house.desk_key())
    with closing(Desk(server, Settings(), board.factory)) as desk, screen.follow("/desk/main/events") as told:
        eventually(lambda: desk._errands.has_screen and desk._errands._view is not None)
        board.factory.pin(Settings().buttons.a).drive_low()
        newer = told.wait(lambda e: e.kind == "view" and e.json["table"] != before.code).json["table"]
        eventually(lambda: ".png" in page(screen, "/desk/main"))
        picture = page(screen, "/desk/main").partition('<img src="')[2].partition('"')[0]
        assert screen.get(picture).status == 200
        assert house.client.get(picture).status == 403
    assert page(screen).count(f"/j/{newer}/") == len(before.keys)


def test_a_desk_of_another_name_has_its_own(start: Start) -> None:
    server = start('[desk]\nname = "living room"\n')
    key = (server.data / "desk-living room.key").read_text()
    assert (server.data / "desk.key").read_text() == key
    assert "/desk/living%20room/screen/" in way_in(server.data)
    assert server.client.get(way_in(server.data).removeprefix(server.url)).status == 303
