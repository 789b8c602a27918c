"""Holds back the writer of a store, and counts the transactions in its write-ahead log."""

import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.support.waiting import TIMEOUT

WAL_HEADER, FRAME_HEADER = struct.Struct(">8xI4x8s8x"), struct.Struct(">4xI8s8x")


@contextmanager
def writer_held(path: Path) -> Iterator[None]:
    """Hold SQLite's write lock: until the end of the block, nothing that the store commits gets to disk."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=TIMEOUT)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def transactions(path: Path) -> int:
    """How many transactions are in the write-ahead log: the last frame of each says how large the file is."""
    log = path.with_name(f"{path.name}-wal").read_bytes()
    page, salt = WAL_HEADER.unpack_from(log)
    frames = range(WAL_HEADER.size, len(log), FRAME_HEADER.size + page)
    heads = [FRAME_HEADER.unpack_from(log, at) for at in frames]
    return sum(size > 0 and own_salt == salt for size, own_salt in heads)
