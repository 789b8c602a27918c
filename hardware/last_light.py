"""The last light: where the status lamp is, for the system, which says by it that the plug may be pulled."""

import sys
import tomllib
from pathlib import Path

from referee.settings import Lights, settings_from


def lamp(lights: Lights) -> str:
    """Its pin, what lights it and what puts it out, in the words of pinctrl; nothing where there is none."""
    if lights.status is None:
        return ""
    return f"{lights.status} dh dl" if lights.active_high else f"{lights.status} dl dh"


if __name__ == "__main__":
    sys.stdout.write(lamp(settings_from(tomllib.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))).lights))
