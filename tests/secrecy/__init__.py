"""Attacks on secrecy, over the running server: whatever anyone else receives is searched and compared."""
