"""Sticks: a copy of the games on each USB stick that its owner has named for it, and on no other."""

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from web.store.backups import keep_daily

log = logging.getLogger("referee")

PLACES = (Path("/media"), Path("/run/media"), Path("/mnt"))  # where systems put the sticks they find
FOLDER = "table-referee"  # on the stick, for the copies


def keep_on_sticks(path: Path, sticks: Iterable[Path]) -> None:
    """Copy the games to each of these sticks. One that fails is told in the log, and no game hears of it."""
    for stick in sticks:
        try:
            keep_daily(path, stick / FOLDER)
        except OSError as error:
            log.warning("The games are not on the stick: %s", error)


def found(
    name: str,
    places: tuple[Path, ...] = PLACES,
    is_stick: Callable[[Path], bool] = os.path.ismount,
) -> list[Path]:
    """The sticks of this name: a stranger's is called otherwise and never written to."""
    return [stick for stick in _called(name, places) if is_stick(stick)] if name else []


def _called(name: str, places: tuple[Path, ...]) -> Iterator[Path]:
    """Below a place itself, or below the folder that the system has there for each person."""
    for place in places:
        for folder in (place, *_folders(place)):
            yield folder / name


def _folders(place: Path) -> list[Path]:
    try:
        return sorted(place.iterdir())
    except OSError:  # there is none, or it is not for us to see
        return []
