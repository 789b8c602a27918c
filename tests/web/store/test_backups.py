"""Backups: made during play and before a migration, and restored; a damaged file is moved aside."""

import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from tests.support.fixtures import Start
from tests.support.waiting import eventually
from tests.support.web.journal import journal
from tests.support.web.old_schemas import MIGRATIONS, make_older
from tests.support.web.players_until_killed import Players, again, views
from tests.support.web.random_player import play_on
from tests.support.web.server_process import Running
from tests.support.web.store_file import journal_that_names, lines, referee, written
from web.store import backups, damage
from web.store.backups import NoBackup, copy, newest, open_store, restore, run_daily_backups
from web.store.schema import VERSION


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "referee.db"


def a_day(path: Path) -> None:
    """What a referee does for its backups that is switched on and off again."""
    ended = threading.Event()
    ended.set()
    run_daily_backups(path, ended)


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


def test_a_restore_that_fails_leaves_everything_as_it_was(path: Path, tmp_path: Path) -> None:
    written(path, 1)
    copy(path, tmp_path / "one.db")
    written(path, 2)
    (tmp_path / "backups").touch()  # no folder: what is there cannot be copied first
    with pytest.raises(OSError, match="backups"):
        restore(tmp_path / "one.db", path)
    assert lines(path) == ["line 1", "line 2"]
    assert not list(tmp_path.glob("*restored*")), "no copy with keys is left"


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


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


def schema(path: Path) -> dict[str, set[str]]:
    """The tables of a store with their columns, and its indexes."""
    with closing(sqlite3.connect(path)) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master")]
        columns = "SELECT name FROM pragma_table_info(?)"
        return {name: {column for (column,) in db.execute(columns, (name,))} for name in names}


@pytest.fixture
def migrations(monkeypatch: pytest.MonkeyPatch) -> dict[int, str]:
    """Made-up earlier versions of the schema are known."""
    known = dict(MIGRATIONS)
    monkeypatch.setattr("web.store.schema.MIGRATIONS", known)
    return known


FOREIGN = {
    "trigger": "CREATE TRIGGER leak AFTER INSERT ON journal BEGIN"
    " INSERT OR REPLACE INTO presets VALUES ('agent_double', 'deck', new.line, '[]'); END",
    "view": "CREATE VIEW spying AS SELECT * FROM journal",
    "table": "CREATE TABLE more (line TEXT)",
    "index": "CREATE INDEX more ON journal (at)",
    "virtual table": "CREATE VIRTUAL TABLE spying USING dbstat",
    "column": "ALTER TABLE journal ADD COLUMN more TEXT",
    "triggers of an earlier version": "CREATE TRIGGER leak AFTER INSERT ON journal BEGIN SELECT 1; END;"
    f" PRAGMA user_version = {VERSION - 1}",
}


@pytest.mark.parametrize("what", FOREIGN)
def test_a_prepared_backup_is_refused_and_nothing_changes(
    path: Path, tmp_path: Path, what: str, migrations: object
) -> None:
    """A trigger in it would copy each secret to a public page as it is entered."""
    written(path, 1)
    copy(path, tmp_path / "prepared.db")
    with closing(sqlite3.connect(tmp_path / "prepared.db")) as db:
        db.executescript(FOREIGN[what])
    written(path, 2)
    with pytest.raises(NoBackup, match=r"is no backup of a referee: .*(leak|spying|more)"):
        restore(tmp_path / "prepared.db", path)
    assert lines(path) == ["line 1", "line 2"]
    assert [*tmp_path.glob("*restored*"), *tmp_path.glob("backups/*")] == [], "nothing is left behind"


def test_the_games_are_no_backup_of_themselves(path: Path, tmp_path: Path) -> None:
    written(path, 1, 2)
    link = tmp_path / "link.db"
    link.symlink_to(path)
    for to in (path, link):
        with pytest.raises(NoBackup, match="has the games themselves"):
            copy(path, to)
    assert lines(path) == ["line 1", "line 2"]


@pytest.mark.parametrize("is_link", [False, True])
def test_a_prepared_backup_deletes_no_file(path: Path, tmp_path: Path, is_link: bool) -> None:
    written(path, 1)
    prepared, other = tmp_path / "prepared.db", tmp_path / "other"
    copy(path, prepared)
    other.write_text("something else")
    pages = prepared.stat().st_size // 4096
    prepared.with_name("prepared.db-journal").write_bytes(journal_that_names(other, pages))
    link = tmp_path / "link.db"
    link.symlink_to(prepared)
    with pytest.raises(NoBackup, match=r"prepared.db-journal is beside it"):
        restore(link if is_link else prepared, path)
    assert other.exists() and lines(path) == ["line 1"]
    with closing(sqlite3.connect(prepared)) as db:
        db.execute("SELECT count(*) FROM journal").fetchone()
    assert not other.exists(), "SQLite itself deletes it"


def definitions(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as db:
        return list(db.execute("SELECT name, sql FROM sqlite_master ORDER BY name"))


def test_only_rows_are_restored_whatever_the_tables_of_a_backup_say(path: Path, tmp_path: Path) -> None:
    """Constraints and defaults are in the definition of a table, which is not copied."""
    written(path, 1)
    ours, prepared = definitions(path), tmp_path / "prepared.db"
    copy(path, prepared)
    with closing(sqlite3.connect(prepared)) as db:
        db.executescript(
            "ALTER TABLE journal RENAME TO old; DROP INDEX journal_joins;"
            "CREATE TABLE journal (code TEXT, n INTEGER, at TEXT DEFAULT (hex(randomblob(9))), line TEXT"
            " CHECK (line NOT LIKE '%mask%'), head TEXT, checksum TEXT,"
            " PRIMARY KEY (code, n) ON CONFLICT REPLACE);"
            "INSERT INTO journal SELECT * FROM old; DROP TABLE old;"
        )
    restore(prepared, path)
    assert (definitions(path), lines(path)) == (ours, ["line 1"])


def test_a_backup_of_an_earlier_version_is_migrated_as_it_is_restored(
    path: Path, tmp_path: Path, migrations: object
) -> None:
    written(path, 1)
    ours = definitions(path)
    copy(path, tmp_path / "older.db")
    make_older(tmp_path / "older.db", VERSION - 1)
    robbed = schema(tmp_path / "older.db")
    path.unlink()
    restore(tmp_path / "older.db", path)
    assert (definitions(path), lines(path)) == (ours, ["line 1"])
    assert schema(tmp_path / "older.db") == robbed, "the backup itself stays as it was"


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
    assert not list(tmp_path.glob(".*partial*"))


@pytest.mark.parametrize("older", MIGRATIONS)
def test_an_older_store_is_copied_and_then_migrated(path: Path, older: int, migrations: object) -> None:
    written(path, 1)
    today = schema(path)
    make_older(path, older)
    robbed = schema(path)
    assert robbed != today
    written(path, 2)
    assert (version(path), schema(path), lines(path)) == (VERSION, today, ["line 1", "line 2"])
    [before] = (path.parent / "backups").iterdir()
    assert (version(before), schema(before)) == (older, robbed)


def test_a_migration_that_fails_changes_nothing_and_can_be_tried_again(
    path: Path, migrations: dict[int, str]
) -> None:
    written(path, 1)
    today, last, whole = schema(path), max(migrations), migrations[max(migrations)]
    make_older(path, min(migrations))
    migrations[last] = f"{whole} INSERT INTO no_such_table VALUES (1);"
    with pytest.raises(OSError, match="no_such_table"):
        open_store(path)
    assert version(path) == last, "the one before it is done"
    assert "next" not in schema(path)["tables"], "and nothing of this one"
    migrations[last] = whole
    written(path, 2)
    assert (version(path), schema(path), lines(path)) == (VERSION, today, ["line 1", "line 2"])


def test_games_in_an_older_store_are_played_on(start: Start) -> None:
    server = start(modifications=["older_schemas"])
    table = server.client.open_table(options={"turn_cap": 40})
    phones = table.everybody()
    play_on(phones, Random(3), 6)
    before = views(phones)
    server.stop()
    make_older(server.data / "referee.db", min(MIGRATIONS))
    server = start(modifications=["older_schemas"])
    assert views(again(phones, server)) == before
    assert play_on(again(phones, server), Random(4))["status"] == "over"


def test_a_store_that_no_migration_leads_from_is_left_alone(path: Path, tmp_path: Path) -> None:
    written(path, 1)
    copy(path, tmp_path / "one.db")
    for file in (path, tmp_path / "one.db"):
        with closing(sqlite3.connect(file)) as db:
            db.execute(f"PRAGMA user_version = {VERSION - 1}")
    with pytest.raises(OSError, match="cannot read"):
        open_store(path)
    with pytest.raises(NoBackup, match="cannot read"):
        restore(tmp_path / "one.db", path)
    assert (version(path), lines(path)) == (VERSION - 1, ["line 1"])


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
    days = threading.Thread(target=run_daily_backups, args=(path, ended, 0.01))
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


def test_reports_of_damage_are_plain_files(path: Path) -> None:
    """`referee doctor` reads them as root: not what a link leads to, and nothing that never ends."""
    for number in (1, 2):
        path.with_name(f"damaged-{number}").mkdir()
    os.mkfifo(path.with_name("damaged-1") / "report.json")
    path.with_name("damaged-2").joinpath("report.json").symlink_to("/etc/shadow")
    assert damage.reports(path) == []
