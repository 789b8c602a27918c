"""Fixtures that all tests share."""

from tests.support.fixtures import clock, own_server, service, settings, start

__all__ = ["clock", "own_server", "service", "settings", "start"]
