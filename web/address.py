"""The address people should open: what the QR codes carry."""

import fcntl
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

ITSELF = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")  # to listen on every address there is
SIOCGIFADDR = 0x8915  # Linux: the address of an interface


def lan_address() -> str:
    """The address of this machine on the local network; this machine itself when there is no network."""
    with suppress(OSError):  # there is none
        return way_out()
    return next((address for address in interfaces() if not address.startswith("127.")), ITSELF)


def way_out() -> str:
    """Our address on the way to the rest of the world.

    Connecting a datagram socket sends nothing: it only asks which way a packet would leave.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("10.255.255.255", 1))
        return str(probe.getsockname()[0])


def interfaces() -> Iterator[str]:
    """The address of each interface: a hotspot of our own leads nowhere else, so there is no way out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for _, name in socket.if_nameindex():
            with suppress(OSError):  # it has none
                asked = struct.pack("256s", name.encode())
                yield socket.inet_ntoa(fcntl.ioctl(any_socket, SIOCGIFADDR, asked)[20:24])


def join_path(code: str, seat: str, key: str) -> str:
    """Where somebody sits down with the key of a seat."""
    return f"/j/{code}/{seat}/{key}"


def named_url(base: str) -> str:
    """The same place by this machine's name, for those who would rather type: works on many phones."""
    parts = urlsplit(base)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{socket.gethostname().lower().split('.')[0]}.local{port}"


def local_url(host: str, port: int) -> str:
    """Where this machine finds itself."""
    return base_url("", ITSELF if host in EVERYWHERE else host, port)


def base_url(address: str, host: str, port: int) -> str:
    """Where phones find us: the address from the settings, the one we listen on, or the one we find."""
    if address:
        return address.rstrip("/") if "://" in address else f"http://{address}"
    where = host if host not in (*EVERYWHERE, "") else lan_address()
    where = f"[{where}]" if ":" in where else where
    return f"http://{where}" if port == 80 else f"http://{where}:{port}"
