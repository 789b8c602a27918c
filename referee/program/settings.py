"""Settings: parses and validates the TOML file. Every key is optional; unknown keys are refused."""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, get_type_hints

from referee.presentation.cues import LAMPS, STATUS_LAMP


@dataclass(frozen=True)
class ServerSettings:
    """Where people find the referee."""

    host: str = "0.0.0.0"
    port: int = 8000
    tls_port: int = 8443  # of https, which is served too once `referee tls` has made a certificate
    address: str = ""  # the address in the QR codes; empty: found automatically
    names: tuple[str, ...] = ()  # further host names that the pages answer to
    host_pin: str = field(default="", repr=False)  # required for what a host does; empty: not required


@dataclass(frozen=True)
class Limits:
    """Rate limits, the number of live pages per address, and the length of a game."""

    failures: int = 10  # wrong codes, keys, pins and tokens a minute, per address
    failures_total: int = 200  # the same from all addresses together
    tables: int = 20  # tables opened an hour, per address
    tables_total: int = 400  # the same from all addresses together
    questions: int = 6  # questions a minute of one seat or host, and rematches of a table
    moves: int = 200  # moves that one seat tries within ten seconds
    entries: int = 20_000  # journal entries of one table; then the game can only be ended
    streams: int = 100  # live pages without a seat, per address; one more closes the oldest
    exempt: tuple[str, ...] = ("127.0.0.1", "::1")  # addresses that are not rate-limited


@dataclass(frozen=True)
class GameSettings:
    """Backup and cleanup of games."""

    stick: str = "REFEREE"  # a USB stick with this name, mounted at the start, gets a backup; empty: none
    cleanup_after: int = 30  # days after which an untouched table is offered for ending; 0: never


@dataclass(frozen=True)
class WifiSettings:
    """The Wi-Fi that guests join first: shown as a QR code beside those of the seats."""

    ssid: str = ""  # empty: none is shown, except the Pi's own hotspot
    password: str = field(default="", repr=False)
    hotspot: str = "/run/referee-hotspot/wifi"  # the file that the Pi's own hotspot writes while it is on


@dataclass(frozen=True)
class DeskSettings:
    """The lights, buzzer, voice and printer of a table."""

    name: str = "main"
    mute: bool = False
    voice: bool = False  # speak the news with espeak-ng


@dataclass(frozen=True)
class BotSettings:
    """The bots that play the other seats when a person tries a game alone."""

    pause: int = 1500  # milliseconds before each move of a bot, so that people can follow


@dataclass(frozen=True)
class LightSettings:
    """The pin (BCM number) of each lamp and of the buzzer; false: not connected."""

    plus: int | None = 17
    moins: int | None = 27
    reussite: int | None = 22
    seat_1: int | None = 5
    seat_2: int | None = 6
    seat_3: int | None = 13
    seat_4: int | None = 19
    seat_5: int | None = None
    seat_6: int | None = None
    seat_7: int | None = None
    seat_8: int | None = None
    status: int | None = 26
    buzzer: int | None = 18
    active_high: bool = True


NO_LIGHTS = LightSettings(
    plus=None,
    moins=None,
    reussite=None,
    seat_1=None,
    seat_2=None,
    seat_3=None,
    seat_4=None,
    status=None,
    buzzer=None,
)
LIGHT_PINS = (*LAMPS, STATUS_LAMP, "buzzer")


@dataclass(frozen=True)
class ButtonSettings:
    """The pin (BCM number) of each button (false: not connected), and what a short or long press does."""

    a: int | None = 23
    a_short: str = "print"
    a_long: str = "table"
    b: int | None = 24
    b_short: str = "sound"
    b_long: str = ""
    c: int | None = 25
    c_short: str = ""
    c_long: str = "shutdown"
    active_low: bool = True  # a press connects the pin to ground


NO_BUTTONS = ButtonSettings(a=None, b=None, c=None)
BUTTON_PINS = ("a", "b", "c")
SHORT_PRESS = ("", "print", "sound", "table")
LONG_PRESS = (*SHORT_PRESS, "shutdown")  # only a long press: touching a button by accident must not shut down


@dataclass(frozen=True)
class PrinterSettings:
    """The thermal printer: its connection and capabilities."""

    connection: str = "none"  # none, network, usb, serial or file
    host: str = ""
    port: int = 9100
    device: str = ""  # for serial and file: /dev/serial0, /dev/usb/lp0
    vendor: int = 0  # for usb: 0x04b8
    product: int = 0
    baud: int = 19200
    columns: int = 32  # 32 on 58 mm paper, 48 on 80 mm
    code_page: str = "cp1252"  # cp1252, cp858 or ascii
    code_page_slot: int = 16  # the printer's own number of that page
    cutter: bool = True


@dataclass(frozen=True)
class Settings:
    server: ServerSettings = field(default_factory=ServerSettings)
    limits: Limits = field(default_factory=Limits)
    games: GameSettings = field(default_factory=GameSettings)
    wifi: WifiSettings = field(default_factory=WifiSettings)
    desk: DeskSettings = field(default_factory=DeskSettings)
    bots: BotSettings = field(default_factory=BotSettings)
    lights: LightSettings = field(default_factory=LightSettings)
    buttons: ButtonSettings = field(default_factory=ButtonSettings)
    printer: PrinterSettings = field(default_factory=PrinterSettings)


CHOICES: Mapping[str, tuple[Any, ...]] = {
    "printer.connection": ("none", "network", "usb", "serial", "file"),
    "printer.columns": (32, 48),
    "printer.code_page": ("cp1252", "cp858", "ascii"),
    **{f"buttons.{button}_short": SHORT_PRESS for button in BUTTON_PINS},
    **{f"buttons.{button}_long": LONG_PRESS for button in BUTTON_PINS},
}


RANGES: Mapping[str, tuple[int, int]] = {
    "server.port": (0, 65535),
    "server.tls_port": (0, 65535),
    "games.cleanup_after": (0, 36_500),
    "bots.pause": (0, 60_000),
    "printer.port": (1, 65535),
    "printer.baud": (1200, 4_000_000),
    "printer.code_page_slot": (0, 255),
    "printer.vendor": (0, 0xFFFF),
    "printer.product": (0, 0xFFFF),
    **{f"lights.{pin}": (0, 53) for pin in LIGHT_PINS},
    **{f"buttons.{pin}": (0, 53) for pin in BUTTON_PINS},
    **{f"limits.{most.name}": (1, 1_000_000) for most in fields(Limits) if most.type is int},
}
NAME = r"\w[\w -]{0,31}"
NAMED = {"desk.name": re.compile(NAME), "games.stick": re.compile(f"({NAME})?")}
HIDDEN = {"server.host_pin", "wifi.password"}  # error messages never quote these values


class BadSettings(ValueError):
    """An unknown setting or an invalid value. The message is a sentence for the user."""


def settings_from(document: Mapping[str, Any]) -> Settings:
    """The settings in a parsed TOML file."""
    sections = get_type_hints(Settings)
    _known(document, sections, "section")
    settings = Settings(**{name: _section(name, sections[name], values) for name, values in document.items()})
    _check_pins(settings)
    _check_printer(settings.printer)
    return settings


def pins(settings: Settings) -> list[tuple[str, int]]:
    """Every pin in use, by the key that names it."""
    keyed = [(f"lights.{name}", getattr(settings.lights, name)) for name in LIGHT_PINS]
    keyed += [(f"buttons.{name}", getattr(settings.buttons, name)) for name in BUTTON_PINS]
    return [(key, pin) for key, pin in keyed if pin is not None]


def _check_pins(settings: Settings) -> None:
    taken: dict[int, str] = {}
    for key, pin in pins(settings):
        if pin in taken:
            raise BadSettings(f"The settings {taken[pin]} and {key} are both pin {pin}.")
        taken[pin] = key


def _check_printer(printer: PrinterSettings) -> None:
    needed = {"network": "host", "serial": "device", "file": "device"}.get(printer.connection)
    if needed and not getattr(printer, needed):
        raise BadSettings(f'With printer.connection = "{printer.connection}", set printer.{needed} too.')


def _section(name: str, kind: type, values: Any) -> Any:
    if not isinstance(values, Mapping):
        raise BadSettings(f"[{name}] is a section: write its keys below a line [{name}].")
    hints = get_type_hints(kind)
    _known(values, hints, f"setting in [{name}]")
    return kind(**{key: _value(f"{name}.{key}", hints[key], value) for key, value in values.items()})


def _known(given: Mapping[str, Any], known: Mapping[str, Any], what: str) -> None:
    for name in given:
        if name not in known:
            nearest = difflib.get_close_matches(name, known, n=1, cutoff=0)[0]
            raise BadSettings(f"There is no {what} called “{name}”. Did you mean “{nearest}”?")


def _value(name: str, hint: Any, value: Any) -> Any:
    if isinstance(value, list):
        value = tuple(value)
    if hint == int | None and value is False:
        return None
    if not _fits(hint, value):
        told = "that" if name in HIDDEN else repr(value)
        raise BadSettings(f"The setting {name} cannot be {told}: {_wanted(hint)}.")
    if value not in CHOICES.get(name, (value,)):
        listed = ", ".join(str(choice) or "“”" for choice in CHOICES[name])
        raise BadSettings(f"The setting {name} cannot be {value!r}: one of {listed}.")
    least, most = RANGES.get(name, (value, value))
    if not isinstance(value, bool) and isinstance(value, int) and not least <= value <= most:
        raise BadSettings(f"The setting {name} cannot be {value!r}: it is from {least} to {most}.")
    if name in NAMED and not NAMED[name].fullmatch(value):
        raise BadSettings(f"The setting {name} is made of up to 32 letters, digits, spaces, - and _.")
    return value


def _fits(hint: Any, value: Any) -> bool:
    if hint == tuple[str, ...]:
        return isinstance(value, tuple) and all(isinstance(item, str) for item in value)
    if hint == int | None:
        return type(value) is int
    return type(value) is hint


def _wanted(hint: Any) -> str:
    words = {str: "it is a text", bool: "it is true or false", tuple[str, ...]: "it is a list of texts"}
    return words.get(hint, "it is a whole number" + (" or false" if hint == int | None else ""))


def keys() -> list[tuple[str, Any]]:
    """Every key with its default, in the order of SETTINGS.md."""
    defaults = Settings()
    return [
        (f"{section.name}.{key.name}", getattr(getattr(defaults, section.name), key.name))
        for section in fields(Settings)
        for key in fields(getattr(defaults, section.name))
    ]
