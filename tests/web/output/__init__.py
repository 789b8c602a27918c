"""Tests of `web/output`: addresses, dates, sheets, paper."""
