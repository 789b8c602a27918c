"""The database engine: one SQLite file, one read connection per thread, one writer thread with group commit.

A change is on disk before `commit` returns. The writer takes all changes that were queued during the last
commit and writes them in one transaction with one fsync. Changes from the event loop are collected during one
turn of the loop and queued together, so that the writer is woken only once for them.
"""

import asyncio
import logging
import queue
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

from web.store.schema import migrate
from web.store.statements import Change

log = logging.getLogger("referee")

DatabaseError = sqlite3.Error  # any error of the database
Done = Future[int] | asyncio.Future[int]
Waiting = tuple[list[Change], Done]


class NotSaved(Exception):
    """A change could not be written; none of it is in the database."""


class Engine:
    """Reads on a connection per thread, writes in the writer thread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._queue_lock = threading.Lock()
        self._closed = False
        self._waiting: queue.SimpleQueue[list[Waiting] | None] = queue.SimpleQueue()
        self._collected: list[Waiting] = []  # collected in the loop, not queued yet
        path.touch(mode=0o600)  # it contains seat keys; SQLite gives -wal and -shm the same mode
        self.read("SELECT 1")
        writer = _connect(path)
        migrate(writer)
        self._writer = threading.Thread(target=self._write_all, args=(writer,), name="writer")
        self._writer.start()

    def close(self) -> None:
        """Write what is queued, then stop the writer."""
        with self._queue_lock:
            self._closed = True
            self._waiting.put(None)
        self._writer.join()

    def commit(self, changes: Iterable[Change]) -> int:
        """Write these changes, all or none. Returns the id of the last row once they are on disk."""
        done: Future[int] = Future()
        self._queue([(list(changes), done)])
        return done.result()

    async def commit_async(self, changes: Iterable[Change]) -> int:
        """The same for the event loop: awaits instead of blocking."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[int] = loop.create_future()
        if not self._collected:
            loop.call_soon(self._flush)
        self._collected.append((list(changes), done))
        return await done

    def _flush(self) -> None:
        collected, self._collected = self._collected, []
        try:
            self._queue(collected)
        except NotSaved as error:
            _set_results([(done, error) for _, done in collected])

    def _queue(self, waiting: list[Waiting]) -> None:
        with self._queue_lock:
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
        """Write the batch in one transaction; if that fails, each change in its own."""
        try:
            ids = _transact(db, [changes for changes, _ in batch])
        except Exception as error:  # the writer thread must survive any error
            if len(batch) == 1:
                log.exception("a change was not saved")
                _resolve([(batch[0][1], NotSaved(str(error)))])
                return
            for alone in batch:
                self._write(db, [alone])
            return
        _resolve([(done, row) for (_, done), row in zip(batch, ids, strict=True)])

    def check_health(self) -> None:
        """Health check: returns only if both the writer and reads work. Writes nothing."""
        self.commit([("SELECT 1", ())])
        self.read("SELECT 1")

    def empty_wal(self) -> None:
        """Empty the write-ahead log, so that deleted data is in no file."""
        [(is_busy, *_)] = self.read("PRAGMA wal_checkpoint(TRUNCATE)")
        if is_busy:
            log.warning("deleted data is still in the write-ahead log; the next start empties it")

    def read(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        if not hasattr(self._local, "db"):
            self._local.db = _connect(self.path)
        return _rows(self._local.db, sql, values)


def _rows(db: sqlite3.Connection, sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The rows of a query. A flipped bit may make bytes that are no text: these are replaced, so that one
    damaged row is not in the way of all others."""
    try:
        return list(db.execute(sql, values))
    except sqlite3.OperationalError as error:
        if hasattr(error, "sqlite_errorcode"):  # an error of SQLite itself, not of the decoding
            raise
    db.text_factory = lambda text: text.decode(errors="replace")
    try:
        return list(db.execute(sql, values))
    finally:
        db.text_factory = str


def _resolve(outcomes: Sequence[tuple[Done, int | NotSaved]]) -> None:
    """Resolve the futures of a batch; those of the event loop in one call, so that it is woken once."""
    _set_results([(done, result) for done, result in outcomes if isinstance(done, Future)])
    soon = [(done, result) for done, result in outcomes if isinstance(done, asyncio.Future)]
    with suppress(RuntimeError):  # the loop is closed
        if soon:
            soon[0][0].get_loop().call_soon_threadsafe(_set_results, soon)


def _set_results(outcomes: Sequence[tuple[Done, int | NotSaved]]) -> None:
    for done, result in outcomes:
        if done.done():  # cancelled
            continue
        if isinstance(result, NotSaved):
            done.set_exception(result)
        else:
            done.set_result(result)


def _connect(path: Path) -> sqlite3.Connection:
    """A connection whose committed transactions survive a power cut."""
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA busy_timeout = 5000")
    db.execute("PRAGMA cache_size = -256")  # kB per thread: the file is in the system's page cache
    db.execute("PRAGMA secure_delete = ON")  # overwrite deleted data, such as names, in the file
    return db


def _transact(db: sqlite3.Connection, groups: list[list[Change]]) -> list[int]:
    """Run all groups in one transaction. Returns the id of the last row of each group."""
    try:
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
