"""Tests of `web/live`: streams and who receives them."""
