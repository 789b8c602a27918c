"""The parts of the README that are made from the code: `make readme` writes them, a test compares them."""

from html import escape
from pathlib import Path

from referee.cues import CUES, SPOKEN, STATES, Cue
from referee.settings import Settings, pins

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DRAWING = ROOT / "hardware" / "wiring.svg"

# Where each BCM number is on the header, counted as the board does; and where ground is.
PLACES = {
    **{2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18, 10: 19, 9: 21},
    **{25: 22, 11: 23, 8: 24, 7: 26, 0: 27, 1: 28, 5: 29, 6: 31, 12: 32, 13: 33, 19: 35, 16: 36},
    **{26: 37, 20: 38, 21: 40},
}
GROUND = (6, 9, 14, 20, 25, 30, 34, 39)
BETWEEN = {"lights": "LED + 330 Ω", "buzzer": "passive piezo buzzer", "buttons": "push button"}
COLOURS = {"lights": "#b3540b", "buzzer": "#6a3fa0", "buttons": "#14639e"}


def what_hangs_there(key: str) -> str:
    section, _, name = key.partition(".")
    return name if name == "buzzer" else section


def wiring() -> list[tuple[str, int, int, str]]:
    """Each key with a pin: its BCM number, its place on the header, what hangs between it and ground."""
    return [(key, pin, PLACES[pin], BETWEEN[what_hangs_there(key)]) for key, pin in pins(Settings())]


def wiring_table() -> str:
    rows = [f"| `{key}` | GPIO {bcm} | {place} | {thing} |" for key, bcm, place, thing in wiring()]
    return "\n".join(["| setting | pin | place | between it and ground |", "|---|---|---|---|", *rows])


def _seconds(pattern: tuple[float, ...]) -> str:
    return " ".join(f"{on:g}/{off:g}" for on, off in zip(pattern[::2], (*pattern[1::2], 0.0), strict=False))


def _light(cue: Cue) -> str:
    if cue.counts:
        return "each seat's lamp counts its figure"
    lamp = {"seat": "the seat", "": "–"}.get(cue.lamp, cue.lamp.upper())
    flashes = f" {_seconds(cue.pattern)}" if cue.pattern else ""
    return lamp + flashes + (", stays lit" if cue.stays else "")


def _tune(cue: Cue) -> str:
    return "beeps count" if cue.counts else " ".join(note or "·" for note, _ in cue.tune)


def cues_table() -> str:
    rows = [f"| `{key}` | {_light(c)} | {_tune(c)} | {c.ticket or '–'} |" for key, c in CUES.items()]
    return "\n".join(["| news | light (seconds on/off) | tune | paper |", "|---|---|---|---|", *rows])


def spoken() -> str:
    return ", ".join(f"`{kind}`" for kind in SPOKEN)


def states_table() -> str:
    rows = [f"| {state} | {_seconds(pattern) or 'lit'} |" for state, pattern in STATES.items()]
    return "\n".join(["| status lamp | seconds on/off, over and over |", "|---|---|", *rows])


# ---- the drawing

TOP, STEP, MIDDLE = 40, 24, 460


def drawing() -> str:
    """The header with what hangs on each pin: odd places to the left, even ones to the right."""
    wires = "".join(_wire(*wire) for wire in wiring())
    places = "".join(_place(place) for place in range(1, 41))
    height = TOP + 20 * STEP + 40
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * MIDDLE} {height}"'
        ' font-family="sans-serif" font-size="14">\n<title>What hangs on which pin</title>\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n{wires}{places}'
        f'<text x="{MIDDLE}" y="{height - 14}" text-anchor="middle">'
        "The other leg of every part goes to ground (black).</text>\n</svg>\n"
    )


def _at(place: int) -> tuple[int, int]:
    return MIDDLE + (14 if place % 2 == 0 else -14), TOP + (place - 1) // 2 * STEP


def _place(place: int) -> str:
    x, y = _at(place)
    colour = "#222" if place in GROUND else "#d9d2c3"
    ink = "#fff" if place in GROUND else "#222"
    return (
        f'<circle cx="{x}" cy="{y}" r="11" fill="{colour}" stroke="#555"/>'
        f'<text x="{x}" y="{y + 4}" text-anchor="middle" font-size="11" fill="{ink}">{place}</text>\n'
    )


def _wire(key: str, bcm: int, place: int, thing: str) -> str:
    x, y = _at(place)
    end = x + (60 if place % 2 == 0 else -60)
    anchor, beside = ("start", end + 8) if place % 2 == 0 else ("end", end - 8)
    colour = COLOURS[what_hangs_there(key)]
    label = escape(f"GPIO {bcm} · {key} · {thing}")
    return (
        f'<path d="M{x} {y}H{end}" stroke="{colour}" stroke-width="4"/>'
        f'<circle cx="{end}" cy="{y}" r="5" fill="{colour}"/>'
        f'<text x="{beside}" y="{y + 5}" text-anchor="{anchor}">{label}</text>\n'
    )


# ---- written into the README

PARTS = {"cues": cues_table, "spoken": spoken, "states": states_table, "wiring": wiring_table}


def rewritten(text: str) -> str:
    """The README with each part as the code has it now, between its two marks."""
    for name, make in PARTS.items():
        before, begins, rest = text.partition(f"<!-- {name} -->\n")
        _, ends, after = rest.partition(f"\n<!-- /{name} -->")
        assert begins and ends, f"the README has no place for {name}"
        text = before + begins + make() + ends + after
    return text


def main() -> None:
    README.write_text(rewritten(README.read_text(encoding="utf-8")), encoding="utf-8")
    DRAWING.write_text(drawing(), encoding="utf-8")


if __name__ == "__main__":
    main()
