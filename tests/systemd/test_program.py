"""The installed program: rebuilt after an upgrade of the system, and reported as installed only if it is.

Fakes of Python and pip record how they are called; `make pi` does the same with the real ones.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.waiting import TIMEOUT
from tests.support.web.server_process import ROOT, Running, free_port
from web.server.probe import answers

LOCKED = "pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --requirement"


class Machine:
    """A clone, a system's Python, and the folder that the program is installed into."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.python, self.is_broken = folder, "3.11", False
        self.clone, self.target = folder / "clone", folder / "target"
        self.target.mkdir()
        for name in ("referee", "web", "hardware", "systemd"):
            (self.clone / name).mkdir(parents=True)
        for name in ("pyproject.toml", "requirements.txt", "systemd/program"):
            shutil.copy(ROOT / name, self.clone / name)

    def install(self) -> subprocess.CompletedProcess[str]:
        """Run the script; the Python of a venv works if something was installed for this version of it."""
        packages = f"lib/python{self.python}/packages"
        pip = f'#!/bin/sh\necho "pip $*" >>{self.folder}/told\ntouch {self.target}/venv/{packages}\n'
        inner = f"#!/bin/sh\n[ -e {self.target}/venv/{packages} ] && [ ! -e {self.folder}/broken ]\n"
        outer = f"""#!/bin/sh
[ "$1" = -c ] && echo {self.python} && exit
echo "python3 $*" >>{self.folder}/told
rm -rf {self.target}/venv
mkdir -p {self.target}/venv/bin {self.target}/venv/lib/python{self.python}
cp {self.folder}/pip {self.folder}/python {self.target}/venv/bin
"""
        for name, text in (("pip", pip), ("python", inner), ("python3", outer)):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)
        if (self.target / "venv/bin").exists():  # links to the system's, which are what that is
            shutil.copy(self.folder / "python", self.target / "venv/bin/python")
        (self.folder / "told").write_text("")
        path = f"{self.folder}:{os.environ['PATH']}"
        return subprocess.run(
            [self.clone / "systemd/program", self.target],
            env={"PATH": path},
            text=True,
            capture_output=True,
            check=False,
            timeout=60,
        )

    def told(self) -> list[str]:
        return [line.split(" --")[0] for line in (self.folder / "told").read_text().splitlines()]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    assert machine.install().returncode == 0
    assert machine.told() == ["python3 -m venv", "pip install", "pip install"]
    return machine


def test_packages_come_with_their_hashes_and_the_program_from_the_clone(machine: Machine) -> None:
    packages, program = (machine.folder / "told").read_text().splitlines()[1:]
    assert packages == f"{LOCKED} {machine.clone}/requirements.txt"
    assert program.endswith(f"--no-deps --no-build-isolation --force-reinstall {machine.clone}")


def test_where_nothing_has_changed_nothing_is_done(machine: Machine) -> None:
    assert machine.install().returncode == 0
    assert machine.told() == []


def test_a_change_of_the_program_keeps_what_is_installed(machine: Machine) -> None:
    (machine.clone / "web/new.py").touch()
    assert machine.install().returncode == 0
    assert machine.told() == ["pip install", "pip install"]
    assert machine.install().returncode == 0
    assert machine.told() == []


def test_after_an_upgrade_of_the_system_all_is_installed_anew(machine: Machine) -> None:
    machine.python = "3.13"
    assert machine.install().returncode == 0
    assert machine.told() == ["python3 -m venv", "pip install", "pip install"]
    assert "python3.13" in (machine.target / "installed").read_text()
    assert machine.install().returncode == 0
    assert machine.told() == []


def test_what_got_lost_is_installed_anew(machine: Machine) -> None:
    (machine.target / "venv/lib/python3.11/packages").unlink()
    assert machine.install().returncode == 0
    assert machine.told() == ["python3 -m venv", "pip install", "pip install"]


def test_what_cannot_be_loaded_is_not_called_installed(machine: Machine) -> None:
    (machine.folder / "broken").touch()
    for _ in range(2):
        done = machine.install()
        assert (done.returncode, done.stderr) == (
            1,
            "Not installed: the program cannot be loaded, see above.\n",
        )
        assert not (machine.target / "installed").exists()
    (machine.folder / "broken").unlink()
    assert machine.install().returncode == 0


def test_the_installer_ends_with_an_answer_of_the_server(own_server: Running) -> None:
    install = (ROOT / "systemd/install").read_text()
    assert '"$here/systemd/program" /opt/table-referee\n' in install
    assert (
        "/opt/table-referee/venv/bin/python -I -m web.server.probe /etc/referee/settings.toml || {" in install
    )
    assert answers(own_server.url, TIMEOUT)
    assert not answers(f"http://127.0.0.1:{free_port()}", 0.3)
