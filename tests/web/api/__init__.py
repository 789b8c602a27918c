"""Tests of `web/api`: the HTTP contract."""
