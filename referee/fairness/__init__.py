"""Proof of fair play: commitments, the hash chain, the record of a finished game and its verification."""
