"""Backups: whole copies of the games, made while they are played; and what happens to a damaged file."""

import logging
import os
import re
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

from web.damage import command, offered, settle, tell
from web.store import Store
from web.store.schema import VERSION, has_all_columns

log = logging.getLogger("referee")

KEPT = 7  # of those that are made by themselves
HOUR = 3600
DAY = 24 * HOUR
NAME = re.compile(r"(\d{4,})\.db")
NONE = "there is no backup"
NEWEST_FILE = 2  # the form of file that SQLite has written since 2010
FORMS = 100  # more than there will ever be
OURS = {"tables", "seats", "journal"}  # what every form of our database has
MALFORMED = "malformed database schema"
BESIDE = ("", "-wal", "-shm")  # the files that are one database


class NoBackup(OSError):
    """A file that cannot be used as a backup, told in a sentence."""


def open_store(path: Path) -> Store:
    """The store of this folder, or a sentence that says why there is none."""
    try:
        return _opened(path)
    except sqlite3.Error as error:
        raise OSError(f"The games in {path} cannot be opened: {error}.") from error


def _opened(path: Path) -> Store:
    """One that is damaged is set aside first; one of an older form is copied."""
    damage = _damage(path) or _emptied(path)
    if damage:
        set_aside(path, damage)
    version = _form(path)  # not looked through once more: that takes as long as there are games
    if version > VERSION:
        raise OSError(f"The games in {path} were written by a later referee: update this one.")
    if 0 < version < VERSION:
        copy(path, _next(_folder(path)))
    return Store(path)


def copy(path: Path, to: Path) -> None:
    """A consistent copy, whoever is writing meanwhile: there wholly, or not at all."""
    if to.exists() and not to.is_file():
        raise NoBackup(f"{to} is no file: name one on the disk or stick, where that is mounted.")
    to.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    half = to.with_name(f".{to.name}.half")
    half.unlink(missing_ok=True)
    try:
        half.touch(mode=0o600)  # it holds the seats' keys
        with closing(_reader(path)) as source, closing(sqlite3.connect(half)) as target:
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")
        _to_disk(half)
        half.replace(to)
        _to_disk(to.parent)
    except sqlite3.Error as error:
        raise NoBackup(f"{to} could not be written: {error}.") from error
    finally:
        half.unlink(missing_ok=True)


def restore(file: Path, path: Path) -> Path | None:
    """Put a backup in the place of the games, which are copied first; that copy, if there were any."""
    damage = _damage(file) if file.is_file() else "there is no such file"
    version = 0 if damage else _version(file)
    if not version:
        raise NoBackup(f"{file} is no backup of a referee: {damage or 'no games are in it'}.")
    if version > VERSION:
        raise NoBackup(f"{file} was written by a later referee: update this one.")
    before = None
    if _version(path):
        before = _next(_folder(path))
        copy(path, before)
    fresh = path.with_name("restored.db")
    copy(file, fresh)
    for beside in BESIDE[1:]:
        path.with_name(path.name + beside).unlink(missing_ok=True)
    fresh.replace(path)
    _to_disk(path.parent)
    settle(path)
    return before


def newest(path: Path) -> Path | None:
    """The newest backup of these games that is not damaged itself."""
    return next((file for file in reversed(_made(_folder(path))) if not _damage(file)), None)


def set_aside(path: Path, damage: str) -> None:
    """Keep a damaged file for whoever can mend it, and say how to go on; the referee starts without it."""
    number = 1
    while (folder := path.with_name(f"damaged-{number}")).joinpath(path.name).exists():
        number += 1
    folder.mkdir(mode=0o700, exist_ok=True)
    backup = newest(path)
    tell(folder, backup)  # first: cut off here, the next start finds the file where it was
    _to_disk(folder)
    for beside in BESIDE:
        if (file := path.with_name(path.name + beside)).exists():
            file.rename(folder / file.name)
    way_out = f"to go on from the newest backup, stop it and run: {command(backup, path)}" if backup else NONE
    log.error(
        "The games in %s are damaged (%s) and are now in %s. The referee starts without them; %s",
        path,
        damage,
        folder,
        way_out,
    )


def keep_in(path: Path, folder: Path) -> Path:
    """One more copy in a folder, of which the latest are kept: only what was made here is ever removed."""
    to = _next(folder)
    copy(path, to)
    wanted = offered(path)
    for old in _made(folder)[:-KEPT]:
        if old.absolute() not in wanted:
            old.unlink()
    return to


def keep_daily(path: Path, folder: Path) -> None:
    """A copy a day and no more: a referee that starts over and over must not push out those of last week."""
    made = _made(folder)
    if not made or not 0 <= time.time() - made[-1].stat().st_mtime < DAY:
        keep_in(path, folder)


def keep_every_day(path: Path, ended: threading.Event, every: float = HOUR) -> None:
    """A copy a day, from now on and for as long as the referee runs: one that is never switched off has its
    backups too."""
    _keep_today(path)
    while not ended.wait(every):
        _keep_today(path)


def _keep_today(path: Path) -> None:
    """Not before anything was played: a copy of nothing would stand for the whole day."""
    try:
        if _is_played(path):
            keep_daily(path, _folder(path))
    except (OSError, sqlite3.Error) as error:
        log.warning("There is no backup of today: %s", error)


def _is_played(path: Path) -> bool:
    with closing(_reader(path)) as db:
        return bool(db.execute("SELECT EXISTS (SELECT 1 FROM journal)").fetchone()[0])


def _folder(path: Path) -> Path:
    return path.with_name("backups")


def _made(folder: Path) -> list[Path]:
    """The backups there are, oldest first: by number, for a Pi's clock cannot be trusted."""
    found = [file for file in folder.glob("*.db") if NAME.fullmatch(file.name)]
    return sorted(found, key=lambda file: int(file.stem))


def _next(folder: Path) -> Path:
    made = _made(folder)
    return folder / f"{int(made[-1].stem) + 1 if made else 1:04}.db"


def _damage(path: Path) -> str:
    """What is wrong with a database, in SQLite's words; nothing where there is none yet."""
    if not path.exists() or not path.stat().st_size:
        return ""
    try:
        with closing(sqlite3.connect(path)) as db:
            found = str(db.execute("PRAGMA quick_check(1)").fetchone()[0])
            if found == "ok" and not has_all_columns(db):
                return MALFORMED
    except UnicodeDecodeError:  # SQLite quotes what it found there
        return MALFORMED
    except sqlite3.DatabaseError as error:
        is_its_fault = not isinstance(error, sqlite3.OperationalError)
        if not is_its_fault and error.sqlite_errorcode != sqlite3.SQLITE_ERROR:  # no access, no room
            raise OSError(f"The games in {path} cannot be opened: {error}.") from error
        return str(error)
    return _header_damage(path) if found == "ok" else found


def _header_damage(path: Path) -> str:
    """SQLite believes what it reads there: that nobody may write it, or that it is many forms ahead."""
    with path.open("rb") as file:
        header = file.read(100)
    is_sound = max(header[18:20]) <= NEWEST_FILE and int.from_bytes(header[60:64], "big") < FORMS
    return "" if is_sound else "malformed header"


def _emptied(path: Path) -> str:
    """A file with nothing in it is that of a first start, unless there were games before."""
    is_empty = path.exists() and not path.stat().st_size
    return "it is empty" if is_empty and _made(_folder(path)) else ""


def _version(path: Path) -> int:
    """The form of a database of ours; 0 where there is none."""
    if _damage(path) or not path.exists():
        return 0
    with closing(sqlite3.connect(path)) as db:
        found = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return _form(path) if found >= OURS else 0


def _form(path: Path) -> int:
    """The same of one that is not damaged."""
    if not path.exists() or not path.stat().st_size:
        return 0
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


def _reader(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)


def _to_disk(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
