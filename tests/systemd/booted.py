"""Boots an installed root in a container without a network, where its own systemd runs the real units.

A container has no Wi-Fi, no display and no terminal: the hotspot is not opened, and the screen is shown on a
display in memory. Everything else is real: sandboxes, credentials, sessions, limits, and the shutdown.
"""

import os
import subprocess
from pathlib import Path

ENDS_WITHIN = 180.0  # seconds
TRIAL = """
[Service]
ExecStart=/bin/sh -eux /root/trial
StandardOutput=append:/root/told
StandardError=append:/root/told
"""
WITHOUT_RADIO = "[Service]\nExecStart=\nExecStart=/bin/true\nExecStop=\n"
WITHOUT_DISPLAY = """
[Unit]
ConditionPathExistsGlob=
[Service]
TTYPath=
TTYReset=no
TTYVHangup=no
TTYVTDisallocate=no
StandardInput=null
Environment=WLR_BACKENDS=headless WLR_RENDERER=pixman
"""
SCRIPT = """
systemctl start referee referee-desk
curl -sS --fail http://127.0.0.1:8000/healthz
referee tls
curl -sS --fail --cacert /var/lib/referee/tls/authority.crt https://localhost:8443/healthz

systemctl start NetworkManager
/bin/sh -c '. /etc/referee/hotspot && export SSID PASSWORD && /opt/table-referee/hotspot up' || true
[ "$(nmcli -g 802-11-wireless.ssid connection show referee-hotspot)" = "Table Referee" ]
systemctl start referee-hotspot
nft list table ip referee_hotspot
runuser -u referee -- cat /run/referee-hotspot/wifi
systemctl stop referee-hotspot
! nft list table ip referee_hotspot

slice=user-$(id -u referee-kiosk).slice
systemctl restart referee-kiosk
shown() {
    key=$(cat /etc/referee/desk.key)
    curl -sS -N --max-time 1 -H "Authorization: Bearer $key" http://127.0.0.1:8000/api/desks/main/events
}
for _ in $(seq 60); do ! shown | grep -q '"shown": true' || break; done
shown | grep '"shown": true'
systemctl show $slice -p TasksMax | grep -x TasksMax=1024
grep $slice/session "/proc/$(pgrep -o chromium)/cgroup"
systemctl stop referee-kiosk

echo working
runuser -u referee-desk -- touch /run/referee-desk/power-off
"""


def boot(root: Path) -> None:
    """Boot an installed root, try its services, and hold the shutdown button, which ends it."""
    units = root / "etc/systemd/system"
    (root / "root/trial").write_text(SCRIPT)
    (units / "trial.service").write_text(TRIAL)
    (units / "multi-user.target.wants/trial.service").symlink_to("../trial.service")
    for service, changed in (("hotspot", WITHOUT_RADIO), ("kiosk", WITHOUT_DISPLAY)):
        folder = units / f"referee-{service}.service.d"
        folder.mkdir()
        (folder / "trial.conf").write_text(changed)
    command = ("systemd-nspawn", "--boot", "--register=no", "--keep-unit", "--private-network", "--directory")
    done = subprocess.run(
        (*command, root),
        env={**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=ENDS_WITHIN,
    )
    told = (root / "root/told").read_text() if (root / "root/told").exists() else done.stdout.decode()
    assert "\nworking\n" in told, told
