"""Tests of `referee/presentation`: words, sheets, cues, rules pages."""
