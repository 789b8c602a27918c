"""The self-test: checks pins, printer, voice, address, data folder and clock, and says how to fix faults."""

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from time import sleep
from typing import Any
from urllib.parse import urlsplit

from hardware.devices.pins import open_pins
from hardware.devices.voice import PROGRAM, speak, start_program
from hardware.printing.printer import Printer, PrinterError
from referee import RELEASED
from referee.presentation.words import DEFAULT
from referee.program.settings import Settings, pins

TEST_TIME = 0.3  # seconds a lamp is lit, or a note sounds
PRESS_TIMEOUT = 10.0  # seconds to wait for somebody to press a button
LEAST = 100  # free megabytes required
MEGABYTE = 1_000_000
MODEL = Path("/proc/device-tree/model")  # names the model on a Raspberry Pi


@dataclass(frozen=True)
class Finding:
    """The result of one check: whether it passed, and the key and fields of its sentence."""

    ok: bool
    key: str
    fields: Mapping[str, Any] = field(default_factory=dict)


def examine(
    settings: Settings, data: Path, address: str, may_ask: bool, damage: Iterable[Mapping[str, Any]] = ()
) -> Iterator[Finding]:
    """Run the checks one after the other. With `may_ask`, somebody is there to press the buttons.

    `damage` are the server's reports about damaged stores.
    """
    yield from examine_pins(settings, open_pins() if pins(settings) else None, may_ask)
    yield examine_printer(settings)
    if settings.desk.voice:
        yield examine_voice()
    yield examine_address(address)
    yield examine_folder(data)
    for report in damage:
        yield Finding(False, "damaged" if report["backup"] else "damaged_lost", report)
    yield examine_clock(datetime.now().astimezone())


def examine_pins(settings: Settings, factory: Any | None, may_ask: bool) -> Iterator[Finding]:
    if factory is None:
        yield _no_pins() if pins(settings) else Finding(True, "virtual")
        return
    for key, pin in pins(settings):
        fields = {"key": key, "pin": pin}
        if key.startswith("buttons."):
            yield from _button(fields, settings.buttons.active_low, factory, may_ask)
        else:
            yield _output(fields, settings.lights.active_high, factory)


def _no_pins() -> Finding:
    """No GPIO is normal on a laptop. On a Raspberry Pi it means that access was denied."""
    is_pi = MODEL.is_file() and "Raspberry" in MODEL.read_text(errors="replace")
    return Finding(not is_pi, "gpio_refused" if is_pi else "no_gpio")


def _output(fields: Mapping[str, Any], active_high: bool, factory: Any) -> Finding:
    """Light the lamp, or sound the buzzer, for a moment."""
    from gpiozero import LED, TonalBuzzer

    is_buzzer = fields["key"] == "lights.buzzer"
    try:
        made = (
            TonalBuzzer(fields["pin"], octaves=3, pin_factory=factory)
            if is_buzzer
            else LED(fields["pin"], active_high=active_high, pin_factory=factory)
        )
    except Exception:  # noqa: BLE001  (each library fails with errors of its own)
        return Finding(False, "pin_refused", fields)
    with closing(made):
        made.play("A4") if is_buzzer else made.on()
        sleep(TEST_TIME)
    return Finding(True, "buzzer" if is_buzzer else "lamp", fields)


def _button(fields: Mapping[str, Any], active_low: bool, factory: Any, may_ask: bool) -> Iterator[Finding]:
    from gpiozero import DigitalInputDevice

    try:
        button = DigitalInputDevice(fields["pin"], pull_up=active_low, pin_factory=factory)
    except Exception:  # noqa: BLE001
        yield Finding(False, "pin_refused", fields)
        return
    with closing(button):
        if button.is_active:
            yield Finding(False, "button_stuck", fields)
        elif not may_ask:
            yield Finding(True, "button_idle", fields)
        else:
            yield Finding(True, "press", fields)
            pressed = button.wait_for_active(PRESS_TIMEOUT)
            yield Finding(pressed, "button" if pressed else "button_silent", fields)


def examine_printer(settings: Settings) -> Finding:
    if settings.printer.connection == "none":
        return Finding(True, "no_printer")
    try:
        Printer(settings.printer).print_accents()
    except PrinterError as trouble:
        return Finding(False, f"printer.{trouble.reason}")
    return Finding(True, "printer")


def examine_voice() -> Finding:
    """Count to three aloud."""
    program = shutil.which(PROGRAM)
    fault = speak(start_program(program, DEFAULT, "loud"), "1, 2, 3") if program else "no-espeak"
    return Finding(not fault, fault or "voice")


def examine_address(address: str) -> Finding:
    """Phones cannot reach a loopback address."""
    host = urlsplit(address).hostname or ""
    is_own = host in ("", "localhost", "::1") or host.startswith("127.")
    return Finding(not is_own, "no_address" if is_own else "address", {"address": address})


def examine_folder(data: Path) -> Finding:
    there = next(folder for folder in (data, *data.absolute().parents) if folder.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        return Finding(False, "folder_refused", {"folder": str(data), "owner": _owner(there)})
    free = shutil.disk_usage(there).free // MEGABYTE
    fields = {"folder": str(data), "free": free}
    return Finding(free >= LEAST, "folder" if free >= LEAST else "folder_full", fields)


def _owner(path: Path) -> str:
    """The owner, in the syntax of `sudo -u`."""
    try:
        return path.owner()
    except KeyError:  # a user id without a name
        return f"#{path.stat().st_uid}"


def examine_clock(now: datetime) -> Finding:
    """A Pi without a network boots with the time of its last shutdown, or with 1970."""
    fields = {"now": f"{now:%Y-%m-%d %H:%M %Z}"}
    return Finding(now >= RELEASED, "clock" if now >= RELEASED else "clock_wrong", fields)
