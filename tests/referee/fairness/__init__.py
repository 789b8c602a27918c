"""Tests of `referee/fairness`: commitments, archives, verification."""
