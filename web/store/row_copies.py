"""Copies the rows of a store into a new file with our own schema, and finds objects that are not ours.

Only rows are taken over: a trigger, view, index or constraint in the source has no effect in the copy.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from web.store.schema import columns, create, migrate

# Tables whose hands everybody may see: the game is over, and it was not abandoned with its secrets kept.
SHOWN = (
    "SELECT code FROM source.tables"
    " WHERE finished IS NOT NULL AND json_extract(outcome, '$.debrief') IS NOT NULL"
)
LEFT_OUT = "answers"  # answers to repeated calls: nobody needs them after a restore
RANDOM = "lower(hex(randomblob(16)))"
CHANGED = {  # columns of which a copy without secrets has something else
    ("seats", "key"): "NULL",
    ("seats", "ticket"): RANDOM,
    ("tables", "ticket"): RANDOM,
    ("tables", "root"): "''",  # the seeds of all rematches, of which one may be in play
    ("tables", "rematches"): "0",
    ("tables", "next"): f"CASE WHEN next IN ({SHOWN}) THEN next END",
}


def copy_rows(source: Path, to: Path) -> None:
    """Copy all rows into a new file."""
    _copy(source, to, is_shown=False)


def copy_shown_rows(source: Path, to: Path) -> None:
    """Copy everything but secrets into a new file: no table with a hidden hand, no key of a free seat."""
    _copy(source, to, is_shown=True)


def upgraded(path: Path) -> None:
    """Migrate a file to the current schema. What its own schema defines is not trusted."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA trusted_schema = OFF")
        migrate(db)


def foreign_object(path: Path) -> str:
    """An object in a file of the current version that no schema of ours has; empty if there is none."""
    with closing(sqlite3.connect(":memory:")) as fresh, closing(sqlite3.connect(path)) as db:
        create(fresh)
        found = sorted(_objects(db) - _objects(fresh)) or sorted(columns(db) - columns(fresh))
    return " ".join(word.decode("utf-8", "replace") for word in found[0]) if found else ""


def has_programs(path: Path) -> bool:
    """Whether a file of any version has triggers, views or virtual tables; none of ours ever had."""
    with closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT 1 FROM sqlite_master WHERE rootpage = 0").fetchone() is not None


def _objects(db: sqlite3.Connection) -> set[tuple[bytes, ...]]:
    return set(
        db.execute(
            "SELECT CAST(iif(rootpage, type, 'virtual ' || type) AS BLOB), CAST(name AS BLOB),"
            " CAST(tbl_name AS BLOB) FROM sqlite_master"
        )
    )


def _copy(source: Path, to: Path, is_shown: bool) -> None:
    with closing(sqlite3.connect(to.absolute().as_uri(), uri=True, isolation_level=None)) as db:
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("PRAGMA journal_mode = OFF")  # a copy that was not finished is deleted
        create(db)
        db.execute("ATTACH ? AS source", (f"{source.absolute().as_uri()}?mode=rw",))
        db.execute("BEGIN")  # one snapshot of the source, which may be in use
        for sql in list(_inserts(db, is_shown)):
            db.execute(sql)
        db.execute("COMMIT")


def _inserts(db: sqlite3.Connection, is_shown: bool) -> Iterator[str]:
    """The statements that copy each table of our schema."""
    for (table,) in db.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'"):
        if is_shown and table == LEFT_OUT:
            continue
        info = db.execute("SELECT name FROM pragma_table_info(?, 'main')", (table,))
        names = [name for (name,) in info]
        values = [CHANGED.get((table, name), name) if is_shown else name for name in names]
        only = f" WHERE code IN ({SHOWN})" if is_shown and "code" in names else ""
        rows = f"SELECT {', '.join(values)} FROM source.{table}{only}"
        yield f"INSERT INTO main.{table} ({', '.join(names)}) {rows}"


def count_tables(path: Path) -> int:
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as db:
        return int(db.execute("SELECT count(*) FROM tables").fetchone()[0])
