"""USB sticks: only one that its owner prepared gets a copy of the games."""

import os
import time
from pathlib import Path

import pytest

from tests.support.fixtures import Start
from tests.support.web.store_file import lines, referee, written
from web.service.usb_copies import FOLDER, copy_to_sticks, find_sticks
from web.store.backups import DAY, KEPT


@pytest.fixture
def media(tmp_path: Path) -> Path:
    """Where the system has put the sticks: ours, a stranger's, and a folder that is no stick at all."""
    for stick in ("zoe/REFEREE", "zoe/HOLIDAYS", "REFEREE", "folder/REFEREE"):
        (tmp_path / "media" / stick).mkdir(parents=True)
    return tmp_path / "media"


def ours(media: Path, name: str = "REFEREE") -> list[Path]:
    return find_sticks(
        name, (media, media / "nowhere"), lambda path: path.is_dir() and "folder" not in str(path)
    )


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_only_what_bears_the_name_and_is_a_stick_is_one(media: Path) -> None:
    assert ours(media) == [media / "REFEREE", media / "zoe" / "REFEREE"]
    assert ours(media, "") == [], "no name, no stick"
    assert find_sticks("REFEREE", (media,)) == [], "a folder of that name is no stick"


def test_a_stick_of_that_name_has_a_copy_and_no_other_anything(media: Path, tmp_path: Path) -> None:
    written(tmp_path / "referee.db", 1, 2)
    (media / "zoe" / "REFEREE" / "letter.txt").write_text("mine")
    copy_to_sticks(tmp_path / "referee.db", ours(media))
    copies = {f"{stick}/{FOLDER}/0001.db" for stick in ("REFEREE", "zoe/REFEREE")}
    assert everything(media) == {*copies, "zoe/REFEREE/letter.txt"}
    assert lines(media / "REFEREE" / FOLDER / "0001.db") == ["line 1", "line 2"]


def test_the_latest_copies_are_kept_and_nothing_else_is_removed(media: Path, tmp_path: Path) -> None:
    written(tmp_path / "referee.db", 1)
    folder = media / "REFEREE" / FOLDER
    folder.mkdir()
    (folder / "evening.db").write_text("somebody's own")
    for day in range(1, KEPT + 3):
        copy_to_sticks(tmp_path / "referee.db", [media / "REFEREE"])
        yesterday = time.time() - DAY - 60
        os.utime(folder / f"{day:04}.db", (yesterday, yesterday))
    assert everything(folder) == {f"{n:04}.db" for n in range(3, KEPT + 3)} | {"evening.db"}


def test_a_referee_that_starts_over_and_over_does_not_push_out_last_week(media: Path, tmp_path: Path) -> None:
    written(tmp_path / "referee.db", 1)
    for _ in range(3):
        copy_to_sticks(tmp_path / "referee.db", [media / "REFEREE"])
    assert everything(media / "REFEREE" / FOLDER) == {"0001.db"}


def test_a_stick_that_refuses_is_told_and_the_next_one_is_written(
    media: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    written(tmp_path / "referee.db", 1)
    (media / "REFEREE" / FOLDER).write_text("a file where the folder should be")
    copy_to_sticks(tmp_path / "referee.db", ours(media))
    [told] = [record.getMessage() for record in caplog.records]
    assert "The games were not copied to the stick" in told
    assert lines(media / "zoe" / "REFEREE" / FOLDER / "0001.db") == ["line 1"]


def test_a_backup_into_a_folder_is_numbered(start: Start, tmp_path: Path) -> None:
    server = start()
    server.client.open_table()
    stick = tmp_path / "stick"
    stick.mkdir()
    for _ in range(2):
        done = referee("backup", stick, "--data", server.data)
        assert (done.returncode, done.stderr) == (0, "")
    assert everything(stick) == {"0001.db", "0002.db"}
    assert str(stick / "0002.db") in done.stdout
