"""Tests of `web/security`: tokens, rate limits, hosts, forged requests."""
