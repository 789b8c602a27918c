"""Tests of `web/streams` and of live pages: who is sent what, in which order, and the limits of streams."""
