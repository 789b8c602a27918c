"""The server that the tests of secrecy share."""

from tests.support.fixtures import server

__all__ = ["server"]
