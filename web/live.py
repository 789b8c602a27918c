"""Live pages: every open page of a table is sent the regions that changed, as server-sent events.

After a change the regions of each audience (all pages that show the same) are rendered once, compared with
what that audience was sent last, and what differs goes out as one event. A region goes as a list of chunks of
HTML; one that was sent before on these streams goes as its number, so an event is seldom longer than what is
new in it. All of it runs in the event loop.
"""

import asyncio
import json
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from flask import Flask

from referee.match import Match
from referee.moves import Seat
from web.desks import Desks
from web.house import House
from web.pages import curtain, screen_regions, seat_regions
from web.pages.device import Device
from web.pages.page import speaking
from web.pages.seat import Rejected
from web.table import LiveTable
from web.watchers import Watcher, event
from web.written import written

log = logging.getLogger("referee")

MADE = 16  # pages that are kept as they were made for whoever comes
MOST_CHUNKS = 4096  # of a dictionary; then it begins anew
CHUNK = re.compile(r".+?(?:\n|</svg>|</li>|</label>|</button>|</p>|$)", re.DOTALL)  # where HTML is cut
ADDED = ("answer",)  # regions that are added to: what was sent before stays until it was read
Token = str | int | list[int]  # a new chunk, the number of a known one, or of several: first, how many


class Audience(NamedTuple):
    """All that the regions of a page depend on, besides the table: pages of one audience show the same."""

    page: str  # seat, curtain or screen
    seat: Seat | None
    language: str
    held: tuple[Seat, ...] = ()
    is_host: bool = False
    desk: str = ""  # that a screen follows
    shows_keys: bool = False


class Regions(NamedTuple):
    """A page at one moment: each region, and what is told of the page as a whole."""

    version: int
    entries: int
    news: int  # the number of the last one
    head: str
    pieces: Mapping[str, str]
    state: Mapping[str, Any]


class Sent(NamedTuple):
    """What a page was sent: enough to tell later what differs."""

    version: int
    entries: int
    news: int  # the number of the last one
    marks: Mapping[str, int]  # region → hash of its text
    state: Mapping[str, Any]


class ChunkDictionary:
    """The chunks that all pages of an audience were sent, by number. Both sides number them as they come."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def encode(self, text: str) -> list[Token]:
        """A text as its chunks: new ones whole, known ones by number, runs of known ones together."""
        tokens: list[Token] = []
        start, count = 0, 0
        for chunk in CHUNK.findall(text):
            number = self._numbers.get(chunk)
            if number is None:
                if count:
                    tokens.append([start, count] if count > 1 else start)
                    count = 0
                self._numbers[chunk] = len(self._numbers)
                tokens.append(chunk)
            elif count and number == start + count:
                count += 1
            else:
                if count:
                    tokens.append([start, count] if count > 1 else start)
                start, count = number, 1
        if count:
            tokens.append([start, count] if count > 1 else start)
        return tokens


class Feed:
    """What one audience of a table was sent last, and the dictionary it shares."""

    def __init__(self) -> None:
        self.sent = Sent(-1, 0, 0, {}, {})
        self._chunks = ChunkDictionary()
        self._is_new = True  # a page joined, or was behind: the next event begins a new dictionary

    def whole(self, now: Regions) -> bytes:
        """Everything, for a page that has just come or fell behind; it knows no chunk yet."""
        chunks = ChunkDictionary()
        pieces = {name: chunks.encode(text) for name, text in now.pieces.items()}
        self.sent, self._is_new = Sent(now.version, now.entries, now.news, _marks(now), now.state), True
        return _event(now, {"new": 1, "all": 1, "page": now.state, "regions": pieces})

    def joins(self, sent: Sent) -> bool:
        """Another page comes, which is sent what was made before; false where the others are not there."""
        if self.sent.version >= 0 and self.sent != sent:
            return False
        self.sent, self._is_new = sent, True
        return True

    def changes(self, now: Regions, told: list[list[Any]]) -> bytes | None:
        """What differs from what was sent last; nothing where nothing does, not even the version."""
        before, marks = self.sent, _marks(now)
        kept = {name: mark for name, mark in before.marks.items() if name in ADDED and name not in marks}
        changed = [name for name, mark in marks.items() if before.marks.get(name) != mark]
        gone = [name for name in before.marks if name not in marks and name not in kept]
        state = {name: value for name, value in now.state.items() if before.state.get(name) != value}
        is_later = now.version != before.version
        self.sent = Sent(now.version, now.entries, now.news, {**marks, **kept}, now.state)
        if not (changed or gone or state or told or is_later):
            return None
        about: dict[str, Any] = {"said": told} if told else {}
        if self._is_new or len(self._chunks) > MOST_CHUNKS:
            self._chunks, self._is_new = ChunkDictionary(), False
            about["new"] = 1
        if state:
            about["page"] = state
        pieces: dict[str, list[Token]] = {name: self._chunks.encode(now.pieces[name]) for name in changed}
        pieces |= {name: [] for name in gone}
        return _event(now, {**about, "regions": pieces} if pieces else about)


def _marks(now: Regions) -> dict[str, int]:
    return {name: hash(text) for name, text in now.pieces.items()}


def _event(now: Regions, about: Mapping[str, Any]) -> bytes:
    return event("regions", written({"v": now.version, "head": now.head, **about}))


class LivePages:
    """Sends the open pages of all tables what changed."""

    def __init__(self, house: House, desks: Desks, app: Flask) -> None:
        self._house, self._desks, self._app = house, desks, app
        self._made: dict[Any, tuple[Any, bytes, Sent]] = {}  # the pages that were last made whole
        house.at_change.append(lambda table, _told: self._changed(table))
        house.at_presence.append(self._changed)

    def watch(self, table: LiveTable, watcher: Watcher, audience: Audience, opened: str) -> None:
        """Let a page in: the whole page as it stands, then what changes. `opened` is what its phone says of
        its curtain."""
        watcher.audience, watcher.curtain = audience, opened
        watcher.catch_up = lambda: self._whole(table, watcher)
        table.pages.add(watcher)
        if self._is_elsewhere(table.match, watcher):
            watcher.end_with(_elsewhere(watcher))
        else:
            watcher.push(self._whole(table, watcher))
        table.tell_seats()

    def leave(self, table: LiveTable, watcher: Watcher) -> None:
        table.leave(watcher)
        if not any(other.audience == watcher.audience for other in table.pages):
            table.feeds.pop(watcher.audience, None)

    def render(self, table: LiveTable, audience: Audience, since: int | None = None) -> Regions:
        """What this audience is shown now: with the answers that came since so many entries, or with the last
        ones where it has none yet."""
        match = table.match
        with speaking(self._app, audience.language):
            voice = table.renderer(audience.language).voice(match.game, match.names)
            device = Device(audience.held, audience.is_host, is_live=True, since=since)
            if audience.page == "screen":
                about = screen_regions.context(
                    table, match, voice, device, audience.desk, audience.shows_keys
                )
                pieces, state = screen_regions.regions(about), screen_regions.page_state(about)
            elif audience.page == "curtain":
                about = curtain.context(table, match, str(audience.seat), voice, device)
                pieces, state = curtain.regions(about), curtain.page_state(about)
            else:
                about = seat_regions.context(table, match, str(audience.seat), voice, device)
                pieces, state = seat_regions.regions(about), seat_regions.page_state(about)
        last = match.news[-1].n if match.news else 0
        return Regions(match.version, match.entries, last, match.head, pieces, state)

    def rejected(
        self, table: LiveTable, seat: Seat, language: str, device: Device, rejected: Rejected
    ) -> dict[str, Any]:
        """The page of a form that was refused, as its script shows it."""
        match = table.match
        with speaking(self._app, language):
            voice = table.renderer(language).voice(match.game, match.names)
            about = seat_regions.context(
                table, match, seat, voice, replace(device, draft=rejected.draft), rejected.problem
            )
            pieces, state = seat_regions.regions(about), seat_regions.page_state(about)
        return {"v": match.version, "page": state, "regions": pieces}

    def _whole(self, table: LiveTable, watcher: Watcher) -> bytes:
        assert isinstance(watcher.audience, Audience)
        feed: Feed = table.feeds.setdefault(watcher.audience, Feed())
        at = table.match.head, table.here()
        made = self._made.get((table.code, watcher.audience))
        if made and made[0] == at and feed.joins(made[2]):
            return made[1]  # many come at a time, after a restart say
        others = [page for page in table.pages if page.audience == watcher.audience and page is not watcher]
        if others:  # all pages of this audience stand alike
            self._push_changes(table, watcher.audience, others)
        whole = feed.whole(self.render(table, watcher.audience))
        if not (watcher.audience.is_host or watcher.audience.shows_keys):  # they also show how the desk is
            kept = dict(list(self._made.items())[1 - MADE :])
            self._made = {**kept, (table.code, watcher.audience): (at, whole, feed.sent)}
        return whole

    def _changed(self, table: LiveTable) -> None:
        """Tell every audience, one after the other: the loop sends what one is told before the next is
        rendered. Each is rendered as the table stands then; what came meanwhile is told along."""
        is_idle = not table.due
        table.due |= dict.fromkeys(sorted({page.audience for page in table.pages}, key=_order(table.match)))
        if is_idle and table.due:
            self._tell_next(table)

    def _tell_next(self, table: LiveTable) -> None:
        audience = next(iter(table.due))
        del table.due[audience]
        watchers = [watcher for watcher in table.pages if watcher.audience == audience]
        try:
            self._tell(table, audience, watchers)
        except Exception:
            log.exception("a page of table %s could not be rendered", table.code)
            for watcher in watchers:
                watcher.stop()  # it asks for its page again
        if table.due:
            asyncio.get_running_loop().call_soon(self._tell_next, table)
        else:
            table.forget_rendered()

    def _tell(self, table: LiveTable, audience: Audience, watchers: list[Watcher]) -> None:
        """Send one audience what changed. A shared phone whose curtain falls, or rises, is sent nothing but
        that, and its stream ends: what it showed was for somebody else."""
        here = [watcher for watcher in watchers if not self._is_elsewhere(table.match, watcher)]
        for watcher in watchers:
            if watcher not in here:
                watcher.end_with(_elsewhere(watcher))
        if here:
            self._push_changes(table, audience, here)

    def _push_changes(self, table: LiveTable, audience: Audience, watchers: list[Watcher]) -> None:
        feed: Feed = table.feeds.setdefault(audience, Feed())
        spoken = self._said(table, audience, feed.sent.news) if audience.page == "screen" else []
        changes = feed.changes(self.render(table, audience, feed.sent.entries), spoken)
        if changes:
            for watcher in watchers:
                watcher.push(changes)

    @staticmethod
    def _said(table: LiveTable, audience: Audience, after: int) -> list[list[Any]]:
        """What was told since this number, for a screen that says it aloud."""
        renderer, match = table.renderer(audience.language), table.match
        told = [each for each in match.news if each.n > after]
        items = renderer.news(renderer.voice(match.game, match.names), told)
        return [[item["n"], item["kind"], item["text"]] for item in items]

    @staticmethod
    def _is_elsewhere(match: Match, watcher: Watcher) -> bool:
        """Whether a shared phone is to show another page than it does: its curtain, or what is behind it."""
        audience = watcher.audience
        if not isinstance(audience, Audience) or audience.seat is None or len(audience.held) < 2:
            return False
        device = Device(audience.held, curtain=watcher.curtain)
        return curtain.is_drawn(match, audience.seat, device) != (audience.page == "curtain")


def _order(match: Match) -> Callable[[Audience], tuple[bool, bool]]:
    """Whoever waits for a move hears of it before whoever made it, and a screen last."""
    mover = match.made[-1].entry.seat if match.made else None
    return lambda audience: (audience.page == "screen", audience.seat == mover)


def _elsewhere(watcher: Watcher) -> bytes:
    return event("elsewhere", json.dumps({"curtain": watcher.audience.page != "curtain"}))
