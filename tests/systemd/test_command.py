"""The `referee` command of an installed machine: root opens nothing in the folder of the server's user.

Commands that need root are fakes; `make pi` runs the real ones.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.web.server_process import ROOT
from tests.support.web.store_file import journal_that_names, lines, written

STAND_INS = {
    "id": "echo 0",
    "systemctl": '[ "$1" = is-active ] && exit 0; echo "systemctl $*" >>"$TOLD"',
    # whom a command is run as: `runuser -u USER -- COMMAND`
    "runuser": 'user=$2; shift 3; RUNS_AS=$user exec "$@"',
    # without its owner, who does not exist here
    "install": """
for word; do
    shift
    case $word in -o | -g) skip=yes ;; *) [ -n "$skip" ] || set -- "$@" "$word"; skip= ;; esac
done
exec "$INSTALL" "$@"
""",
}
PROGRAM = 'echo "${RUNS_AS:-root}: $*" >>"$TOLD"; exec "$REFEREE" "$@"'


class Machine:
    """The command, with the paths of this folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data, self.bin = folder, folder / "data", folder / "bin"
        self.bin.mkdir()
        for name, script in {**STAND_INS, "program": PROGRAM}.items():
            (self.bin / name).write_text(f"#!/bin/sh\nskip=\n{script}\n")
            (self.bin / name).chmod(0o755)
        text = (ROOT / "systemd/referee").read_text().replace("/var/lib/referee", str(self.data))
        text = text.replace("/opt/table-referee/venv/bin/referee", str(self.bin / "program"))
        (self.bin / "command").write_text(text)
        self.data.mkdir()
        written(self.data / "referee.db", 1, 2)

    def runs(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": f"{self.bin}:{os.environ['PATH']}",
            "TOLD": str(self.folder / "told"),
            "INSTALL": str(shutil.which("install")),
            "REFEREE": str(ROOT / ".venv/bin/referee"),
            "TMPDIR": str(self.folder),
        }
        return subprocess.run(
            ("sh", self.bin / "command", *words),
            env=environment,
            text=True,
            capture_output=True,
            check=False,
            timeout=60,
        )

    def told(self) -> list[str]:
        return (self.folder / "told").read_text().splitlines()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_root_opens_no_games_in_a_folder_that_is_not_roots(machine: Machine) -> None:
    copy = machine.folder / "copy.db"
    done = machine.runs("backup", copy)
    assert done.returncode == 0 and str(copy) in done.stdout, done.stderr
    assert lines(copy) == ["line 1", "line 2"]
    written(machine.data / "referee.db", 3)
    done = machine.runs("restore", copy)
    assert done.returncode == 0 and lines(machine.data / "referee.db") == ["line 1", "line 2"], done.stderr
    for said in machine.told():
        assert str(machine.data) not in said or said.startswith("referee: "), said
    assert machine.told()[-1] == "systemctl start referee", "the server goes on"
    assert not list(machine.folder.glob("tmp.*")), "nothing is left behind"


def test_a_backup_into_a_folder_is_numbered(machine: Machine) -> None:
    folder = machine.folder / "copies"
    folder.mkdir()
    for _ in range(2):
        assert machine.runs("backup", folder).returncode == 0
    assert sorted(file.name for file in folder.iterdir()) == ["0001.db", "0002.db"]


def test_what_cannot_be_restored_is_refused_and_the_server_goes_on(machine: Machine) -> None:
    copy = machine.folder / "copy.db"
    assert machine.runs("backup", copy).returncode == 0
    copy.with_name("copy.db-journal").write_bytes(journal_that_names(machine.folder / "x", 1))
    refused = machine.runs("restore", copy)
    assert refused.returncode == 2 and "copy.db-journal is beside it" in refused.stderr
    assert machine.runs("restore", machine.folder / "absent").returncode == 2
    assert lines(machine.data / "referee.db") == ["line 1", "line 2"]
    assert machine.told()[-1] == "systemctl start referee"
