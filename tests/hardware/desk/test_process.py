"""The desk, against a stub server over real sockets."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hardware.desk.process import Desk, Pace, has_pins, with_absolute_device
from hardware.desk.server_client import ANSWER, ServerClient
from hardware.devices.pins import open_pins
from referee.presentation.sheets import Paragraph
from referee.program import settings
from referee.program.settings import Settings
from tests.support.hardware.escpos_receiver import OFFLINE, OUT, PLENTY, READY, WAIT, Abrupt, Receiver
from tests.support.hardware.mock_board import Board
from tests.support.hardware.sample_papers import SHEET, SLIPS
from tests.support.hardware.stub_server import KEY, StubServer
from tests.support.web.server_process import free_port

PLUS, SEAT_1, SEAT_2 = 17, 5, 6
QUICK = Pace(reconnect=(0.01,), retry=0.01, idle=1000.0)
Open = Callable[..., Desk]


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer() as stub:
        yield stub


@pytest.fixture
def board() -> Board:
    return Board()


@pytest.fixture
def open_desk(server: StubServer, board: Board) -> Iterator[Open]:
    """open_desk(receiver, …): a desk at this server, with its pins on the board."""
    with ExitStack() as stack:

        def opened(receiver: Receiver | None = None, key: str = KEY, **printer: Any) -> Desk:
            at = (
                settings.PrinterSettings("network", "127.0.0.1", receiver.port)
                if receiver
                else settings.PrinterSettings()
            )
            chosen = Settings(printer=replace(at, **printer))
            desk = Desk(ServerClient(server.url, "main", key), chosen, board.factory, QUICK)
            stack.callback(desk.close)
            return desk

        yield opened


def test_at_start_the_desk_tells_how_its_devices_are(server: StubServer, open_desk: Open) -> None:
    open_desk()
    assert server.await_report("health") == {
        "lights": {"ok": True, "detail": "ready"},
        "buzzer": {"ok": True, "detail": "ready"},
        "voice": {"ok": True, "detail": "unwanted"},
        "buttons": {"ok": True, "detail": "ready"},
        "printer": {"ok": True, "detail": "virtual"},
    }


def test_news_light_their_lamp(server: StubServer, board: Board, open_desk: Open) -> None:
    open_desk()
    stream = server.await_stream()
    stream.news("attack.plus.hand")
    stream.news("turn", seat_lamps=(2,))
    board.await_lit(PLUS, SEAT_2)
    board.await_tones(8)
    assert [tone for _, tone in board.tones] == [523, None, 659, None, 784, None, 659, None]


def test_figures_are_counted_out_by_lamps_and_buzzer(
    server: StubServer, board: Board, open_desk: Open
) -> None:
    open_desk()
    stream = server.await_stream()
    stream.news("camera_counts", seat_lamps=(1, 2), seen={"dia": 2, "kcb": 0})
    board.await_tones(6)
    tones = [tone for _, tone in board.tones if tone]
    assert tones == [523, 523, 262], "two beeps for the first seat, a low one for the zero of the second"
    lit = [pin for _, pin, is_lit in board.lights if is_lit]
    assert lit == [SEAT_1, SEAT_1, SEAT_2]


def test_figures_of_seats_without_a_lamp_are_counted_out_by_the_buzzer(
    server: StubServer, board: Board, open_desk: Open
) -> None:
    open_desk()
    stream = server.await_stream()
    stream.news("camera_counts", seat_lamps=(1, 2, 3, 4, 5), seen=dict.fromkeys("abcde", 1))
    board.await_tones(10)
    assert [tone for _, tone in board.tones if tone] == [523, 659, 784, 988, 1175]
    lit = [pin for _, pin, is_lit in board.lights if is_lit]
    assert len(lit) == 4, "there is a lamp for each of the first four"


def test_a_view_lights_the_seat_whose_turn_it_is_without_a_sound(
    server: StubServer, board: Board, open_desk: Open
) -> None:
    open_desk()
    stream = server.await_stream()
    stream.view("mask")
    board.await_lit(SEAT_2)
    stream.view("target")
    board.await_lit(SEAT_1)
    stream.view(None)
    board.await_lit()
    stream.view("target")
    board.await_lit(SEAT_1)
    stream.view("target", status="over")
    board.await_lit()
    assert board.tones == []


def test_another_table_or_none_puts_the_lamps_out(server: StubServer, board: Board, open_desk: Open) -> None:
    open_desk()
    stream = server.await_stream()
    stream.view("mask")
    stream.news("attack.plus")
    board.await_lit(PLUS, SEAT_2)
    stream.view("target", table="NEWER")
    board.await_lit(SEAT_1)
    stream.event("view", None)
    board.await_lit()


def test_what_the_desk_does_not_understand_stops_nothing(
    server: StubServer, board: Board, open_desk: Open
) -> None:
    open_desk()
    stream = server.await_stream()
    stream.raw(": heart\n\nid: 7\nretry: 10\n\nevent: view\ndata: {broken\n\n")
    stream.raw("event: later\ndata: {}\n\nevent: news\ndata: []\n\nevent: view\ndata: 7\n\n")
    stream.news("unheard_of")
    stream.news("turn", seat_lamps=())
    stream.news("turn", seat_lamps=(9,))
    stream.event("job", {"job": 3, "table": "KX7QF", "blocks": [{"kind": "hologram"}]})
    assert server.await_report("jobs/3") == {"state": "failed", "reason": "unreadable"}
    stream.raw("event: view\r\ndata:null\r\n\r\n")
    stream.view("mask")
    board.await_lit(SEAT_2)


def test_a_job_is_printed_and_acknowledged(server: StubServer, open_desk: Open) -> None:
    with Receiver() as receiver:
        open_desk(receiver)
        server.await_stream().job(7, SHEET)
        assert server.await_report("jobs/7") == {"state": "printed"}
        assert "« Œuvre d’été »" in receiver.await_slips(1)[0].text


def test_without_a_printer_a_job_counts_as_printed(server: StubServer, open_desk: Open) -> None:
    open_desk()
    server.await_stream().job(7, SHEET)
    assert server.await_report("jobs/7") == {"state": "printed"}


def test_jobs_are_printed_in_order(server: StubServer, open_desk: Open) -> None:
    with Receiver() as receiver:
        open_desk(receiver)
        stream = server.await_stream()
        for number in (1, 2, 3):
            stream.job(number, (Paragraph(f"feuille {number}"),))
        slips = receiver.await_slips(3)
    assert [slip.text for slip in slips] == ["feuille 1", "feuille 2", "feuille 3"]


def test_a_job_sent_again_is_only_acknowledged_again(server: StubServer, open_desk: Open) -> None:
    with Receiver() as receiver:
        open_desk(receiver)
        stream = server.await_stream()
        stream.job(7, SHEET)
        assert server.await_report("jobs/7") == {"state": "printed"}
        stream.job(7, SHEET)
        assert server.await_report("jobs/7") == {"state": "printed"}
        stream.end()
        again = server.await_stream()
        again.job(7, SHEET)
        assert server.await_report("jobs/7") == {"state": "printed"}
        again.job(7, SHEET, table="NEWER")  # a server that began anew counts from the start
        assert server.await_report("jobs/7") == {"state": "printed"}
        receiver.await_slips(2)
    assert receiver.jobs == 2


def test_a_printer_that_is_absent_prints_when_it_comes_back(server: StubServer, open_desk: Open) -> None:
    port = free_port()
    open_desk(None, connection="network", host="127.0.0.1", port=port)
    stream = server.await_stream()
    assert server.await_report("health")["printer"] == {"ok": False, "detail": "offline"}
    stream.job(7, SHEET)
    stream.job(8, SLIPS)
    assert server.await_report("jobs/7") == {"state": "failed", "reason": "offline"}
    with Receiver(port=port) as receiver:
        assert server.await_report("jobs/7") == {"state": "printed"}
        assert server.await_report("jobs/8") == {"state": "printed"}
        assert len(receiver.await_slips(3)) == 3


def test_paper_that_ran_out_is_told_once_and_mended(server: StubServer, open_desk: Open) -> None:
    with Receiver() as receiver:
        receiver.online, receiver.paper = OFFLINE, OUT
        open_desk(receiver)
        stream = server.await_stream()
        assert server.await_report("health")["printer"] == {"ok": False, "detail": "paper-out"}
        stream.job(7, SHEET)
        assert server.await_report("jobs/7") == {"state": "failed", "reason": "paper-out"}
        receiver.online, receiver.paper = READY, PLENTY
        assert server.await_report("jobs/7") == {"state": "printed"}
        receiver.await_slips(1)
    assert receiver.jobs == 1


def test_a_sheet_that_was_corrected_or_withdrawn_meanwhile_is_not_printed_as_it_was(
    server: StubServer, open_desk: Open
) -> None:
    with Receiver() as receiver:
        receiver.online, receiver.paper = OFFLINE, OUT
        open_desk(receiver)
        stream = server.await_stream()
        stream.job(7, SHEET)
        stream.job(8, SHEET)
        assert server.await_report("jobs/7") == {"state": "failed", "reason": "paper-out"}
        stream.job(7, ())
        stream.job(8, SLIPS)
        stream.job(9, SHEET)
        stream.event("job", {"job": 10, "table": "KX7QF", "blocks": "none"})
        assert server.await_report("jobs/10") == {"state": "failed", "reason": "unreadable"}  # all were read
        receiver.online, receiver.paper = READY, PLENTY
        for job in (8, 9):  # number 8 may have been tried without paper once more
            assert server.await_report(f"jobs/{job}", "printed") == {"state": "printed"}
        assert len(receiver.await_slips(3)) == 3, "two slips in place of the second sheet, and the third"


def test_a_job_that_no_code_can_hold_is_given_up(server: StubServer, open_desk: Open) -> None:
    with Receiver() as receiver:
        open_desk(receiver)
        stream = server.await_stream()
        stream.event("job", {"job": 1, "table": "T", "blocks": [{"kind": "code", "data": "x" * 9000}]})
        assert server.await_report("jobs/1") == {"state": "failed", "reason": "unreadable"}
        stream.job(2, SHEET)
        assert server.await_report("jobs/2") == {"state": "printed"}


def test_a_printer_that_resets_every_connection_wastes_no_paper_and_prints_nothing_for_sure(
    server: StubServer, open_desk: Open
) -> None:
    with Abrupt() as receiver:
        open_desk(receiver)
        stream = server.await_stream()
        stream.job(1, SHEET)
        reports = [server.await_report("jobs/1")]
        while (
            reports[-1]["reason"] == "offline" and len(reports) < 2
        ):  # reset while it was asked for its state
            reports.append(server.await_report("jobs/1"))
        assert reports[-1] == {"state": "failed", "reason": "unsure"}
        receiver.is_abrupt = False
        stream.job(2, SHEET)
        assert server.await_report("jobs/2") == {"state": "printed"}
    assert receiver.jobs in (2, 3), "the first twice at most, the second once"


def test_a_job_that_the_server_takes_back_while_away_is_not_printed(
    server: StubServer, open_desk: Open
) -> None:
    with Receiver() as receiver:
        receiver.online = OFFLINE
        open_desk(receiver)
        stream = server.await_stream()
        stream.job(7, SHEET)
        assert server.await_report("jobs/7") == {"state": "failed", "reason": "cover-open"}
        stream.end()
        again = server.await_stream()
        receiver.online = READY
        again.job(8, SHEET)
        assert server.await_report("jobs/8") == {"state": "printed"}
    assert receiver.jobs == 1


def test_a_report_is_retried_until_the_server_accepts_it(server: StubServer, open_desk: Open) -> None:
    open_desk()
    stream = server.await_stream()
    server.refuses = {"jobs/7": [503, 429]}
    stream.job(7, SHEET)
    assert [server.await_report("jobs/7") for _ in range(3)] == [{"state": "printed"}] * 3


def test_a_portal_that_answers_in_the_servers_place_counts_as_no_answer(
    server: StubServer, open_desk: Open
) -> None:
    desk = open_desk()
    stream = server.await_stream()
    server.portals = {"jobs/7": b"<html>Please log in</html>"}
    stream.job(7, SHEET)
    assert [server.await_report("jobs/7") for _ in range(2)] == [{"state": "printed"}] * 2
    assert desk.is_alive


def test_a_report_refused_for_good_holds_up_no_other(server: StubServer, open_desk: Open) -> None:
    open_desk()
    stream = server.await_stream()
    server.refuses = {"jobs/7": [404]}
    stream.job(7, SHEET)
    server.await_report("jobs/7")
    stream.job(8, SHEET)
    assert server.await_report("jobs/8") == {"state": "printed"}
    assert server.reports.empty()


def test_the_desk_comes_back_however_the_stream_ended(
    server: StubServer, board: Board, open_desk: Open
) -> None:
    open_desk()
    server.await_stream().end()
    server.await_stream().break_off()
    server.await_stream().view("mask")
    board.await_lit(SEAT_2)


def test_the_desk_waits_for_a_server_that_is_not_there_yet(board: Board) -> None:
    port = free_port()
    desk = Desk(ServerClient(f"http://127.0.0.1:{port}/", "main", KEY), Settings(), board.factory, QUICK)
    with StubServer(port) as server:
        server.await_stream().view("mask")
        assert server.await_report("health")["lights"]["ok"]
        board.await_lit(SEAT_2)
        desk.close()


def test_health_is_told_again_with_each_connection(server: StubServer, open_desk: Open) -> None:
    open_desk()
    stream = server.await_stream()
    server.await_report("health")
    stream.end()
    server.await_stream()
    assert server.await_report("health")["printer"]["detail"] == "virtual"


def test_a_wrong_key_gets_nothing_and_keeps_trying(server: StubServer, open_desk: Open) -> None:
    open_desk(key="wrong")
    tried = [server.turned_away.get(timeout=WAIT) for _ in range(4)]
    assert tried.count("/api/desks/main/events") >= 2
    assert server.streams.empty()
    assert server.reports.empty()


def test_a_desk_with_a_silent_server_is_closed_at_once(server: StubServer, open_desk: Open) -> None:
    desk = open_desk()
    server.await_stream()
    began = time.monotonic()
    desk.close()
    assert time.monotonic() - began < ANSWER, "it waits for nothing"
    assert "stream" not in {thread.name for thread in threading.enumerate()}


def test_a_machine_without_gpio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "no-such-pins")
    monkeypatch.setattr("gpiozero.Device.pin_factory", None)
    assert open_pins() is None
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    assert open_pins() is not None


def test_a_desk_without_pins_looks_for_none() -> None:
    none = settings.NO_LIGHTS
    assert not has_pins(Settings(lights=none, buttons=settings.NO_BUTTONS))
    assert has_pins(Settings(lights=none))
    assert has_pins(Settings())
    assert has_pins(Settings(lights=replace(none, buzzer=18), buttons=settings.NO_BUTTONS))


def test_the_printers_device_is_found_whatever_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert with_absolute_device(
        Settings(printer=settings.PrinterSettings(device="lp0"))
    ).printer.device == str(tmp_path / "lp0")
    assert with_absolute_device(Settings()) == Settings()


PROGRAM = """
import sys
from hardware.desk.process import run_desk
from referee.program.settings import Settings
run_desk(sys.argv[1], sys.argv[2], Settings())
"""


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("pins", ["mock", "none-such"])
def test_the_process_ends_at_once_when_told_while_nothing_happens(
    server: StubServer, tmp_path: Path, sign: signal.Signals, pins: str
) -> None:
    root = str(Path(__file__).parents[3])
    environment = {
        **os.environ,
        "PYTHONPATH": root,
        "TMPDIR": str(tmp_path),
        "GPIOZERO_PIN_FACTORY": pins,
        "GPIOZERO_MOCK_PIN_CLASS": "mockpwmpin",
    }
    desk = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", PROGRAM, server.url, KEY],
        env=environment,
        stderr=subprocess.PIPE,
    )
    try:
        server.await_stream().view("mask")
        detail = "ready" if pins == "mock" else "no-gpio"
        assert server.await_report("health")["lights"] == {"ok": True, "detail": detail}
        began = time.monotonic()
        desk.send_signal(sign)
        _, said = desk.communicate(timeout=WAIT)
        assert time.monotonic() - began < ANSWER, "it waits for nothing"
        assert (desk.returncode, said) == (0, b"")
        assert list(tmp_path.iterdir()) == []
    finally:
        desk.kill()
        desk.wait()
        if desk.stderr:
            desk.stderr.close()
