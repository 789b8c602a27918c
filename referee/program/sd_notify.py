"""systemd notifications (sd_notify): service readiness and watchdog keep-alives."""

import os
import socket
from contextlib import suppress

READY = "READY=1"
ALIVE = "WATCHDOG=1"


def notify(word: str) -> None:
    """Send a state to systemd. Does nothing without NOTIFY_SOCKET, and ignores a failure to send."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    where = f"\0{address[1:]}" if address.startswith("@") else address
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.sendto(word.encode(), where)


def watchdog_interval() -> float | None:
    """The interval in seconds between keep-alives: a third of systemd's timeout. None without a watchdog."""
    timeout = os.environ.get("WATCHDOG_USEC", "")
    return int(timeout) / 3_000_000 if timeout.isdecimal() and int(timeout) else None
