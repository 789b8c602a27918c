"""Health: how a device of the desk is, as a short code that the pages put into words."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Health:
    """Whether a device does its work, and the code that says more.

    Fine: `ready`, `virtual` (none is configured), `no-gpio` (this machine has no pins), `muted`, `quiet`,
    `unwanted` (a voice that the settings do not ask for), `silent` (a printer that answers no questions),
    `paper-low`.
    Not fine: `pin-refused`, `gpio-error`, `offline`, `cover-open`, `paper-out`, `no-access`, `no-driver`,
    `no-espeak`, `no-sound`.
    """

    ok: bool
    detail: str


Notice = Callable[[Health], None]  # devices call it as often as they like: only a change is told on
