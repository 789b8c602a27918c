"""What a table prints: the score sheet and the join slips, as blocks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from referee.core.game import Finished
from referee.core.match import PlayerView
from referee.core.moves import Seat
from referee.fairness.commitments import grouped, short
from referee.presentation.sheets import Block, Code, Cut, Gap, Heading, Paragraph, Rule
from referee.presentation.views import Localizer, ending_news
from referee.presentation.words import Words


def score_sheet(seen: PlayerView, words: Words, when: str, is_demo: bool = False) -> Iterator[Block]:
    """The sheet of a finished game: who won and why, the game's own lines, the head of the hash chain."""
    over = ending_news(seen)
    if seen.outcome is None or over is None:
        raise PermissionError("a score sheet is available only after the game is over")
    localizer = Localizer(words, seen.game, seen.names)
    yield Heading(localizer.of_game("name"))
    yield Paragraph(words.say("sheet.table", {"code": seen.code}), centred=True)
    yield Paragraph(when, centred=True)
    if is_demo:
        yield Paragraph(words.say("sheet.demo"), bold=True, centred=True)
    yield Rule()
    yield Paragraph(localizer.ending(over.fields), bold=True)
    yield Gap()
    if seen.slice and seen.debrief and not seen.outcome.is_abandoned:
        yield from seen.game.sheet(finished(seen, localizer))
    if n := sum(map(len, seen.corrected.values())):
        yield Paragraph(words.say("sheet.corrected", {"n": n}))
    if seen.amended:
        yield Paragraph(words.say("sheet.amended"), bold=True)
    for seat in dict.fromkeys(seen.unasked):
        yield Paragraph(localizer.say("sheet.unasked", {"seat": seat}))
    yield Rule()
    yield Paragraph(words.say("sheet.head"))
    yield Paragraph(short(seen.head), bold=True)
    yield Paragraph(grouped(seen.head).removeprefix(short(seen.head)).lstrip())
    yield Cut()


def finished(seen: PlayerView, localizer: Localizer) -> Finished:
    """What a game's sheet and poster are made of. Only for a game that was played to its end."""
    if seen.slice is None or seen.outcome is None or seen.debrief is None:
        raise PermissionError("nothing is revealed before the game is over")
    return Finished(
        public=localizer.game.public(seen.slice.table),
        outcome=seen.outcome,
        debrief=seen.debrief,
        names={seat: localizer.name(seat) for seat in localizer.names},
        title=localizer.title,
        say=lambda key, **fields: localizer.of_game(f"sheet.{key}", fields),
        corrected=seen.corrected,
    )


@dataclass(frozen=True)
class Wifi:
    """The Wi-Fi that guests join first: its name and password, and the content of its QR code."""

    ssid: str
    password: str = field(repr=False)
    code: str = field(repr=False)


def join_slips(
    seen: PlayerView, words: Words, links: Mapping[Seat, str], second: str, wifi: Wifi | None = None
) -> Iterator[Block]:
    """A slip for each free seat: optionally the Wi-Fi, then the seat's name, QR code and address, and the
    beginning of the seed's hash.

    `second` is the address by host name, where a player can type the table's code instead.
    """
    localizer = Localizer(words, seen.game, seen.names)
    for seat, link in links.items():
        yield Heading(localizer.of_game("name"))
        yield Paragraph(localizer.title(seat), bold=True, centred=True)
        if wifi:
            yield from _wifi(wifi, words)
            yield Paragraph(words.say("slip.then"), centred=True)
        yield Code(link)
        yield Paragraph(words.say("slip.scan"), centred=True)
        yield Paragraph(link)
        yield Gap()
        yield Paragraph(words.say("slip.table", {"code": seen.code}), bold=True, centred=True)
        yield Paragraph(second, centred=True)
        yield Gap()
        yield Paragraph(words.say("slip.dice", {"code": short(seen.seed_hash)}))
        yield Cut()


def _wifi(wifi: Wifi, words: Words) -> Iterator[Block]:
    """How to join the Wi-Fi: by QR code, or with the typed name and password."""
    yield Paragraph(words.say("slip.wifi"), centred=True)
    yield Code(wifi.code)
    yield Paragraph(wifi.ssid, bold=True, centred=True)
    if wifi.password:
        yield Paragraph(words.say("slip.password", {"password": wifi.password}), centred=True)
    yield Rule()
