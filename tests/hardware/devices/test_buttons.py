"""The buttons: presses out of bouncing contacts, on mock pins; and what the desk does for them."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hardware.desk.button_actions import POWER_OFF
from hardware.desk.process import Desk, Pace
from hardware.desk.server_client import ServerClient
from hardware.devices.buttons import LONG, SETTLE, Buttons, Contact
from hardware.devices.health import Health
from hardware.devices.inbox import Inbox
from referee.presentation.sheets import Rule
from referee.program import settings
from referee.program.settings import BadSettings, Settings, settings_from
from tests.support.hardware.escpos_receiver import WAIT
from tests.support.hardware.mock_board import Board, Script, run_to_end
from tests.support.hardware.stub_server import KEY, StubServer, StubStream

SLOW = 0.25  # seconds to settle: longer than a busy machine takes for the next line
PINS = {"a": 23, "b": 24, "c": 25}
QUICK = Pace(reconnect=(0.01,), retry=0.01, idle=1000.0)


def bouncing(name: str, is_closed: bool, at: float, dice: Random) -> list[tuple[float, Contact]]:
    """A contact that closes (or opens) as real ones do: it comes and goes for some milliseconds."""
    moves = sorted(dice.uniform(0, 0.012) for _ in range(2 * dice.randrange(6)))
    states = [not is_closed if i % 2 else is_closed for i in range(len(moves))]
    settled = [(at + 0.013, (name, is_closed))]
    return [(at + moved, (name, state)) for moved, state in zip(moves, states, strict=True)] + settled


def pressed(*contacts: tuple[float, Contact], buttons: settings.ButtonSettings | None = None) -> list[str]:
    """What the desk was asked for while the contacts moved."""
    script = Script(*contacts)
    asked: list[str] = []
    made = Buttons(
        buttons or settings.ButtonSettings(), Board(script).factory, asked.append, lambda _: None, script
    )
    run_to_end(made)
    made.close()
    return asked


@pytest.mark.parametrize("seed", range(25))
def test_a_bouncing_press_is_one_press(seed: int) -> None:
    dice = Random(seed)
    short = [*bouncing("a", True, 1.0, dice), *bouncing("a", False, 1.2, dice)]
    long = [*bouncing("a", True, 5.0, dice), *bouncing("a", False, 5.2 + LONG, dice)]
    assert pressed(*short, *long) == ["print", "table"]


def test_a_long_press_acts_while_it_is_held_and_once() -> None:
    script: Script[Contact] = Script((0.0, ("c", True)), (9.0, ("c", False)))
    acted: list[tuple[float, str]] = []
    made = Buttons(
        settings.ButtonSettings(),
        Board(script).factory,
        lambda what: acted.append((script.now(), what)),
        lambda _: None,
        script,
    )
    run_to_end(made)
    assert acted == [(LONG, "shutdown")]


def test_a_spark_is_no_press() -> None:
    assert pressed((1.0, ("a", True)), (1.0 + SETTLE / 2, ("a", False))) == []


def test_a_spark_does_not_end_a_long_press() -> None:
    spark = ((1.0, ("c", False)), (1.0 + SETTLE / 2, ("c", True)))
    assert pressed((0.0, ("c", True)), *spark, (LONG + 1, ("c", False))) == ["shutdown"]


def test_two_buttons_at_once_are_two() -> None:
    down = ((1.0, ("a", True)), (1.001, ("b", True)))
    assert pressed(*down, (1.2, ("b", False)), (1.3, ("a", False))) == ["sound", "print"]


def test_a_press_without_a_function_does_nothing() -> None:
    assert pressed((1.0, ("c", True)), (1.5, ("c", False))) == []


def test_what_each_press_does_is_a_setting() -> None:
    chosen = settings.ButtonSettings(a_short="sound", b_short="table")
    presses = [(1.0, ("a", True)), (1.2, ("a", False)), (2.0, ("b", True)), (2.2, ("b", False))]
    assert pressed(*presses, buttons=chosen) == ["sound", "table"]


@pytest.mark.parametrize("active_low", [True, False])
def test_a_bouncing_pin_is_one_press(active_low: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.devices.buttons.SETTLE", SLOW)
    board, asked = Board(), Inbox[str](capacity=100)
    made = Buttons(settings.ButtonSettings(active_low=active_low), board.factory, asked.put, lambda _: None)
    for name, function in (("b", "sound"), ("a", "print")):
        pin = board.factory.pin(PINS[name])
        down, up = (pin.drive_low, pin.drive_high) if active_low else (pin.drive_high, pin.drive_low)
        for move in (*(down, up) * 7, down):
            move()
        Inbox[None](capacity=1).get(4 * SLOW)  # held for longer than it takes to settle
        for move in (*(up, down) * 5, up):
            move()
        assert asked.get(WAIT) == function
    made.close()
    assert asked.get(0) is None


def test_a_button_that_is_stuck_at_the_start_asks_for_nothing() -> None:
    board = Board()
    board.hold(PINS["c"])
    script: Script[Contact] = Script((LONG + 1, ("b", True)), (LONG + 1.1, ("b", False)))
    asked: list[str] = []
    made = Buttons(settings.ButtonSettings(), board.factory, asked.append, lambda _: None, script)
    run_to_end(made)
    assert asked == ["sound"]


def test_no_gpio_no_buttons_and_a_pin_that_is_none() -> None:
    healths: list[Health] = []
    nothing: Callable[[str], None] = lambda _: None  # noqa: E731
    Buttons(settings.ButtonSettings(), None, nothing, healths.append).close()
    Buttons(settings.NO_BUTTONS, Board().factory, nothing, healths.append).close()
    Buttons(settings.ButtonSettings(a=99), Board().factory, nothing, healths.append).close()
    assert healths == [Health(True, "no-gpio"), Health(True, "virtual"), Health(False, "pin-refused")]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"buttons": {"a": 17}}, "lights.plus and buttons.a are both pin 17"),
        ({"buttons": {"a": 18}}, "lights.buzzer and buttons.a are both pin 18"),
        ({"buttons": {"a": 24}}, "buttons.a and buttons.b are both pin 24"),
        ({"lights": {"status": 5}}, "lights.seat_1 and lights.status are both pin 5"),
        ({"buttons": {"a_short": "shutdown"}}, "buttons.a_short cannot be 'shutdown': one of “”, print"),
    ],
)
def test_what_cannot_be_wired_so_is_refused_by_name(document: dict[str, object], said: str) -> None:
    with pytest.raises(BadSettings, match=said):
        settings_from(document)


# ---- what the desk does


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer() as stub:
        yield stub


@contextmanager
def desk_at(server: StubServer, board: Board, connection: str = "none") -> Iterator[Desk]:
    chosen = Settings(printer=settings.PrinterSettings(connection, device=os.devnull))
    desk = Desk(ServerClient(server.url, "main", KEY), chosen, board.factory, QUICK)
    try:
        yield desk
    finally:
        desk.close()


def all_heard(server: StubServer, stream: StubStream) -> None:
    """Wait until the desk has handled all events so far: it prints a job that comes after them."""
    stream.job(99, (Rule(),))
    assert server.await_report("jobs/99")["state"] == "printed"


def stream_at_table(server: StubServer, **view: Any) -> StubStream:
    """The desk's stream, once the desk knows its table."""
    stream = server.await_stream()
    stream.view(**view)
    all_heard(server, stream)
    return stream


def press(board: Board, name: str) -> None:
    """Down and up again, each for longer than a contact takes to settle."""
    pin, settled = board.factory.pin(PINS[name]), Inbox[None](capacity=1)
    pin.drive_low()
    settled.get(2 * SETTLE)
    pin.drive_high()


@pytest.mark.parametrize(("status", "what"), [("over", "sheet"), ("joining", "join")])
def test_a_press_prints_the_sheet_or_the_slips(server: StubServer, status: str, what: str) -> None:
    board = Board()
    with desk_at(server, board):
        stream_at_table(server, status=status)
        press(board, "a")
        assert server.await_report("/api/tables/KX7QF/print") == {"what": what}
        board.await_tones(1)
        assert board.tones[0][1] == 1047, "a short high note: it is done"


def test_a_press_that_is_refused_is_told_by_two_low_notes(server: StubServer) -> None:
    server.refuses = {"/api/tables/KX7QF/print": [409]}
    board = Board()
    with desk_at(server, board):
        stream_at_table(server)
        press(board, "a")
        board.await_tones(3)
        assert [tone for _, tone in board.tones[:3]] == [262, None, 262]


def test_the_sound_button_goes_from_loud_to_quiet_to_off(server: StubServer) -> None:
    board = Board()
    with desk_at(server, board):
        server.await_stream().view()
        for sound, detail in (("quiet", "quiet"), ("off", "muted"), ("loud", "ready")):
            press(board, "b")
            buzzer = {"ok": True, "detail": detail}
            while server.await_report("health")["buzzer"] != buzzer:
                pass  # an earlier report
            assert server.await_report("sound") == {"sound": sound}


def test_a_new_table_of_the_last_game_and_its_slips(
    server: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardware.devices.buttons.LONG", 2 * SETTLE)
    server.answers = {"/api/tables": {"table": "NEWER"}}
    board = Board()
    with desk_at(server, board, "file"):
        stream_at_table(server, game="agent_hunter", options={"first": "mask"})
        board.factory.pin(PINS["a"]).drive_low()
        wish = {"game": "agent_hunter", "options": {"first": "mask"}, "desk": "main"}
        assert server.await_report("/api/tables") == wish
        assert server.await_report("/api/tables/NEWER/print") == {"what": "join"}


def test_without_a_printer_a_screen_of_the_desks_own_is_the_way_in(
    server: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardware.devices.buttons.LONG", 2 * SETTLE)
    server.answers = {"/api/tables": {"table": "NEWER"}}
    board = Board()
    with desk_at(server, board):
        stream = server.await_stream()
        stream.event("screen", {"shown": True})
        stream.view(game="agent_hunter", options={"language": "fr"})
        all_heard(server, stream)
        board.factory.pin(PINS["a"]).drive_low()
        assert server.await_report("/api/tables")["game"] == "agent_hunter"
        assert server.await_report("/api/tables/NEWER/print") == {"what": "join"}


def test_without_a_printer_no_table_is_opened_that_nobody_could_join(
    server: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardware.devices.buttons.LONG", 2 * SETTLE)
    board = Board()
    with desk_at(server, board):
        stream_at_table(server, game="agent_hunter", options={})
        board.factory.pin(PINS["a"]).drive_low()
        board.await_tones(3)
    assert all(path != "/api/tables" for path, _ in server.reports.queue)


@pytest.mark.parametrize("is_there", [True, False])
def test_the_shutdown_button_ends_the_server_and_asks_the_system(
    server: StubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    monkeypatch.setattr("hardware.devices.buttons.LONG", 2 * SETTLE)
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    server.refuses = {} if is_there else {"end": [503]}
    board = Board()
    with desk_at(server, board):
        stream_at_table(server)
        board.factory.pin(PINS["c"]).drive_low()
        assert server.await_report("end") == {}
        board.await_status(True, False, True, False)
        board.await_tones(1)
    assert (tmp_path / POWER_OFF).exists()


def test_a_shutdown_that_cannot_be_leaves_everything_as_it_was(
    server: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardware.devices.buttons.LONG", 2 * SETTLE)
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    server.refuses = {"end": [503]}
    board = Board()
    with desk_at(server, board):
        stream_at_table(server)
        board.factory.pin(PINS["c"]).drive_low()
        board.await_tones(3)
        board.await_steady_status()


# ---- the status lamp and the sound of a whole desk


def test_the_status_lamp_tells_of_a_server_that_is_gone_and_of_one_that_is_back(server: StubServer) -> None:
    board = Board()
    with desk_at(server, board):
        stream = stream_at_table(server)
        server.refuses_streams = True
        stream.end()
        board.await_status(True, False, True, False)
        server.refuses_streams = False
        server.await_stream().view()
        board.await_steady_status()


def test_a_fault_of_a_virtual_printer_keeps_its_job_and_lights_the_status_lamp(server: StubServer) -> None:
    board = Board()
    with desk_at(server, board):
        stream = server.await_stream()
        stream.event("fault", {"fault": "paper-out"})
        stream.event("job", {"job": 3, "table": "T", "blocks": [{"kind": "rule"}]})
        assert server.await_report("jobs/3") == {"state": "failed", "reason": "paper-out"}
        board.await_status(True, False, True, False)
        stream.event("fault", {"fault": ""})
        assert server.await_report("jobs/3") == {"state": "printed"}


def test_the_server_sets_the_volume(server: StubServer) -> None:
    board = Board()
    with desk_at(server, board):
        stream = server.await_stream()
        stream.event("sound", {"sound": "off"})
        stream.news("attack.plus")
        stream.event("sound", {"sound": "deafening"})
        stream.event("sound", {"sound": "loud"})
        stream.news("attack.moins")
        board.await_tones(6)
        assert [tone for _, tone in board.tones if tone] == [784, 659, 523], "the first was played to nobody"
