"""Checks Host headers (against DNS rebinding) and origins (against CSRF), and maps addresses to callers."""

import ipaddress
import socket
from functools import lru_cache
from urllib.parse import urlsplit

from referee.program.settings import ServerSettings

PROXIES = ("127.0.0.1", "::1")  # whose X-Forwarded headers are trusted; their connections are many callers
LONGEST_HOST = 300  # characters of a Host header: a name has at most 253
KEPT = 256  # addresses and Host headers whose meaning is cached
NETWORK = 5  # times the limit of one address that a whole IPv6 network of 64 bits has


def known_host(host: str, server: ServerSettings) -> bool:
    """Whether a Host header is accepted: any IP address (DNS rebinding needs a name), and our own names."""
    if len(host) > LONGEST_HOST:
        return False
    if _is_address(host):
        return True
    name = _host_name(host)
    given = (_host_name(server.address.rpartition("//")[2]), *(n.lower() for n in server.names))
    return name != "" and name in {"localhost", *own_names(), *given}


@lru_cache(maxsize=KEPT)
def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(_host_name(host))
    except ValueError:
        return False
    return True


def _host_name(host: str) -> str:
    """The name in `name:port`; empty if it cannot be parsed."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def own_names() -> set[str]:
    """The names of this machine on the local network."""
    name = socket.gethostname().lower().split(".")[0]
    return {name, f"{name}.local"}


def same_origin(origin: str | None, site: str | None, host: str) -> bool:
    """Whether a request comes from a page of ours, or from a program, which sends neither header."""
    ours = (None, f"http://{host}", f"https://{host}")
    return site in (None, "same-origin", "none") and origin in ours


def caller_key(address: str) -> str:
    """The key by which callers are limited: the address in its one canonical form."""
    found = _ipv6(address)
    return str(found.ipv4_mapped or found) if found else address


def network_key(address: str) -> str:
    """The /64 network of an IPv6 address: a home, or one device that uses ever new addresses. An IPv4 address
    stands for itself."""
    found = _ipv6(address)
    if found is None or found.ipv4_mapped:
        return caller_key(address)
    return str(ipaddress.IPv6Network((found, 64), strict=False))


@lru_cache(maxsize=KEPT)
def shares(address: str) -> tuple[tuple[str, int], ...]:
    """What a call counts for: its caller, and with IPv6 also the network, with how many times the limit of a
    caller each has. So neither one phone nor ever new addresses use up what others need."""
    caller, network = caller_key(address), network_key(address)
    return ((caller, 1),) if caller == network else ((caller, 1), (network, NETWORK))


def _ipv6(address: str) -> ipaddress.IPv6Address | None:
    if ":" not in address:
        return None
    try:
        return ipaddress.IPv6Address(address.partition("%")[0])
    except ValueError:
        return None
