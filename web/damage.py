"""Damage: what is to be told of games that were set aside as damaged, until somebody settles it."""

import json
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPORT = "report.json"  # in the folder of each damaged file, for as long as it is to be told
INSTALLED = Path("/opt/table-referee/venv")  # where the installer puts us, with a command that knows the rest


@dataclass(frozen=True)
class Report:
    """Where a damaged file lies, the newest backup from before, if any, and the way back to that."""

    folder: Path
    backup: Path | None
    command: str


def tell(folder: Path, backup: Path | None) -> None:
    """Leave the report of what will be set aside here."""
    (folder / REPORT).write_text(json.dumps({"backup": backup and backup.name}))


def reports(games: Path) -> list[Report]:
    """What is still to be told of these games, oldest first."""
    return [_report(games, file) for file in sorted(_files(games), key=_number)]


def offered(games: Path) -> set[Path]:
    """The backups that somebody may still want back."""
    return {report.backup for report in reports(games) if report.backup}


def settle(games: Path) -> None:
    """It was read: nothing of it is told again. The damaged file stays where it is."""
    for file in list(_files(games)):
        file.unlink(missing_ok=True)


def command(backup: Path, games: Path) -> str:
    """What to type to have this backup back."""
    if Path(sys.prefix) == INSTALLED:
        return shlex.join(["sudo", "referee", "restore", str(backup.absolute())])
    program = Path(sys.executable).with_name("referee")
    words = [program if program.exists() else "referee", "restore", backup.absolute()]
    return shlex.join(str(word) for word in (*words, "--data", games.absolute().parent))


def _files(games: Path) -> Iterator[Path]:
    return games.parent.glob(f"damaged-*/{REPORT}")


def _number(file: Path) -> int:
    number = file.parent.name.rpartition("-")[2]
    return int(number) if number.isdecimal() else 0


def _report(games: Path, file: Path) -> Report:
    try:
        name = json.loads(file.read_text())["backup"]
    except (OSError, ValueError, LookupError, TypeError):  # cut off by the power cut that did the damage
        name = None
    backup = games.absolute().with_name("backups") / Path(str(name)).name
    if not backup.is_file():
        return Report(file.parent.absolute(), None, "")
    return Report(file.parent.absolute(), backup, command(backup, games))
