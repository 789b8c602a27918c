"""Tests of `referee/games`: the rules of each game."""
