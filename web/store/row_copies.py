"""Copies the rows of a store into a new file with our own schema, and finds objects that are not ours.

Only rows are taken over: a trigger, view, index or constraint in the source has no effect in the copy.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from web.store.schema import columns, create, migrate
from web.store.statements import RANDOM

# Tables whose hands everybody may see: the game is over, and it was not abandoned with its secrets kept.
# A damaged outcome shows nothing.
SHOWN = (
    "SELECT code FROM source.tables WHERE finished IS NOT NULL"
    " AND iif(json_valid(outcome), json_extract(outcome, '$.debrief'), NULL) IS NOT NULL"
)
LEFT_OUT = "answers"  # answers to repeated calls: nobody needs them after a restore
RESTORED = {  # columns of which a copy has something else: the seeds of rematches
    ("tables", "root"): "''",  # one may be in play; of one that was played since, everybody knows the seed
    ("tables", "rematches"): "0",
}
CHANGED = RESTORED | {  # the same for a copy without secrets
    ("seats", "key"): "NULL",
    ("seats", "key_hash"): "''",  # of no key
    ("tables", "key"): "NULL",
    ("tables", "key_hash"): "''",
    ("seats", "ticket"): RANDOM,
    ("tables", "ticket"): RANDOM,
    ("tables", "next"): f"CASE WHEN next IN ({SHOWN}) THEN next END",
}


def copy_rows(source: Path, to: Path) -> None:
    """Copy all rows into a new file, which is restored: rematches then have new seeds."""
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
        changed = CHANGED if is_shown else RESTORED
        values = [changed.get((table, name), name) for name in names]
        only = f" WHERE {_is_shown(names)}" if is_shown else ""
        rows = f"SELECT {', '.join(values)} FROM source.{table}{only}"
        yield f"INSERT INTO main.{table} ({', '.join(names)}) {rows}"


def _is_shown(names: Sequence[str]) -> str:
    """SQL: whether a row of a table with these columns may be in a copy without secrets."""
    if "code" in names:
        return f"code IN ({SHOWN})"
    return f"id IN (SELECT id FROM source.games WHERE code IN ({SHOWN}))" if "id" in names else "TRUE"


def count_tables(path: Path, is_copy: bool = False) -> int:
    """How many tables a store has. Of a copy nothing but the file itself is read, no journal beside it."""
    how = "immutable=1" if is_copy else "mode=rw"
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True)) as db:
        return int(db.execute("SELECT count(*) FROM tables").fetchone()[0])
