"""Tests of `hardware/desk`: the desk's process and its doctor."""
