"""The cues of Agent Avenue: what the desk does for each kind of its news, and which kinds are spoken."""

from collections.abc import Mapping

from referee.presentation.cues import BREATH, LONG, SHOWN, Cue

CUES: Mapping[str, Cue] = {
    "discarded": Cue(lamp="seat", pattern=(0.1, 0.1) * 5, tune=(("F4", 0.06), ("A4", 0.06))),
    "shown": Cue(lamp="seat", pattern=(1.2, 0.1), tune=(("C5", 0.1), ("D5", 0.15))),
    "concealed": Cue(lamp="seat", pattern=(0.2, 0.2) * 2, tune=(("D5", 0.1), ("C5", 0.15))),
    "taken": Cue(
        lamp="reussite",
        pattern=(0.2, 0.1) * 3,
        tune=(("G4", 0.1), ("C5", 0.1), ("D5", 0.2)),
        large=True,
        sign="recruits",
        delay=BREATH,
        lasts=LONG,
    ),
    "recruited": Cue(lamp="seat", pattern=(0.1, 0.1) * 6, tune=(("C5", 0.05),)),
    "moved": Cue(lamp="seat", pattern=(0.2, 0.1), tune=(("F5", 0.05),)),
    "market_row": Cue(lamp="plus", pattern=(0.4, 0.2) * 2, tune=(("E4", 0.08), ("G4", 0.08), ("E4", 0.08))),
    "market_taken": Cue(
        lamp="plus",
        pattern=(0.3, 0.1) * 3,
        tune=(("A4", 0.1), ("E5", 0.2)),
        sign="market",
        delay=BREATH,
        lasts=SHOWN,
    ),
    "market_effect": Cue(
        lamp="reussite",
        pattern=(0.2, 0.1) * 4,
        tune=(("E5", 0.1), ("A5", 0.2)),
        sign="market",
        delay=BREATH,
        lasts=SHOWN,
    ),
}

SPOKEN = ("taken", "moved", "market_taken", "market_effect")
