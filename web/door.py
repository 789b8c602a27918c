"""The door: which hosts we answer to, who holds which token, and when to slow somebody down."""

import base64
import hashlib
import hmac
import ipaddress
import secrets
import socket
import threading
import time
import unicodedata
from collections import defaultdict, deque
from collections.abc import Callable, Collection
from urllib.parse import urlsplit

from referee.settings import Limits, Server
from web.refusals import Refusal, malformed

LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # no 0/O, no 1/I/L
NAME_LENGTH = 24
MINUTE, HOUR = 60, 3600


def new_code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(5))


def new_key() -> str:
    """A seat's key: short enough for a small QR code, far too long to guess."""
    return "".join(secrets.choice(LETTERS) for _ in range(12))


def new_token() -> str:
    return secrets.token_urlsafe(24)


def derived_token(salt: str, key: str, nonce: str) -> str:
    """The token of a join that may be repeated: the same again for whoever has the key and the nonce.

    Nothing that is kept (the salt, a hash of the key) is enough to make it.
    """
    made = hmac.digest(bytes.fromhex(salt), f"{key}\n{nonce}".encode(), "sha256")
    return base64.urlsafe_b64encode(made[:24]).decode()


def hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def same(secret: str, hash_: str) -> bool:
    return secrets.compare_digest(hashed(secret), hash_)


def clean_name(text: str) -> str:
    """A person's name as everybody will see it: no control, bidi or invisible characters."""
    words = " ".join(unicodedata.normalize("NFC", text).split())
    name = "".join(c for c in words if c.isprintable())[:NAME_LENGTH].strip()
    if not any(c.isalnum() or unicodedata.category(c) == "So" for c in name):
        raise malformed("name")
    return name


def known_host(host: str, server: Server) -> bool:
    """Whether to answer a Host header: any address (nobody can rebind one), and our own names."""
    name = _host_name(host)
    try:
        ipaddress.ip_address(name)
    except ValueError:
        given = (_host_name(server.address.rpartition("//")[2]), *(n.lower() for n in server.names))
        return name != "" and name in {"localhost", *own_names(), *given}
    return True


def _host_name(host: str) -> str:
    """The name in `name:port`; nothing where there is none."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def own_names() -> set[str]:
    """What this machine is called on the local network."""
    name = socket.gethostname().lower().split(".")[0]
    return {name, f"{name}.local"}


def same_origin(origin: str | None, host: str) -> bool:
    """Whether a POST comes from a page of ours (or from a script, which sends no Origin)."""
    return origin is None or origin.rpartition("//")[2] == host


class Throttle:
    """Counts within a sliding window, per address and in total."""

    def __init__(
        self, window: float, each: int, total: int, exempt: Collection[str], clock: Callable[[], float]
    ) -> None:
        self._window, self._each, self._total = window, each, total
        self._exempt = frozenset(exempt)
        self._clock = clock
        self._lock = threading.Lock()
        self._by_address: dict[str, deque[float]] = defaultdict(deque)
        self._all: deque[float] = deque()

    def check(self, address: str) -> None:
        """Refuse an address that has used up its share; tell it how long to wait."""
        if address in self._exempt:
            return
        with self._lock:
            now = self._clock()
            for times, most in ((self._by_address.get(address), self._each), (self._all, self._total)):
                self._forget(times, now)
                if times and len(times) >= most:
                    wait = int(times[0] + self._window - now) + 1
                    raise Refusal("slow-down", {"n": wait}, extra={"retry_after": wait})

    def count(self, address: str) -> None:
        if address in self._exempt:
            return
        with self._lock:
            now = self._clock()
            self._by_address[address].append(now)
            self._all.append(now)
            for known, times in list(self._by_address.items()):
                self._forget(times, now)
                if not times:
                    del self._by_address[known]

    def _forget(self, times: deque[float] | None, now: float) -> None:
        while times and times[0] <= now - self._window:
            times.popleft()


class Door:
    """The two things that wear out: being wrong, and opening tables."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self.failures = Throttle(MINUTE, limits.failures, limits.failures_total, limits.exempt, clock)
        self.tables = Throttle(HOUR, limits.tables, limits.tables_total, limits.exempt, clock)
