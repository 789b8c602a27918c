"""Tests of `web/server`: requests, connections, limits, logs."""
