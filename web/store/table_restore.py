"""Brings one table back from a backup, without touching the others."""

import sqlite3
from contextlib import closing
from pathlib import Path

from referee.core.sliced_work import run_to_end
from web.store import DamagedJournal, Store
from web.store.backups import SUFFIXES, NoBackup, back_up_first, copy_backup
from web.store.journal_rows import check_unsealed, folding

COPIED = ("bots", "journal", "seats")  # tables whose rows of this code are replaced


def restore_table(file: Path, code: str, path: Path) -> Path | None:
    """Replace everything of one table by what a backup has of it. The database is backed up first; returns
    that backup, if any. A seat that is taken in both keeps its present token."""
    fresh = path.with_name("restored.db")
    try:
        copy_backup(file, fresh)
        _check_table(fresh, file, code)
        before = back_up_first(path)
        Store(path).close()  # creates or migrates it
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("ATTACH DATABASE ? AS backup", (str(fresh),))
            _replace(db, code)
    except sqlite3.Error as error:
        raise NoBackup(f"Table {code} could not be restored: {error}.") from error
    finally:
        for suffix in SUFFIXES:
            fresh.with_name(fresh.name + suffix).unlink(missing_ok=True)
    return before


def _check_table(fresh: Path, file: Path, code: str) -> None:
    """Refuse a backup that does not have this table, or has it damaged too."""
    with closing(Store(fresh)) as store:
        row = store.table(code)
        if row is None:
            raise NoBackup(f"There is no table {code} in {file}.")
        try:
            check_unsealed(row, store.seats(code), run_to_end(folding(row, store.journal(code))))
        except DamagedJournal as error:
            raise NoBackup(
                f"Table {code} is damaged in {file} too, at row {error.n}: try another backup."
            ) from error
        except LookupError as error:
            raise NoBackup(f"Table {code} in {file} is of a game that this referee does not know.") from error


def _replace(db: sqlite3.Connection, code: str) -> None:
    """Replace all rows of the table by those of the backup, in one transaction."""
    db.execute("BEGIN IMMEDIATE")
    _keep_tokens(db, code)
    _unlink_rematch(db, code)
    db.execute("DELETE FROM answers WHERE scope IN (SELECT token FROM seats WHERE code = ?)", (code,))
    db.execute("UPDATE jobs SET state = 'void' WHERE code = ? AND state = 'waiting'", (code,))
    for table in COPIED:
        db.execute(f"DELETE FROM main.{table} WHERE code = ?", (code,))
        names = _columns(db, table)
        db.execute(
            f"INSERT INTO main.{table} ({names}) SELECT {names} FROM backup.{table} WHERE code = ?", (code,)
        )
    _replace_numbered(db, "tables", code)
    _replace_results(db, code)
    db.execute("COMMIT")


def _keep_tokens(db: sqlite3.Connection, code: str) -> None:
    """Tokens that phones and the host got since the backup still hold their seats, unless damaged."""
    db.execute(
        "UPDATE backup.seats AS old SET token = now.token, ticket = now.ticket, key_hash = now.key_hash,"
        " salt = now.salt FROM main.seats AS now"
        " WHERE old.code = ?1 AND now.code = ?1 AND now.seat = old.seat"
        f" AND old.token IS NOT NULL AND {_are_secrets('token', 'ticket', 'key_hash', 'salt')}"
        " AND NOT EXISTS (SELECT 1 FROM backup.bots AS bot WHERE bot.code = ?1 AND bot.seat = old.seat)",
        (code,),
    )
    db.execute(
        "UPDATE backup.tables AS old SET host = now.host, ticket = now.ticket,"
        f" next = iif({_are_secrets('next')}, now.next, old.next) FROM main.tables AS now"
        f" WHERE old.code = ?1 AND now.code = ?1 AND {_are_secrets('host', 'ticket')}",
        (code,),
    )


def _are_secrets(*columns: str) -> str:
    """SQL: whether these columns of `now` are what `check_unsealed` accepts."""
    return " AND ".join(
        f"(typeof(now.{name}) = 'text' AND length(now.{name}) BETWEEN 1 AND 64"
        f" AND now.{name} NOT GLOB '*[^0-9A-Za-z_-]*')"
        for name in columns
    )


def _unlink_rematch(db: sqlite3.Connection, code: str) -> None:
    """Forget the rematch of a game that is not over, or whose rematch is not here or leads back to it."""
    db.execute(
        "UPDATE backup.tables SET next = NULL WHERE code = ?1 AND (outcome IS NULL OR next = ?1"
        " OR next NOT IN (SELECT code FROM main.tables WHERE next IS NOT ?1))",
        (code,),
    )


def _replace_results(db: sqlite3.Connection, code: str) -> None:
    db.execute("DELETE FROM main.played WHERE id IN (SELECT id FROM main.games WHERE code = ?)", (code,))
    _replace_numbered(db, "games", code)
    # again: the number may be new, and a damaged database may have rows of it without a game
    db.execute("DELETE FROM main.played WHERE id IN (SELECT id FROM main.games WHERE code = ?)", (code,))
    names = _columns(db, "played", "id")
    db.execute(
        f"INSERT INTO main.played (id, {names})"
        f" SELECT (SELECT id FROM main.games WHERE code = ?1), {names} FROM backup.played"
        " WHERE id = (SELECT id FROM backup.games WHERE code = ?1)",
        (code,),
    )


def _replace_numbered(db: sqlite3.Connection, table: str, code: str) -> None:
    """Replace the one row of this code. Its number, by which lists are ordered, is the present one, else that
    of the backup if it is free, else a new one."""
    numbers = db.execute(
        f"SELECT (SELECT id FROM main.{table} WHERE code = ?1),"
        f" (SELECT id FROM backup.{table} WHERE code = ?1 AND id NOT IN (SELECT id FROM main.{table}))",
        (code,),
    ).fetchone()
    number = next((n for n in numbers if n is not None), None)
    names = _columns(db, table, "id")
    db.execute(f"DELETE FROM main.{table} WHERE code = ?", (code,))
    db.execute(
        f"INSERT INTO main.{table} (id, {names}) SELECT ?2, {names} FROM backup.{table} WHERE code = ?1",
        (code, number),
    )


def _columns(db: sqlite3.Connection, table: str, *without: str) -> str:
    names = (name for (name,) in db.execute("SELECT name FROM pragma_table_info(?)", (table,)))
    return ", ".join(name for name in names if name not in without)
