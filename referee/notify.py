"""Words to the system that started us, where it listens: ready, still well."""

import os
import socket
from contextlib import suppress

READY = "READY=1"
WELL = "WATCHDOG=1"


def notify(word: str) -> None:
    """Tell it; nobody there to hear is no trouble."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    where = f"\0{address[1:]}" if address.startswith("@") else address
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.sendto(word.encode(), where)


def pulse() -> float | None:
    """Seconds after which it wants to hear that we are well: a third of its patience. None: it does not."""
    patience = os.environ.get("WATCHDOG_USEC", "")
    return int(patience) / 3_000_000 if patience.isdecimal() and int(patience) else None
