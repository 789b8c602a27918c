"""Calls into games of other packages: one that does not return is noted, and the program starts again.

No thread can be stopped from outside. So the table is noted on disk, where the next start finds it and
refuses it, and the process is replaced by a new one. A loop inside C code lets no other thread run: then
systemd's watchdog restarts the program, and nothing is noted.
"""

import faulthandler
import logging
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from inspect import currentframe
from types import FrameType, GeneratorType
from typing import Any, NoReturn, TypeVar

from referee.core.game import Game
from referee.core.match import Match, PlayerView

log = logging.getLogger("referee")

PATIENCE = 5.0  # seconds that a call may take
EVERY = 0.5  # seconds between looks
T = TypeVar("T")

_running: dict[int, tuple[str, float, FrameType | None]] = {}  # by thread: the game, when, and from where


def watched(game: Game[Any, Any]) -> Game[Any, Any]:
    """The game with all its functions noting when they are called and when they return."""
    return _with_watched_functions(game, game.id)


def _with_watched_functions(thing: T, game: str) -> T:
    changes: dict[str, Any] = {}
    for each in fields(thing):  # type: ignore[arg-type]
        value = getattr(thing, each.name)
        if isinstance(value, tuple):
            changes[each.name] = tuple(
                _with_watched_functions(item, game) if is_dataclass(item) else item for item in value
            )
        elif is_dataclass(value) and not isinstance(value, type):
            changes[each.name] = _with_watched_functions(value, game)
        elif callable(value) and getattr(value, "__module__", "").partition(".")[0] != "referee":
            changes[each.name] = _watched_function(value, game)
    return replace(thing, **changes) if changes else thing  # type: ignore[type-var]


def _watched_function(function: Callable[..., Any], game: str) -> Callable[..., Any]:
    return lambda *args: watched_call(game, function, *args)


def watched_call(game: str, function: Callable[..., Any], *args: Any) -> Any:
    """Call a function of a game, and note it until it returns."""
    thread = threading.get_ident()
    if thread in _running:  # within another call of a game
        return function(*args)
    _running[thread] = game, time.monotonic(), currentframe()
    try:
        result = function(*args)
        return tuple(result) if isinstance(result, GeneratorType) else result
    finally:
        del _running[thread]


def overdue(now: float) -> tuple[str, str] | None:
    """The game, and the code of the table (empty if unknown), of a call that has not returned in time."""
    for game, since, caller in list(_running.values()):
        if now - since > PATIENCE:
            return game, _table_of(caller)
    return None


def _table_of(frame: FrameType | None) -> str:
    """The code of the table whose match or view the nearest of these frames works with."""
    while frame is not None:
        for value in frame.f_locals.values():
            if isinstance(value, Match | PlayerView):
                return value.code
        frame = frame.f_back
    return ""


def where() -> str:
    """The line of code at which the main thread is. To be called in another thread."""
    with tempfile.TemporaryFile("w+") as file:
        faulthandler.dump_traceback(file, all_threads=True)
        file.seek(0)
        of_main = file.read().rpartition("Thread ")[2].splitlines()
    return next((line.strip() for line in of_main if line.lstrip().startswith("File ")), "")


def watch(note: Callable[[str, str], None], restart: Callable[[], NoReturn]) -> None:
    """Watch the calls in a thread of its own. `note` gets the game and the table of one that is overdue."""

    def look() -> None:
        while True:
            time.sleep(EVERY)
            if found := overdue(time.monotonic()):
                game, table = found
                log.error("a call into the game %s did not return, at table %s", game, table or "unknown")
                note(game, table)
                restart()

    threading.Thread(target=look, name="game-calls", daemon=True).start()


def start_again() -> NoReturn:
    """Replace this process by a new one with the same arguments. Its files and sockets are closed."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
