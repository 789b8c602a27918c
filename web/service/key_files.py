"""Writes files with access keys for the desk process and the desk's screen into the data folder."""

from pathlib import Path
from urllib.parse import quote

from web.service.desks import Desks

KEY = "desk.key"  # a link to the key of the desk, independent of its name
SCREEN = "screen.html"  # redirects the browser of the desk's own screen to its page, with the key


def write_key_files(data: Path, desks: Desks, desk: str, local: str) -> None:
    """Write the key files of this desk and its screen, readable by the owner only."""
    link = data / KEY
    link.unlink(missing_ok=True)
    link.symlink_to(f"desk-{desk}.key")
    file = data / SCREEN
    file.touch(mode=0o600)
    address = f"{local}/desk/{quote(desk)}/screen/{desks.screen_key(desk)}"
    file.write_text(f'<!doctype html><meta http-equiv="refresh" content="0;url={address}">\n')
