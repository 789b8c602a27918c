"""The cues: what the desk does for each kind of news, and which kinds are spoken."""

from collections.abc import Mapping

from referee.presentation.cues import BREATH, FALLING, FANFARE, SHOWN, TICK, Cue

CUES: Mapping[str, Cue] = {
    "hidden": Cue(lamp="seat", pattern=(0.1, 0.1) * 2, tune=TICK),
    "found": Cue(
        lamp="reussite",
        pattern=(0.1, 0.1) * 5,
        stays=True,
        tune=FANFARE,
        sign="reussite",
        delay=BREATH,
        lasts=SHOWN,
    ),
    "missed": Cue(
        lamp="moins",
        pattern=(0.2, 0.2) * 3,
        large=True,
        tune=FALLING,
        sign="missed",
        delay=BREATH,
        lasts=SHOWN,
    ),
}

SPOKEN = ("found", "missed")
