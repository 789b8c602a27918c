"""The trial of a game from another package, run in a process of its own: python -m referee.program.trial."""

import importlib
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from referee.core.game import PROTOCOL, Game
from referee.kit.check import trial_faults
from referee.program.game_calls import watch, watched, watched_call, where
from referee.program.installed_games import add_game


def found(game_id: str, value: str) -> tuple[str, Sequence[str]]:
    """Why the game that an entry point names cannot be used (empty if it can), with details."""
    module, _, name = value.partition(":")
    try:
        game: Any = watched_call(game_id, importlib.import_module, module)
        for part in filter(None, name.split(".")):
            game = getattr(game, part)
    except BaseException as error:  # noqa: BLE001  (a package may raise anything, `SystemExit` too)
        return "crash", [f"{type(error).__name__}: {error}"]
    if not isinstance(game, Game):
        return "no_game", [f"{value} is a {type(game).__name__}"]
    if game.protocol != PROTOCOL:
        return "protocol", [f"the game is made for version {game.protocol}, this is version {PROTOCOL}"]
    if game.id != game_id:
        return "faults", [f"the entry point is named {game_id!r}, but the game's id is {game.id!r}"]
    game = watched(game)
    add_game(game, module)
    faults = list(trial_faults(game))
    return ("faults" if faults else ""), faults


def main() -> None:
    game_id, value, result = sys.argv[1:]

    def write(why: str, details: Sequence[str]) -> None:
        Path(result).write_text(json.dumps({"why": why, "details": list(details)}), encoding="utf-8")

    watch(lambda _game, _table: write("stuck", [where()]), lambda: os._exit(1))
    write(*found(game_id, value))


if __name__ == "__main__":
    main()
