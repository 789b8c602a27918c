"""Tests of `web/wire`: JSON, and request bodies with their schemas."""
