"""The health of a device, as a short code that the pages translate."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Health:
    """Whether a device works, and a code with the details.

    Working: `ready`, `virtual` (none is configured), `no-gpio` (this machine has no pins), `muted`, `quiet`,
    `unwanted` (the settings do not ask for a voice), `silent` (the printer does not answer status requests),
    `paper-low`.
    Faulty: `pin-refused`, `gpio-error`, `offline`, `cover-open`, `paper-out`, `no-access`, `no-driver`,
    `no-espeak`, `no-sound`, `unsure` (the printer broke the connection twice after a whole job).
    """

    ok: bool
    detail: str


Notice = Callable[[Health], None]  # may be called repeatedly: only changes are reported
