"""Copies the database to mounted USB sticks with the name in the settings, and to no other stick."""

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from web.store.backups import backup_daily

log = logging.getLogger("referee")

MOUNT_POINTS = (Path("/media"), Path("/run/media"), Path("/mnt"))  # mount points of removable media
FOLDER = "table-referee"  # folder on the stick for the copies


def copy_to_sticks(path: Path, sticks: Iterable[Path]) -> None:
    """Copy the database to each of these sticks. A failure is logged and does not affect games."""
    for stick in sticks:
        try:
            backup_daily(path, stick / FOLDER)
        except OSError as error:
            log.warning("The games were not copied to the stick: %s", error)


def find_sticks(
    name: str,
    mount_points: tuple[Path, ...] = MOUNT_POINTS,
    is_stick: Callable[[Path], bool] = os.path.ismount,
) -> list[Path]:
    """The mounted sticks of this name. Sticks with other names are never written to."""
    return [stick for stick in _candidates(name, mount_points) if is_stick(stick)] if name else []


def _candidates(name: str, mount_points: tuple[Path, ...]) -> Iterator[Path]:
    """Possible paths: directly below a mount point, or below a user's folder in it."""
    for mount_point in mount_points:
        for folder in (mount_point, *_folders(mount_point)):
            yield folder / name


def _folders(mount_point: Path) -> list[Path]:
    try:
        return sorted(mount_point.iterdir())
    except OSError:  # it does not exist, or is not readable
        return []
