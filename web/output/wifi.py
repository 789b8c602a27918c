"""The Wi-Fi for guests: its name, its password and the text of its QR code."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from referee.presentation.papers import Wifi
from referee.program import settings

SPECIAL = re.compile(r'([\\;,":])')  # characters to escape in a Wi-Fi QR code


def network(wifi: settings.WifiSettings) -> Wifi | None:
    """The hotspot of this machine while it is on, else the Wi-Fi in the settings."""
    hotspot = dict(_lines(Path(wifi.hotspot))) if wifi.hotspot else {}
    if hotspot.get("SSID"):
        return wifi_with_code(hotspot["SSID"], hotspot.get("PASSWORD", ""))
    return wifi_with_code(wifi.ssid, wifi.password) if wifi.ssid else None


def wifi_with_code(ssid: str, password: str) -> Wifi:
    """A Wi-Fi with the text of its QR code; an open one if it has no password."""
    secret = f"T:WPA;S:{_plain(ssid)};P:{_plain(password)}" if password else f"T:nopass;S:{_plain(ssid)}"
    return Wifi(ssid, password, f"WIFI:{secret};;")


def _lines(file: Path) -> Iterator[tuple[str, str]]:
    """The NAME=value lines of an environment file; values may be quoted."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):  # the hotspot is off, or the file is not readable
        return
    for line in text.splitlines():
        name, is_set, value = line.partition("=")
        if is_set:
            yield name.strip(), " ".join(_unquoted(value))


def _unquoted(value: str) -> list[str]:
    try:
        return shlex.split(value)
    except ValueError:  # an unclosed quote
        return [value.strip()]


def _plain(text: str) -> str:
    return SPECIAL.sub(r"\\\1", text)
