"""Games from other packages: found by their entry points, tried in a child process, then registered.

A package names its games in the entry-point group `table_referee.games`: the name is the game's id, the value
its `Game` object. Before a game is imported here, a child process imports it and plays some games, with a
time limit; what it found is kept in `games.json` in the data folder, for as long as the files of the package
and ours stay the same. A game that fails is listed with its reason, and everything else starts.
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import referee
from referee.core.game import PROTOCOL, Game, Say
from referee.games import GAMES, REFUSED, SHIPPED, STOPPED, RefusedGame
from referee.presentation.game_folders import add_folder, remove_folder
from referee.presentation.words import words
from referee.program.game_calls import start_again, watch, watched, watched_call

GROUP = "table_referee.games"
TRIAL_TIME = 30.0  # seconds that a trial may take
MOST_DETAILS = 12  # details of a refusal that are kept
LONGEST = 300  # characters of one
FAILED_STARTS = 2  # starts in a row that failed, after which installed games are left out
MOST_STOPPED = 200  # tables that are remembered
NOTES = "games.json"
OURS = ("core", "presentation", "kit", "program")  # folders of ours that a trial depends on


@dataclass(frozen=True)
class Installed:
    """An entry point of the group: a game's id, the object it names, its package, a hash of its files."""

    id: str
    entry: EntryPoint
    package: str
    digest: str


class Notes:
    """What is kept between starts: trials by digest, starts that failed, and tables that were stopped."""

    def __init__(self, data: Path) -> None:
        self._file = data / NOTES
        self.known: dict[str, Any] = {}
        with suppress(OSError, ValueError):
            read = json.loads(self._file.read_text(encoding="utf-8"))
            self.known = read if isinstance(read, dict) else {}

    def write(self) -> None:
        """Write to disk, as a whole. Without a folder that may be written, nothing is kept."""
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            fresh = self._file.with_name(f"{NOTES}.{os.getpid()}")
            with fresh.open("w", encoding="utf-8") as file:
                json.dump(self.known, file)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self._file)


def installed() -> list[Installed]:
    """The games of other packages, by id."""
    found = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        package = entry.dist.name if entry.dist else entry.module
        found.append(Installed(entry.name, entry, package, _digest(entry)))
    return found


def load_installed(data: Path, *, only_shipped: bool = False, starts: bool = False) -> None:
    """Add the games of other packages to the registry. To be called once, before the registry is used.

    `starts`: this is the start of the server, which calls `start_succeeded` when it is ready.
    """
    games, notes = installed(), Notes(data)
    if not games:
        return
    if only_shipped or _has_failed(notes, games):
        key = "games.refused.only_shipped" if only_shipped else "games.refused.failed_starts"
        REFUSED.extend(RefusedGame(each.id, each.package, Say(key)) for each in games)
        return
    if starts:
        _start_begins(notes, games)
    trials: dict[str, Any] = notes.known.get("trials", {})
    kept = {each.digest: trials[each.digest] for each in games if each.digest in trials}
    for each in games:
        if refused := _load(each, games, kept):
            REFUSED.append(refused)
    if kept != trials:
        notes.known["trials"] = kept
        notes.write()
    for stopped in notes.known.get("stopped", ()):
        if any(each.digest == stopped["digest"] for each in games):  # else it was changed since
            _stop(stopped["game"], stopped["table"], games)


def _stop(game: str, table: str, games: Iterable[Installed]) -> None:
    """Refuse a table at which a call did not return; the whole game, if it was at no table."""
    if table:
        STOPPED[table] = game
    elif GAMES.pop(game, None):
        packages = (each.package for each in games if each.id == game)
        REFUSED.append(RefusedGame(game, next(packages, ""), Say("games.refused.stuck")))


def _load(each: Installed, games: Iterable[Installed], trials: dict[str, Any]) -> RefusedGame | None:
    """Try a game and add it, or say why not."""

    def refused(key: str, *details: str, **fields: Any) -> RefusedGame:
        return RefusedGame(each.id, each.package, Say(f"games.refused.{key}", fields), details)

    if each.id in SHIPPED:
        return refused("shipped")
    if sum(other.id == each.id for other in games) > 1:
        return refused("twice")
    if each.digest not in trials:
        trials[each.digest] = tried(each)
    result = trials[each.digest]
    if result["why"]:
        return refused(result["why"], *result["details"], seconds=round(TRIAL_TIME), protocol=PROTOCOL)
    try:
        game = watched_call(each.id, each.entry.load)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return refused("crash", f"{type(error).__name__}: {error}"[:LONGEST])
    add_game(watched(game), each.entry.module)
    return None


def game_to_check(data: Path, game_id: str) -> Game[Any, Any] | None:
    """A game by its id, to be looked at closely: also one whose trial found faults, if it can be loaded."""
    load_installed(data)
    if game_id in GAMES:
        return watched(GAMES[game_id])
    faulty = any(each.id == game_id and each.why.key == "games.refused.faults" for each in REFUSED)
    entry = next((each.entry for each in installed() if each.id == game_id), None) if faulty else None
    game = entry.load() if entry else None
    if entry is None or not isinstance(game, Game):
        return None
    add_game(watched(game), entry.module)
    return GAMES.get(game_id)


def add_game(game: Game[Any, Any], package: str) -> None:
    """Register a game whose words and pages are in the folder of this package."""
    add_folder(game.id, package)
    words.cache_clear()
    GAMES[game.id] = game


def remove_game(game: Game[Any, Any]) -> None:
    """Undo `add_game`, for tests."""
    del GAMES[game.id]
    remove_folder(game.id)
    words.cache_clear()


# ---- trials


def tried(each: Installed) -> dict[str, Any]:
    """What a child process found: why the game cannot be used (empty if it can), with details."""
    with tempfile.TemporaryDirectory(prefix="referee-trial-") as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, "-m", "referee.program.trial", each.id, each.entry.value, str(result)]
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        ) as child:
            try:
                _, said = child.communicate(timeout=TRIAL_TIME)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                return {"why": "too_slow", "details": []}
        with suppress(OSError, ValueError):
            found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
            return {
                "why": found["why"],
                "details": [str(detail)[:LONGEST] for detail in found["details"][:MOST_DETAILS]],
            }
        return {"why": "crash", "details": [line[:LONGEST] for line in said.splitlines()[-1:]]}


def _digest(entry: EntryPoint) -> str:
    """A hash of the entry point, of the files of its package, and of ours that a trial depends on. The
    package is found without importing it."""
    digest = hashlib.sha256(f"{entry.name}={entry.value} {PROTOCOL} {sys.version}".encode())
    here = Path(referee.__file__).parent
    folders = [here / name for name in OURS]
    with suppress(ImportError, ValueError, AttributeError):
        if spec := find_spec(entry.module.partition(".")[0]):
            folders += map(Path, spec.submodule_search_locations or [str(spec.origin)])
    for file in _files(folders):
        with suppress(OSError):
            digest.update(f"\0{file.name}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def _files(folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        if folder.is_file():
            yield folder
        inside = (path for path in sorted(folder.rglob("*")) if path.suffix != ".pyc")
        yield from (path for path in inside if path.is_file())


# ---- starts that failed


def _all(games: Iterable[Installed]) -> str:
    return hashlib.sha256(" ".join(each.digest for each in games).encode()).hexdigest()


def _has_failed(notes: Notes, games: Iterable[Installed]) -> bool:
    """Whether the last starts with just these games failed."""
    starts: Mapping[str, Any] = notes.known.get("starts", {})
    return bool(starts.get("games") == _all(games) and starts.get("failed", 0) >= FAILED_STARTS)


def _start_begins(notes: Notes, games: Iterable[Installed]) -> None:
    """Note a start with these games. It counts as failed until `start_succeeded`."""
    them = _all(games)
    before: Mapping[str, Any] = notes.known.get("starts", {})
    failed = before.get("failed", 0) if before.get("games") == them else 0
    notes.known["starts"] = {"games": them, "failed": failed + 1}
    notes.write()


def start_succeeded(data: Path) -> None:
    """The server is ready: its starts no longer count as failed, unless games are left out for that."""
    if not any(each.why.key == "games.refused.failed_starts" for each in REFUSED):
        notes = Notes(data)
        if notes.known.pop("starts", None):
            notes.write()


def _in_use() -> bool:
    return any(game not in SHIPPED for game in GAMES)


# ---- calls that do not return


def watch_calls(data: Path) -> None:
    """Start again when a call into a game does not return, after noting its table."""
    if _in_use():
        watch(lambda game, table: note_stopped(data, game, table), start_again)


def note_stopped(data: Path, game: str, table: str) -> None:
    """Note on disk that a call into a game did not return at this table, which is refused from now on."""
    notes = Notes(data)
    digest = next((each.digest for each in installed() if each.id == game), "")
    stopped = [each for each in notes.known.get("stopped", []) if each["table"] != table][-MOST_STOPPED:]
    notes.known["stopped"] = [*stopped, {"table": table, "game": game, "digest": digest}]
    notes.write()
