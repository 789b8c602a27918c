"""Tests of `referee/core`: matches, moves, questions, corrections, journal entries."""
