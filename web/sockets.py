"""The sockets of this process that the HTTP server opened: how long they live, and how many one caller has.

A phone that walks out of reach sends nothing, not even that it is gone. The operating system notices when
what we sent is not acknowledged, but by default only after a quarter of an hour; TCP_USER_TIMEOUT shortens
that. Streams send a sign of life every 15 s, so such a phone counts as gone within 40 s.
granian takes no socket of ours and has no setting for the option, so it is set on the sockets themselves,
which Linux lists in /proc/self/fd. Connections inherit it from the socket that listens.

Nor does granian bound the connections of one address: a single machine could open as many as there may be at
all, send nothing, and keep everybody else out for as long as it likes. So when many are open, whoever has
most loses the newest; the sockets are found in the same way.

No attribute of granian is used: this would work with any server that runs in our process. Where there is no
/proc/self/fd, a phone out of reach is noticed as late as the system decides, and nobody loses a connection.
"""

import os
import socket
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import closing, suppress
from pathlib import Path

from web.door import neighbourhood

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


def crowded(most: int) -> bool:
    """Whether so many files are open that there may be more connections than this."""
    return OURS.is_dir() and len(list(OURS.iterdir())) > most


def keep_room(port: int, most: int, exempt: Collection[str]) -> int:
    """Close connections until there are no more than this, the newest of whoever has most; how many. Those of
    exempt addresses stay, and are not counted."""
    share = fair_share(list(Counter(caller for _, caller in _calls(port, exempt)).values()), most)
    held: Counter[str] = Counter()
    closed = 0
    for found, caller in _calls(port, exempt):  # an older one has a lower number, as a rule
        held[caller] += 1
        if held[caller] > share:
            with suppress(OSError):  # closed meanwhile
                found.shutdown(socket.SHUT_RDWR)
                closed += 1
    return closed


def fair_share(counts: Collection[int], most: int) -> int:
    """How many each may keep so that all together keep no more than this; at least one."""
    left = most
    for place, count in enumerate(sorted(counts)):
        share = left // (len(counts) - place)
        if count > share:
            return max(1, share)
        left -= count
    return most


def _calls(port: int, exempt: Collection[str]) -> Iterator[tuple[socket.socket, str]]:
    """Each connection at this port and its caller, without those that are exempt."""
    for found in _sockets_at(port):
        with suppress(OSError):  # it listens, or was closed meanwhile
            peer = str(found.getpeername()[0]).removeprefix("::ffff:")
            if peer not in exempt:
                yield found, neighbourhood(peer)


def _sockets_at(port: int) -> Iterator[socket.socket]:
    """A duplicate of each TCP socket of ours at this port, closed again after use."""
    if not hasattr(socket, "TCP_USER_TIMEOUT") or not OURS.is_dir():
        return
    for file in sorted(OURS.iterdir(), key=lambda file: int(file.name)):
        with suppress(OSError):  # closed meanwhile
            if str(file.readlink()).startswith("socket:"):
                with closing(socket.socket(fileno=os.dup(int(file.name)))) as twin:
                    if _is_at(twin, port):
                        yield twin


def _is_at(found: socket.socket, port: int) -> bool:
    is_tcp = found.family in (socket.AF_INET, socket.AF_INET6) and found.type == socket.SOCK_STREAM
    return is_tcp and found.getsockname()[1] == port
