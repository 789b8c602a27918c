"""The parts of the documents that are made from the code: `make docs` writes them, a test compares them."""

import json
import re
import textwrap
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from referee.games import GAMES
from referee.presentation.cues import CUES, SPOKEN, STATES, Cue
from referee.program import game_calls, installed_games
from referee.program.settings import CHOICES, RANGES, Limits, Settings, keys, pins
from web import clock
from web.pages import live_pages
from web.security import hosts, rate_limit
from web.server import asgi, http_server, logs, request, sockets, stream_endpoints, workers
from web.service import background, desks, journal_cap
from web.store import statements
from web.streams import stream_limits, subscribers
from web.wire import parsing

ROOT = Path(__file__).parent.parent
FOLDERS = ("referee", "web", "hardware", "systemd", "tests")
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


def kind_of_part(key: str) -> str:
    section, _, name = key.partition(".")
    return name if name == "buzzer" else section


def wiring() -> list[tuple[str, int, int, str]]:
    """Each key with a pin: its BCM number, its place on the header, what is between it and ground."""
    return [(key, pin, PLACES[pin], BETWEEN[kind_of_part(key)]) for key, pin in pins(Settings())]


def wiring_table() -> str:
    rows = [f"| `{key}` | GPIO {bcm} | {place} | {thing} |" for key, bcm, place, thing in wiring()]
    return "\n".join(["| setting | pin | place | between it and ground |", "|---|---|---|---|", *rows])


def _seconds(pattern: tuple[float, ...]) -> str:
    """A pattern as seconds on/off; the same flash several times in a row is told once."""
    flashes = [f"{on:g}/{off:g}" for on, off in zip(pattern[::2], (*pattern[1::2], 0.0), strict=False)]
    runs = [(flash, len(list(same))) for flash, same in groupby(flashes)]
    return " ".join(flash if n == 1 else f"{n} × {flash}" for flash, n in runs)


def _light(cue: Cue) -> str:
    if cue.counts:
        return "each seat's lamp counts its figure"
    lamp = {"seat": "the seat", "reussite": "RÉUSSITE", "": "–"}.get(cue.lamp, cue.lamp.upper())
    flashes = f" {_seconds(cue.pattern)}" if cue.pattern else ""
    return lamp + flashes + (", stays lit" if cue.stays else "")


def _tune(cue: Cue) -> str:
    return "beeps count" if cue.counts else " ".join(note or "·" for note, _ in cue.tune)


def cues_table() -> str:
    cues = (cue for own in (CUES, *(game.cues for game in GAMES.values())) for cue in own.items())
    rows = [f"| `{key}` | {_light(c)} | {_tune(c)} | {c.prints or '–'} |" for key, c in cues]
    return "\n".join(["| news | light (seconds on/off) | tune | paper |", "|---|---|---|---|", *rows])


def spoken() -> str:
    kinds = (*SPOKEN, *(kind for game in GAMES.values() for kind in game.spoken))
    return textwrap.fill(", ".join(f"`{kind}`" for kind in kinds), 110)


def states_table() -> str:
    rows = [f"| {state} | {_seconds(pattern) or 'lit'} |" for state, pattern in STATES.items()]
    return "\n".join(["| status lamp | seconds on/off, repeated |", "|---|---|", *rows])


# ---- the drawing

TOP, STEP, MIDDLE = 40, 24, 460


def drawing() -> str:
    """The header with what is connected to each pin: odd places to the left, even ones to the right."""
    wires = "".join(_wire(*wire) for wire in wiring())
    places = "".join(_place(place) for place in range(1, 41))
    height = TOP + 20 * STEP + 40
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * MIDDLE} {height}"'
        ' font-family="sans-serif" font-size="14">\n<title>What is connected to which pin</title>\n'
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
    colour = COLOURS[kind_of_part(key)]
    label = escape(f"GPIO {bcm} · {key} · {thing}")
    return (
        f'<path d="M{x} {y}H{end}" stroke="{colour}" stroke-width="4"/>'
        f'<circle cx="{end}" cy="{y}" r="5" fill="{colour}"/>'
        f'<text x="{beside}" y="{y + 5}" text-anchor="{anchor}">{label}</text>\n'
    )


# ---- settings


def settings_table(section: str, before: str) -> str:
    """The settings of a section as the code has them, with the descriptions that stand there already."""
    told = dict(re.findall(r"^\| `([\w.]+)` \|.* \| (.*) \|$", before, re.MULTILINE))
    rows = [
        f"| `{key}` | `{_toml(default)}` | {_values(key, default)} | {told.get(key, '')} |"
        for key, default in keys()
        if key.startswith(f"{section}.")
    ]
    return "\n".join(["| key | default | values | what it is |", "|---|---|---|---|", *rows])


def _toml(value: Any) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value is not None and value)


def _values(key: str, default: Any) -> str:
    """What a setting may be, in a few words."""
    if key in CHOICES:
        return ", ".join(f"`{_toml(value)}`" for value in CHOICES[key])
    if isinstance(default, bool):
        return "`true`, `false`"
    if key in RANGES:
        least, most = RANGES[key]
        none = " or `false`" if key.startswith(("lights.", "buttons.")) else ""
        return f"{least:,} to {most:,}{none}"
    return "texts" if isinstance(default, tuple) else "text"


# ---- limits of the server


def limits_table() -> str:
    """Everything that is bounded, by what, and what happens beyond it."""
    usual = Limits()
    waiting = f"{workers.EACH} of one caller, {workers.TOTAL:,} in all"
    rows = (
        ("request line and headers", f"{http_server.MOST_HEAD // 1024} KiB, 100 headers", "414 or 431"),
        ("time for them, and an idle connection", f"{http_server.HEAD_TIME // 1000} s", "closed"),
        ("body of an API call", f"{parsing.MAX_BODY // 1024} KiB", "413"),
        ("body of a form", f"{parsing.MAX_FORM // 1024} KiB", "413"),
        ("fields of a form on a seat's page", str(request.MAX_FIELDS), "400"),
        ("time for a body, pieces it comes in", f"{asgi.BODY_TIME:g} s, {asgi.MOST_PIECES:,}", "408, 413"),
        (
            "connections",
            f"{http_server.MOST_CONNECTIONS:,}, or open files less {http_server.OTHER_FILES}",
            "they wait",
        ),
        ("connections before some are closed", "half of that", "the caller with most loses the newest"),
        ("requests waiting for a thread", waiting, "503 `busy` with `Retry-After`"),
        ("bodies on their way, tables being read", "the same", "the same"),
        ("forms and parts of seats' pages waiting for their turn in the loop", "the same", "the same"),
        ("background jobs", str(background.MOST), "503 `busy`"),
        ("events waiting for a JSON or desk stream", str(subscribers.QUEUE), "closed; the client reopens it"),
        ("events waiting for an open page", str(subscribers.PAGE_QUEUE), "it gets the newest state instead"),
        ("time to accept an event", f"{stream_endpoints.SEND_TIMEOUT:g} s", "the stream is closed"),
        ("time to acknowledge bytes", f"{sockets.ACK_TIMEOUT // 1000} s", "the connection is closed"),
        ("streams of one seat or desk", str(stream_limits.PER_HOLDER), "the oldest is closed"),
        ("other streams of one address", f"`limits.streams`, {usual.streams}", "the oldest is closed"),
        ("whole pages in the cache of open pages", str(live_pages.CACHED_PAGES), "the oldest is dropped"),
        ("chunks in the dictionary of an audience", f"{live_pages.MOST_CHUNKS:,}", "a new dictionary"),
        ("failed guesses a minute", _each_and_all(usual, "failures"), "429 `slow-down`"),
        ("tables opened an hour", _each_and_all(usual, "tables"), "429 `slow-down`"),
        ("moves of a seat in ten seconds", f"`limits.moves`, {usual.moves}", "429 `slow-down`"),
        ("questions of a seat a minute", f"`limits.questions`, {usual.questions}", "429 `slow-down`"),
        (
            "print jobs a minute",
            f"{rate_limit.PRINT_JOBS} of a table, {rate_limit.PRINT_JOBS_TOTAL} in all",
            "429 `slow-down`",
        ),
        ("print jobs waiting at a desk", str(desks.MOST_WAITING), "429 `slow-down`"),
        ("entries of a table", f"`limits.entries`, {usual.entries:,}", "409 `table-full`"),
        ("entries left when players are warned", str(journal_cap.FEW), "a line on their pages"),
        ("answers kept for repeated calls", _kept_answers(), "the oldest is forgotten"),
        ("limits of one address, for an IPv6 network", f"{hosts.NETWORK} times as much", "the same"),
        ("callers remembered for a right pin", str(rate_limit.MOST_RIGHT), "the oldest is forgotten"),
        ("callers whose time of day counts", str(clock.MOST_PHONES), "the oldest is forgotten"),
        (
            "a call into a game of another package",
            f"{game_calls.PATIENCE:g} s",
            "the server starts again without its table",
        ),
        (
            "the trial of such a game",
            f"{installed_games.TRIAL_TIME:g} s",
            "the game is left out",
        ),
        (
            "tables stopped for such a call that are remembered",
            str(installed_games.MOST_STOPPED),
            "the oldest is forgotten",
        ),
        ("log records a minute, characters of one", f"{logs.MOST}, {logs.LONGEST:,}", "left out"),
    )
    lines = [f"| {what} | {bound} | {beyond} |" for what, bound, beyond in rows]
    return "\n".join(["| what | limit | beyond it |", "|---|---|---|", *lines])


def _each_and_all(limits: Limits, name: str) -> str:
    each, total = getattr(limits, name), getattr(limits, f"{name}_total")
    return f"`limits.{name}`, {each} of one address, {total} in all"


def _kept_answers() -> str:
    return f"{statements.EACH_TOKENS} of a token, {statements.ALL_ANSWERS:,} in all"


# ---- written into the documents

Make = Callable[[str], str]  # from the part as it stands to the part as it should be


def _made(make: Callable[[], str]) -> Make:
    return lambda _before: make()


PARTS: dict[str, dict[str, Make]] = {
    "hardware/README.md": {
        "wiring": _made(wiring_table),
        "states": _made(states_table),
        "spoken": _made(spoken),
        "cues": _made(cues_table),
    },
    "referee/SETTINGS.md": {
        f"settings {section.name}": partial(settings_table, section.name) for section in fields(Settings)
    },
    "web/README.md": {"limits": _made(limits_table)},
}


def documents() -> list[Path]:
    """Every document of this repository."""
    return [*ROOT.glob("*.md"), *(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.md"))]


def rewritten(name: str) -> str:
    """A document with each part as the code has it now, between its two marks."""
    text = (ROOT / name).read_text(encoding="utf-8")
    for part, make in PARTS[name].items():
        before, begins, rest = text.partition(f"<!-- {part} -->\n")
        inside, ends, after = rest.partition(f"\n<!-- /{part} -->")
        assert begins and ends, f"{name} has no place for {part}"
        text = before + begins + make(inside) + ends + after
    return text


def main() -> None:
    for name in PARTS:
        (ROOT / name).write_text(rewritten(name), encoding="utf-8")
    DRAWING.write_text(drawing(), encoding="utf-8")


if __name__ == "__main__":
    main()
