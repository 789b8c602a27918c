"""A referee for real tabletop games: the rules, the match and its words, with no input or output."""

from datetime import UTC, datetime

__version__ = "0.1.0"
RELEASED = datetime(2026, 11, 1, tzinfo=UTC)  # no clock that is right shows an earlier time
