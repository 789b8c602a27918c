"""Tests of the kit with which games are made."""
