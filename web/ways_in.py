"""Ways in for the programs beside the server: files in the data folder that the system hands on to them."""

from pathlib import Path
from urllib.parse import quote

from web.desks import Desks

KEY = "desk.key"  # the key of the desk, whatever its name
SCREEN = "screen.html"  # leads the browser of the desk's own screen to its page, key and all


def leave_ways_in(data: Path, desks: Desks, desk: str, local: str) -> None:
    """Leave the way in for this desk and for its screen, readable by their owner alone."""
    link = data / KEY
    link.unlink(missing_ok=True)
    link.symlink_to(f"desk-{desk}.key")
    file = data / SCREEN
    file.touch(mode=0o600)
    address = f"{local}/desk/{quote(desk)}/screen/{desks.screen_key(desk)}"
    file.write_text(f'<!doctype html><meta http-equiv="refresh" content="0;url={address}">\n')
