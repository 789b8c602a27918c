"""Cues: the lamp pattern, tune and print job of a kind of news, and which kinds are spoken. Plain data.

These are the cues of news that all games share. Each game has its own besides (`Game.cues`); the server sends
them to desks with the news, so a desk needs no game.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Note = tuple[str, float]  # its name ("C5"; "" is silence) and its length in seconds

RESULT_LAMPS = ("plus", "moins", "reussite")
SEAT_LAMPS = tuple(f"seat_{number}" for number in range(1, 9))
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

    The lamp `seat` means the lamp of the seat or team that the news names, in the first of the fields `about`
    that it has. `counts` names a field with a number for each seat; the lamps and the buzzer count these
    numbers out. `large`: pages show the news large.

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
    about: tuple[str, ...] = ("seat", "by", "side")


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
}

# The kinds of news of every game that are spoken: questions and results, not what everyone can see.
SPOKEN = ("began", "turn", "over", "asked", "declined", "taken_back", "corrected", "abandoned")

# The kinds of news of every game that have no cue, on purpose.
SILENT = (
    "desk_taken",  # the desk sounds for its new table now
    "seat_returned",  # nothing happened in the game
    "restated",  # the correction has just sounded, once for all that it changes
)

# The desk's own feedback to a button press.
DONE: tuple[Note, ...] = (("C6", 0.05),)
REFUSED: tuple[Note, ...] = (("C4", 0.15), ("", 0.05), ("C4", 0.15))

# How numbers are counted out: a flash and a beep per unit, at the pitch of the seat.
BLINK = (0.25, 0.25)
ZERO = (1.0, 0.5)  # zero is one long flash and one long low note
ZERO_NOTE = "C4"
PAUSE = 0.6  # seconds dark and silent before each number
COUNT_NOTES = ("C5", "E5", "G5", "B5", "D6", "F6", "A6", "C7")


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


def cue(key: str, own: Mapping[str, Cue]) -> Cue | None:
    """The cue of a news key, or of its longest prefix that has one: `attack.plus.hand` → `attack.plus`. It is
    one of a game's own, or one that all games share."""
    while key not in own and key not in CUES and "." in key:
        key = key.rpartition(".")[0]
    return own.get(key) or CUES.get(key)
