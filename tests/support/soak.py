"""How much of a test is run: a fixed budget, and many times as much under REFEREE_SOAK=1."""

import os

from hypothesis import settings

SOAK = os.environ.get("REFEREE_SOAK") == "1"
LONG = int(os.environ.get("REFEREE_SOAK_TIMES", "40")) if SOAK else 1
MINUTES = float(os.environ.get("REFEREE_SOAK_MINUTES", "10")) if SOAK else 0.0  # where time is the measure


def games(n: int) -> range:
    """The numbers of the random games that a test plays."""
    return range(n * LONG)


def examples(n: int) -> settings:
    """So many examples of a property, the same ones at every run."""
    return settings(max_examples=n * LONG, derandomize=True, deadline=None, database=None)
