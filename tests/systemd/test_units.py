"""The systemd units, with systemd's own checks; the scripts, in a folder that stands for a machine."""

import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from referee.program.settings import Settings, WifiSettings, settings_from
from tests.support.fixtures import Start
from tests.support.waiting import TIMEOUT, eventually
from tests.support.web.server_process import ROOT
from web.output.wifi import network

SYSTEMD = ROOT / "systemd"
SERVICES = ("referee.service", "referee-desk.service")
ALL_SERVICES = sorted(unit.name for unit in SYSTEMD.glob("*.service"))
EXPOSED = 20  # how exposed each may be, in tenths
PROGRAMS = ("opt/table-referee/venv/bin/referee", "usr/sbin/nft", "usr/bin/install", "bin/systemctl")


def run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, text=True, capture_output=True, check=False, timeout=60, env={**os.environ, **environment}
    )


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """What a fresh machine has, as far as our scripts and the checks look."""
    root = tmp_path / "machine"
    for folder in ("etc", "usr/lib/systemd", "run", "var/lib"):
        (root / folder).mkdir(parents=True)
    shutil.copytree("/lib/systemd/system", root / "usr/lib/systemd/system", symlinks=True)
    (root / "lib").symlink_to("usr/lib")
    for program in PROGRAMS:
        (root / program).parent.mkdir(parents=True, exist_ok=True)
        (root / program).touch(0o755)
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\nlp:x:7:\ndialout:x:20:\n")
    return root


def installed(machine: Path, *options: str) -> dict[str, tuple[int, bytes]]:
    done = run(SYSTEMD / "install", *options, "--root", machine)
    assert done.returncode == 0, done.stderr
    return everything(machine)


def everything(machine: Path) -> dict[str, tuple[int, bytes]]:
    """Every file outside the copy of the system's own units: its mode and what is in it."""
    files = [
        file for file in machine.rglob("*") if file.is_file() and "usr/lib/systemd/system/" not in str(file)
    ]
    return {str(f.relative_to(machine)): (f.stat().st_mode, f.read_bytes()) for f in files}


def test_the_system_finds_no_fault_with_what_was_installed(machine: Path) -> None:
    installed(machine)
    units = sorted(unit.name for unit in SYSTEMD.glob("referee*.*") if unit.suffix in (".service", ".path"))
    assert len(units) == 7
    units = [unit.replace("@", "@sda1") for unit in units]
    done = run("systemd-analyze", "verify", f"--root={machine}", "--man=no", "--recursive-errors=no", *units)
    assert (done.returncode, done.stderr) == (0, "")


def test_it_would_find_one(machine: Path) -> None:
    installed(machine)
    unit = machine / "etc/systemd/system/referee.service"
    unit.write_text(unit.read_text().replace("venv/bin/referee", "venv/bin/refree"))
    done = run("systemd-analyze", "verify", f"--root={machine}", "--man=no", "referee.service")
    assert "refree" in done.stderr
    assert done.returncode != 0


@pytest.mark.parametrize("service", ALL_SERVICES)
def test_each_service_is_hardened(service: str) -> None:
    done = run("systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSED}", SYSTEMD / service)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("service", ALL_SERVICES)
def test_each_service_has_its_share_of_memory_and_processes(service: str) -> None:
    values = options(service)
    assert {"MemoryMax", "TasksMax"} <= values.keys()
    assert values["OOMPolicy"] == ["continue" if service == "referee-desk.service" else "kill"]


def options(service: str) -> dict[str, list[str]]:
    """The values of each option of a unit."""
    found: dict[str, list[str]] = {}
    for line in (SYSTEMD / service).read_text().splitlines():
        name, is_option, value = line.partition("=")
        if is_option and not line.startswith("#"):
            found.setdefault(name, []).append(value)
    return found


def test_a_busy_server_stays_far_below_its_share(start: Start) -> None:
    server = start()
    with ThreadPoolExecutor(32) as phones:
        answers = list(
            phones.map(lambda n: server.client.get(("/", "/history", "/overview")[n % 3]), range(300))
        )
    assert {answer.status for answer in answers} == {200}
    threads = len(list(Path(f"/proc/{server.process.pid}/task").iterdir()))
    [most], [memory] = options("referee.service")["TasksMax"], options("referee.service")["MemoryMax"]
    assert 16 < threads <= int(most) / 2, "the threads for pages, and as many again to spare"
    assert server.megabytes() <= int(memory.removesuffix("M")) / 2


def test_the_browsers_session_has_the_limits_that_its_unit_asks_for(machine: Path) -> None:
    """The browser is in the cgroup of its login session, which the unit does not reach."""
    files = installed(machine)
    users = {line.split(":")[0]: line.split(":")[2] for line in files["etc/passwd"][1].decode().splitlines()}
    where = f"etc/systemd/system/user-{users['referee-kiosk']}.slice.d/referee.conf"
    given = set(files[where][1].decode().splitlines())
    of_cgroup = ("MemoryMax", "TasksMax", "IPAddress", "Device")
    unit = (SYSTEMD / "referee-kiosk.service").read_text().splitlines()
    wanted = {line for line in unit if line.startswith(of_cgroup)}
    assert len(wanted) == 8
    assert wanted <= given


@pytest.mark.parametrize("service", ALL_SERVICES)
def test_what_systemd_reads_as_root_only_root_can_have_written(machine: Path, service: str) -> None:
    """Were it in a folder of the server's user, a link there would hand any file to a service."""
    installed(machine)
    read = [value.partition(":")[2] for value in options(service).get("LoadCredential", [])]
    for path in (*read, *options(service).get("EnvironmentFile", [])):
        file = machine / path.removeprefix("/")
        assert file.is_file() and not file.is_symlink(), path
        assert file.stat().st_mode & 0o777 == 0o600, path
        for folder in (file.parent, file.parent.parent):
            assert folder.stat().st_uid == os.getuid(), "whoever installs, which is root"
            assert not folder.stat().st_mode & 0o022, path


def test_server_desk_and_screen_are_given_keys_that_belong_together(
    machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: Start
) -> None:
    files = installed(machine)
    desk_key, screen_key = (
        files[f"etc/referee/{name}.key"][1].decode().strip() for name in ("desk", "screen")
    )
    assert len(desk_key) == 43
    for service, name in (*((name, "desk") for name in SERVICES), ("referee-kiosk.service", "screen")):
        assert options(service)["LoadCredential"] == [f"{name}-key:/etc/referee/{name}.key"]
    (tmp_path / "run").mkdir()
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "run"))
    host = ("--host", "127.0.0.1", "--port", "0")
    server = start(options=(*host, "--desk-key", str(machine / "etc/referee/desk.key")))
    assert server.desk_key() == desk_key
    where = tmp_path / "run/screen"
    assert where.stat().st_mode & 0o777 == 0o644
    way_in = f"{where.read_text().strip()}/{screen_key}"
    assert way_in.startswith(server.url)
    entered = server.client.get(way_in.removeprefix(server.url))
    assert (entered.status, entered.headers["Location"]) == (303, "/desk/main/screen")
    assert screen_key not in where.read_text()


@pytest.mark.parametrize("service", SERVICES)
def test_each_service_is_watched_started_again_and_ends_in_time(service: str) -> None:
    lines = (SYSTEMD / service).read_text().splitlines()
    assert {"Type=notify", "Restart=on-failure", "TimeoutStopSec=5", "WatchdogSec=30"} <= set(lines)
    users = {line for line in lines if line.startswith("User=")}
    assert users == {f"User={service.removesuffix('.service')}"}


def test_the_desk_has_its_devices_and_not_the_games() -> None:
    unit = (SYSTEMD / "referee-desk.service").read_text()
    assert "SupplementaryGroups=referee gpio lp dialout audio\n" in unit
    assert "InaccessiblePaths=-/var/lib/referee\n" in unit
    assert "StateDirectoryMode=0700\n" in (SYSTEMD / "referee.service").read_text()


def test_installed_again_nothing_changes_and_what_people_chose_stays(machine: Path) -> None:
    first = installed(machine)
    assert installed(machine) == first
    (machine / "etc/referee/settings.toml").write_text("[server]\nport = 80\n")
    games = machine / "var/lib/referee/referee.db"
    games.parent.mkdir()
    games.write_bytes(b"many evenings")
    assert installed(machine)["etc/referee/settings.toml"][1] == b"[server]\nport = 80\n"
    assert "etc/systemd/system/multi-user.target.wants/referee.service" in str(sorted(links(machine)))
    done = run(SYSTEMD / "uninstall", "--root", machine)
    assert done.returncode == 0, done.stderr
    left = everything(machine)
    assert left["var/lib/referee/referee.db"][1] == b"many evenings"
    assert left["etc/referee/settings.toml"][1] == b"[server]\nport = 80\n"
    assert [
        name for name in left if "referee" in name and not name.startswith(("var/", "etc/referee/"))
    ] == []
    assert links(machine) == []
    assert run(SYSTEMD / "uninstall", "--root", machine).returncode == 0, "twice is once"


def test_the_table_screen_is_shown_only_where_somebody_asked_for_it(machine: Path) -> None:
    first = installed(machine)
    assert not any("kiosk" in link for link in links(machine))
    with_it = installed(machine, "--kiosk")
    assert [link for link in links(machine) if "kiosk" in link] != []
    assert with_it == first, "all else is as it was"
    assert run(SYSTEMD / "install", "--kisok", "--root", machine).returncode == 2


def test_the_screen_reads_no_games_and_no_settings() -> None:
    assert (
        "InaccessiblePaths=-/var/lib/referee -/etc/referee\n"
        in (SYSTEMD / "referee-kiosk.service").read_text()
    )


def test_the_hotspot_tells_its_wifi_to_the_server_while_it_is_on(machine: Path) -> None:
    unit = (SYSTEMD / "referee-hotspot.service").read_text()
    assert f"/etc/referee/hotspot {Settings().wifi.hotspot}\n" in unit
    assert f"RuntimeDirectory={Path(Settings().wifi.hotspot).parent.name}\n" in unit
    (machine / "wifi").write_bytes(installed(machine)["etc/referee/hotspot"][1])
    told = network(WifiSettings(hotspot=str(machine / "wifi")))
    assert told is not None
    assert told.code.startswith("WIFI:T:WPA;S:Table Referee;P:")


def links(machine: Path) -> list[str]:
    wants = (machine / "etc/systemd/system").glob("*.wants/referee*")
    return [str(link.relative_to(machine)) for link in wants]


def test_settings_and_hotspot_are_ready_to_use_and_not_for_everybody(machine: Path) -> None:
    files = installed(machine)
    mode, settings = files["etc/referee/settings.toml"]
    assert settings_from(tomllib.loads(settings.decode())) == Settings()
    assert mode & 0o777 == 0o640
    mode, hotspot = files["etc/referee/hotspot"]
    assert mode & 0o777 == 0o600
    password = hotspot.decode().split("PASSWORD=")[1].split()[0]
    assert len(password) == 10
    assert "referee-desk:x:" in files["etc/passwd"][1].decode()


@pytest.mark.parametrize(
    "script", ["install", "uninstall", "referee", "last-light", "kiosk", "stick", "hotspot"]
)
def test_scripts_are_plain_sh(script: str) -> None:
    assert run("sh", "-n", SYSTEMD / script).returncode == 0
    assert os.access(SYSTEMD / script, os.X_OK)


@pytest.mark.parametrize(
    ("what", "lights", "told"),
    [
        ("poweroff", "", ["set 26 op dh", "set 26 op dl"]),
        ("halt", "status = 16\nactive_high = false", ["set 16 op dl", "set 16 op dh"]),
        ("poweroff", "status = false", []),
        ("poweroff", "satus = 16", ["set 26 op dh", "set 26 op dl"]),  # no settings: what is wired by default
        ("reboot", "", []),
        ("kexec", "", []),
    ],
)
def test_the_last_light_says_that_the_plug_may_be_pulled(
    tmp_path: Path, what: str, lights: str, told: list[str]
) -> None:
    stubs(tmp_path, {"pinctrl": f'echo "$@" >>{tmp_path}/told', "sleep": ":"})
    (tmp_path / "told").touch()
    (tmp_path / "settings.toml").write_text(f"[lights]\n{lights}\n")
    light = (SYSTEMD / "last-light").read_text().replace("/etc/referee/", f"{tmp_path}/")
    light = light.replace("/opt/table-referee/venv/bin/python", sys.executable)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    assert run("sh", "-c", light, "last-light", what, **path).returncode == 0
    assert (tmp_path / "told").read_text().splitlines() == told * 3


def stubs(folder: Path, programs: dict[str, str]) -> None:
    """Programs that stand in for the system's own."""
    for name, does in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{does}\n")
        (folder / name).chmod(0o755)


def test_a_doctor_that_is_broken_off_gives_the_desk_back(tmp_path: Path) -> None:
    """By Ctrl-C, say, while it waits for a button."""
    told = tmp_path / "told"
    stubs(tmp_path, {"systemctl": f'echo "$@" >>{told}', "id": "echo 0", "program": "kill -INT 0"})
    command = (SYSTEMD / "referee").read_text()
    command = command.replace("/opt/table-referee/venv/bin/referee", str(tmp_path / "program"))
    path = f"{tmp_path}:{os.environ['PATH']}"
    heeding = ("env", "--default-signal=INT")  # in the background a shell and all it starts are deaf to it
    done = run(*heeding, "setsid", "--wait", "sh", "-c", command, "referee", "doctor", PATH=path)
    assert done.returncode == 130, done.stderr
    assert told.read_text().splitlines()[-2:] == ["stop referee-desk", "start referee-desk"]


@pytest.mark.parametrize(
    ("asked", "rests", "program"),
    [
        (
            "doctor --virtual",
            "referee-desk",
            "doctor --config /etc/referee/settings.toml --data {} --virtual",
        ),
        ("tls", "", "tls --config /etc/referee/settings.toml --data {}"),
        ("games", "", "games"),
    ],
)
@pytest.mark.parametrize("code", [0, 1])
def test_the_command_is_about_the_machines_own_games_and_lets_its_services_rest(
    tmp_path: Path, asked: str, rests: str, program: str, code: int
) -> None:
    told, command = tmp_path / "told", (SYSTEMD / "referee").read_text()
    does = {"program": f"exit {code}", "systemctl": ":", "id": "echo 0"}
    does["runuser"] = '[ "$1 $2 $3" = "-u referee --" ] && shift 3 && exec "$@"'
    stubs(tmp_path, {name: f'echo "{name} $*" >>{told}\n{after}' for name, after in does.items()})
    command = command.replace("/opt/table-referee/venv/bin/referee", str(tmp_path / "program"))
    done = run("sh", "-c", command, "referee", *asked.split(), PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert done.returncode == code, done.stderr
    lines = told.read_text().splitlines()
    own = program.replace("{}.toml", "/etc/referee/settings.toml").replace("{}", "/var/lib/referee")
    assert f"program {own}" in lines
    assert any(line.startswith("runuser") for line in lines) == (asked == "tls"), "nothing is written as root"
    assert ("systemctl restart referee" in lines) == (asked == "tls" and not code)
    stopped = [line for line in lines if line.startswith("systemctl st")]
    assert stopped == ([f"systemctl stop {rests}", f"systemctl start {rests}"] if rests else [])


def restored(tmp_path: Path, file: Path) -> tuple[list[str], str]:
    """What the command copies as root, and what it says, when this file is to be restored."""
    told, command = tmp_path / "told", (SYSTEMD / "referee").read_text()
    does = {"program": ":", "systemctl": "exit 1", "id": "echo 0", "install": ":"}
    does["runuser"] = '[ "$1 $2 $3" = "-u referee --" ] && shift 3 && exec "$@"'
    bin_ = tmp_path / "bin"
    bin_.mkdir(parents=True)
    stubs(bin_, {name: f'echo "{name} $*" >>{told}\n{after}' for name, after in does.items()})
    command = command.replace("/opt/table-referee/venv/bin/referee", str(bin_ / "program"))
    command = command.replace("data=/var/lib/referee", f"data={tmp_path}/games")
    done = run("sh", "-c", command, "referee", "restore", file, PATH=f"{bin_}:{os.environ['PATH']}")
    lines = told.read_text().splitlines()
    copied = [line.rpartition(" -- ")[2].split()[0] for line in lines if line.startswith("install -m")]
    asked = [line.split()[4] for line in lines if line.startswith("program restore")]
    return copied, (asked or [done.stderr])[0]


def test_a_backup_that_only_root_can_read_is_handed_over(tmp_path: Path) -> None:
    file = tmp_path / "copy.db"
    for name in ("copy.db", "copy.db-wal"):
        (tmp_path / name).touch()
    copied, asked = restored(tmp_path, file)
    assert copied == [str(file), f"{file}-wal"] and asked.endswith("/theirs/copy.db")


def test_root_hands_over_no_file_to_which_a_link_leads(tmp_path: Path) -> None:
    """The server's user could put it among its backups, and a stick could have it: that user would be given
    the file behind it."""
    secret, file = tmp_path / "shadow", tmp_path / "games/backups/0001.db"
    file.parent.mkdir(parents=True)
    secret.touch()
    file.symlink_to(secret)
    assert restored(tmp_path, file) == ([], str(file))


@pytest.mark.parametrize("linked", ["games/backups", "home"])
def test_root_opens_no_backup_in_the_games_folder(tmp_path: Path, linked: str) -> None:
    (tmp_path / "games/backups").mkdir(parents=True)
    (tmp_path / "games/backups/0001.db").touch()
    (tmp_path / "games/backups/0001.db-wal").symlink_to("/etc/shadow")
    (tmp_path / "home").symlink_to("games/backups")
    file = tmp_path / linked / "0001.db"
    assert restored(tmp_path, file) == ([], str(file))


def test_a_link_beside_a_backup_is_refused(tmp_path: Path) -> None:
    (tmp_path / "copy.db").touch()
    (tmp_path / "copy.db-wal").symlink_to("/dev/zero")
    copied, said = restored(tmp_path, tmp_path / "copy.db")
    assert copied == [str(tmp_path / "copy.db")] and "copy.db-wal is a link" in said


def plugged_in(tmp_path: Path, mounting: str) -> list[str]:
    """What the script does with a stick, with programs that stand in for the system's own."""
    told = tmp_path / "told"
    does = {"mount": mounting, "umount": ":", "setpriv": ":"}
    stubs(tmp_path, {name: f'echo "{name} $*" >>{told}\n{after}' for name, after in does.items()})
    stubs(tmp_path, {"id": "echo 990"})
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "RUNTIME_DIRECTORY": str(tmp_path / "run")}
    done = run("sh", SYSTEMD / "stick", "/dev/sda1", **path)
    assert done.returncode == 0, done.stderr
    return told.read_text().splitlines()


@pytest.mark.parametrize("is_mounted", [True, False])
def test_a_stick_is_mounted_without_links_and_written_by_the_servers_user(
    tmp_path: Path, is_mounted: bool
) -> None:
    """A stick that is not FAT is not mounted; the command then finds none there and tells that on pages."""
    at = tmp_path / "run" / "REFEREE"
    mount, copying, *after = plugged_in(tmp_path, "" if is_mounted else "exit 32")
    options = "nosuid,nodev,noexec,uid=990,gid=990,umask=077"
    assert mount == f"mount -t vfat,exfat -o {options} /dev/sda1 {at}"
    assert copying.startswith("setpriv --reuid=referee --regid=referee --clear-groups ")
    assert copying.endswith(f"/venv/bin/referee backup --stick {at} --data /var/lib/referee")
    assert after == ([f"umount {at}"] if is_mounted else [])


# ---- the watchdog


class Ear:
    """Where the system listens."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.line.bind(str(path))
        self.line.settimeout(TIMEOUT)

    def hear(self) -> str:
        return self.line.recv(1024).decode()

    def hears_nothing_for(self, seconds: float) -> bool:
        self.line.settimeout(seconds)
        try:
            return not self.line.recv(1024)
        except TimeoutError:
            return True
        finally:
            self.line.settimeout(TIMEOUT)


@pytest.fixture
def ear(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ear:
    ear = Ear(tmp_path / "notify")
    monkeypatch.setenv("NOTIFY_SOCKET", str(ear.path))
    monkeypatch.setenv("WATCHDOG_USEC", "300000")
    return ear


def test_the_server_says_that_it_is_ready_and_well_until_the_store_stops(ear: Ear, start: Start) -> None:
    with closing(ear.line):
        server = start()
        assert ear.hear() == "READY=1"
        assert [ear.hear(), ear.hear()] == ["WATCHDOG=1"] * 2
        with closing(sqlite3.connect(server.data / "referee.db", isolation_level=None)) as db:
            db.execute("BEGIN IMMEDIATE")  # nothing can be kept now
            eventually(lambda: ear.hears_nothing_for(1.0))
            assert ear.hears_nothing_for(2.0)
        assert ear.hear() == "WATCHDOG=1"
        assert server.stop() == 0


def test_the_desk_says_that_it_is_well_though_its_server_is_away(ear: Ear, tmp_path: Path) -> None:
    key = tmp_path / "desk.key"
    key.write_text("key")
    command = [
        "-m",
        "referee.program.cli",
        "desk",
        "--virtual",
        "--server",
        "http://127.0.0.1:9",
        "--key",
        str(key),
    ]
    with closing(ear.line), subprocess.Popen([sys.executable, *command], cwd=ROOT) as desk:
        try:
            assert [ear.hear() for _ in range(3)] == ["READY=1", "WATCHDOG=1", "WATCHDOG=1"]
        finally:
            desk.terminate()
        assert desk.wait(TIMEOUT) == 0
