"""The kiosk's script with the real cage and Chromium, on a display in memory."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from tests.support.fixtures import Start
from tests.support.waiting import TIMEOUT, eventually
from tests.support.web.server_process import ROOT
from web.security.tokens import hashed

Kiosk = Callable[[], subprocess.Popen[bytes]]
NOBODY = pwd.getpwnam("nobody")
AS_NOBODY = (
    "setpriv",
    f"--reuid={NOBODY.pw_uid}",
    f"--regid={NOBODY.pw_gid}",
    "--clear-groups",
)  # cage does not start for root


@pytest.fixture
def place() -> Iterator[Path]:
    """The folders that the unit gives the script, where also nobody can read."""
    with tempfile.TemporaryDirectory(prefix="kiosk-", ignore_cleanup_errors=True) as name:
        place = Path(name)
        place.chmod(0o755)
        for folder in ("run", "credentials", "own", "bin"):
            (place / folder).mkdir()
        if os.getuid() == 0:
            os.chown(place / "own", NOBODY.pw_uid, NOBODY.pw_gid)
        script = (ROOT / "systemd/kiosk").read_text().replace("/run/referee/", f"{place}/run/")
        (place / "script").write_text(script)
        yield place


@pytest.fixture
def kiosk(place: Path) -> Iterator[Kiosk]:
    """kiosk(): start the script as its unit does, where the session's own folder cannot be seen."""
    given = {
        "PATH": f"{place}/bin:{os.environ['PATH']}",
        "HOME": "/",
        "RUNTIME_DIRECTORY": f"{place}/own",
        "CREDENTIALS_DIRECTORY": f"{place}/credentials",
        "XDG_RUNTIME_DIR": f"{place}/hidden/user/997",  # PAM names it, and ProtectHome= hides it
        "WLR_BACKENDS": "headless",
        "WLR_RENDERER": "pixman",
        "WLR_LIBINPUT_NO_DEVICES": "1",
    }
    command = [*(AS_NOBODY if os.getuid() == 0 else ()), "sh", str(place / "script")]
    with ExitStack() as until_done:

        def start() -> subprocess.Popen[bytes]:
            said = until_done.enter_context((place / "said").open("wb"))
            running = until_done.enter_context(
                subprocess.Popen(command, env=given, stdout=said, stderr=said, start_new_session=True)
            )
            until_done.callback(_end_all, running.pid)
            return running

        yield start


def _end_all(group: int) -> None:
    with suppress(ProcessLookupError):  # all have ended
        os.killpg(group, signal.SIGKILL)


def program(place: Path, name: str, does: str) -> None:
    (place / "bin" / name).write_text(f"#!/bin/sh\n{does}\n")
    (place / "bin" / name).chmod(0o755)


def tell(place: Path, address: str, key: str) -> None:
    """What the server and systemd tell the kiosk."""
    (place / "run/screen").write_text(f"{address}/desk/main/screen\n")
    (place / "credentials/screen-key").write_text(f"{key}\n")


def test_the_screen_shows_the_table_and_is_not_black(place: Path, kiosk: Kiosk, start: Start) -> None:
    """Chromium's own sandbox alone is left out: it does not start in every container."""
    server = start()
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    program(place, "chromium", f'exec {browser} --no-sandbox "$@"')
    tell(place, server.url, hashed(f"screen {server.desk_key()}"))
    with server.client.bearing(server.desk_key()).follow("/api/desks/main/events") as desk:
        running = kiosk()
        desk.wait(lambda event: event.kind == "screen" and event.json["shown"])
        assert running.poll() is None, (place / "said").read_text()
        running.terminate()
        running.wait(TIMEOUT)
        eventually(lambda: not desk.all("screen")[-1].json["shown"])


def test_a_display_that_does_not_open_ends_the_service_instead_of_staying_black(
    place: Path, kiosk: Kiosk
) -> None:
    """As cage did: no socket, no end, and systemd saw a service that runs."""
    script = (place / "script").read_text()
    assert "[ $tries -gt 100 ]" in script
    (place / "script").write_text(script.replace("-gt 100", "-gt 3"))
    program(place, "cage", f"echo $$ >{place}/own/pid; exec sleep 1000")
    program(place, "chromium", ":")
    tell(place, "http://127.0.0.1:9", "key")
    assert kiosk().wait(TIMEOUT) == 1
    assert (place / "said").read_text() == "cage opens no display.\n"
    pid = (place / "own/pid").read_text().strip()
    eventually(lambda: not Path(f"/proc/{pid}/cwd").exists())
    assert "Restart=always\n" in (ROOT / "systemd/referee-kiosk.service").read_text()


def test_the_secret_is_on_no_command_line(place: Path, kiosk: Kiosk) -> None:
    program(place, "cage", f'echo "$@" >{place}/own/told')
    program(place, "chromium", ":")
    tell(place, "http://127.0.0.1:9", "secret-key")
    assert kiosk().wait(TIMEOUT) == 1
    told = (place / "own/told").read_text()
    assert f"file://{place}/own/screen.html" in told
    assert "secret-key" not in told
    page = place / "own/screen.html"
    assert "/desk/main/screen/secret-key" in page.read_text()
    assert page.stat().st_mode & 0o077 == 0
