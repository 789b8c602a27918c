"""Tests of `web/service`: tables, moves at the same time, what follows a game."""
