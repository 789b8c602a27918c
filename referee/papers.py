"""The papers of a table: the score sheet and the join slips, written as blocks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.fairness import short, spelled
from referee.game import Finished, Outcome, Table
from referee.match import Seen
from referee.moves import Seat
from referee.sheets import Block, Code, Cut, Gap, Heading, Rule, Text
from referee.views import Voice
from referee.words import Words


def score_sheet(seen: Seen, words: Words, when: str, is_demo: bool = False) -> Iterator[Block]:
    """The sheet of a finished game: who won and why, the game's own lines, the head of the chain."""
    if seen.outcome is None:
        raise PermissionError("a score sheet is written when the game is over, not before")
    voice = Voice(words, seen.game, seen.names)
    yield Heading(voice.of_game("name"))
    yield Text(words.say("sheet.table", {"code": seen.code}), centred=True)
    yield Text(when, centred=True)
    if is_demo:
        yield Text(words.say("sheet.demo"), bold=True, centred=True)
    yield Rule()
    yield Text(voice.ending(seen.outcome.winners, seen.outcome.reason), bold=True)
    yield Gap()
    if seen.slice and seen.debrief and not seen.outcome.is_abandoned:
        yield from seen.game.sheet(_finished(seen, seen.slice.table, seen.outcome, seen.debrief, voice))
    if n := sum(map(len, seen.corrected.values())):
        yield Text(words.say("sheet.corrected", {"n": n}))
    if seen.amended:
        yield Text(words.say("sheet.amended"), bold=True)
    for seat in dict.fromkeys(seen.unasked):
        yield Text(voice.say("sheet.unasked", {"seat": seat}))
    yield Rule()
    yield Text(words.say("sheet.head"))
    yield Text(short(seen.head), bold=True)
    yield Text(spelled(seen.head).removeprefix(short(seen.head)).lstrip())
    yield Cut()


def _finished(
    seen: Seen, table: Table, outcome: Outcome, debrief: Mapping[Seat, Mapping[str, Any]], voice: Voice
) -> Finished:
    return Finished(
        public=voice.game.public(table),
        outcome=outcome,
        debrief=debrief,
        names={seat: voice.name(seat) for seat in voice.names},
        title=voice.title,
        say=lambda key, **fields: voice.of_game(f"sheet.{key}", fields),
        corrected=seen.corrected,
    )


@dataclass(frozen=True)
class Wifi:
    """The Wi-Fi that guests join first: its name and password, and what its QR code says."""

    ssid: str
    password: str = field(repr=False)
    code: str = field(repr=False)


def join_slips(
    seen: Seen, words: Words, links: Mapping[Seat, str], second: str, wifi: Wifi | None = None
) -> Iterator[Block]:
    """A slip for each free seat: its name, its QR code, the address in letters; before them, the Wi-Fi.

    `second` is the way in by the referee's name, where the code of the table can be typed.
    """
    voice = Voice(words, seen.game, seen.names)
    for seat, link in links.items():
        yield Heading(voice.of_game("name"))
        yield Text(voice.title(seat), bold=True, centred=True)
        if wifi:
            yield from _wifi(wifi, words)
            yield Text(words.say("slip.then"), centred=True)
        yield Code(link)
        yield Text(words.say("slip.scan"), centred=True)
        yield Text(link)
        yield Gap()
        yield Text(words.say("slip.table", {"code": seen.code}), bold=True, centred=True)
        yield Text(second, centred=True)
        yield Cut()


def _wifi(wifi: Wifi, words: Words) -> Iterator[Block]:
    """How a phone gets into the Wi-Fi: by a code, or typed."""
    yield Text(words.say("slip.wifi"), centred=True)
    yield Code(wifi.code)
    yield Text(wifi.ssid, bold=True, centred=True)
    if wifi.password:
        yield Text(words.say("slip.password", {"password": wifi.password}), centred=True)
    yield Rule()
