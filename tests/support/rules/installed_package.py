"""Games as installed packages: a folder with the package and its metadata, to be put on the path."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from referee.kit.scaffold import files_of

ROOT = Path(__file__).parents[3]
PACKAGES = ROOT / "tests" / "packages"
Changes = Mapping[str, tuple[str, str]]  # by file of the package: a text in it, and what replaces it


def install(site: Path, game: str = "marbles", changes: Changes | None = None) -> Path:
    """Install a game into a folder, with these changes: one of the packages beside the tests, or a new one of
    the kit. Returns the folder of the package."""
    here = PACKAGES / game / game
    if here.is_dir():
        shutil.copytree(here, site / game, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    for path, text in () if here.is_dir() else files_of(game, package=True):
        file = site / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for path, (before, after) in (changes or {}).items():
        file = site / game / path
        text = file.read_text(encoding="utf-8")
        assert before in text, f"{path} has no {before!r}"
        file.write_text(text.replace(before, after), encoding="utf-8")
    name_entry_point(site, game, f"{game}:GAME")
    return site / game


def name_entry_point(site: Path, game: str, value: str, package: str = "") -> None:
    """The metadata of a package that offers this game."""
    package = package or f"table_referee_{game}"
    metadata = site / f"{package}-0.1.0.dist-info"
    metadata.mkdir(parents=True, exist_ok=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1.0\n")
    (metadata / "entry_points.txt").write_text(f"[table_referee.games]\n{game} = {value}\n")


def referee(site: Path, data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the referee where these packages are installed."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "referee.program.cli", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": f"{ROOT}{os.pathsep}{site}",
            "XDG_DATA_HOME": str(data),
            "LC_ALL": "C.UTF-8",
        },
    )
