"""How tests wait for a condition."""

import time
from collections.abc import Callable

TIMEOUT = 30.0  # seconds after which a wait fails


PAUSE = 0.01  # seconds between two checks


def eventually(is_so: Callable[[], bool]) -> None:
    """Check until the condition holds."""
    ends = time.monotonic() + TIMEOUT
    while not is_so():
        assert time.monotonic() < ends, "the condition was never met"
        time.sleep(PAUSE)
