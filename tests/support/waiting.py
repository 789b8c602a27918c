"""How long tests wait for what should come at once."""

import time
from collections.abc import Callable

PATIENCE = 30.0  # seconds a test waits for what should come at once


PAUSE = 0.01  # seconds before it is asked again: whoever is waited for needs the core


def eventually(is_so: Callable[[], bool]) -> None:
    """Ask until it is so."""
    ends = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < ends, "it never came to be so"
        time.sleep(PAUSE)
