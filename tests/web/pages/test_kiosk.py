"""The desk's own screen: follows the newest table, and shows keys only in an authorized browser."""

from contextlib import closing
from pathlib import Path

import pytest

from hardware.desk.process import Desk
from hardware.desk.server_client import ServerClient
from hardware.devices.buttons import SETTLE
from referee.program.settings import Settings
from tests.support.fixtures import Start
from tests.support.hardware.mock_board import Board
from tests.support.waiting import eventually
from tests.support.web.http_client import Client
from tests.support.web.server_process import Running
from tests.support.web.sse_reader import Stream

SCREEN = "/desk/main/screen"


@pytest.fixture
def own_server(start: Start) -> Running:
    return start('[wifi]\nssid = "Table"\npassword = "abc23456"\n')


def way_in(data: Path) -> str:
    """Where the page leads that the server left for the screen."""
    return (data / "screen.html").read_text().partition("url=")[2].partition('"')[0]


def let_in(own_server: Running) -> Client:
    """A browser that went the way in."""
    entered = own_server.client.get(way_in(own_server.data).removeprefix(own_server.url))
    assert (entered.status, entered.headers["Location"]) == (303, SCREEN)
    assert "HttpOnly" in entered.headers["Set-Cookie"]
    return own_server.client.with_(Cookie=entered.headers["Set-Cookie"].partition(";")[0])


def page(client: Client, path: str = SCREEN) -> str:
    answer = client.get(path)
    assert answer.status == 200, answer.content
    return answer.content.decode()


def shown(told: Stream) -> list[bool]:
    """What the desk was told of its screen."""
    return [event.json["shown"] for event in told.all("screen")]


def test_before_the_first_table_it_says_where_to_open_one(own_server: Running) -> None:
    assert own_server.url in page(own_server.client)
    assert "abc23456" not in page(own_server.client)
    assert "abc23456" in page(let_in(own_server))


def test_it_shows_the_newest_table_and_its_keys_to_the_screen_alone(own_server: Running) -> None:
    first, newest = own_server.client.open_table(), own_server.client.open_table()
    screen = let_in(own_server)
    assert newest.code in page(screen)
    assert first.code not in page(screen)
    assert newest.key in page(screen)
    assert newest.key not in page(own_server.client)
    assert not any(key in page(screen) for key in newest.keys.values()), "one code for all"
    assert newest.host not in page(screen)
    newest.everybody()
    assert newest.key not in page(screen)


def test_it_has_nothing_to_send_but_the_language(own_server: Running) -> None:
    table = own_server.client.open_table()
    assert page(let_in(own_server)).count("<form") == 1
    table.everybody()
    assert page(let_in(own_server)).count("<form") == 1


@pytest.mark.parametrize("way", ["", "x", "desk key", "é"])
def test_a_wrong_way_in_is_refused(own_server: Running, way: str) -> None:
    table = own_server.client.open_table()
    wrong = own_server.desk_key() if way == "desk key" else way
    if way:
        assert own_server.client.get(f"{SCREEN}/{'%C3%A9' if way == 'é' else wrong}").status == 403
    liar = own_server.client.with_(Cookie=f"screen={'%C3%A9' if way == 'é' else wrong}")
    assert table.key not in page(liar)


def test_the_ways_in_are_for_their_owner_alone_and_the_same_after_a_restart(own_server: Running) -> None:
    assert (own_server.data / "screen.html").stat().st_mode & 0o777 == 0o600
    assert (own_server.data / "desk.key").read_text().strip() == own_server.desk_key()
    screen = let_in(own_server)
    key = way_in(own_server.data).rpartition("/")[2]
    table = own_server.client.open_table()
    own_server.stop()
    with own_server.again() as later:
        assert way_in(later.data).rpartition("/")[2] == key
        again = later.client.with_(**screen.headers)
        assert table.key in page(again)


def test_the_desk_is_told_whether_its_own_screen_is_on(own_server: Running) -> None:
    desk, own, anyone = (
        own_server.client.bearing(own_server.desk_key()),
        let_in(own_server),
        own_server.client,
    )
    with desk.follow("/api/desks/main/events") as told:
        with anyone.follow("/desk/main/events"), own.follow("/desk/main/events"):
            eventually(lambda: shown(told) == [False, True])
            with desk.follow("/api/desks/main/events") as later:
                eventually(lambda: shown(later) == [True])
        eventually(lambda: shown(told) == [False, True, False])


def test_a_long_press_on_a_desk_without_a_printer_brings_the_next_table_to_its_screen(
    own_server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardware.devices.buttons.LONG", 2 * SETTLE)
    before, screen, board = own_server.client.open_table(), let_in(own_server), Board()
    server = ServerClient(own_server.url, "main", own_server.desk_key())
    with closing(Desk(server, Settings(), board.factory)) as desk, screen.follow("/desk/main/events") as told:
        eventually(lambda: desk._actions.has_screen and desk._actions._view is not None)
        board.factory.pin(Settings().buttons.a).drive_low()
        newer = told.wait(lambda e: e.kind == "view" and e.json["table"] != before.code).json["table"]
        eventually(lambda: ".png" in page(screen, "/desk/main"))
        picture = page(screen, "/desk/main").partition('<img src="')[2].partition('"')[0]
        assert screen.get(picture).status == 200
        assert own_server.client.get(picture).status == 403
    assert page(screen).count(f"/j/{newer}/") == 1


def test_a_desk_of_another_name_has_its_own(start: Start) -> None:
    server = start('[desk]\nname = "living room"\n')
    key = (server.data / "desk-living room.key").read_text()
    assert (server.data / "desk.key").read_text() == key
    assert "/desk/living%20room/screen/" in way_in(server.data)
    assert server.client.get(way_in(server.data).removeprefix(server.url)).status == 303
