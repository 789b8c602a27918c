"""The clock: a Pi has none of its own, so it may jump at any time; nothing depends on it."""

import ast
import re
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from referee import RELEASED
from referee.games import GAMES
from tests.support.fixtures import Start
from tests.support.web.http_client import without_presence
from tests.support.web.journal import journal, rows
from tests.support.web.random_player import play_on
from tests.support.web.server_process import ROOT
from web.clock import DAY, JUMP, LATEST, MOST_PHONES, Clock

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
        "web/server/certificate.py",  # from when on a certificate is valid, and its name
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


# ---- strangers who tell a wrong time

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TODAY = RELEASED + timedelta(days=200)


class Machine:
    """A machine without a clock: what it shows, and how long it has run."""

    def __init__(self) -> None:
        self.shown, self.elapsed = EPOCH, 0.0
        self.clock = Clock(lambda: self.shown + timedelta(seconds=self.elapsed), lambda: self.elapsed)


@pytest.fixture
def machine() -> Machine:
    return Machine()


def test_a_time_beyond_the_bound_is_not_believed(machine: Machine) -> None:
    for told in (LATEST + timedelta(seconds=1), datetime(2050, 1, 1, tzinfo=UTC), RELEASED - timedelta(1)):
        assert not machine.clock.learn(told, "stranger")
    assert machine.clock.now() == EPOCH


def test_later_phones_correct_a_stranger_however_often_it_insists(machine: Machine) -> None:
    assert machine.clock.learn(LATEST, "stranger")
    assert machine.clock.now() == LATEST
    for phone in ("ana", "bo"):
        assert machine.clock.learn(TODAY, phone)
        for _ in range(MOST_PHONES):
            machine.clock.learn(LATEST, "stranger")
        assert machine.clock.now() == TODAY
    for _ in range(3):
        machine.clock.learn(RELEASED, "stranger")
    assert machine.clock.now() == TODAY, "nor is it set back"


def test_phones_that_tell_the_time_take_no_endless_room(machine: Machine) -> None:
    for n in range(MOST_PHONES * 3):
        machine.clock.learn(LATEST, f"once {n}")
    for n in range(MOST_PHONES // 2 + 1):
        machine.clock.learn(TODAY, f"phone {n}")
    assert machine.clock.now() == TODAY, "the oldest votes are dropped"


def test_a_clock_that_the_network_sets_counts_more_than_phones(machine: Machine) -> None:
    machine.clock.learn(LATEST, "stranger")
    machine.shown = TODAY
    assert machine.clock.now() == TODAY
    assert not machine.clock.learn(LATEST, "stranger")


def test_nothing_is_old_for_a_day_after_the_time_jumped(machine: Machine) -> None:
    assert not machine.clock.is_settled(), "it began with a wrong clock"
    machine.elapsed = DAY - 60.0
    machine.clock.learn(TODAY, "ana")
    machine.elapsed += DAY - 1
    machine.clock.learn(TODAY + timedelta(days=1), "bo")  # which is right: a day has passed
    assert not machine.clock.is_settled()
    machine.elapsed += 1
    assert machine.clock.is_settled()
    machine.clock.learn(LATEST, "stranger")
    machine.clock.learn(LATEST, "another")
    machine.clock.learn(LATEST, "third")
    assert machine.clock.now() > TODAY + timedelta(days=300), "most of those who told it were wrong"
    assert not machine.clock.is_settled()
    right = Clock(lambda: TODAY, lambda: 0.0)
    assert right.is_settled()


def test_a_clock_that_is_led_on_in_small_steps_has_jumped_too(machine: Machine) -> None:
    machine.clock.learn(TODAY, "stranger")
    machine.elapsed = DAY
    told = TODAY + timedelta(days=1)
    machine.clock.learn(told + JUMP / 2, "stranger")
    assert machine.clock.is_settled(), "phones may differ a little"
    for step in range(2, 200):
        machine.clock.learn(told + step * JUMP / 2, "stranger")
    assert machine.clock.now() > told + timedelta(days=3)
    assert not machine.clock.is_settled()


def test_the_way_back_to_the_right_time_is_a_jump_too(machine: Machine) -> None:
    """A table that was opened while strangers had set the clock back would look old at once."""
    for stranger in range(MOST_PHONES):
        machine.clock.learn(RELEASED, f"stranger {stranger}")
    machine.elapsed = DAY
    assert machine.clock.is_settled()
    machine.shown = TODAY - timedelta(days=1)
    assert machine.clock.now() == TODAY and machine.clock.is_right()
    assert not machine.clock.is_settled()
    machine.elapsed += DAY - 1
    assert not machine.clock.is_settled()
    machine.elapsed += 1
    assert machine.clock.is_settled()


def test_a_clock_that_no_phone_has_set_may_be_put_right(machine: Machine) -> None:
    """A machine that starts with the time of its last evening asks nobody."""
    machine.shown = TODAY
    clock = Clock(lambda: machine.shown, lambda: machine.elapsed)
    assert not clock.learn(LATEST, "stranger")
    machine.shown += timedelta(days=7)
    assert clock.is_settled()


def test_a_stranger_makes_no_fresh_table_old(start: Start) -> None:
    """Told a time years ahead, the server offered every table for tidying, and believed nobody else."""
    server = start(modifications=["no_clock"])
    client = server.client
    table = client.open_table(desk=None)

    def tells(who: str, when: datetime) -> None:
        told = client.with_(X_Forwarded_For=who).post("/api/clock", {"now": int(when.timestamp())})
        assert told.status == 200

    def opened() -> datetime:
        (at,) = rows(server, "SELECT opened FROM tables WHERE code = ?", client.open_table(desk=None).code)
        return datetime.fromisoformat(at[0])

    tells("192.168.1.66", datetime(2050, 1, 1, tzinfo=UTC))
    assert opened() < RELEASED
    tells("192.168.1.66", LATEST - timedelta(days=1))
    assert opened() > LATEST - timedelta(days=2)
    assert b'value="1"' not in client.get("/cleanup").content
    assert client.post_form("/cleanup", ("do", "end"), ("table", "1")).status == 303
    assert table.view()["status"] == "joining"
    tells("192.168.1.20", TODAY)
    tells("192.168.1.66", LATEST - timedelta(days=1))
    assert abs(opened() - TODAY) < timedelta(hours=1)
    for n in range(50):
        tells(f"2001:db8::{n:x}", LATEST - timedelta(days=1))  # one device with ever new addresses
    tells("192.168.1.21", TODAY)
    assert abs(opened() - TODAY) < timedelta(hours=1)
