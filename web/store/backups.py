"""Makes and restores backups of the database while it is in use, makes copies without secrets for USB sticks,
and quarantines a damaged database."""

import logging
import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from web.store import Store
from web.store.damage import command, dismiss_reports, offered_backups, write_report
from web.store.row_copies import copy_rows, copy_shown_rows, foreign_object, has_programs, upgraded
from web.store.schema import VERSION, can_migrate, has_all_columns

log = logging.getLogger("referee")

KEPT = 7  # automatic backups; older ones are deleted
HOUR = 3600
DAY = 24 * HOUR
NAME = re.compile(r"(\d{4,})\.db")
NONE = "there is no backup"
SQLITE_FORMAT = 2  # file format version that SQLite has written since 2010 (WAL)
VERSION_LIMIT = 100  # above any schema version that will exist
OURS = {"tables", "seats", "journal"}  # tables in every version of our schema
MALFORMED = "malformed database schema"
SUFFIXES = ("", "-wal", "-shm")  # suffixes of the files of one database
JOURNAL = (
    "-journal"  # suffix of a rollback journal, which no database of ours has for longer than a transaction
)

Copy = Callable[[Path, Path], None]  # copies a database to a file


class NoBackup(OSError):
    """A file cannot be written or used as a backup; the message is a sentence for people."""


def open_store(path: Path) -> Store:
    """Open the store. Raises OSError with a sentence that says why it cannot be opened."""
    try:
        return _open(path)
    except sqlite3.Error as error:
        raise OSError(f"The games in {path} cannot be opened: {error}.") from error


def _open(path: Path) -> Store:
    """Move a damaged database away first; back up a database of an older schema version."""
    damage = _damage(path) or _empty_damage(path)
    if damage:
        quarantine(path, damage)
    version = _schema_version(path)  # without a second integrity check, whose time grows with the database
    if version > VERSION:
        raise OSError(f"The games in {path} were written by a later referee: update this one.")
    if not can_migrate(version):
        raise OSError(f"The games in {path} are of an earlier version that this referee cannot read.")
    if 0 < version < VERSION:
        copy(path, _next_file(_folder(path)))
    return Store(path)


def copy(path: Path, to: Path) -> None:
    """Make a consistent copy, even during writes. The file appears complete or not at all."""
    _write(path, to, _copy_pages)


def copy_without_secrets(path: Path, to: Path) -> None:
    """The same for a copy that leaves the house: without tables of which something is still hidden."""
    _write(path, to, copy_shown_rows)


def _write(path: Path, to: Path, fill: Copy) -> None:
    if to.exists() and not to.is_file():
        raise NoBackup(f"{to} is no file: name one on the disk or stick, where that is mounted.")
    if to.exists() and path.exists() and to.samefile(path):
        raise NoBackup(f"{to} has the games themselves: name another file.")
    to.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    partial = to.with_name(f".{to.name}.partial")
    _remove_companions(partial)
    partial.unlink(missing_ok=True)
    try:
        partial.touch(mode=0o600, exist_ok=False)  # it contains seat keys; a link is never followed
        fill(path, partial)
        _fsync(partial)
        _remove_companions(to)
        partial.replace(to)
        _fsync(to.parent)
    except sqlite3.Error as error:
        raise NoBackup(f"{to} could not be written: {error}.") from error
    finally:
        partial.unlink(missing_ok=True)


def _remove_companions(path: Path) -> None:
    """Delete the files that SQLite would use with a new database of this name. They belong to an old one, or
    somebody has prepared them: a rollback journal can name any file, which SQLite then deletes."""
    for suffix in (*SUFFIXES[1:], JOURNAL):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _copy_pages(path: Path, to: Path) -> None:
    with closing(_connect(path)) as source, closing(sqlite3.connect(to)) as target:
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")


def restore(file: Path, path: Path) -> Path | None:
    """Replace the database by the rows of a backup. The database is backed up first; returns that backup, if
    any."""
    fresh = path.with_name("restored.db")
    try:
        copy_backup(file, fresh)
        before = back_up_first(path)
        for suffix in SUFFIXES[1:]:
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    _fsync(path.parent)
    dismiss_reports(path)
    return before


def copy_backup(file: Path, to: Path) -> None:
    """Copy the rows of a backup into a new file. Refuses a file that is no backup of ours. One with an object
    that is not ours is refused, too: a trigger could copy secrets as they are entered. So is one with a
    rollback journal beside it, before SQLite opens it: it could name any file, which SQLite would delete."""
    journal = f"{file.resolve()}{JOURNAL}"
    if os.path.lexists(journal):
        raise NoBackup(f"{file} was not written to its end: {journal} is beside it.")
    damage = _damage(file) if file.is_file() else "there is no such file"
    version = 0 if damage else _version(file)
    if not version:
        raise NoBackup(f"{file} is no backup of a referee: {damage or 'no games are in it'}.")
    if version > VERSION:
        raise NoBackup(f"{file} was written by a later referee: update this one.")
    if not can_migrate(version):
        raise NoBackup(f"{file} is of an earlier version that this referee cannot read.")
    _write(file, to, _copy_checked_rows)


def back_up_first(path: Path) -> Path | None:
    """Back up the database before it is changed. Returns the backup; None if there is no database."""
    if not _version(path):
        return None
    before = _next_file(_folder(path))
    copy(path, before)
    return before


def _copy_checked_rows(file: Path, to: Path) -> None:
    """Copy the rows of a backup that may come from anybody. It is examined and migrated as a private copy."""
    private = to.with_name(f"{to.name}.source")
    try:
        copy(file, private)
        if not has_programs(private):
            upgraded(private)
        if foreign := foreign_object(private):
            raise NoBackup(f"{file} is no backup of a referee: {foreign!r} in it is not ours.")
        copy_rows(private, to)
    finally:
        private.unlink(missing_ok=True)


def newest(path: Path) -> Path | None:
    """The newest undamaged backup of this database."""
    return next((file for file in reversed(_backups_in(_folder(path))) if not _damage(file)), None)


def quarantine(path: Path, damage: str) -> None:
    """Move a damaged database to a folder of its own, with a report, and log how to restore a backup."""
    number = 1
    while (folder := path.with_name(f"damaged-{number}")).joinpath(path.name).exists():
        number += 1
    folder.mkdir(mode=0o700, exist_ok=True)
    backup = newest(path)
    write_report(folder, backup)  # first: after a crash here, the next start still finds the database
    _fsync(folder)
    for suffix in SUFFIXES:
        if (file := path.with_name(path.name + suffix)).exists():
            file.rename(folder / file.name)
    way_out = f"to go on from the newest backup, stop it and run: {command(backup, path)}" if backup else NONE
    log.error(
        "The games in %s are damaged (%s) and are now in %s. The referee starts without them; %s",
        path,
        damage,
        folder,
        way_out,
    )


def keep_in(path: Path, folder: Path, make: Copy = copy) -> Path:
    """Make a backup in a folder and delete the oldest ones there, except one that a damage report offers.
    Only files named like our backups are deleted."""
    to = _next_file(folder)
    make(path, to)
    wanted = offered_backups(path)
    for old in _backups_in(folder)[:-KEPT]:
        if old.absolute() not in wanted:
            old.unlink()
    return to


def backup_daily(path: Path, folder: Path) -> None:
    """Make at most one backup a day: repeated restarts must not displace last week's backups."""
    if not has_todays(folder):
        keep_in(path, folder)


def has_todays(folder: Path) -> bool:
    """Whether the newest backup in a folder is less than a day old."""
    made = _backups_in(folder)
    return bool(made) and 0 <= time.time() - made[-1].stat().st_mtime < DAY


def run_daily_backups(path: Path, ended: threading.Event, every: float = HOUR) -> None:
    """Make daily backups until `ended` is set, so that a server that is never switched off has them too. Runs
    in a thread of its own."""
    _backup_today(path)
    while not ended.wait(every):
        _backup_today(path)


def _backup_today(path: Path) -> None:
    """Make today's backup, unless no journal has an entry: an empty backup would count for the whole day."""
    try:
        if _is_played(path):
            backup_daily(path, _folder(path))
    except (OSError, sqlite3.Error) as error:
        log.warning("There is no backup of today: %s", error)


def _is_played(path: Path) -> bool:
    with closing(_connect(path)) as db:
        return bool(db.execute("SELECT EXISTS (SELECT 1 FROM journal)").fetchone()[0])


def _folder(path: Path) -> Path:
    return path.with_name("backups")


def _backups_in(folder: Path) -> list[Path]:
    """The backups in a folder, oldest first: by number, because the clock of a Pi may be wrong. Links and
    folders are not backups."""
    return [file for file in _numbered(folder) if file.is_file() and not file.is_symlink()]


def _numbered(folder: Path) -> list[Path]:
    found = [file for file in folder.glob("*.db") if NAME.fullmatch(file.name)]
    return sorted(found, key=lambda file: int(file.stem))


def _next_file(folder: Path) -> Path:
    used = _numbered(folder)
    return folder / f"{int(used[-1].stem) + 1 if used else 1:04}.db"


def _damage(path: Path) -> str:
    """What is wrong with a database, in SQLite's words; empty if nothing is, or if there is no database."""
    if not path.exists() or not path.stat().st_size:
        return ""
    try:
        with closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA trusted_schema = OFF")
            found = str(db.execute("PRAGMA quick_check(1)").fetchone()[0])
            if found == "ok" and not has_all_columns(db):
                return MALFORMED
    except UnicodeDecodeError:  # from an error message that quotes damaged data
        return MALFORMED
    except sqlite3.DatabaseError as error:
        is_its_fault = not isinstance(error, sqlite3.OperationalError)
        if not is_its_fault and error.sqlite_errorcode != sqlite3.SQLITE_ERROR:  # no access, disk full
            raise OSError(f"The games in {path} cannot be opened: {error}.") from error
        return str(error)
    return _header_damage(path) if found == "ok" else found


def _header_damage(path: Path) -> str:
    """Damage that SQLite takes for valid: a header that says read-only, or an impossible schema version."""
    with path.open("rb") as file:
        header = file.read(100)
    is_sound = max(header[18:20]) <= SQLITE_FORMAT and int.from_bytes(header[60:64], "big") < VERSION_LIMIT
    return "" if is_sound else "malformed header"


def _empty_damage(path: Path) -> str:
    """Damage of an empty file. It is normal at the first start, but not if there are backups."""
    is_empty = path.exists() and not path.stat().st_size
    return "it is empty" if is_empty and _backups_in(_folder(path)) else ""


def _version(path: Path) -> int:
    """The schema version of a database of ours; 0 if there is none or it is damaged."""
    if _damage(path) or not path.exists():
        return 0
    with closing(sqlite3.connect(path)) as db:
        found = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return _schema_version(path) if found >= OURS else 0


def _schema_version(path: Path) -> int:
    """The schema version of an undamaged database; 0 if it is empty."""
    if not path.exists() or not path.stat().st_size:
        return 0
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)


def _fsync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
