"""A referee for real tabletop games: rules engine, games, verification, views and the command line."""

from datetime import UTC, datetime

__version__ = "0.1.0"
RELEASED = datetime(2026, 11, 1, tzinfo=UTC)  # a system clock that shows an earlier time is wrong
