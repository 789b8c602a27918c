"""Reads the store's file while the server runs."""

import sqlite3
from contextlib import closing
from typing import Any

from tests.support.web.server_process import Running

TABLES = ("tables", "seats", "journal", "answers", "jobs")


def rows(server: Running, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(server.data / "referee.db")) as db:
        return list(db.execute(sql, values))


def journal(server: Running, code: str) -> list[str]:
    return [line for (line,) in rows(server, "SELECT line FROM journal WHERE code = ? ORDER BY n", code)]


def sizes(server: Running) -> dict[str, int]:
    """How many rows there are of everything."""
    return {table: rows(server, f"SELECT count(*) FROM {table}")[0][0] for table in TABLES}
