"""The clock: a Pi has none of its own, so it may jump at any time; nothing depends on it."""

import ast
import re
from random import Random

import pytest

from referee.games import GAMES
from tests.support.fixtures import Start
from tests.support.web.http_client import without_presence
from tests.support.web.journal import journal, rows
from tests.support.web.random_player import play_on
from tests.support.web.server_process import ROOT

OF_THE_WALL = {
    "datetime": {"now", "utcnow", "today"},
    "date": {"today"},
    "time": {"time", "time_ns", "localtime", "gmtime", "ctime", "strftime"},
}
MOVES = 30


def is_of_the_wall(node: ast.AST) -> bool:
    """Whether this looks at the clock that people set."""
    match node:
        case ast.Attribute(ast.Name(module), name) | ast.Attribute(ast.Attribute(attr=module), name):
            return name in OF_THE_WALL.get(module, ())
        case ast.ImportFrom("time", names):
            return any(alias.name in OF_THE_WALL["time"] for alias in names)
    return False


def test_only_the_dates_people_read_come_from_the_clock_on_the_wall() -> None:
    """One look at it, for when a thing was written; whatever waits or orders goes by other means."""
    files = [path for part in ("referee", "web", "hardware") for path in (ROOT / part).rglob("*.py")]
    looks = {
        f"{path.relative_to(ROOT)}"
        for path in files
        if any(is_of_the_wall(node) for node in ast.walk(ast.parse(path.read_text())))
    }
    assert looks == {
        "web/clock.py",
        "web/store/backups.py",  # whether the last backup is a day old: at worst there is one more
        "hardware/desk/doctor.py",  # whether it is right
    }


def test_dates_order_nothing_in_the_store() -> None:
    dates, files = {"at", "opened", "finished"}, (ROOT / "web" / "store").rglob("*.py")
    orders = [order for file in files for order in re.findall(r'ORDER BY ([^")]+)', file.read_text())]
    assert "id DESC LIMIT ?" in orders
    assert [order for order in orders if dates & set(re.findall(r"\w+", order))] == []


@pytest.mark.parametrize("game", GAMES)
def test_a_clock_that_jumps_changes_nothing(start: Start, game: str) -> None:
    server = start(modifications=["jumping_clock", "fast_heartbeat"])
    table = server.client.open_table(game=game)
    with table.events() as screen:
        phones = table.everybody()
        version = play_on(phones, Random(game), MOVES)["version"]
        screen.view(version)
        screen.wait(lambda _: screen.all(""))
        assert [event.id for event in screen.all("view")] == [str(n) for n in range(version + 1)]
        seats = iter(phones.values())
        body = {"version": version, "kind": "abandon", "show": True}
        next(seats).client.post(f"{table.path}/ask", body)
        for phone in seats:
            phone.client.post(f"{table.path}/answer", {"accept": True})
    lines, views = journal(server, table.code), [without_presence(phone.view()) for phone in phones.values()]
    dates = [at for (at,) in rows(server, "SELECT at FROM journal WHERE code = ? ORDER BY n", table.code)]
    assert dates != sorted(dates), "the clock did not jump"
    host = server.client.bearing(table.host)
    jobs = [host.post(f"{table.path}/print", {"what": "sheet"}).json["job"] for _ in range(4)]
    assert jobs == sorted(jobs)
    server.kill()
    with server.again() as later:
        assert journal(later, table.code) == lines
        assert [without_presence(phone.at(later.url).view()) for phone in phones.values()] == views
        assert later.client.get(f"{table.path}/sheet.txt").status == 200
        answer = later.client.bearing(table.host).post(f"{table.path}/rematch", {})
        assert answer.status == 201, answer.content
        again = later.client.get(f"/api/tables/{answer.json['table']}").json
        assert again["status"] == "playing"
