"""Tests of `referee/program`: the command line."""
