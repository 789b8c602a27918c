"""The store, an SQLite database, and all SQL of the server. Others query `Store` and commit changes to it."""

import json
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from web.store import results
from web.store.engine import Engine, NotSaved
from web.store.journal_rows import DamagedJournal, JournalRow, checked_rows
from web.store.statements import JobRow, SeatRow, TableNotes, TableRow

__all__ = ["HIGHEST", "DamagedJournal", "NotSaved", "Store"]

SEATS = """SELECT seats.seat, key, key_hash, seats.token, salt, ticket, asker, bots.token IS NOT NULL
FROM seats LEFT JOIN bots USING (code, seat, token) WHERE code = ?"""
JOURNAL = """SELECT n, CAST(at AS BLOB), CAST(line AS BLOB), CAST(head AS BLOB), CAST(checksum AS BLOB)
FROM journal WHERE code = ? ORDER BY n"""
JOBS = (  # a damaged row is left out
    "SELECT job, desk, code, what, state, reason, asker FROM jobs WHERE desk = ?"
    " AND what IN ('sheet', 'join') AND state IN ('waiting', 'printed', 'given_up', 'void')"
)
HIGHEST = 2**63 - 1  # the largest integer of SQLite


class Store(Engine):
    """Queries for tables, seats, journals, print jobs, stored answers and presets."""

    def table(self, code: str) -> TableRow | None:
        """The row of a table. Raises DamagedJournal if it cannot be read."""
        rows = self.read(
            "SELECT code, game, rules, options, seed, host, desk, opened, ticket, root, rematches,"
            " before, finished, outcome, next, checksum, key, key_hash,"
            " EXISTS (SELECT 1 FROM bots WHERE bots.code = tables.code) FROM tables WHERE code = ?",
            code,
        )
        try:
            return _table(*rows[0]) if rows else None
        except (ValueError, TypeError, RecursionError) as error:  # JSON that is none
            raise DamagedJournal(code, 1) from error

    def ending(self, code: str) -> tuple[bool, str] | None:
        """Whether the game of a table is over, and the code of its rematch; also of a damaged table."""
        rows = self.read("SELECT finished IS NOT NULL, coalesce(next, '') FROM tables WHERE code = ?", code)
        return (bool(rows[0][0]), str(rows[0][1])) if rows else None

    def count_tables(self) -> int:
        return int(self.read("SELECT count(*) FROM tables")[0][0])

    def seats(self, code: str) -> list[SeatRow]:
        return [SeatRow(*row) for row in self.read(SEATS, code)]

    def journal(self, code: str) -> list[JournalRow]:
        """The entries of a table, oldest first. Raises DamagedJournal if a row is not what was written."""
        return checked_rows(code, self.read(JOURNAL, code))

    def latest_at(self, code: str) -> str | None:
        """When the latest entry of a table was written."""
        rows = self.read("SELECT at FROM journal WHERE code = ? ORDER BY n DESC LIMIT 1", code)
        return str(rows[0][0]) if rows else None

    def has_head(self, code: str, first: int, last: int, head: str) -> bool:
        """Whether the chain had this head after one of these entries."""
        sql = "SELECT EXISTS (SELECT 1 FROM journal WHERE code = ? AND n BETWEEN ? AND ? AND head = ?)"
        return bool(self.read(sql, code, first, last, head)[0][0])

    def table_at(self, desk: str) -> str | None:
        """The code of the newest table opened at a desk."""
        rows = self.read("SELECT code FROM tables WHERE desk = ? ORDER BY id DESC LIMIT 1", desk)
        return str(rows[0][0]) if rows else None

    def previous_table(self, code: str) -> str | None:
        """The code of the table that this one is the rematch of."""
        rows = self.read(
            "SELECT old.code FROM tables old JOIN tables new ON new.code = old.next"
            " WHERE old.next = ? AND old.id < new.id",
            code,
        )
        return str(rows[0][0]) if rows else None

    def tables_held_by(self, tokens: Collection[str]) -> list[str]:
        """The codes of all tables at which one of the tokens with these hashes holds a seat or is the host's,
        oldest first: rematches have the tokens of the table before."""
        marks = ",".join("?" * len(tokens))
        rows = self.read(
            f"SELECT code FROM tables WHERE host IN ({marks})"
            f" OR code IN (SELECT code FROM seats WHERE token IN ({marks})) ORDER BY id",
            *tokens,
            *tokens,
        )
        return [str(code) for (code,) in rows]

    def idle_tables(self, before: str, most: int) -> list[tuple[int, str, str]]:
        """Unfinished tables without activity since `before`: number, code, time of the last activity.

        A choice to keep the table is also activity.
        """
        return [
            (int(number), str(code), str(at))
            for number, code, at in self.read(
                "SELECT id, code, max(opened,"
                " coalesce((SELECT at FROM journal WHERE code = t.code ORDER BY n DESC LIMIT 1), ''),"
                " coalesce((SELECT at FROM kept_tables WHERE code = t.code), '')) AS last"
                " FROM tables t WHERE outcome IS NULL AND opened < ?1 AND last < ?1 ORDER BY id LIMIT ?2",
                before,
                most,
            )
        ]

    def notes(self, code: str) -> TableNotes:
        """The host's notes about a table. Damaged ones are left out."""
        sql = "SELECT name, clock FROM table_notes WHERE code = ? AND typeof(name) = 'text'"
        rows = self.read(sql, code)
        return TableNotes(str(rows[0][0]), bool(rows[0][1])) if rows else TableNotes()

    # ---- answers of earlier calls, print jobs

    def answer(self, scope: str, key: str) -> tuple[str, str] | None:
        """The hash of the body and the answer stored for this Idempotency-Key."""
        rows = self.read("SELECT body, answer FROM answers WHERE scope = ? AND key = ?", scope, key)
        return (rows[0][0], rows[0][1]) if rows else None

    def jobs(self, desk: str, last: int = 20) -> list[JobRow]:
        """The latest jobs of a desk, oldest first."""
        rows = self.read(f"{JOBS} ORDER BY job DESC LIMIT ?", desk, last)
        return [JobRow(*row) for row in reversed(rows)]

    def waiting_jobs(self, desk: str) -> list[JobRow]:
        return [JobRow(*row) for row in self.read(f"{JOBS} AND state = 'waiting' ORDER BY job", desk)]

    def unprinted_sheets(self, code: str) -> list[JobRow]:
        """The sheets of a table that a desk may still hold: waiting or withdrawn ones."""
        sql = "SELECT job, desk, code, what, state, reason FROM jobs WHERE code = ? AND what = 'sheet'"
        return [
            JobRow(*row) for row in self.read(f"{sql} AND state IN ('waiting', 'void') ORDER BY job", code)
        ]

    def job(self, desk: str, job: int) -> JobRow | None:
        if job > HIGHEST:
            return None
        rows = self.read(f"{JOBS} AND job = ?", desk, job)
        return JobRow(*rows[0]) if rows else None

    def sound(self, desk: str) -> str | None:
        """The volume last chosen for this desk."""
        rows = self.read("SELECT sound FROM desks WHERE desk = ?", desk)
        return str(rows[0][0]) if rows else None

    # ---- presets, people

    def presets(self, game: str, option: str) -> dict[str, Any]:
        """The presets of an option, by name. A damaged one is left out."""
        rows = self.read(
            "SELECT name, value FROM presets WHERE game = ? AND option = ?"
            " AND typeof(name) = 'text' AND json_valid(value) ORDER BY name",
            game,
            option,
        )
        return {name: json.loads(value) for name, value in rows}

    def join_lines(self) -> list[str]:
        """Every distinct journal line in which somebody took a seat."""
        return [line for (line,) in self.read(f"SELECT DISTINCT line FROM journal WHERE {results.JOINS}")]

    def where_joined(self, line: str, is_over: bool) -> list[tuple[str, int, str, str]]:
        """Where this line occurs in journals of finished games, or of unfinished ones: code, number, time and
        head."""
        rows = self.read(
            f"SELECT code, n, at, head FROM journal WHERE {results.JOINS} AND line = ?"
            " AND ((SELECT finished FROM tables WHERE tables.code = journal.code) IS NOT NULL) = ?",
            line,
            is_over,
        )
        return [(str(code), int(n), str(at), str(head)) for code, n, at, head in rows]


def _table(*row: Any) -> TableRow:
    *opened_with, before, finished, outcome, next_, checksum, key, key_hash, demo = row
    code, game, rules, options, *opening = opened_with
    told = outcome and json.loads(outcome)
    opened = TableRow(code, game, rules, json.loads(options), *opening)
    return replace(
        opened,
        before=before and json.loads(before),
        finished=finished,
        outcome=told,
        next=next_,
        is_demo=bool(demo),
        checksum=checksum,
        key=key,
        key_hash=key_hash,
    )
