"""Tests of `web/pages`: what browsers are shown."""
