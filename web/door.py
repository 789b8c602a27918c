"""The door: which hosts we answer to, who holds which token, and when to slow somebody down."""

import base64
import hashlib
import hmac
import ipaddress
import math
import secrets
import socket
import threading
import time
import unicodedata
from collections import deque
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from urllib.parse import urlsplit

from referee.game import Say
from referee.settings import Limits, Server
from web.people import LONGEST
from web.refusals import Refusal, malformed

LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # no 0/O, no 1/I/L
NAME_LENGTH = 24
MOMENT, MINUTE, HOUR = 10, 60, 3600
MOST = 20_000  # counts that a throttle keeps
PAPERS, PAPERS_TOTAL = 6, 30  # that may be printed a minute, of one table and of all
UNSEEN = frozenset(  # letters, marks and signs that show nothing: fillers, blanks, variation selectors
    map(
        chr,
        (
            *(0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0x16FE4, 0x1D159),
            *(*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0x13441, 0x13443)),
            *range(0xE0000, 0xE1000),
        ),
    )
)
MARKS = 3  # accents on one letter; more would climb over the lines above


def new_code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(5))


def new_key() -> str:
    """A seat's key: short enough for a small QR code, far too long to guess."""
    return "".join(secrets.choice(LETTERS) for _ in range(12))


def new_token() -> str:
    return secrets.token_urlsafe(24)


def derived_token(salt: str, key: str, nonce: str) -> str:
    """The token of a call that may be repeated: the same again for whoever has the key and the nonce.

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
    name = _seen(text)[:NAME_LENGTH].strip()
    if not _is_name(name):
        raise malformed("name")
    return name


def whole_name(text: str) -> str:
    """The same of what somebody typed on a page, who is told what is wrong with it, never cut short."""
    name = _seen(text)
    if len(name) <= NAME_LENGTH and _is_name(name):
        return name
    why = "too_long" if len(name) > NAME_LENGTH else "empty"
    raise Refusal("malformed", why=Say(f"page.name.{why}", {"n": NAME_LENGTH}), title="page.name.wrong")


def _is_name(text: str) -> bool:
    return any(c.isalnum() or unicodedata.category(c) == "So" for c in text)


def _seen(text: str) -> str:
    seen = "".join(char for char in text[:LONGEST] if char.isspace() or _is_seen(char))
    return "".join(_readable(unicodedata.normalize("NFC", " ".join(seen.split()))))


def _is_seen(char: str) -> bool:
    return char.isprintable() and char not in UNSEEN


def _readable(text: str) -> Iterator[str]:
    """The characters of a text, with as many accents on a letter as any language has."""
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if marks <= MARKS:
            yield char


def known_host(host: str, server: Server) -> bool:
    """Whether to answer a Host header: any address (nobody can rebind one), and our own names."""
    if _is_address(host):
        return True
    name = _host_name(host)
    given = (_host_name(server.address.rpartition("//")[2]), *(n.lower() for n in server.names))
    return name != "" and name in {"localhost", *own_names(), *given}


@lru_cache(64)
def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(_host_name(host))
    except ValueError:
        return False
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


def same_origin(origin: str | None, site: str | None, host: str) -> bool:
    """Whether a change is sent by a page of ours (or by a script, which sends neither header)."""
    ours = (None, f"http://{host}", f"https://{host}")
    return site in (None, "same-origin", "none") and origin in ours


def neighbourhood(address: str) -> str:
    """What counts as one caller: an IPv4 address, or the network of an IPv6 one, which has many for free."""
    if ":" not in address:
        return address
    try:
        found = ipaddress.IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    return str(found.ipv4_mapped or ipaddress.IPv6Network((found, 64), strict=False))


def slow_down(wait: int, why: str = "") -> Refusal:
    """The refusal of somebody who is to wait, in a sentence of its own where there is one."""
    said = Say(why, {"n": wait}) if why else None
    return Refusal("slow-down", {"n": wait}, said, extra={"retry_after": wait})


class Throttle:
    """Counts within a sliding window, per address (or whoever else is named) and in total.

    One more count costs the same however many there are. There are `MOST` of them at most: beyond that the
    oldest is forgotten before its time.
    """

    def __init__(
        self,
        window: float,
        each: int,
        total: float,
        exempt: Collection[str],
        clock: Callable[[], float],
        why: str = "",
    ) -> None:
        self._window, self._each, self._total, self._why = window, each, total, why
        self._exempt = frozenset(exempt)
        self._clock = clock
        self._lock = threading.Lock()
        self._all: deque[tuple[float, str]] = deque()  # when and who, oldest first
        self._times: dict[str, deque[float]] = {}  # of each who is among them

    def __len__(self) -> int:
        return len(self._all)

    @property
    def callers(self) -> int:
        """How many are counted."""
        return len(self._times)

    def check(self, address: str, who: str = "", alone: bool = False) -> None:
        """Refuse an address that has used up its share (alone, or with all others); say how long to wait."""
        if address in self._exempt:
            return
        with self._lock:
            self._check(who or neighbourhood(address), math.inf if alone else self._total)

    def count(self, address: str, who: str = "") -> None:
        if address in self._exempt:
            return
        with self._lock:
            self._count(who or neighbourhood(address))

    def take(self, address: str, who: str) -> None:
        """Count, unless the share is used up."""
        if address in self._exempt:
            return
        with self._lock:
            self._check(who, self._total)
            self._count(who)

    def guess(self, address: str, is_right: bool) -> None:
        """Let whoever is right pass, however many others guess; a wrong guess counts whatever it is told."""
        self.check(address, alone=True)
        if not is_right:
            try:
                self.check(address)
            finally:
                self.count(address)

    def _check(self, who: str, total: float) -> None:
        now = self._clock()
        while self._all and self._all[0][0] <= now - self._window:
            self._forget_first()
        mine = self._times.get(who)
        if mine and len(mine) >= self._each:
            raise self._refusal(mine[0], now)
        if self._all and len(self._all) >= total:
            raise self._refusal(self._all[0][0], now)

    def _refusal(self, first: float, now: float) -> Refusal:
        """What somebody is told who has to wait until the first of these counts is forgotten."""
        return slow_down(int(first + self._window - now) + 1, self._why)

    def _count(self, who: str) -> None:
        if len(self._all) >= MOST:
            self._forget_first()
        now = self._clock()
        self._all.append((now, who))
        self._times.setdefault(who, deque()).append(now)

    def _forget_first(self) -> None:
        _, who = self._all.popleft()
        self._times[who].popleft()
        if not self._times[who]:
            del self._times[who]


class Door:
    """What wears out: being wrong, opening tables, and (by table or seat, not by address) asking, moving and
    printing."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self.failures = Throttle(MINUTE, limits.failures, limits.failures_total, limits.exempt, clock)
        self.tables = Throttle(HOUR, limits.tables, limits.tables_total, limits.exempt, clock)
        asking = MINUTE, limits.questions, math.inf, limits.exempt, clock
        self.questions = Throttle(*asking, why="refusal.asked_too_often")
        self.rematches = Throttle(*asking)
        moving = MOMENT, limits.moves, math.inf, limits.exempt, clock
        self.moves = Throttle(*moving, why="refusal.moves_too_fast")
        self.papers = Throttle(MINUTE, PAPERS, PAPERS_TOTAL, (), clock)
