"""`referee check` and the trial of a game from another package: everything that is wrong with a game."""

from collections.abc import Iterator
from typing import Any

from referee.core.game import Game
from referee.kit.declared import Fault, declared_faults
from referee.kit.played import Played, described
from referee.kit.twin_worlds import Leak, look_for_leaks
from referee.kit.word_check import catalogue_faults, needed, unused
from referee.presentation.words import COMPLETE, words
from referee.program.simulate import CheckFailed

GAMES = 40  # random games that a check plays
TRIAL_GAMES = 3  # and that a trial plays, each time that the files of the package changed
TWIN_GAMES = 16


def trial_faults(game: Game[Any, Any]) -> Iterator[Fault]:
    """What keeps a game from being used at all. Quick: a few games."""
    yield from dict.fromkeys(_trial(game, Played(game), TRIAL_GAMES))


def faults(game: Game[Any, Any], games: int = GAMES) -> Iterator[Fault]:
    """Everything that is wrong with a game."""
    played = Played(game)
    yield from dict.fromkeys(_trial(game, played, games))
    if not played.faults:
        yield from played.never()
    yield from _leaks(game)
    for key in unused(game, played.heard(COMPLETE[0]).asked):
        yield f"nothing uses {key}"


def _trial(game: Game[Any, Any], played: Played, games: int) -> Iterator[Fault]:
    try:
        declared = list(declared_faults(game))
    except Exception as error:  # noqa: BLE001  (whatever the game's code raises is its fault)
        declared = [f"its declaration cannot be read: {described(error)}"]
    yield from declared
    unreadable = list(catalogue_faults(game))
    yield from unreadable
    if any("cannot be read" in fault for fault in (*declared, *unreadable)):
        return
    for language in COMPLETE:
        for key in needed(game):
            if key not in words(language):
                yield f"{language}.po lacks {key}"
    played.play(games)
    yield from played.faults


def _leaks(game: Game[Any, Any]) -> Iterator[Fault]:
    if not any(shape.secret for shape in game.moves.values()):
        return
    try:
        look_for_leaks(game, [f"check/{n}" for n in range(TWIN_GAMES)])
    except Leak as leak:
        yield f"leak: {leak}"
    except CheckFailed as failed:
        yield str(failed)
    except Exception as error:  # noqa: BLE001  (whatever the game's code raises is its fault)
        yield f"leaks cannot be looked for: {described(error)}"
