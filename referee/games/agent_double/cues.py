"""The cues of Agent Double: what the desk does for each kind of its news, and which kinds are spoken."""

from collections.abc import Mapping

from referee.presentation.cues import BREATH, LONG, Cue

CUES: Mapping[str, Cue] = {
    "loyalty_assigned": Cue(lamp="seat", pattern=(0.1, 0.1) * 5, tune=(("C4", 0.06), ("G4", 0.06))),
    "placed": Cue(lamp="seat", pattern=(1.0, 0.1), tune=(("C4", 0.06),)),
    "influence": Cue(lamp="seat", pattern=(0.4, 0.1) * 2, tune=(("C4", 0.06), ("D4", 0.06))),
    "acting": Cue(lamp="seat", pattern=(0.3, 0.1) * 5, tune=(("D5", 0.1), ("F5", 0.1))),
    "proposed": Cue(lamp="seat", pattern=(0.25, 0.1) * 3, tune=(("D5", 0.1), ("F5", 0.1), ("D6", 0.2))),
    "acted": Cue(lamp="seat", pattern=(0.3, 0.1) * 4, tune=(("F5", 0.1), ("D5", 0.1), ("F4", 0.2))),
    "accepted": Cue(lamp="plus", pattern=(0.3, 0.1) * 2, tune=(("B4", 0.08), ("B5", 0.08))),
    "refused": Cue(lamp="moins", pattern=(0.2, 0.2) * 4, tune=(("E4", 0.1), ("C4", 0.3))),
    "asks": Cue(lamp="reussite", pattern=(0.2, 0.1) * 4, tune=(("G5", 0.1), ("", 0.1), ("G5", 0.1))),
    "ruled": Cue(lamp="reussite", pattern=(1.0, 0.1), tune=(("G5", 0.1), ("A5", 0.2))),
    "delivered": Cue(
        lamp="reussite",
        pattern=(0.4, 0.2) * 3,
        large=True,
        tune=(("G4", 0.1), ("C5", 0.1), ("G5", 0.3)),
        sign="delivery",
        delay=BREATH,
        lasts=LONG,
    ),
    "delivered.nobody": Cue(
        lamp="moins",
        pattern=(0.4, 0.2) * 3,
        large=True,
        tune=(("G4", 0.1), ("C4", 0.3)),
        sign="delivery",
        delay=BREATH,
        lasts=LONG,
    ),
}

SPOKEN = ("acted", "proposed", "refused", "asks", "ruled", "delivered")

# News without a cue, on purpose.
SILENT = (
    *(
        "fx_peek",
        "fx_marker",
        "fx_influence",
        "fx_swap_loyalty",
        "fx_peek_loyalty",
        "fx_move_file",
        "fx_remove_file",
    ),  # an action is composed: nothing happens
    *(
        "did_peek",
        "did_marker",
        "did_influence",
        "did_swap_loyalty",
        "did_peek_loyalty",
        "did_move_file",
        "did_remove_file",
    ),  # the action has just sounded
)
