"""The cues of Espion contre Espion: what the desk does for its news, and which kinds are spoken."""

from collections.abc import Mapping

from referee.presentation.cues import BREATH, SHOWN, Cue

CUES: Mapping[str, Cue] = {
    "spy_placed": Cue(lamp="seat", pattern=(0.1, 0.1) * 5, tune=(("A4", 0.08), ("A5", 0.08))),
    "spy_moved": Cue(lamp="seat", pattern=(1.0, 0.2), tune=(("A5", 0.08), ("A4", 0.08))),
    "left_camp": Cue(
        lamp="seat",
        pattern=(0.1, 0.1) * 8,
        large=True,
        tune=(("D5", 0.15), ("", 0.05), ("A5", 0.3)),
        sign="border",
        delay=BREATH,
        lasts=SHOWN,
    ),
    "camera_counts": Cue(counts="seen", large=True, sign="cameras", delay=BREATH, lasts=SHOWN),
    "spotted": Cue(
        lamp="moins",
        pattern=(0.1, 0.1) * 9,
        stays=True,
        tune=(("B5", 0.1), ("F5", 0.1)) * 4,
        sign="spotted",
        delay=BREATH,
        lasts=SHOWN,
    ),
    "stolen": Cue(
        lamp="reussite",
        pattern=(0.5, 0.2) * 3,
        stays=True,
        tune=(("G5", 0.1), ("A5", 0.1), ("B5", 0.1), ("D6", 0.4)),
        sign="stolen",
        delay=BREATH,
        lasts=SHOWN,
    ),
    "guess.True": Cue(
        lamp="reussite",
        pattern=(0.1, 0.1) * 8,
        stays=True,
        tune=(("C5", 0.1), ("", 0.1), ("C6", 0.5)),
        sign="found",
        delay=BREATH,
        lasts=SHOWN,
    ),
    "guess.False": Cue(
        lamp="moins",
        pattern=(0.2, 0.2) * 4,
        large=True,
        tune=(("D5", 0.15), ("", 0.1), ("D4", 0.5)),
        sign="missed",
        delay=BREATH,
        lasts=SHOWN,
    ),
}

SPOKEN = ("left_camp", "camera_counts", "spotted", "stolen", "guess")

# News without a cue, on purpose: all lie in sight.
SILENT = (
    *(
        "building_placed",
        "building_skipped",
        "document_placed",
        "killer_placed",
        "camera_placed",
        "camera_moved",
        "killer_moved",
    ),  # all lie in sight
)
