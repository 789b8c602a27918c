"""The hotspot: its password is never on a command line, and NetworkManager is told all it needs."""

import configparser
import os
import subprocess
from pathlib import Path

import pytest

from tests.support.web.server_process import ROOT

SCRIPT = ROOT / "systemd/hotspot"
MADE = """\
[connection]
id=referee-hotspot

[wifi-security]
key-mgmt=wpa-psk

[ipv4]
method=shared
"""
PASSWORD = r"  ab\cd 23;45=é"


@pytest.fixture
def hotspot(tmp_path: Path) -> Path:
    """The script where every command is noted, and NetworkManager's folder is elsewhere."""
    nmcli = tmp_path / "nmcli"
    nmcli.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$*" >>{tmp_path}/told\n'
        f'case "$*" in --offline*) cat {tmp_path}/made ;; esac\n'
    )
    nmcli.chmod(0o755)
    (tmp_path / "made").write_text(MADE)
    script = tmp_path / "hotspot"
    script.write_text(SCRIPT.read_text().replace("/run/NetworkManager", str(tmp_path / "nm")))
    return script


def run(script: Path, what: str, password: str = PASSWORD) -> subprocess.CompletedProcess[str]:
    given = {"PATH": f"{script.parent}:{os.environ['PATH']}", "SSID": "Chez nous; 2", "PASSWORD": password}
    trace = [
        "strace",
        "--follow-forks",
        "--trace=execve",
        "--string-limit=9999",
        f"--output={script.parent}/calls",
    ]
    return subprocess.run(
        [*trace, "sh", str(script), what], text=True, capture_output=True, check=False, timeout=60, env=given
    )


def test_no_program_is_started_with_the_password(hotspot: Path) -> None:
    done = run(hotspot, "up", "sesame-2345")
    assert done.returncode == 0, done.stderr
    calls = (hotspot.parent / "calls").read_text()
    assert "nmcli" in calls
    assert "sesame" not in calls
    assert "sesame" not in done.stdout + done.stderr
    assert not any(
        "PASSWORD" in line
        for line in (ROOT / "systemd/referee-hotspot.service").read_text().splitlines()
        if line.startswith("Exec")
    )


def test_it_goes_through_a_file_of_root_alone(hotspot: Path) -> None:
    assert run(hotspot, "up").returncode == 0
    file = hotspot.parent / "nm/system-connections/referee-hotspot.nmconnection"
    assert file.stat().st_mode & 0o777 == 0o600
    made = configparser.ConfigParser(interpolation=None)
    made.read_string(file.read_text())
    assert made["wifi-security"]["psk"] == r"\s\sab\\cd\s23;45=é", "as NetworkManager writes it"
    assert made["wifi-security"]["key-mgmt"] == "wpa-psk"
    assert made["ipv4"]["method"] == "shared"
    told = (hotspot.parent / "told").read_text().splitlines()
    assert "ssid Chez nous; 2 " in told[0]
    assert told[1:] == [f"connection load {file}", "connection up referee-hotspot"]


def test_it_closes_and_leaves_nothing(hotspot: Path) -> None:
    assert run(hotspot, "down").returncode == 0
    told = (hotspot.parent / "told").read_text().splitlines()
    assert told == ["connection down referee-hotspot", "connection delete referee-hotspot"]


def test_a_password_that_no_wifi_accepts_is_refused_with_a_sentence(hotspot: Path) -> None:
    done = run(hotspot, "up", "short")
    assert (done.returncode, done.stderr) == (
        1,
        "PASSWORD in /etc/referee/hotspot needs eight characters or more.\n",
    )
    assert not (hotspot.parent / "nm").exists()
