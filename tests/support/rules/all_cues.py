"""The cues of everything that can be told: those that all games share, and those of the shipped games."""

from collections.abc import Mapping

from referee.games import GAMES
from referee.presentation.cues import CUES, SILENT, SPOKEN, Cue

ALL: Mapping[str, Cue] = {**CUES, **{key: cue for game in GAMES.values() for key, cue in game.cues.items()}}
ALL_SPOKEN = (*SPOKEN, *(kind for game in GAMES.values() for kind in game.spoken))
ALL_SILENT = frozenset((*SILENT, *(kind for game in GAMES.values() for kind in game.silent)))
