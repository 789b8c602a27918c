"""`referee doctor`: what works, what does not, and what to do about it."""

import os
import subprocess
import sys
from collections import namedtuple
from datetime import UTC, datetime
from pathlib import Path
from threading import Timer

import pytest
from gpiozero import LED

from hardware.desk import doctor
from hardware.desk.doctor import (
    examine_address,
    examine_clock,
    examine_folder,
    examine_pins,
    examine_printer,
)
from hardware.printing.escpos_commands import PAGES
from referee.presentation.words import LANGUAGES, words
from referee.program import settings
from referee.program.settings import NO_BUTTONS, NO_LIGHTS, Settings
from tests.support.hardware.escpos_receiver import OFFLINE, OUT, Receiver
from tests.support.hardware.mock_board import STATUS, Board

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "TEST_TIME", 0.0)
    monkeypatch.setattr(doctor, "MODEL", Path("/no/such/model"))


def found(board: Board, chosen: Settings | None = None, may_ask: bool = False) -> dict[str, str]:
    """What was found about each pin last."""
    findings = examine_pins(chosen or Settings(), board.factory, may_ask)
    return {finding.fields["key"]: finding.key for finding in findings}


def test_every_lamp_is_lit_for_a_moment_and_the_buzzer_sounds() -> None:
    board = Board()
    told = found(board)
    assert [pin for _, pin, lit in board.lights if lit] == [17, 27, 22, 5, 6, 13, 19]
    assert board.status[0][1:] == (STATUS, True)
    assert board.tones[0][1] == 440
    assert told == {
        **{key: "lamp" for key, _ in settings.pins(Settings()) if key.startswith("lights.")},
        "lights.buzzer": "buzzer",
        **{f"buttons.{name}": "button_idle" for name in "abc"},
    }


def test_a_raspberry_pi_whose_pins_cannot_be_opened_is_unwell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "MODEL", tmp_path / "model")
    (tmp_path / "model").write_bytes(b"Raspberry Pi 4 Model B Rev 1.4\0")
    assert list(examine_pins(Settings(), None, may_ask=False)) == [doctor.Finding(False, "gpio_refused")]


def test_a_pin_that_is_taken_is_named() -> None:
    board = Board()
    taken = LED(22, pin_factory=board.factory)
    assert found(board)["lights.reussite"] == "pin_refused"
    taken.close()


def test_a_button_that_is_stuck() -> None:
    board = Board()
    board.hold(24)
    assert found(board)["buttons.b"] == "button_stuck"


def test_somebody_presses_each_button(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PRESS_TIMEOUT", 0.2)
    board, told = Board(), []
    chosen = Settings(lights=NO_LIGHTS)
    for finding in examine_pins(chosen, board.factory, may_ask=True):
        told.append(finding.key)
        if finding.key == "press" and finding.fields["key"] != "buttons.b":
            Timer(0.01, board.factory.pin(finding.fields["pin"]).drive_low).start()
    assert told == ["press", "button", "press", "button_silent", "press", "button"]


def test_without_gpio_all_is_virtual_and_well() -> None:
    [none] = examine_pins(Settings(), None, may_ask=False)
    [virtual] = examine_pins(Settings(lights=NO_LIGHTS, buttons=NO_BUTTONS), None, may_ask=False)
    assert (none.ok, none.key, virtual.ok, virtual.key) == (True, "no_gpio", True, "virtual")


def test_the_printer_prints_a_line_in_each_code_page() -> None:
    with Receiver() as receiver:
        at = settings.PrinterSettings("network", "127.0.0.1", receiver.port)
        finding = examine_printer(Settings(printer=at))
        assert (finding.ok, finding.key) == (True, "printer")
        [slip] = receiver.await_slips(1)
    assert [line.text.split(":")[0] for line in slip.lines] == [f"{page} {slot}" for page, slot in PAGES]
    assert slip.lines[0].text.endswith("é è à ç ù œ Œ € « »")
    assert slip.lines[2].text.endswith("é è à ç ù oe OE € « »")


@pytest.mark.parametrize(("paper", "key"), [(OUT, "printer.paper-out"), (b"\x12", "printer.cover-open")])
def test_a_printer_that_does_not_print(paper: bytes, key: str) -> None:
    with Receiver() as receiver:
        receiver.online, receiver.paper = OFFLINE, paper
        at = settings.PrinterSettings("network", "127.0.0.1", receiver.port)
        assert examine_printer(Settings(printer=at)) == doctor.Finding(False, key)


@pytest.mark.parametrize(
    ("address", "ok"),
    [("http://192.168.1.20:8000", True), ("http://127.0.0.1:8000", False), ("http://[::1]:8000", False)],
)
def test_an_address_that_phones_can_open(address: str, ok: bool) -> None:
    assert examine_address(address).ok == ok


def test_a_folder_that_is_there_or_can_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert examine_folder(tmp_path / "new" / "data").key == "folder"
    (tmp_path / "file").touch()
    assert examine_folder(tmp_path / "file").key == "folder_refused"
    assert examine_folder(tmp_path / "file").fields["owner"] == tmp_path.owner()
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage(10, 10, 99_999_999))
    full = examine_folder(tmp_path)
    assert (full.ok, full.key, full.fields["free"]) == (False, "folder_full", 99)


def test_a_clock_that_cannot_be_right() -> None:
    assert examine_clock(datetime(2027, 1, 1, tzinfo=UTC)).ok
    assert examine_clock(datetime(1970, 1, 1, tzinfo=UTC)).key == "clock_wrong"


def run(tmp_path: Path, settings_: str, **environment: str) -> subprocess.CompletedProcess[str]:
    file = tmp_path / "settings.toml"
    file.write_text(settings_)
    command = [sys.executable, "-W", "error", "-m", "referee.program.cli", "doctor", "--config", str(file)]
    return subprocess.run(
        [*command, "--data", str(tmp_path / "data")],
        cwd=ROOT,
        env={**os.environ, "LANG": "en_GB.UTF-8", "PYTHONUTF8": "1", **environment},
        stdin=subprocess.DEVNULL,
        text=True,
        capture_output=True,
        timeout=60,
        check=False,
    )


HERE = '[server]\naddress = "192.168.1.20:8000"\n'


def test_the_command_ends_with_0_when_all_is_well_with_virtual_devices(tmp_path: Path) -> None:
    done = run(tmp_path, HERE, GPIOZERO_PIN_FACTORY="none-such")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "Everything works."
    assert "✗" not in done.stdout


def test_the_command_ends_with_1_and_says_what_to_do(tmp_path: Path) -> None:
    absent = f'{HERE}[printer]\nconnection = "file"\ndevice = "{tmp_path}/lp0"\n'
    done = run(tmp_path, absent, GPIOZERO_PIN_FACTORY="none-such")
    assert done.returncode == 1
    [wrong] = [line for line in done.stdout.splitlines() if line.startswith("✗")]
    assert "Is it switched on and plugged in" in wrong
    assert not (tmp_path / "data").exists(), "looking changes nothing"


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_is_a_sentence_for_every_trouble_of_a_printer(language: str) -> None:
    for reason in ("offline", "paper-out", "no-access", "no-driver"):
        assert f"doctor.printer.{reason}" in words(language)
