"""Reads the store's file while the server runs."""

import json
import sqlite3
from contextlib import closing
from typing import Any

from tests.support.web.server_process import Running
from web.store import statements

TABLES = ("tables", "seats", "journal", "answers", "jobs")


def rows(server: Running, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(server.data / "referee.db")) as db:
        return list(db.execute(sql, values))


def journal(server: Running, code: str) -> list[str]:
    return [line for (line,) in rows(server, "SELECT line FROM journal WHERE code = ? ORDER BY n", code)]


def mend_checksums(db: sqlite3.Connection, code: str) -> None:
    """Give the rows of a journal that a test has changed checksums that fit."""
    for n, at, line, head in list(
        db.execute("SELECT n, at, line, head FROM journal WHERE code = ?", (code,))
    ):
        db.execute(*statements.entry_rewritten(code, n, at, line, head))


def mend_opening(db: sqlite3.Connection, code: str) -> None:
    """The same for the row of a table."""
    text = "SELECT game, rules, options, seed, opened, before FROM tables WHERE code = ?"
    game, rules, options, seed, opened, before = db.execute(text, (code,)).fetchone()
    row = statements.TableRow(
        *(code, game, rules, json.loads(options), seed, "", None, opened, "", "", 0),
        before=before and json.loads(before),
    )
    db.execute("UPDATE tables SET checksum = ? WHERE code = ?", (statements.opening_checksum(row), code))


def sizes(server: Running) -> dict[str, int]:
    """How many rows there are of everything."""
    return {table: rows(server, f"SELECT count(*) FROM {table}")[0][0] for table in TABLES}
