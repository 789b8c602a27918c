"""Sets TCP_USER_TIMEOUT on granian's sockets, and limits the connections of one caller.

A phone that leaves the network sends nothing, not even a FIN. The operating system notices when sent bytes
are not acknowledged, by default only after 15 minutes; TCP_USER_TIMEOUT shortens that. Streams send a
heartbeat every 15 s, so such a phone counts as gone within 40 s. granian does not accept a socket of ours and
has no setting for this option. So we set it on the sockets themselves, which Linux lists in /proc/self/fd.
Connections inherit it from the listening socket.

Nor does granian limit the connections of one address: one machine could open the maximum, send nothing, and
lock everybody else out. So when many connections are open, the callers with the most lose their newest ones;
the sockets are found in the same way.

No attribute of granian is used: this works with any server in our process. Without /proc/self/fd, the
system's own timeout applies, and no connection is closed.
"""

import os
import socket
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from web.security.hosts import PROXIES, caller_key, network_key

OURS = Path("/proc/self/fd")
ACK_TIMEOUT = 25_000  # milliseconds within which sent bytes must be acknowledged


def set_ack_timeout(ports: Collection[int]) -> int:
    """Set TCP_USER_TIMEOUT on every socket of this process at these ports. Returns how many there were."""
    changed = 0
    for found in _sockets_at(ports):
        with suppress(OSError):  # closed meanwhile
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, ACK_TIMEOUT)
            changed += 1
    return changed


def is_crowded(most: int) -> bool:
    """Whether there may be more than `most` connections, judging by the number of open files."""
    return OURS.is_dir() and len(list(OURS.iterdir())) > most


def close_excess(ports: Collection[int], most: int, exempt: Collection[str]) -> int:
    """Close the newest connections of the callers with the most, until `most` are left. Returns how many were
    closed. Exempt addresses and proxies on this machine are neither counted nor closed."""
    shares = ConnectionShares((caller for _, caller in _calls(ports, exempt)), most)
    closed = 0
    for found, caller in _calls(ports, exempt):  # older ones usually have a lower descriptor
        if not shares.keeps(caller):
            with suppress(OSError):  # closed meanwhile
                found.shutdown(socket.SHUT_RDWR)
                closed += 1
    return closed


class ConnectionShares:
    """Which connections are kept, oldest first: networks have equal shares, and the callers within a network
    equal shares of that."""

    def __init__(self, callers: Iterable[str], most: int) -> None:
        counted: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for caller in callers:
            counted[network_key(caller)][caller] += 1
        self._of_network = fair_share([of.total() for of in counted.values()], most)
        self._of_caller = {
            network: fair_share(list(of.values()), self._of_network) for network, of in counted.items()
        }
        self._kept: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def keeps(self, caller: str) -> bool:
        network = network_key(caller)
        kept, share = self._kept[network], self._of_caller.get(network, self._of_network)
        if kept[caller] >= share or kept.total() >= self._of_network:
            return False
        kept[caller] += 1
        return True


def fair_share(counts: Collection[int], most: int) -> int:
    """How many connections each caller may keep so that the total is at most `most`; at least one."""
    left = most
    for place, count in enumerate(sorted(counts)):
        share = left // (len(counts) - place)
        if count > share:
            return max(1, share)
        left -= count
    return most


def _calls(ports: Collection[int], exempt: Collection[str]) -> Iterator[tuple[socket.socket, str]]:
    """Each connection at these ports and its caller, without exempt ones."""
    for found in _sockets_at(ports):
        with suppress(OSError):  # the listening socket, or one closed meanwhile
            peer = caller_key(str(found.getpeername()[0]))
            if peer not in exempt and peer not in PROXIES:
                yield found, peer


def _sockets_at(ports: Collection[int]) -> Iterator[socket.socket]:
    """A duplicate of each TCP socket of this process at these ports, closed after use."""
    if not hasattr(socket, "TCP_USER_TIMEOUT") or not OURS.is_dir():
        return
    for file in sorted(OURS.iterdir(), key=lambda file: int(file.name)):
        with suppress(OSError):  # closed meanwhile
            if str(file.readlink()).startswith("socket:"):
                with closing(socket.socket(fileno=os.dup(int(file.name)))) as twin:
                    if _is_at(twin, ports):
                        yield twin


def _is_at(found: socket.socket, ports: Collection[int]) -> bool:
    is_tcp = found.family in (socket.AF_INET, socket.AF_INET6) and found.type == socket.SOCK_STREAM
    return is_tcp and found.getsockname()[1] in ports
