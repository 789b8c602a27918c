"""Benchmarks: measured, printed, and judged by the exit code."""
