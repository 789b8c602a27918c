"""Options for the sockets of this process that the HTTP server opened.

A phone that walks out of reach sends nothing, not even that it is gone. The operating system notices when
what we sent is not acknowledged, but by default only after a quarter of an hour; TCP_USER_TIMEOUT shortens
that. Streams send a sign of life every 15 s, so such a phone counts as gone within 40 s.
granian takes no socket of ours and has no setting for the option, so it is set on the sockets themselves,
which Linux lists in /proc/self/fd. Connections inherit it from the socket that listens. No attribute of
granian is used: this would work with any server that runs in our process. Where there is no /proc/self/fd,
a phone out of reach is noticed as late as the system decides.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

OURS = Path("/proc/self/fd")
OUT_OF_REACH = 25_000  # milliseconds in which a phone must have acknowledged what it was sent


def give_up_silent_peers(port: int) -> int:
    """Set the time limit on every socket of ours at this port; how many there were."""
    changed = 0
    for found in _sockets_at(port):
        with suppress(OSError):  # closed meanwhile
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, OUT_OF_REACH)
            changed += 1
    return changed


def _sockets_at(port: int) -> Iterator[socket.socket]:
    """A duplicate of each TCP socket of ours at this port, closed again after use."""
    if not hasattr(socket, "TCP_USER_TIMEOUT") or not OURS.is_dir():
        return
    for file in list(OURS.iterdir()):
        with suppress(OSError):  # closed meanwhile
            if str(file.readlink()).startswith("socket:"):
                with closing(socket.socket(fileno=os.dup(int(file.name)))) as twin:
                    if _is_at(twin, port):
                        yield twin


def _is_at(found: socket.socket, port: int) -> bool:
    is_tcp = found.family in (socket.AF_INET, socket.AF_INET6) and found.type == socket.SOCK_STREAM
    return is_tcp and found.getsockname()[1] == port
