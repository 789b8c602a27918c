"""USB sticks: one named for it has a copy of the games without secrets, and the pages tell it."""

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.fixtures import Start
from tests.support.web.history import finished, stop
from tests.support.web.http_client import Table
from tests.support.web.journal import journal, rows
from tests.support.web.questions import answers, asks
from tests.support.web.random_player import hide
from tests.support.web.server_process import Running
from tests.support.web.store_file import journal_that_names, referee, written
from web.service.usb_copies import (
    FOLDER,
    copy_to_stick,
    copy_to_sticks,
    dismiss_note,
    find_sticks,
    read_note,
)
from web.store.backups import DAY, KEPT


class Media:
    """Where the system has put the sticks, and its list of what is mounted."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.mounts = folder, folder / "mountinfo"
        self.mounts.touch()

    def mount(self, name: str, kind: str = "vfat", root: str = "/") -> Path:
        stick = self.folder / name
        stick.mkdir(parents=True)
        self.list(stick, kind, root)
        return stick

    def list(self, stick: Path, kind: str = "vfat", root: str = "/") -> None:
        escaped = str(stick).replace(" ", r"\040")
        with self.mounts.open("a") as file:
            file.write(f"36 35 8:1 {root} {escaped} rw,nosuid shared:1 - {kind} /dev/sda1 rw\n")


@pytest.fixture
def media(tmp_path: Path) -> Media:
    return Media(tmp_path)


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "data" / "referee.db"
    path.parent.mkdir()
    written(path, 1)
    return path


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


# ---- which stick


def test_only_what_bears_the_name_and_is_mounted_for_removable_media_is_one(media: Media) -> None:
    ours = [Path("/media/REFEREE"), Path("/media/zoe/REFEREE"), Path("/run/media/zoe/REFEREE")]
    for place in (*ours, Path("/media/zoe/HOLIDAYS"), Path("/home/zoe/REFEREE"), Path("/media/a/b/REFEREE")):
        media.list(place)
    media.list(Path("/mnt/REFEREE"), root="/var/lib/referee")
    assert find_sticks("REFEREE", media.mounts) == ours, "no other name, no other place, no bind mount"
    media.list(Path("/media/GAME NIGHT"))
    assert find_sticks("GAME NIGHT", media.mounts) == [Path("/media/GAME NIGHT")]
    assert find_sticks("", media.mounts) == [], "no name, no stick"
    assert find_sticks("REFEREE", media.folder / "absent") == []


def test_a_stick_has_a_copy_and_its_other_files_stay(media: Media, games: Path) -> None:
    stick, other = media.mount("REFEREE"), media.mount("zoe/REFEREE", "exfat")
    (other / "letter.txt").write_text("mine")
    copy_to_sticks(games, [stick, other], media.mounts)
    assert everything(stick) == {f"{FOLDER}/0001.db"}
    assert everything(other) == {f"{FOLDER}/0001.db", "letter.txt"}


def test_the_latest_copies_are_kept_and_nothing_else_is_removed(media: Media, games: Path) -> None:
    stick = media.mount("REFEREE")
    folder = stick / FOLDER
    folder.mkdir()
    (folder / "evening.db").write_text("somebody's own")
    for day in range(1, KEPT + 3):
        copy_to_sticks(games, [stick], media.mounts)
        yesterday = time.time() - DAY - 60
        os.utime(folder / f"{day:04}.db", (yesterday, yesterday))
    assert everything(folder) == {f"{n:04}.db" for n in range(3, KEPT + 3)} | {"evening.db"}


def test_a_referee_that_starts_over_and_over_does_not_push_out_last_week(media: Media, games: Path) -> None:
    stick = media.mount("REFEREE")
    for _ in range(3):
        copy_to_sticks(games, [stick], media.mounts)
    assert everything(stick) == {f"{FOLDER}/0001.db"}


# ---- sticks that somebody has prepared


@pytest.mark.parametrize("kind", ["ext4", "btrfs", "ntfs3", "fuseblk", "tmpfs", "nfs4", "overlay"])
def test_a_foreign_file_system_is_refused(media: Media, games: Path, kind: str) -> None:
    stick = media.mount("REFEREE", kind)
    assert copy_to_stick(games, stick, media.mounts).refused == "file_system"
    assert everything(stick) == set()


def test_a_folder_that_is_a_link_into_the_house_is_refused(media: Media, games: Path) -> None:
    """It made the referee write into its own backups, and prune them."""
    backups = games.parent / "backups"
    backups.mkdir()
    for n in range(1, KEPT + 3):
        (backups / f"{n:04}.db").write_text("kept")
    before = everything(backups)
    stick = media.mount("REFEREE")
    (stick / FOLDER).symlink_to(backups)
    assert copy_to_stick(games, stick, media.mounts).refused == "link"
    assert everything(backups) == before
    dismiss_note(games)
    copy_to_sticks(
        games, [stick], media.mounts
    )  # at the start of the server, though today's seem to be there
    note = read_note(games)
    assert note and note[0].refused == "link"


def test_a_stick_that_is_a_link_is_refused(media: Media, games: Path) -> None:
    real = media.mount("HOLIDAYS")
    link = media.folder / "REFEREE"
    link.symlink_to(real)
    media.list(link)
    assert copy_to_stick(games, link, media.mounts).refused == "file_system"
    assert everything(real) == set()


def test_links_among_the_copies_are_neither_followed_nor_removed(media: Media, games: Path) -> None:
    stick, secret = media.mount("REFEREE"), media.folder / "secret"
    secret.write_text("untouched")
    (stick / FOLDER).mkdir()
    links = [stick / FOLDER / name for name in ("0000.db", "0002.db", ".0003.db.partial")]
    for link in links:
        link.symlink_to(secret)
    assert not copy_to_stick(games, stick, media.mounts).refused
    assert secret.read_text() == "untouched"
    assert [link.is_symlink() for link in links] == [True, True, False], "the unfinished copy is no link now"
    assert not (stick / FOLDER / "0003.db").is_symlink()


@pytest.mark.parametrize("name", [".0001.db.partial", "0001.db"])
@pytest.mark.parametrize("suffix", ["-journal", "-wal", "-shm"])
def test_files_beside_the_copy_make_sqlite_delete_nothing(
    media: Media, games: Path, name: str, suffix: str
) -> None:
    """A prepared journal of SQLite can name any file: whoever opens the database beside it deletes that."""
    stick = media.mount("REFEREE")
    copy_to_stick(games, stick, media.mounts)
    pages = (stick / FOLDER / "0001.db").stat().st_size // 4096
    (stick / FOLDER / "0001.db").unlink()
    (stick / FOLDER / f"{name}{suffix}").write_bytes(journal_that_names(games, pages))
    note = copy_to_stick(games, stick, media.mounts)
    assert games.exists() and (note.refused, note.left_out) == ("", 0)
    assert everything(stick) == {f"{FOLDER}/0001.db"}


def test_folders_named_like_copies_stay_and_are_in_no_copys_way(media: Media, games: Path) -> None:
    stick = media.mount("REFEREE")
    for n in range(1, KEPT + 3):
        (stick / FOLDER / f"{n:04}.db").mkdir(parents=True)
    assert copy_to_stick(games, stick, media.mounts).refused == ""
    assert everything(stick) == {f"{FOLDER}/{KEPT + 3:04}.db"}


def test_a_file_where_the_folder_should_be_is_told_and_the_next_stick_is_written(
    media: Media, games: Path
) -> None:
    strange, other = media.mount("REFEREE"), media.mount("zoe/REFEREE")
    (strange / FOLDER).write_text("a file")
    copy_to_sticks(games, [strange], media.mounts)
    note = read_note(games)
    assert note and note[0].refused == "link"
    copy_to_sticks(games, [strange, other], media.mounts)
    assert everything(other) == {f"{FOLDER}/0001.db"}


def test_what_belongs_to_another_user_is_refused(
    media: Media, games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stick = media.mount("REFEREE")
    monkeypatch.setattr(os, "geteuid", lambda: stick.stat().st_uid + 1)
    assert copy_to_stick(games, stick, media.mounts).refused == "owner"
    assert everything(stick) == set()


def test_a_copy_that_fails_is_told(media: Media, games: Path) -> None:
    stick = media.mount("REFEREE")
    games.write_bytes(b"no database" * 1000)
    assert copy_to_stick(games, stick, media.mounts).refused == "not_written"
    assert everything(stick) == set()


def test_the_command_refuses_what_is_no_stick(games: Path, tmp_path: Path) -> None:
    for place in (tmp_path, Path("/dev/shm"), Path("/")):
        done = referee("backup", "--stick", place, "--data", games.parent)
        assert done.returncode == 1
        assert "isn’t a USB stick formatted as FAT or exFAT" in done.stdout
        assert not (place / FOLDER).exists()


def test_a_backup_into_a_folder_is_numbered(start: Start, tmp_path: Path) -> None:
    server = start()
    server.client.open_table()
    disk = tmp_path / "disk"
    disk.mkdir()
    for _ in range(2):
        done = referee("backup", disk, "--data", server.data)
        assert (done.returncode, done.stderr) == (0, "")
    assert everything(disk) == {"0001.db", "0002.db"}
    assert str(disk / "0002.db") in done.stdout


# ---- what leaves the house


def secrets_of(server: Running, code: str) -> list[str]:
    """What the store knows of a table and nobody else may: seed, keys, salts, and every entry."""
    seeds = rows(server, "SELECT code, seed, host FROM tables WHERE code = ?", code)
    seats = rows(server, "SELECT key, key_hash, token, salt FROM seats WHERE code = ?", code)
    entries = [line for line in journal(server, code) if len(line) > 20]
    return [text for row in (*seeds, *seats) for text in row if text] + entries


def test_a_stick_has_no_secret_of_a_game_in_play(start: Start, media: Media) -> None:
    server = start()
    over = finished(server.client, "Ana", "Bo", turn_cap=2)
    playing: Table = server.client.open_table(desk=None)
    hide(playing.everybody())
    waiting: Table = server.client.open_table(desk=None)
    abandoned: Table = server.client.open_table(desk=None)
    phones = abandoned.everybody()
    hide(phones)
    stop(abandoned, phones)
    hidden = [*secrets_of(server, playing.code), *secrets_of(server, waiting.code)]
    assert len(hidden) >= 20
    server.stop()
    stick = media.mount("REFEREE")
    note = copy_to_stick(server.data / "referee.db", stick, media.mounts)
    assert (note.copied, note.left_out) == (1, 3)
    (copy,) = (stick / FOLDER).iterdir()
    content = copy.read_bytes()
    assert [text for text in hidden if text.encode() in content] == []
    assert abandoned.code.encode() not in content, "what was hidden there stays hidden"
    with closing(sqlite3.connect(copy)) as db:
        assert db.execute("SELECT count(*), count(DISTINCT id) FROM played").fetchall() == [(2, 1)]
    with Running(media.folder / "elsewhere") as other:
        other.stop()
        assert referee("restore", copy, "--data", other.data).returncode == 0
        with other.again() as later:
            assert later.client.get(f"{over.path}/record").status == 200
            assert later.client.get(playing.path).code == "unknown-table"


def test_a_finished_game_leaves_without_keys_and_without_the_way_to_its_rematch(
    start: Start, media: Media
) -> None:
    server = start()
    table = server.client.open_table(desk=None, options={"turn_cap": 2, "first": "target"})
    phones = table.everybody()
    hide(phones)
    phones["target"].moves("attack_from_hand", card=9, house=1)
    phones["target"].goes_away()
    (new,) = asks(phones["mask"], "reissue", table, seat="target").json["seats"]
    phones["mask"].moves("attack_from_hand", card=9, house=1)
    assert table.view()["status"] == "over"
    rematch = server.client.bearing(table.host).post(f"{table.path}/rematch", {}).json["table"]
    other = server.client.open_table(desk=None)  # its rematch may still be opened, so it has the seeds itself
    others = other.everybody()
    asks(others["mask"], "abandon", other, show=True)
    assert answers(others["target"]).status == 200
    secrets = [
        value
        for sql in (
            "SELECT root FROM tables WHERE root <> ''",
            "SELECT ticket FROM tables",
            "SELECT ticket FROM seats",
            "SELECT key_hash FROM seats",
            f"SELECT seed FROM tables WHERE code = '{rematch}'",
        )
        for (value,) in rows(server, sql)
    ]
    server.stop()
    stick = media.mount("REFEREE")
    assert copy_to_stick(server.data / "referee.db", stick, media.mounts).copied == 2
    content = (stick / FOLDER / "0001.db").read_bytes()
    assert table.code.encode() in content
    assert new["key"].encode() not in content
    assert rematch.encode() not in content
    assert len(secrets) >= 11 and all(secrets)
    assert [secret for secret in secrets if secret.encode() in content] == []


# ---- the host is told


def test_the_pages_tell_what_went_to_a_stick_until_somebody_has_read_it(start: Start, media: Media) -> None:
    server = start('[server]\nhost_pin = "2468"\n')
    client = server.client.with_(Accept_Language="en")
    client.with_(X_Host_Pin="2468").post("/api/tables", {"game": "agent_hunter"})
    assert "USB stick" not in client.get("/").content.decode()
    copy_to_stick(server.data / "referee.db", media.mount("REFEREE"), media.mounts)
    assert (server.data / "stick.json").stat().st_mode & 0o777 == 0o600
    for page in ("/", "/stick"):
        told = client.get(page).content.decode()
        assert "Copied to USB stick REFEREE: 0 finished games." in told
        assert "still hidden: 1." in told
    assert "clé USB REFEREE" in client.with_(Accept_Language="fr").get("/").content.decode()
    assert client.post_form("/stick", pin="1").status == 403
    assert client.post_form("/stick", pin="2468").status == 303
    assert "USB stick" not in client.get("/").content.decode()
    assert client.get("/stick").status == 303


def test_the_pages_tell_why_a_stick_was_not_used(start: Start, media: Media) -> None:
    server = start()
    for kind, why in (("ext4", "file_system"), ("vfat", "link")):
        stick = media.mount(f"{kind}/REFEREE", kind)
        (stick / FOLDER).touch()
        assert copy_to_stick(server.data / "referee.db", stick, media.mounts).refused == why
        told = server.client.with_(Accept_Language="en").get("/overview").content.decode()
        assert "wasn’t used" in told or "weren’t copied" in told
    (server.data / "stick.json").write_text("{")
    assert server.client.get("/").status == 200
