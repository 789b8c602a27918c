"""Backups: made while people play, put back, before each change of form; a damaged file is set aside."""

import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.web.client import eventually
from tests.web.conftest import Start
from tests.web.journal import journal
from tests.web.play import play_on
from tests.web.server import ROOT, Running
from tests.web.test_durability import Players, again, views
from web import damage
from web.store import backups
from web.store import changes as kept
from web.store.backups import NoBackup, copy, keep_every_day, newest, open_store, restore
from web.store.schema import VERSION

FIRST_SCHEMA = """
CREATE TABLE tables (
    id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, game TEXT NOT NULL, rules INTEGER NOT NULL,
    options TEXT NOT NULL, seed TEXT NOT NULL, host TEXT NOT NULL, desk TEXT, opened TEXT NOT NULL,
    finished TEXT, outcome TEXT, next TEXT
);
CREATE INDEX tables_at_desk ON tables (desk, id);
CREATE TABLE seats (
    code TEXT NOT NULL, seat TEXT NOT NULL, key TEXT, key_hash TEXT NOT NULL, token TEXT, salt TEXT NOT NULL,
    asker TEXT,
    PRIMARY KEY (code, seat)
) WITHOUT ROWID;
CREATE TABLE journal (
    code TEXT NOT NULL, n INTEGER NOT NULL, at TEXT NOT NULL, line TEXT NOT NULL,
    PRIMARY KEY (code, n)
) WITHOUT ROWID;
CREATE TABLE answers (
    scope TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (scope, key)
) WITHOUT ROWID;
CREATE TABLE jobs (
    job INTEGER PRIMARY KEY, desk TEXT NOT NULL, code TEXT NOT NULL, what TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting', reason TEXT NOT NULL DEFAULT '', at TEXT NOT NULL
);
CREATE INDEX jobs_waiting ON jobs (desk, state);
PRAGMA user_version = 1;
"""
SINCE = {
    2: ("desks", "shelf"),
    3: ("spared", "games", "played", "bots"),
}  # the tables that each later form brought
UNTIL_3 = """
ALTER TABLE journal RENAME TO later;
CREATE TABLE journal (
    code TEXT NOT NULL, n INTEGER NOT NULL, at TEXT NOT NULL, line TEXT NOT NULL,
    PRIMARY KEY (code, n)
) WITHOUT ROWID;
INSERT INTO journal SELECT * FROM later;
DROP TABLE later;
"""  # the journal as it was before the fourth
UNTIL_4 = """
DROP TABLE answers;
CREATE TABLE answers (
    scope TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (scope, key)
) WITHOUT ROWID;
"""  # the answers as they were before the fifth


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "referee.db"


def written(path: Path, *numbers: int) -> None:
    store = open_store(path)
    for n in numbers:
        store.commit([kept.entry_written("KX7QF", n, "now", f"line {n}")])
    store.close()


def a_day(path: Path) -> None:
    """What a referee does for its backups that is switched on and off again."""
    ended = threading.Event()
    ended.set()
    keep_every_day(path, ended)


def lines(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return [line for (line,) in db.execute("SELECT line FROM journal ORDER BY n")]


def referee(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "referee.cli", *map(str, arguments)]
    environment = {**os.environ, "LANG": "en_GB.UTF-8", "PYTHONUTF8": "1"}
    return subprocess.run(
        command, cwd=ROOT, env=environment, text=True, capture_output=True, timeout=60, check=False
    )


def test_a_backup_made_in_the_middle_of_play_is_whole_and_can_be_played_on(
    start: Start, tmp_path: Path
) -> None:
    server = start()
    table = server.client.open_table(options={"turn_cap": 40})
    players = Players(table.everybody(), Random(1))
    players.start()
    players.wait(6)
    stick = tmp_path / "stick" / "games.db"
    done = referee("backup", stick, "--data", server.data)
    assert (done.returncode, done.stderr) == (0, "")
    players.join()
    whole = journal(server, table.code)
    server.stop()
    elsewhere = tmp_path / "elsewhere"
    assert referee("restore", stick, "--data", elsewhere).returncode == 0
    with Running(elsewhere) as other:
        there = journal(other, table.code)
        assert len(there) >= 6
        assert whole[: len(there)] == there
        assert play_on(again(players.phones, other), Random(2))["status"] == "over"
        assert views(again(players.phones, other))


def test_what_was_there_before_is_copied_first(path: Path, tmp_path: Path) -> None:
    written(path, 1)
    copy(path, tmp_path / "one.db")
    written(path, 2)
    before = restore(tmp_path / "one.db", path)
    assert (lines(path), before and lines(before)) == (["line 1"], ["line 1", "line 2"])
    assert path.stat().st_mode & 0o777 == 0o600


def test_nothing_is_restored_under_a_referee_that_runs(start: Start, tmp_path: Path) -> None:
    server = start()
    server.client.open_table()
    stick = tmp_path / "games.db"
    assert referee("backup", stick, "--data", server.data).returncode == 0
    done = referee("restore", stick, "--data", server.data)
    assert done.returncode == 2
    assert "Another referee runs" in done.stderr


@pytest.mark.parametrize("content", [b"", b"holiday pictures" * 500])
def test_what_is_no_backup_is_refused_and_nothing_changes(path: Path, tmp_path: Path, content: bytes) -> None:
    written(path, 1)
    (tmp_path / "other").write_bytes(content)
    for file in (tmp_path / "other", tmp_path / "absent"):
        with pytest.raises(NoBackup, match="is no backup of a referee"):
            restore(file, path)
    assert lines(path) == ["line 1"]
    assert not (tmp_path / "absent").exists()


def test_the_database_of_another_program_is_no_backup(path: Path, tmp_path: Path) -> None:
    written(path, 1)
    with closing(sqlite3.connect(tmp_path / "photos")) as db:
        db.executescript(f"CREATE TABLE photos (taken); PRAGMA user_version = {VERSION};")
    for file in (tmp_path / "photos", tmp_path):
        with pytest.raises(NoBackup, match="is no backup of a referee"):
            restore(file, path)
    assert lines(path) == ["line 1"]


def test_a_device_is_not_replaced_by_a_copy(path: Path, tmp_path: Path) -> None:
    written(path, 1)
    stick = tmp_path / "sda1"
    os.mkfifo(stick)
    with pytest.raises(NoBackup, match="is no file"):
        copy(path, stick)
    assert stick.is_fifo()


def test_a_file_that_a_power_cut_emptied_is_told_as_damaged(path: Path) -> None:
    written(path)
    assert damage.reports(path) == [], "a first start is none"
    copy(path, path.parent / "backups" / "0001.db")
    path.write_bytes(b"")
    written(path, 1)
    assert [report.backup for report in damage.reports(path)] == [path.parent / "backups" / "0001.db"]
    assert lines(path) == ["line 1"]


def test_a_backup_that_finds_no_room_leaves_nothing_behind(path: Path, tmp_path: Path) -> None:
    written(path, 1)
    with pytest.raises(OSError):
        copy(path, Path("/dev/full/games.db"))
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(OSError):
        copy(path, tmp_path / "folder.db")
    assert not list(tmp_path.glob(".*half*"))


def test_a_store_of_the_first_form_is_copied_before_it_is_changed(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(FIRST_SCHEMA)
        db.execute("INSERT INTO journal VALUES ('KX7QF', 1, 'then', 'line 1')")
    written(path, 2)
    assert lines(path) == ["line 1", "line 2"]
    [before] = (path.parent / "backups").iterdir()
    with closing(sqlite3.connect(before)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (VERSION,)
    assert lines(before) == ["line 1"]


def as_it_was(path: Path, version: int) -> None:
    """The same games in the form of an earlier referee."""
    with closing(sqlite3.connect(path)) as db, db:
        for table in (table for later, tables in SINCE.items() if later > version for table in tables):
            db.execute(f"DROP TABLE {table}")
        db.executescript(UNTIL_3 if version < 4 else "")
        db.executescript(UNTIL_4)
        db.execute(f"PRAGMA user_version = {version}")


def form(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The tables of a store and their columns."""
    with closing(sqlite3.connect(path)) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: list(db.execute(f"PRAGMA table_info({name})")) for name in sorted(names)}


def indexes(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as db:
        return {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'index'")}


def keeps_lines_in_order(path: Path) -> bool:
    """Whether the journal has its lines in the order they were written in, whatever table they are of."""
    with closing(sqlite3.connect(path)) as db:
        (made,) = db.execute("SELECT sql FROM sqlite_master WHERE name = 'journal'").fetchone()
    return "WITHOUT ROWID" not in made


def test_games_of_every_earlier_form_are_played_on(start: Start, tmp_path: Path) -> None:
    server = start()
    table = server.client.open_table(options={"turn_cap": 40})
    phones = table.everybody()
    play_on(phones, Random(3), 6)
    before, found = views(phones), indexes(server.data / "referee.db")
    for version in reversed(range(1, VERSION)):
        server.stop()
        as_it_was(server.data / "referee.db", version)
        if version == 1:
            with closing(sqlite3.connect(tmp_path / "first.db")) as db:
                db.executescript(FIRST_SCHEMA)
            assert form(server.data / "referee.db") == form(tmp_path / "first.db")
        server = start()
        assert views(again(phones, server)) == before
        assert keeps_lines_in_order(server.data / "referee.db")
        assert indexes(server.data / "referee.db") == found
    assert form(server.data / "referee.db").keys() > form(tmp_path / "first.db").keys()
    assert play_on(again(phones, server), Random(4))["status"] == "over"


def test_a_store_of_a_later_form_is_left_alone(path: Path) -> None:
    written(path, 1)
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(OSError, match="update this one"):
        open_store(path)
    assert lines(path) == ["line 1"]


def test_a_backup_a_day_and_a_week_of_them(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(path, 1)
    for day in range(1, 11):
        monkeypatch.setattr("time.time", lambda day=day: path.stat().st_mtime + day * 2 * backups.DAY)
        written(path, day + 1)
        a_day(path)
        monkeypatch.undo()
    made = sorted(file.name for file in (path.parent / "backups").iterdir())
    assert made == [f"{number:04}.db" for number in range(4, 11)]
    a_day(path)
    assert len(list((path.parent / "backups").iterdir())) == len(made), "today there is one already"


def test_nobody_waits_for_the_backup_of_the_day(path: Path, start: Start) -> None:
    written(path, 1)
    written(path, 2)
    assert not (path.parent / "backups").exists(), "a year of games is copied once somebody is answered"
    server = start()
    server.client.open_table().join("target")
    server.stop()
    start()
    eventually((server.data / "backups" / "0001.db").exists)


def test_a_copy_of_nothing_does_not_stand_for_the_day(path: Path) -> None:
    written(path)
    a_day(path)
    assert not (path.parent / "backups").exists()
    written(path, 1)
    a_day(path)
    assert lines(path.parent / "backups" / "0001.db") == ["line 1"]


def test_a_referee_that_is_never_switched_off_has_its_backup_a_day_too(path: Path) -> None:
    written(path, 1)
    a_day(path)
    written(path, 2)
    folder, ended = path.parent / "backups", threading.Event()
    (first,) = folder.iterdir()
    days = threading.Thread(target=keep_every_day, args=(path, ended, 0.01))
    days.start()
    try:
        os.utime(first, (1, 1))  # it is from long ago
        eventually((folder / "0002.db").exists)
    finally:
        ended.set()
        days.join()
    assert lines(folder / "0002.db") == ["line 1", "line 2"]
    assert sorted(file.name for file in folder.glob("*.db")) == ["0001.db", "0002.db"]


def test_a_damaged_file_is_set_aside_and_the_newest_good_backup_named(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    written(path, 1)
    folder = path.parent / "backups"
    copy(path, folder / "0001.db")
    (folder / "0002.db").write_bytes(b"x" * 9000)
    ruined = path.read_bytes()[:512] + b"\xff" * 20_000
    path.write_bytes(ruined)
    store = open_store(path)
    assert store.journal("KX7QF") == []
    store.close()
    [report] = [record.getMessage() for record in caplog.records]
    assert f"referee restore {folder / '0001.db'}" in report
    assert (path.parent / "damaged-1" / "referee.db").read_bytes() == ruined
    assert newest(path) == folder / "0001.db"
    restore(folder / "0001.db", path)
    assert lines(path) == ["line 1"]


@pytest.mark.parametrize(
    ("at", "damaged"),
    [
        (18, b"\x03"),
        (44, b"\xff" * 4),
        (60, b"\x01"),
        (60, b"\xff"),
        (3072, b"\xff" * 512),
        (2048, b"\x00" * 2048),
    ],
)
def test_damage_in_the_first_page_is_told_as_such(path: Path, at: int, damaged: bytes) -> None:
    """Where SQLite says that it is another format, quotes what is no text, or believes it."""
    written(path, 1)
    whole = path.read_bytes()
    path.write_bytes(whole[:at] + damaged + whole[at + len(damaged) :])
    written(path, 2)
    assert [report.folder.name for report in damage.reports(path)] == ["damaged-1"]
    assert lines(path) == ["line 2"]


@pytest.mark.parametrize("damaged", [b"tokem TEXT, salt", b"tok\xffn TEXT, salt"])
def test_a_column_by_another_name_is_damage(path: Path, damaged: bytes) -> None:
    """SQLite believes that too, and whoever asked for it would be refused for ever."""
    written(path, 1)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"token TEXT, salt", damaged, 1))
    written(path, 2)
    assert [report.folder.name for report in damage.reports(path)] == ["damaged-1"]
    assert lines(path) == ["line 2"]


def test_a_server_starts_over_a_damaged_file_and_says_so(start: Start) -> None:
    server = start()
    server.client.open_table()
    server.stop()
    (server.data / "referee.db").write_bytes(b"\x00" * 50_000)
    with server.again() as later:
        assert later.client.get("/healthz").json["tables"] == 0
        assert "are damaged" in later.said()
        assert "Traceback" not in later.said()
