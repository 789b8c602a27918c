"""The cues of Liar's Dice: what the desk does for its news, and which kinds are spoken."""

from collections.abc import Mapping

from referee.presentation.cues import BREATH, FALLING, FANFARE, LONG, TICK, Cue

CUES: Mapping[str, Cue] = {
    "rolled": Cue(lamp="seat", pattern=(0.1, 0.1) * 3, tune=TICK),
    "bid": Cue(lamp="seat", pattern=(0.5, 0.1), tune=(("C5", 0.1),)),
    "doubted.True": Cue(
        lamp="reussite",
        pattern=(0.1, 0.1) * 5,
        stays=True,
        tune=FANFARE,
        sign="liar",
        delay=BREATH,
        lasts=LONG,
    ),
    "doubted.False": Cue(
        lamp="moins",
        pattern=(0.2, 0.2) * 4,
        stays=True,
        tune=FALLING,
        sign="honest",
        delay=BREATH,
        lasts=LONG,
    ),
    "lost": Cue(lamp="seat", pattern=(0.8, 0.2), tune=(("A4", 0.2),)),
    "out": Cue(lamp="seat", pattern=(1.5, 0.1), tune=(("E4", 0.2), ("C4", 0.4))),
    "palifico": Cue(lamp="plus", pattern=(0.3, 0.2) * 3, tune=(("G5", 0.1), ("", 0.1), ("G5", 0.3))),
}

SPOKEN = ("doubted", "out", "palifico")
