"""The schema of the store: its tables, and how an older store is migrated."""

import sqlite3
from contextlib import closing

from web.store import results

SCHEMA = """
CREATE TABLE tables (
    id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, game TEXT NOT NULL, rules INTEGER NOT NULL,
    options TEXT NOT NULL, seed TEXT NOT NULL, host TEXT NOT NULL, desk TEXT, opened TEXT NOT NULL,
    finished TEXT, outcome TEXT, next TEXT, ticket TEXT NOT NULL, root TEXT NOT NULL,
    rematches INTEGER NOT NULL, before TEXT, checksum TEXT NOT NULL, key TEXT, key_hash TEXT NOT NULL
);
CREATE INDEX tables_at_desk ON tables (desk, id);
CREATE INDEX tables_open ON tables (id) WHERE finished IS NULL;
CREATE INDEX tables_after ON tables (next) WHERE next IS NOT NULL;
CREATE INDEX tables_hosted ON tables (host);
CREATE TABLE seats (
    code TEXT NOT NULL, seat TEXT NOT NULL, key TEXT, key_hash TEXT NOT NULL, token TEXT, salt TEXT NOT NULL,
    asker TEXT, ticket TEXT NOT NULL,
    PRIMARY KEY (code, seat)
) WITHOUT ROWID;
CREATE INDEX seats_held ON seats (token) WHERE token IS NOT NULL;
CREATE TABLE journal (
    code TEXT NOT NULL, n INTEGER NOT NULL, at TEXT NOT NULL, line TEXT NOT NULL, head TEXT NOT NULL,
    checksum TEXT NOT NULL,
    PRIMARY KEY (code, n)
);
CREATE TABLE answers (
    scope TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, n INTEGER NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (scope, key)
) WITHOUT ROWID;
CREATE INDEX answers_in_order ON answers (n);
CREATE TABLE jobs (
    job INTEGER PRIMARY KEY, desk TEXT NOT NULL, code TEXT NOT NULL, what TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting', reason TEXT NOT NULL DEFAULT '', at TEXT NOT NULL, asker TEXT
);
CREATE INDEX jobs_waiting ON jobs (desk, state);
CREATE TABLE presets (
    game TEXT NOT NULL, option TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (game, option, name)
) WITHOUT ROWID;
CREATE INDEX tables_unfinished ON tables (opened) WHERE outcome IS NULL;
CREATE TABLE kept_tables (code TEXT PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE desks (desk TEXT PRIMARY KEY, sound TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE bots (
    code TEXT NOT NULL, seat TEXT NOT NULL, token TEXT NOT NULL, PRIMARY KEY (code, seat)) WITHOUT ROWID;
CREATE TABLE table_notes (code TEXT PRIMARY KEY, name TEXT NOT NULL, clock INTEGER NOT NULL) WITHOUT ROWID;
"""

VERSION = 8  # of the schema

# SQL that migrates a store to the next version, by the version it starts from. None yet: no other version was
# released. A change to the tables above adds a script here and increments VERSION.
MIGRATIONS: dict[int, str] = {}


def can_migrate(version: int) -> bool:
    """Whether a store of this version can be migrated. A new store has version 0."""
    return version == 0 or all(older in MIGRATIONS for older in range(version, VERSION))


def migrate(db: sqlite3.Connection) -> None:
    """Create the tables of a new store; migrate an older one, one transaction per version."""
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version == 0:
        create(db)
    else:
        for older in range(version, VERSION):
            _change(db, MIGRATIONS[older], older + 1)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # removes deleted data from the write-ahead log


def create(db: sqlite3.Connection) -> None:
    """Create the tables of a new store."""
    _change(db, SCHEMA + results.SCHEMA, VERSION)


def _change(db: sqlite3.Connection, script: str, version: int) -> None:
    try:
        db.executescript(f"BEGIN IMMEDIATE; {script}; PRAGMA user_version = {version}; COMMIT;")
    except sqlite3.Error:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def has_all_columns(db: sqlite3.Connection) -> bool:
    """Whether a store of the current version has all tables and columns: SQLite's own check does not know
    them."""
    if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
        return True
    with closing(sqlite3.connect(":memory:")) as fresh:
        create(fresh)
        return columns(db) >= columns(fresh)


def columns(db: sqlite3.Connection) -> set[tuple[bytes, ...]]:
    """Every table and column of a store."""
    return set(
        db.execute(
            "SELECT CAST(t.name AS BLOB), CAST(c.name AS BLOB)"  # a damaged name may be no text
            " FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'"
        )
    )
