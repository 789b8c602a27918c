"""Finds the server's address on the local network, and builds the URLs in QR codes and on pages."""

import fcntl
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

ITSELF = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")  # listen on every interface
SIOCGIFADDR = 0x8915  # Linux ioctl: the address of an interface


def lan_address() -> str:
    """This machine's address on the local network; the loopback address if there is no network."""
    with suppress(OSError):  # no default route
        return default_route_address()
    return next((address for address in interfaces() if not address.startswith("127.")), ITSELF)


def default_route_address() -> str:
    """The address of the interface with the default route.

    Connecting a datagram socket sends nothing; it only selects the interface.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("10.255.255.255", 1))
        return str(probe.getsockname()[0])


def interfaces() -> Iterator[str]:
    """The address of each interface. A machine that is its own hotspot has no default route."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for _, name in socket.if_nameindex():
            with suppress(OSError):  # the interface has no address
                asked = struct.pack("256s", name.encode())
                yield socket.inet_ntoa(fcntl.ioctl(any_socket, SIOCGIFADDR, asked)[20:24])


def join_path(code: str, seat: str, key: str) -> str:
    """The path of the join page for the key of a seat."""
    return f"/j/{code}/{seat}/{key}"


def table_join_path(code: str, key: str) -> str:
    """The path of the join page for the table's own key, where a seat is chosen."""
    return f"/j/{code}/{key}"


def named_url(base: str) -> str:
    """The same URL with this machine's `.local` name, which is easier to type. Many phones resolve it."""
    parts = urlsplit(base)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{socket.gethostname().lower().split('.')[0]}.local{port}"


def local_url(host: str, port: int) -> str:
    """The URL at which this machine reaches its own server."""
    return base_url("", ITSELF if host in EVERYWHERE else host, port)


def base_url(address: str, host: str, port: int) -> str:
    """The URL for phones: the address in the settings, else the one we listen on, else the detected one."""
    if address:
        return address.rstrip("/") if "://" in address else f"http://{address}"
    where = host if host not in (*EVERYWHERE, "") else lan_address()
    where = f"[{where}]" if ":" in where else where
    return f"http://{where}" if port == 80 else f"http://{where}:{port}"
