"""The form of the store: its tables, and how an older one is brought up to date."""

import sqlite3
from contextlib import closing, suppress

from web.store import memory

SCHEMA = """
CREATE TABLE IF NOT EXISTS tables (
    id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, game TEXT NOT NULL, rules INTEGER NOT NULL,
    options TEXT NOT NULL, seed TEXT NOT NULL, host TEXT NOT NULL, desk TEXT, opened TEXT NOT NULL,
    finished TEXT, outcome TEXT, next TEXT
);
CREATE INDEX IF NOT EXISTS tables_at_desk ON tables (desk, id);
CREATE INDEX IF NOT EXISTS tables_open ON tables (id) WHERE finished IS NULL;
CREATE INDEX IF NOT EXISTS tables_after ON tables (next) WHERE next IS NOT NULL;
CREATE TABLE IF NOT EXISTS seats (
    code TEXT NOT NULL, seat TEXT NOT NULL, key TEXT, key_hash TEXT NOT NULL, token TEXT, salt TEXT NOT NULL,
    asker TEXT,
    PRIMARY KEY (code, seat)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS journal (
    code TEXT NOT NULL, n INTEGER NOT NULL, at TEXT NOT NULL, line TEXT NOT NULL,
    PRIMARY KEY (code, n)
);
CREATE TABLE IF NOT EXISTS answers (
    scope TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, n INTEGER NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (scope, key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS answers_in_order ON answers (n);
CREATE TABLE IF NOT EXISTS jobs (
    job INTEGER PRIMARY KEY, desk TEXT NOT NULL, code TEXT NOT NULL, what TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting', reason TEXT NOT NULL DEFAULT '', at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS jobs_waiting ON jobs (desk, state);
CREATE TABLE IF NOT EXISTS shelf (
    game TEXT NOT NULL, option TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (game, option, name)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tables_unfinished ON tables (opened) WHERE outcome IS NULL;
CREATE TABLE IF NOT EXISTS spared (code TEXT PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS desks (desk TEXT PRIMARY KEY, sound TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS bots (
    code TEXT NOT NULL, seat TEXT NOT NULL, token TEXT NOT NULL, PRIMARY KEY (code, seat)) WITHOUT ROWID;
"""

VERSION = 5  # of the schema
IN_ORDER = """
CREATE TABLE in_order (
    code TEXT NOT NULL, n INTEGER NOT NULL, at TEXT NOT NULL, line TEXT NOT NULL,
    PRIMARY KEY (code, n)
);
INSERT INTO in_order (code, n, at, line) SELECT code, n, at, line FROM journal;
DROP TABLE journal;
ALTER TABLE in_order RENAME TO journal;
"""  # before the fourth form the lines of a table lay together: a move at many tables wrote as many pages


def bring_up_to_date(db: sqlite3.Connection) -> None:
    """Give a store the form of today; what is missing in an older one is made from what it holds."""
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if 0 < version < 4:
        db.executescript(f"BEGIN IMMEDIATE; {IN_ORDER} COMMIT;")
    if 0 < version < 5:  # before the fifth form every answer was kept for ever
        db.execute("DROP TABLE IF EXISTS answers")
    db.executescript(SCHEMA + memory.SCHEMA)
    if version < VERSION:
        db.execute("BEGIN IMMEDIATE")
        memory.remember_past(db)
        db.execute("COMMIT")
    db.execute(f"PRAGMA user_version = {VERSION}")
    if 0 < version < VERSION:
        _shrink(db)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # nothing that was deleted stays in it


def _shrink(db: sqlite3.Connection) -> None:
    """Give back to the disk what is free in the file; without the room for that, later games fill it."""
    with suppress(sqlite3.OperationalError):
        db.execute("VACUUM")


def has_all_columns(db: sqlite3.Connection) -> bool:
    """Whether a store of the newest form is whole: SQLite asks nobody what a column is called."""
    if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
        return True
    with closing(sqlite3.connect(":memory:")) as fresh:
        fresh.executescript(SCHEMA + memory.SCHEMA)
        return _columns(db) >= _columns(fresh)


def _columns(db: sqlite3.Connection) -> set[tuple[bytes, bytes]]:
    return set(
        db.execute(
            "SELECT CAST(t.name AS BLOB), CAST(c.name AS BLOB)"  # where there is damage, it may be no text
            " FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'"
        )
    )
