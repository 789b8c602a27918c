"""Power cuts in mid-write: whatever part of a change reached the disk, all that was answered is there."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from tests.support.soak import LONG
from web.store import Store, statements
from web.store import engine as module

CODE = "KX7QF"
CHANGES = 12
CUTS = 4 * LONG  # for each change
PAGE = 4096
SECTOR = 512


@dataclass(frozen=True)
class Disk:
    """What a disk holds: the database, and the log of what is yet to be written into it."""

    db: bytes
    wal: bytes

    def put(self, folder: Path) -> Path:
        folder.mkdir()
        path = folder / "referee.db"
        path.write_bytes(self.db)
        path.with_name("referee.db-wal").write_bytes(self.wal)
        return path


def disk(path: Path) -> Disk:
    return Disk(path.read_bytes(), path.with_name("referee.db-wal").read_bytes())


def line(n: int) -> str:
    return f"line {n} {'x' * (n * 700 % 5000)}"  # some take several pages


def torn(before: bytes, after: bytes, cut: int, rest: int) -> bytes:
    """What a write leaves that got this far; beyond, what was there before, zeros, or anything."""
    beyond = after[cut:]
    others = (before[cut:], bytes(len(beyond)), Random(cut).randbytes(min(len(beyond), SECTOR)))
    return after[:cut] + others[rest % len(others)]


def mixed(before: bytes, after: bytes, dice: Random) -> bytes:
    """Some pages written, some not yet."""
    pages = range(0, len(after), PAGE)
    chosen = (dice.choice((before, after))[at : at + PAGE] or after[at : at + PAGE] for at in pages)
    return b"".join(chosen)


def cuts(before: Disk, after: Disk, dice: Random) -> Iterator[tuple[Disk, int]]:
    """Ways in which the power may fail between two answers, and how many lines must be new at least."""
    differ = next((i for i, (a, b) in enumerate(zip(before.wal, after.wal, strict=False)) if a != b), 0)
    since = differ or min(len(before.wal), len(after.wal))
    for i in range(CUTS):
        cut = dice.randrange(since, len(after.wal) + 1)
        yield Disk(before.db, torn(before.wal, after.wal, cut, i)), 0
        yield Disk(mixed(before.db, after.db, dice), after.wal), 1


@pytest.mark.parametrize("pages", [1000, 4])
def test_what_was_answered_is_there_wherever_the_power_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: int
) -> None:
    """With the log emptied rarely, as it is, and again and again."""
    connect = module._connect

    def emptied(path: Path) -> sqlite3.Connection:
        db = connect(path)
        db.execute(f"PRAGMA wal_autocheckpoint = {pages}")
        return db

    monkeypatch.setattr(module, "_connect", emptied)
    with closing(Store(tmp_path / "referee.db")) as store:
        before, dice = disk(tmp_path / "referee.db"), Random(pages)
        for n in range(1, CHANGES + 1):
            store.commit([statements.entry_written(CODE, n, "now", line(n), "head")])
            after = disk(tmp_path / "referee.db")
            for i, (left, more) in enumerate(cuts(before, after, dice)):
                comes_back(left.put(tmp_path / f"{n}-{i}"), n, n - 1 + more)
            before = after


def comes_back(path: Path, most: int, least: int) -> None:
    """A store starts on what is left: whole lines, none missing, and it takes the next."""
    with closing(Store(path)) as again:
        lines = [row.line for row in again.journal(CODE)]
        assert lines in [[line(n) for n in range(1, count + 1)] for count in (least, most)]
        again.commit([statements.entry_written(CODE, len(lines) + 1, "now", "next", "head")])
        assert [row.line for row in again.journal(CODE)] == [*lines, "next"]
