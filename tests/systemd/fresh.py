"""`make pi`: makes Debian roots, installs on each, boots it, and uninstalls again.

Needs root, debootstrap, systemd-nspawn, the network, and some minutes for each release, so it is not part of
the test suite.
`python -m tests.systemd.fresh [DIR]` keeps the fresh roots in DIR and reuses those that are there.
"""

import configparser
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.web.server_process import ROOT, free_port
from tests.systemd.booted import boot

RELEASES = ("bookworm", "trixie")
MIRROR = os.environ.get("REFEREE_MIRROR")  # else debootstrap takes its own
# what Raspberry Pi OS Lite brings along, as far as we use it; debootstrap finds nothing by another's name
# (NetworkManager asks for a logind, which libpam-systemd is)
BROUGHT = (
    "ca-certificates,curl,dbus,libpam-systemd,network-manager,nftables,python3,systemd,systemd-sysv,udev"
)
CLONE = (
    "referee",
    "web",
    "hardware",
    "systemd",
    "pyproject.toml",
    "requirements.txt",
    "README.md",
    "LICENSE",
)
OURS = ("etc", "opt", "usr/lib/systemd", "usr/local", "var/lib/referee")  # where the installer may write
WIFI = {
    "connection": {"type": "wifi", "interface-name": "wlan0", "autoconnect": "false"},
    "wifi": {"mode": "ap", "band": "bg", "ssid": "Chez nous; 2"},
    "wifi-security": {"key-mgmt": "wpa-psk", "proto": "rsn;", "pmf": "1", "psk": "abcd 2345"},
    "ipv4": {"method": "shared", "address1": "10.42.0.1/24"},
    "ipv6": {"method": "disabled"},
}
KEPT = ("var/lib/referee/", "etc/referee/")
INSIDE = 'mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"; root=$1; shift; exec chroot "$root" "$@"'
AS_SERVICE = """
set -eu
install -d -m 700 -o referee -g referee /var/lib/referee
setpriv --reuid=referee --regid=referee --init-groups /opt/table-referee/venv/bin/referee serve \
    --desk off --host 127.0.0.1 --port {port} --data /var/lib/referee --config /etc/referee/settings.toml &
server=$!
curl -sS --retry 60 --retry-delay 1 --retry-connrefused http://127.0.0.1:{port}/healthz
curl -sS --fail -d '{{"game":"agent_hunter"}}' http://127.0.0.1:{port}/api/tables >/dev/null
curl -sS http://127.0.0.1:{port}/healthz
kill $server
wait $server
"""


def run(*command: str | Path) -> str:
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    assert done.returncode == 0, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def inside(root: Path, *command: str) -> str:
    """Run a command in the root. What is mounted for it is gone when it ends, and so is all it started."""
    return run("unshare", "--mount", "--pid", "--fork", "sh", "-ec", INSIDE, "sh", root, *command)


def pristine(release: str, folder: Path) -> Path:
    root = folder / release
    if not root.exists():
        half = root.with_name(f".{release}.half")
        shutil.rmtree(half, ignore_errors=True)
        run(
            "unshare",
            "--mount",
            "debootstrap",
            "--variant=minbase",
            f"--include={BROUGHT}",
            release,
            half,
            *([MIRROR] if MIRROR else []),
        )
        half.rename(root)
    return root


def machine(release: str, roots: Path, folder: Path) -> Path:
    """A copy of the fresh root, with the clone in it and the way to the network of this machine."""
    root = folder / release
    folder.mkdir(exist_ok=True)
    run("cp", "-a", pristine(release, roots), root)
    for file in ("etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt"):
        (root / file).unlink(missing_ok=True)
        shutil.copy(Path("/") / file, root / file)
    for name in CLONE:
        target = root / "root/clone" / name
        target.parent.mkdir(exist_ok=True)
        shutil.copytree(ROOT / name, target) if (ROOT / name).is_dir() else shutil.copy(ROOT / name, target)
    return root


def files(root: Path) -> dict[str, tuple[int, int, str]]:
    """Every file where we may write: its mode, when it was written, and what is in it."""
    found = (path for place in OURS for path in (root / place).rglob("*") if path.is_file())
    return {
        str(path.relative_to(root)): (path.stat().st_mode, path.stat().st_mtime_ns, _digest(path))
        for path in found
        if path.suffix != ".pyc"
    }


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def units() -> list[str]:
    made = (path.name for path in (ROOT / "systemd").glob("referee*") if path.suffix in (".service", ".path"))
    return [name.replace("@", "@sda1") for name in made if name != "referee-kiosk.service"]


def hotspot(root: Path) -> None:
    """The hotspot as NetworkManager writes it down; it starts nothing."""
    given = (f"SSID={WIFI['wifi']['ssid']}", f"PASSWORD={WIFI['wifi-security']['psk']}")
    made = configparser.ConfigParser(interpolation=None)
    made.read_string(inside(root, "env", *given, "/opt/table-referee/hotspot", "profile"))
    for part, fields in WIFI.items():
        for name, value in fields.items():
            plain = made[part][name].replace("\\s", " ").replace("\\", "")
            assert plain == value, (part, name, made[part][name])


def upgraded(root: Path) -> None:
    """The release is upgraded, and so is its Python: what was installed for the old one is not found."""
    [packages] = (root / "opt/table-referee/venv/lib").iterdir()
    packages.rename(packages.with_name("python3.0"))
    inside(root, "/root/clone/systemd/install")
    inside(root, "/opt/table-referee/venv/bin/referee", "games")


def trial(root: Path) -> None:
    """Install, verify, make a hotspot, answer, copy and restore, install again, uninstall: the games stay."""
    inside(root, "/root/clone/systemd/install")
    told = inside(root, "systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *units())
    assert told == "", told
    hotspot(root)
    upgraded(root)
    answers = inside(root, "sh", "-c", AS_SERVICE.format(port=free_port()))
    assert '"status":"ok","tables":0' in answers.replace(" ", ""), answers
    assert '"status":"ok","tables":1' in answers.replace(" ", ""), answers
    inside(root, "referee", "tls")
    owner = inside(root, "stat", "--format=%U %a", "/var/lib/referee/tls/server.key").strip()
    assert owner == "referee 600", owner
    inside(root, "referee", "backup", "/root/copy.db")
    inside(root, "referee", "restore", "/root/copy.db")
    owner = inside(root, "stat", "--format=%U %a", "/var/lib/referee/referee.db").strip()
    assert owner == "referee 600", owner
    before = files(root)
    inside(root, "/root/clone/systemd/install")
    changed = {name for name, file in files(root).items() if before.get(name) != file}
    assert not changed, f"installed again, these changed: {changed}"
    inside(root, "/root/clone/systemd/uninstall")
    left = {name: file for name, file in files(root).items() if "referee" in name}
    kept = {name: file for name, file in before.items() if name.startswith(KEPT)}
    assert left == kept, set(left) ^ set(kept)
    assert "var/lib/referee/referee.db" in kept


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="referee-fresh-") as scratch:
        roots = Path(sys.argv[1] if len(sys.argv) > 1 else scratch) / "pristine"
        roots.mkdir(parents=True, exist_ok=True)
        for release in RELEASES:
            root = machine(release, roots, Path(scratch) / "installed")
            trial(root)
            python = inside(root, "python3", "--version").strip()
            root = machine(release, roots, Path(scratch) / "booted")
            inside(root, "/root/clone/systemd/install", "--kiosk")
            boot(root)
            sys.stdout.write(
                f"{release} ({python}): installed, verified, answered, again, uninstalled, booted\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
