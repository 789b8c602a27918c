"""The cues of Agent Hunter: what the desk does for each kind of its news, and which kinds are spoken."""

from collections.abc import Mapping

from referee.presentation.cues import BREATH, FALLING, FANFARE, RISING, SHOWN, TICK, Cue

CUES: Mapping[str, Cue] = {
    "hidden": Cue(lamp="seat", pattern=(0.1, 0.1) * 2, tune=(*TICK, ("", 0.05), *TICK)),
    "attack.plus": Cue(
        lamp="plus",
        pattern=(0.6, 0.2, 0.6, 0.2),
        stays=True,
        tune=RISING,
        sign="plus",
        delay=BREATH,
        lasts=SHOWN,
    ),
    "attack.moins": Cue(
        lamp="moins",
        pattern=(0.2, 0.2, 0.2, 0.2, 0.2, 0.2),
        stays=True,
        tune=FALLING,
        sign="moins",
        delay=BREATH,
        lasts=SHOWN,
    ),
    "attack.reussite": Cue(
        lamp="reussite",
        pattern=(0.1, 0.1) * 5,
        stays=True,
        tune=FANFARE,
        sign="reussite",
        delay=BREATH,
        lasts=SHOWN,
    ),
    "swapped": Cue(lamp="seat", pattern=(0.1, 0.1) * 4, tune=(("D5", 0.1), ("B4", 0.1))),
    "refilled": Cue(lamp="seat", pattern=(0.1, 0.1) * 3, tune=(*TICK, ("D5", 0.05))),
}

SPOKEN = ("attack", "destroyed", "matched", "swapped")

# News without a cue, on purpose.
SILENT = (
    *("destroyed", "matched"),  # the attack before them has just sounded
)
