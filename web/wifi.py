"""The Wi-Fi that guests join first: its name and password, and the QR code that phones understand."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from referee import settings
from referee.papers import Wifi

SPECIAL = re.compile(r'([\\;,":])')  # what has a meaning of its own in such a code


def network(wifi: settings.Wifi) -> Wifi | None:
    """The hotspot of this machine while it is on, else the Wi-Fi that the settings name."""
    hotspot = dict(_lines(Path(wifi.hotspot))) if wifi.hotspot else {}
    if hotspot.get("SSID"):
        return joined(hotspot["SSID"], hotspot.get("PASSWORD", ""))
    return joined(wifi.ssid, wifi.password) if wifi.ssid else None


def joined(ssid: str, password: str) -> Wifi:
    """A Wi-Fi with its code; without a password anyone may join it."""
    secret = f"T:WPA;S:{_plain(ssid)};P:{_plain(password)}" if password else f"T:nopass;S:{_plain(ssid)}"
    return Wifi(ssid, password, f"WIFI:{secret};;")


def _lines(file: Path) -> Iterator[tuple[str, str]]:
    """What a file of the system's kind says: NAME=value, quoted or not."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):  # the hotspot is off, or not for us to know
        return
    for line in text.splitlines():
        name, is_set, value = line.partition("=")
        if is_set:
            yield name.strip(), " ".join(_unquoted(value))


def _unquoted(value: str) -> list[str]:
    try:
        return shlex.split(value)
    except ValueError:  # a quote without its other half
        return [value.strip()]


def _plain(text: str) -> str:
    return SPECIAL.sub(r"\\\1", text)
