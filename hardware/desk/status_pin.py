"""Prints the status lamp's pin, for the shutdown script that flashes it when the power may be cut."""

import sys
import tomllib
from pathlib import Path

from referee.program.settings import LightSettings, settings_from


def status_lamp_pin(lights: LightSettings) -> str:
    """The lamp's pin and pinctrl's arguments for on and off; empty if there is no status lamp."""
    if lights.status is None:
        return ""
    return f"{lights.status} dh dl" if lights.active_high else f"{lights.status} dl dh"


if __name__ == "__main__":
    sys.stdout.write(
        status_lamp_pin(settings_from(tomllib.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))).lights)
    )
