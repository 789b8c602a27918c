"""The address people should open: what the QR codes carry."""

import socket

NOWHERE = "127.0.0.1"


def lan_address() -> str:
    """The address of this machine on the local network; this machine itself when there is no network.

    Connecting a datagram socket sends nothing: it only asks which way a packet would leave.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("10.255.255.255", 1))
            return str(probe.getsockname()[0])
        except OSError:
            return NOWHERE


def base_url(address: str, host: str, port: int) -> str:
    """Where phones find us: the address from the settings, the one we listen on, or the one we find."""
    if address:
        return address.rstrip("/") if "://" in address else f"http://{address}"
    where = host if host not in ("0.0.0.0", "::", "") else lan_address()
    where = f"[{where}]" if ":" in where else where
    return f"http://{where}" if port == 80 else f"http://{where}:{port}"
