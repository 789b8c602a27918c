"""`referee new-game`: a small complete game under another name, which passes everything."""

import subprocess
import sys
from pathlib import Path

import pytest

from referee.kit.declared import id_faults
from referee.kit.scaffold import files_of, renamed, write_game
from tests.support.rules.installed_package import ROOT, referee


def test_nothing_of_the_template_is_left() -> None:
    for path, text in files_of("pebble_hunt", package=True):
        assert "new_game" not in text.lower(), path
        assert "referee.kit.template" not in text, path
    assert renamed("class NewTable: 'New Game'", "pebble_hunt", "x") == "class PebbleHuntTable: 'Pebble Hunt'"


def test_it_is_written_with_everything_and_its_own_tests_pass(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-m", "referee.program.cli", "new-game", "pebbles", "--package"]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "XDG_DATA_HOME": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "pebbles" / "pebbles" / "golden.txt").is_file()
    assert "referee check pebbles" in done.stdout
    pytest_there = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    tests = subprocess.run(
        pytest_there, cwd=tmp_path / "pebbles", env=environment, capture_output=True, text=True, check=False
    )
    assert tests.returncode == 0, tests.stdout


def test_it_overwrites_nothing(tmp_path: Path) -> None:
    write_game("pebbles", tmp_path, package=True)
    with pytest.raises(FileExistsError, match="is there already"):
        write_game("pebbles", tmp_path, package=True)


@pytest.mark.parametrize("game_id", ["any", "page", "Big", "1st", "with-dash", "news", ""])
def test_an_id_that_is_reserved_or_no_name_is_refused(game_id: str) -> None:
    assert list(id_faults(game_id))


def test_the_doctor_names_a_game_that_is_left_out(tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_game("pebbles", site, package=True)
    metadata = site / "pebbles-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: pebbles\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[table_referee.games]\npebbles = pebbles.rules:OPTIONS\n")
    path = f"{site}:{site / 'pebbles'}"
    said = referee(Path(path), tmp_path / "data", "doctor", "--virtual")
    assert "pebbles (" in said.stdout
    assert said.returncode == 1
