"""Reports of damaged databases that were moved away. Pages show them until somebody dismisses them."""

import json
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPORT = "report.json"  # in the folder of each damaged database, until the report is dismissed
INSTALLED = Path("/opt/table-referee/venv")  # by the installer, whose command knows the data folder


@dataclass(frozen=True)
class Report:
    """The folder of a damaged database, the newest backup at that time, and the command that restores it."""

    folder: Path
    backup: Path | None
    command: str


def write_report(folder: Path, backup: Path | None) -> None:
    """Write the report into the folder of a damaged database."""
    (folder / REPORT).write_text(json.dumps({"backup": backup and backup.name}))


def reports(games: Path) -> list[Report]:
    """The reports that were not dismissed, oldest first."""
    return [_report(games, file) for file in sorted(_files(games), key=_number)]


def offered_backups(games: Path) -> set[Path]:
    """The backups that reports offer to restore; they must not be deleted."""
    return {report.backup for report in reports(games) if report.backup}


def dismiss_reports(games: Path) -> None:
    """Dismiss all reports. The damaged files stay."""
    for file in list(_files(games)):
        file.unlink(missing_ok=True)


def command(backup: Path, games: Path) -> str:
    """The shell command that restores this backup."""
    if Path(sys.prefix) == INSTALLED:
        return shlex.join(["sudo", "referee", "restore", str(backup.absolute())])
    program = Path(sys.executable).with_name("referee")
    words = [program if program.exists() else "referee", "restore", backup.absolute()]
    return shlex.join(str(word) for word in (*words, "--data", games.absolute().parent))


def _files(games: Path) -> Iterator[Path]:
    found = games.parent.glob(f"damaged-*/{REPORT}")
    return (file for file in found if file.is_file() and not file.is_symlink())  # root reads them, too


def _number(file: Path) -> int:
    number = file.parent.name.rpartition("-")[2]
    return int(number) if number.isdecimal() else 0


def _report(games: Path, file: Path) -> Report:
    try:
        name = json.loads(file.read_text())["backup"]
    except (OSError, ValueError, LookupError, TypeError):  # incomplete after a power cut
        name = None
    backup = games.absolute().with_name("backups") / Path(str(name)).name
    if not backup.is_file():
        return Report(file.parent.absolute(), None, "")
    return Report(file.parent.absolute(), backup, command(backup, games))
