"""Cues: the lamp pattern, tune and print job of each kind of news, and which kinds are spoken. Plain data."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Note = tuple[str, float]  # its name ("C5"; "" is silence) and its length in seconds

RESULT_LAMPS = ("plus", "moins", "reussite")
SEAT_LAMPS = ("seat_1", "seat_2", "seat_3", "seat_4")
LAMPS = (*RESULT_LAMPS, *SEAT_LAMPS)
STATUS_LAMP = "status"

# The status lamp pattern for each desk state: seconds on, off, on, … repeated. Empty: steadily lit.
STATES: Mapping[str, tuple[float, ...]] = {
    "starting": (0.5, 0.5),
    "ready": (),
    "trouble": (0.1, 0.15, 0.1, 1.15),
    "ending": (0.1, 0.1),
}
SOUNDS = ("loud", "quiet", "off")  # in the order in which the button cycles through them


@dataclass(frozen=True)
class Cue:
    """A lamp with its pattern (seconds on, off, on, …), whether it then stays lit, a tune, a print job.

    The lamp `seat` means the lamp of the seat that the news is about. `counts` names a field with a number
    for each seat; the lamps and the buzzer count these numbers out. `large`: pages show the news large.

    With a `sign` the news is a scene of the table screen: the screen darkens, waits `delay` seconds, shows
    the words under this drawing of the game, and goes back to the board after `lasts` seconds. The desk
    waits as long, so that lamp, tune and screen are in step: see `timeline`.
    """

    lamp: str = ""
    pattern: tuple[float, ...] = ()
    stays: bool = False
    tune: tuple[Note, ...] = ()
    prints: str = ""
    counts: str = ""
    large: bool = False
    sign: str = ""
    delay: float = 0.0
    lasts: float = 0.0


BREATH = 1.0  # seconds of darkness before an answer
SHOWN, LONG = 3.5, 5.0  # seconds that an answer stays: one to read at a glance, one with several parts

RISING: tuple[Note, ...] = (("C5", 0.12), ("E5", 0.12), ("G5", 0.2))
FALLING: tuple[Note, ...] = (("G5", 0.12), ("E5", 0.12), ("C5", 0.2))
FANFARE: tuple[Note, ...] = (("C5", 0.1), ("C5", 0.1), ("G5", 0.1), ("C6", 0.4))
FINALE: tuple[Note, ...] = (("G4", 0.15), ("C5", 0.15), ("E5", 0.15), ("G5", 0.15), ("", 0.1), ("C6", 0.5))
TICK: tuple[Note, ...] = (("A4", 0.05),)

CUES: Mapping[str, Cue] = {
    "joined": Cue(lamp="seat", pattern=(0.5, 0.1), tune=TICK),
    "began": Cue(tune=(("C5", 0.15), ("G5", 0.25))),
    "turn": Cue(lamp="seat", stays=True, tune=(("E5", 0.08),)),
    "over": Cue(tune=FINALE, prints="sheet", sign="over"),
    "asked": Cue(lamp="seat", pattern=(0.3, 0.3) * 3, tune=(("E5", 0.1), ("", 0.1), ("B5", 0.2))),
    "agreed": Cue(lamp="plus", pattern=(0.3, 0.1), tune=(("B5", 0.08),)),
    "declined": Cue(lamp="moins", pattern=(0.8, 0.1), tune=(("E4", 0.3),)),
    "taken_back": Cue(lamp="plus", pattern=(0.1, 0.1) * 4, tune=(("B5", 0.1), ("A5", 0.1), ("G5", 0.1))),
    "corrected": Cue(
        lamp="reussite", pattern=(0.3, 0.2) * 2, large=True, tune=(("F5", 0.1), ("A5", 0.1), ("F5", 0.1))
    ),
    "reissued": Cue(lamp="seat", pattern=(0.5, 0.3) * 2, tune=(("G4", 0.1), ("B4", 0.1), ("D5", 0.1))),
    "abandoned": Cue(lamp="moins", pattern=(1.5, 0.1), tune=(("C5", 0.2), ("G4", 0.2), ("C4", 0.4))),
    # Agent Hunter
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
    # Espion contre Espion
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
    # Agent Avenue
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
    # Agent Double
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

# The kinds of news that are spoken: questions and results, not what everyone can see on the table.
SPOKEN = (
    *("began", "turn", "over", "asked", "declined", "taken_back", "corrected", "abandoned"),
    *("attack", "destroyed", "matched", "swapped"),
    *("left_camp", "camera_counts", "spotted", "stolen", "guess"),
    *("taken", "moved", "market_taken", "market_effect"),
    *("acted", "proposed", "refused", "asks", "ruled", "delivered"),
)

# The desk's own feedback to a button press.
DONE: tuple[Note, ...] = (("C6", 0.05),)
REFUSED: tuple[Note, ...] = (("C4", 0.15), ("", 0.05), ("C4", 0.15))

# How numbers are counted out: a flash and a beep per unit, at the pitch of the seat.
BLINK = (0.25, 0.25)
ZERO = (1.0, 0.5)  # zero is one long flash and one long low note
ZERO_NOTE = "C4"
PAUSE = 0.6  # seconds dark and silent before each number
COUNT_NOTES = ("C5", "E5", "G5", "B5")


def counting(figures: Sequence[int]) -> tuple[tuple[tuple[float, ...], ...], tuple[Note, ...]]:
    """Count numbers out one after the other: a pattern for each lamp, with its delay, and one tune.

    Seats beyond the number of seat lamps are left out.
    """
    patterns: list[tuple[float, ...]] = []
    tune: list[Note] = []
    begins = 0.0
    for figure, note in zip(figures, COUNT_NOTES, strict=False):
        begins += PAUSE
        signs = BLINK * figure or ZERO
        patterns.append((0.0, begins, *signs))
        pitch = note if figure else ZERO_NOTE
        tune += (("", PAUSE), *((("", s) if i % 2 else (pitch, s)) for i, s in enumerate(signs)))
        begins += sum(signs)
    return tuple(patterns), tuple(tune)


def timeline(cues: Iterable[Cue | None]) -> Iterator[float]:
    """When each piece of news of one move is shown and sounds, in seconds after the move.

    A move has one breath, that of its first scene. Scenes with the same sign, and one without a breath,
    follow each other; other news belong to the scene before them.
    """
    at = end = 0.0
    before = ""
    for each in cues:
        if each is not None and each.sign:
            if not before:
                at = each.delay
            elif each.sign == before or not each.delay:
                at = end
            before, end = each.sign, max(end, at + each.lasts)
        yield at


def cue(key: str) -> Cue | None:
    """The cue of a news key, or of its longest prefix that has one: `attack.plus.hand` → `attack.plus`."""
    while key not in CUES and "." in key:
        key = key.rpartition(".")[0]
    return CUES.get(key)
