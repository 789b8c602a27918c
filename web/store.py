"""The store: one SQLite file, all SQL of the referee, and the group commit.

A change is on disk before `commit` returns. Changes that wait together share one fsync: a single writer
takes all that have queued up while the last commit was on its way. Those of the loop come to it together,
once the loop has heard everyone who was waiting: it is woken as seldom as it can be.
"""

import asyncio
import json
import logging
import queue
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from itertools import chain
from pathlib import Path
from typing import Any

from web import memory
from web.changes import ENTRY, ONE_MORE, Change, Job, SeatRow, TableRow

log = logging.getLogger("referee")

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
    scope TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (scope, key)
) WITHOUT ROWID;
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

VERSION = 4  # of the schema
IN_ORDER = """
CREATE TABLE in_order (
    code TEXT NOT NULL, n INTEGER NOT NULL, at TEXT NOT NULL, line TEXT NOT NULL,
    PRIMARY KEY (code, n)
);
INSERT INTO in_order (code, n, at, line) SELECT code, n, at, line FROM journal;
DROP TABLE journal;
ALTER TABLE in_order RENAME TO journal;
"""  # before the fourth form the lines of a table lay together: a move at many tables wrote as many pages
SEATS = """SELECT seats.seat, key, key_hash, seats.token, salt, asker, bots.token IS NOT NULL
FROM seats LEFT JOIN bots USING (code, seat, token) WHERE code = ?"""
HIGHEST = 2**63 - 1  # SQLite counts no further

Done = Future[int] | asyncio.Future[int]
Waiting = tuple[list[Change], Done]


class NotSaved(Exception):
    """The disk refused: nothing of this change was kept."""


class Store:
    """Reads on a connection a thread, writes through the one writer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._here = threading.local()
        self._door = threading.Lock()
        self._closed = False
        self._waiting: queue.SimpleQueue[list[Waiting] | None] = queue.SimpleQueue()
        self._gathered: list[Waiting] = []  # in the loop, on their way to the writer
        path.touch(mode=0o600)  # it holds the seats' keys; the files beside it take after it
        self.read("SELECT 1")
        writer = _connect(path)
        _bring_up_to_date(writer)
        self._writer = threading.Thread(target=self._write_all, args=(writer,), name="writer")
        self._writer.start()

    def close(self) -> None:
        """Write what still waits, then stop."""
        with self._door:
            self._closed = True
            self._waiting.put(None)
        self._writer.join()

    # ---- writing

    def commit(self, changes: Iterable[Change]) -> int:
        """Keep these changes, all or none; returns once they are on disk, with the last row's id."""
        done: Future[int] = Future()
        self._queue([(list(changes), done)])
        return done.result()

    async def commit_soon(self, changes: Iterable[Change]) -> int:
        """The same, without holding up the loop that it is called in."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[int] = loop.create_future()
        if not self._gathered:
            loop.call_soon(self._hand_over)
        self._gathered.append((list(changes), done))
        return await done

    def _hand_over(self) -> None:
        gathered, self._gathered = self._gathered, []
        try:
            self._queue(gathered)
        except NotSaved as error:
            _tell([(done, error) for _, done in gathered])

    def _queue(self, waiting: list[Waiting]) -> None:
        with self._door:
            if self._closed:
                raise NotSaved("the store is closed")
            self._waiting.put(waiting)

    def _write_all(self, db: sqlite3.Connection) -> None:
        while batch := self._waiting.get():
            last = False
            while not self._waiting.empty() and not last:
                more = self._waiting.get()
                last = more is None
                batch += more or []
            self._write(db, batch)
            if last:
                break
        db.close()

    def _write(self, db: sqlite3.Connection, batch: list[Waiting]) -> None:
        """One transaction for the whole batch; one for each only where together they fail."""
        try:
            ids = _transact(db, [changes for changes, _ in batch])
        except Exception as error:  # whatever it is, the writer lives on
            if len(batch) == 1:
                log.exception("a change was not kept")
                _settle([(batch[0][1], NotSaved(str(error)))])
                return
            for alone in batch:
                self._write(db, [alone])
            return
        _settle([(done, row) for (_, done), row in zip(batch, ids, strict=True)])

    def pulse(self) -> None:
        """Go the way of a change and of a reader, and keep nothing: returns only where both can work."""
        self.commit([("SELECT 1", ())])
        self.read("SELECT 1")

    # ---- tables, seats, journal

    def table(self, code: str) -> TableRow | None:
        rows = self.read(
            "SELECT code, game, rules, options, seed, host, desk, opened, finished, outcome, next,"
            " EXISTS (SELECT 1 FROM bots WHERE bots.code = tables.code) FROM tables WHERE code = ?",
            code,
        )
        return _table(*rows[0]) if rows else None

    def count_tables(self) -> int:
        return int(self.read("SELECT count(*) FROM tables")[0][0])

    def seats(self, code: str) -> list[SeatRow]:
        return [SeatRow(*row) for row in self.read(SEATS, code)]

    def journal(self, code: str) -> list[str]:
        return [line for (line,) in self.read("SELECT line FROM journal WHERE code = ? ORDER BY n", code)]

    def table_at(self, desk: str) -> str | None:
        """The code of the newest table opened at a desk."""
        rows = self.read("SELECT code FROM tables WHERE desk = ? ORDER BY id DESC LIMIT 1", desk)
        return str(rows[0][0]) if rows else None

    def before(self, code: str) -> str | None:
        """The code of the table that this one is the rematch of."""
        rows = self.read("SELECT code FROM tables WHERE next = ?", code)
        return str(rows[0][0]) if rows else None

    def resting(self, before: str, most: int) -> list[tuple[int, str, str]]:
        """Unfinished tables that nothing has happened at since then: number, code, when it last did.

        Whoever wanted to keep one did something too.
        """
        return [
            (int(number), str(code), str(at))
            for number, code, at in self.read(
                "SELECT id, code, max(opened,"
                " coalesce((SELECT at FROM journal WHERE code = t.code ORDER BY n DESC LIMIT 1), ''),"
                " coalesce((SELECT at FROM spared WHERE code = t.code), '')) AS last"
                " FROM tables t WHERE outcome IS NULL AND opened < ?1 AND last < ?1 ORDER BY id LIMIT ?2",
                before,
                most,
            )
        ]

    # ---- answers given before, print jobs

    def answer(self, scope: str, key: str) -> tuple[str, str] | None:
        """The hash of the body and the answer that this Idempotency-Key was used for."""
        rows = self.read("SELECT body, answer FROM answers WHERE scope = ? AND key = ?", scope, key)
        return (rows[0][0], rows[0][1]) if rows else None

    def count_answers(self, scope: str, answer: dict[str, Any]) -> int:
        """How many keys of this token got just this answer."""
        given = "SELECT count(*) FROM answers WHERE scope = ? AND json(answer) = json(?)"
        return int(self.read(given, scope, json.dumps(answer))[0][0])

    def jobs(self, desk: str, last: int = 20) -> list[Job]:
        """The latest jobs of a desk, oldest first."""
        rows = self.read(
            "SELECT job, desk, code, what, state, reason FROM jobs WHERE desk = ? ORDER BY job DESC LIMIT ?",
            desk,
            last,
        )
        return [Job(*row) for row in reversed(rows)]

    def waiting_jobs(self, desk: str) -> list[Job]:
        rows = self.read(
            "SELECT job, desk, code, what, state, reason FROM jobs"
            " WHERE desk = ? AND state = 'waiting' ORDER BY job",
            desk,
        )
        return [Job(*row) for row in rows]

    def job(self, desk: str, job: int) -> Job | None:
        if job > HIGHEST:
            return None
        rows = self.read(
            "SELECT job, desk, code, what, state, reason FROM jobs WHERE desk = ? AND job = ?", desk, job
        )
        return Job(*rows[0]) if rows else None

    def sound(self, desk: str) -> str | None:
        """How loud somebody last wanted this desk."""
        rows = self.read("SELECT sound FROM desks WHERE desk = ?", desk)
        return str(rows[0][0]) if rows else None

    # ---- values of options that were kept

    def shelf(self, game: str, option: str) -> dict[str, Any]:
        """The values kept for an option, by name."""
        rows = self.read(
            "SELECT name, value FROM shelf WHERE game = ? AND option = ? ORDER BY name", game, option
        )
        return {name: json.loads(value) for name, value in rows}

    def joins(self) -> list[str]:
        """Every line in which somebody sat down, each once, in however many journals it stands."""
        return [line for (line,) in self.read(f"SELECT DISTINCT line FROM journal WHERE {memory.JOINS}")]

    def joined(self, line: str, is_over: bool) -> list[tuple[str, int]]:
        """Where this line stands in the journals of games that are over, or of others: code and number."""
        rows = self.read(
            f"SELECT code, n FROM journal WHERE {memory.JOINS} AND line = ?"
            " AND ((SELECT finished FROM tables WHERE tables.code = journal.code) IS NOT NULL) = ?",
            line,
            is_over,
        )
        return [(str(code), int(n)) for code, n in rows]

    def scrub(self) -> None:
        """Leave nothing of what was overwritten in the file beside the store."""
        [(is_busy, *_)] = self.read("PRAGMA wal_checkpoint(TRUNCATE)")
        if is_busy:
            log.warning("what was deleted still stands in the write-ahead log: the next start empties it")

    def read(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        if not hasattr(self._here, "db"):
            self._here.db = _connect(self.path)
        return list(self._here.db.execute(sql, values))


def _settle(outcomes: Sequence[tuple[Done, int | NotSaved]]) -> None:
    """Tell all who wait how it went; those who wait in a loop together, so that it is woken once."""
    _tell([(done, how) for done, how in outcomes if isinstance(done, Future)])
    soon = [(done, how) for done, how in outcomes if isinstance(done, asyncio.Future)]
    if soon and not (loop := soon[0][0].get_loop()).is_closed():
        loop.call_soon_threadsafe(_tell, soon)


def _tell(outcomes: Sequence[tuple[Done, int | NotSaved]]) -> None:
    for done, how in outcomes:
        if done.done():  # whoever waited was told to stop
            continue
        if isinstance(how, NotSaved):
            done.set_exception(how)
        else:
            done.set_result(how)


def _connect(path: Path) -> sqlite3.Connection:
    """A connection that keeps every committed transaction through a power cut."""
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA busy_timeout = 5000")
    db.execute("PRAGMA secure_delete = ON")  # a name that is deleted is gone from the file
    return db


def _bring_up_to_date(db: sqlite3.Connection) -> None:
    """Give a store the form of today; what is missing in an older one is made from what it holds."""
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if 0 < version < 4:
        db.executescript(f"BEGIN IMMEDIATE; {IN_ORDER} COMMIT;")
    db.executescript(SCHEMA + memory.SCHEMA)
    if version < VERSION:
        db.execute("BEGIN IMMEDIATE")
        memory.remember_past(db)
        db.execute("COMMIT")
    db.execute(f"PRAGMA user_version = {VERSION}")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # nothing that was deleted stays in it


def _transact(db: sqlite3.Connection, groups: list[list[Change]]) -> list[int]:
    """Run all groups in one transaction; the id of the last row each of them wrote."""
    try:
        if entries := _only_entries(groups):
            db.execute(*entries)  # a statement alone is a transaction by itself
            return [0] * len(groups)
        db.execute("BEGIN IMMEDIATE")
        ids = []
        for changes in groups:
            row = None
            for sql, values in changes:
                row = db.execute(sql, values).lastrowid
            ids.append(row or 0)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    return ids


def _only_entries(groups: list[list[Change]]) -> Change | None:
    """Groups that are nothing but entries of journals, as most are, in one statement: the writer then need
    not take turns with the loop at each of them."""
    entries = [change[1] for changes in groups for change in changes if change[0] == ENTRY]
    if not entries or len(entries) != sum(map(len, groups)):
        return None
    return ENTRY + ONE_MORE * (len(entries) - 1), tuple(chain.from_iterable(entries))


def _table(*row: Any) -> TableRow:
    code, game, rules, options, seed, host, desk, opened, finished, outcome, next_, demo = row
    chosen, told = json.loads(options), outcome and json.loads(outcome)
    return TableRow(code, game, rules, chosen, seed, host, desk, opened, finished, told, next_, bool(demo))
