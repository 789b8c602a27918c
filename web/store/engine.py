"""The engine: one SQLite file, read on a connection a thread, written by one writer with a group commit.

A change is on disk before `commit` returns. Changes that wait together share one fsync: a single writer
takes all that have queued up while the last commit was on its way. Those of the loop come to it together,
once the loop has heard everyone who was waiting: it is woken as seldom as it can be.
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

from web.store.changes import Change
from web.store.schema import bring_up_to_date

log = logging.getLogger("referee")

Failed = sqlite3.Error  # whatever the engine itself complains of
Done = Future[int] | asyncio.Future[int]
Waiting = tuple[list[Change], Done]


class NotSaved(Exception):
    """The disk refused: nothing of this change was kept."""


class Engine:
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
        bring_up_to_date(writer)
        self._writer = threading.Thread(target=self._write_all, args=(writer,), name="writer")
        self._writer.start()

    def close(self) -> None:
        """Write what still waits, then stop."""
        with self._door:
            self._closed = True
            self._waiting.put(None)
        self._writer.join()

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
    with suppress(RuntimeError):  # the loop has closed: nobody waits there any more
        if soon:
            soon[0][0].get_loop().call_soon_threadsafe(_tell, soon)


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
    db.execute("PRAGMA cache_size = -256")  # kB for each thread: the system has the file at hand
    db.execute("PRAGMA secure_delete = ON")  # a name that is deleted is gone from the file
    return db


def _transact(db: sqlite3.Connection, groups: list[list[Change]]) -> list[int]:
    """Run all groups in one transaction; the id of the last row each of them wrote."""
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
