"""Copies the games to mounted USB sticks with the name in the settings, and to no other stick.

A stick leaves the house: its copy has no table of which something is still hidden. It is used only if nobody
can have prepared it to lead a copy elsewhere: FAT or exFAT, which have no links, and owned by our user. What
was done is written to a file in the data folder, which pages show until somebody dismisses it.
"""

import json
import logging
import os
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from web.store.backups import copy_without_secrets, has_todays, keep_in
from web.store.engine import DatabaseError
from web.store.row_copies import count_tables

log = logging.getLogger("referee")

MOUNTS = Path("/proc/self/mountinfo")
MOUNT_POINTS = tuple(re.compile(f"{place}(/[^/]+)?") for place in ("/media", "/run/media", "/mnt"))
FILE_SYSTEMS = ("vfat", "exfat")
FOLDER = "table-referee"  # folder on the stick for the copies
NOTE = "stick.json"  # in the data folder: what was last done with a stick


@dataclass(frozen=True)
class StickNote:
    """What was done with a stick: how many tables were copied and left out, or why it was refused (a key)."""

    name: str
    copied: int = 0
    left_out: int = 0
    refused: str = ""


class StickRefused(OSError):
    """A stick is not used. `why` is the key of the sentence for people."""

    def __init__(self, why: str) -> None:
        super().__init__(f"refused: {why}")
        self.why = why


def copy_to_sticks(path: Path, sticks: Iterable[Path], mounts: Path = MOUNTS) -> None:
    """Copy the games to each of these sticks, at most once a day. A failure does not affect games."""
    for stick in sticks:
        if _is_refused(stick, mounts) or not has_todays(stick / FOLDER):
            copy_to_stick(path, stick, mounts)


def _is_refused(stick: Path, mounts: Path) -> bool:
    try:
        check_stick(stick, mounted(mounts))
    except OSError:
        return True
    return False


def copy_to_stick(path: Path, stick: Path, mounts: Path = MOUNTS) -> StickNote:
    """Copy what is no secret to a stick, and note it in the data folder."""
    try:
        check_stick(stick, mounted(mounts))
        made = keep_in(path, stick / FOLDER, copy_without_secrets)
        copied = count_tables(made, is_copy=True)
        note = StickNote(stick.name, copied, max(0, count_tables(path) - copied))
    except StickRefused as refused:
        note = StickNote(stick.name, refused=refused.why)
    except (OSError, DatabaseError) as error:
        log.warning("The games were not copied to the stick: %s", error)
        note = StickNote(stick.name, refused="not_written")
    if note.refused:
        log.warning("The stick %s was not used: %s", stick, note.refused)
    write_note(path, note)
    return note


def check_stick(stick: Path, mounts: Mapping[Path, str]) -> None:
    """Refuse a stick that is not mounted there itself, has another file system, or is not our user's."""
    if mounts.get(stick.absolute()) not in FILE_SYSTEMS or stick.resolve() != stick.absolute():
        raise StickRefused("file_system")
    own = stick.lstat()
    _check_owner(own)
    if not os.path.lexists(stick / FOLDER):
        return
    folder = (stick / FOLDER).lstat()
    if not stat.S_ISDIR(folder.st_mode) or folder.st_dev != own.st_dev:
        raise StickRefused("link")
    _check_owner(folder)


def _check_owner(of: os.stat_result) -> None:
    if of.st_uid != os.geteuid():
        raise StickRefused("owner")


def find_sticks(name: str, mounts: Path = MOUNTS) -> list[Path]:
    """The mounted sticks of this name. Sticks with other names are never written to."""
    return [place for place in mounted(mounts) if name and place.name == name and _is_removable(place)]


def _is_removable(place: Path) -> bool:
    return any(point.fullmatch(str(place.parent)) for point in MOUNT_POINTS)


def mounted(mounts: Path) -> dict[Path, str]:
    """What is mounted where, as the system lists it: the file system by mount point. A folder that is only
    mounted again elsewhere (a bind mount) is left out."""
    try:
        lines = mounts.read_text(errors="surrogateescape").splitlines()
    except OSError:  # not Linux
        return {}
    fields = [line.split(" ") for line in lines]
    return {Path(_unescaped(of[4])): of[of.index("-") + 1] for of in fields if of[3] == "/"}


def _unescaped(text: str) -> str:
    """A path with its spaces, which the system writes as octal numbers."""
    return re.sub(r"\\(\d{3})", lambda code: chr(int(code[1], 8)), text)


# ---- the note


def write_note(path: Path, note: StickNote) -> None:
    file = path.with_name(NOTE)
    try:
        file.write_text(json.dumps(note.__dict__))
        file.chmod(0o600)
    except OSError as error:
        log.warning("What was done with the stick was not noted: %s", error)


def read_note(path: Path) -> tuple[StickNote, float] | None:
    """The last note and when it was written, until somebody dismisses it."""
    file = path.with_name(NOTE)
    try:
        return StickNote(**json.loads(file.read_text())), file.stat().st_mtime
    except (OSError, ValueError, TypeError):  # none, or incomplete after a power cut
        return None


def dismiss_note(path: Path) -> None:
    path.with_name(NOTE).unlink(missing_ok=True)
