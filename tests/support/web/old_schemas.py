"""Stores with invented earlier schemas, made from today's, and their migrations."""

import sqlite3
from contextlib import closing
from pathlib import Path

from web.store.schema import VERSION

# By the older version: what it lacks of the one after it, and what brings that back.
ROBBED = {
    VERSION - 1: "DROP INDEX tables_after; ALTER TABLE tables DROP COLUMN next;",
    VERSION - 2: "DROP TABLE kept_tables; ALTER TABLE journal RENAME TO entries;",
}
MIGRATIONS = {
    VERSION - 2: "CREATE TABLE kept_tables (code TEXT PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID;"
    "ALTER TABLE entries RENAME TO journal;",
    VERSION - 1: "ALTER TABLE tables ADD COLUMN next TEXT;"
    "CREATE INDEX tables_after ON tables (next) WHERE next IS NOT NULL;",
}


def make_older(path: Path, version: int) -> None:
    """Take a store of today back to this version."""
    with closing(sqlite3.connect(path)) as db:
        for older in range(VERSION - 1, version - 1, -1):
            db.executescript(ROBBED[older])
        db.executescript(f"PRAGMA user_version = {version}; PRAGMA wal_checkpoint(TRUNCATE);")
