"""Live pages: sends every open page of a table the regions that changed, as server-sent events.

After a change, the regions of each audience (all pages that show the same) are rendered once and compared
with the last event to that audience; the differences go out as one event. A region is encoded as a list of
chunks, its lines. A chunk that was sent before on these streams goes as its number, so an event contains
little besides what is new. Everything runs in the event loop.
"""

import asyncio
import json
import logging
from array import array
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from flask import Flask

from referee.core.match import Match
from referee.core.moves import Seat
from web.pages.device import Device
from web.pages.play import curtain, seat_regions
from web.pages.rendering import LastDrawing, in_language
from web.pages.screens import screen_regions
from web.service.desks import Desks
from web.service.live_table import LiveTable
from web.service.tables import TableService
from web.streams.subscribers import Subscriber, event
from web.wire.json_bytes import json_bytes

log = logging.getLogger("referee")

CACHED_PAGES = 16  # whole pages in the cache
MOST_CHUNKS = 4096  # in a dictionary; then a new one begins
STICKY = ("answer",)  # regions that stay on the page after they are no longer rendered
Token = str | int | list[int]  # a new chunk, the number of a known one, or a run: first number, count


class Audience(NamedTuple):
    """Everything the regions of a page depend on, besides the table. Pages of one audience show the same."""

    page: str  # seat, curtain or screen
    seat: Seat | None
    language: str
    held: tuple[Seat, ...] = ()
    is_host: bool = False
    desk: str = ""  # the desk that a screen follows
    shows_keys: bool = False


class Regions(NamedTuple):
    """A rendered page: its regions, and the state of the page as a whole."""

    version: int
    entries: int
    news: int  # number of the last piece of news
    head: str
    pieces: Mapping[str, str]
    state: Mapping[str, Any]


class Sent(NamedTuple):
    """What the pages of an audience were sent last: enough to find the differences later."""

    version: int
    entries: int
    news: int  # number of the last piece of news
    hashes: Mapping[str, int]  # region → hash of its text
    state: Mapping[str, Any]


class ChunkDictionary:
    """The chunks that all pages of an audience have, by their hashes. Server and page number them in the
    order they are sent."""

    def __init__(self, known: Iterable[int] = ()) -> None:
        self._numbers = {hash_: number for number, hash_ in enumerate(known)}

    def __len__(self) -> int:
        return len(self._numbers)

    def packed(self) -> "array[int]":
        """All that another dictionary needs to continue this one, in little memory."""
        return array("q", self._numbers)

    def encode(self, text: str) -> list[Token]:
        """Encode a text as chunks: new ones as text, known ones as numbers, consecutive numbers as runs."""
        tokens: list[Token] = []
        numbers, end = self._numbers, -1  # the number after those of the last token, if it is a run
        for line in str.splitlines(text, keepends=True):
            number = numbers.get(hash(line))
            if number is None:
                numbers[hash(line)] = len(numbers)
                tokens.append(line)
                end = -1
            elif number == end:
                tokens[-1][1] += 1  # type: ignore[index,operator]
                end += 1
            else:
                tokens.append([number, 1])
                end = number + 1
        return [token[0] if type(token) is list and token[1] == 1 else token for token in tokens]


class Feed:
    """What one audience of a table was sent last, and its chunk dictionary."""

    def __init__(self) -> None:
        self.sent = Sent(-1, 0, 0, {}, {})
        self.drawings = LastDrawing()
        self._chunks: ChunkDictionary | None = None
        self._packed: array[int] | None = None  # the dictionary of a page that nothing was sent since
        # Without either, the next event begins a new dictionary.

    def whole(self, now: Regions, is_only: bool) -> bytes:
        """An event with all regions, for a page that has just connected or fell behind. It has no chunk yet.
        If it is the only page of its audience, the next event continues its dictionary."""
        chunks = ChunkDictionary()
        pieces = {name: chunks.encode(text) for name, text in now.pieces.items()}
        self.sent, self._chunks = Sent(now.version, now.entries, now.news, _hashes(now), now.state), None
        self._packed = chunks.packed() if is_only else None
        return _event(now, {"new": 1, "all": 1, "page": now.state, "regions": pieces})

    def joins(self, sent: Sent) -> bool:
        """Let a new page start from a cached event. False if the other pages show a different state."""
        if self.sent.version >= 0 and self.sent != sent:
            return False
        self.sent, self._chunks, self._packed = sent, None, None
        return True

    def changes(self, now: Regions, spoken: list[list[Any]]) -> bytes | None:
        """An event with what differs from the last one; None if nothing differs, not even the version."""
        before, hashes = self.sent, _hashes(now)
        kept = {name: hash_ for name, hash_ in before.hashes.items() if name in STICKY and name not in hashes}
        changed = [name for name, hash_ in hashes.items() if before.hashes.get(name) != hash_]
        gone = [name for name in before.hashes if name not in hashes and name not in kept]
        state = {name: value for name, value in now.state.items() if before.state.get(name) != value}
        is_later = now.version != before.version
        self.sent = Sent(now.version, now.entries, now.news, {**hashes, **kept}, now.state)
        if not (changed or gone or state or spoken or is_later):
            return None
        about: dict[str, Any] = {"said": spoken} if spoken else {}
        if self._chunks is None and self._packed is not None:
            self._chunks, self._packed = ChunkDictionary(self._packed), None
        chunks = self._chunks
        if chunks is None or len(chunks) > MOST_CHUNKS:
            chunks = self._chunks = ChunkDictionary()
            about["new"] = 1
        if state:
            about["page"] = state
        pieces: dict[str, list[Token]] = {name: chunks.encode(now.pieces[name]) for name in changed}
        pieces |= {name: [] for name in gone}
        return _event(now, {**about, "regions": pieces} if pieces else about)


def _hashes(now: Regions) -> dict[str, int]:
    return {name: hash(text) for name, text in now.pieces.items()}


def _event(now: Regions, about: Mapping[str, Any]) -> bytes:
    return event("regions", json_bytes({"v": now.version, "head": now.head, **about}))


class LivePages:
    """Subscribes open pages to tables and sends them what changed."""

    def __init__(self, service: TableService, desks: Desks, app: Flask) -> None:
        self._service, self._desks, self._app = service, desks, app
        self._cache: dict[Any, tuple[Any, bytes, Sent]] = {}  # cache of events with whole pages
        service.on_change.append(lambda table, _news: self._changed(table))
        service.on_presence.append(self._changed)

    def watch(self, table: LiveTable, subscriber: Subscriber, audience: Audience, opened: str) -> None:
        """Subscribe a page: it gets all regions first, then changes. `opened` is the curtain cookie of its
        phone."""
        subscriber.audience, subscriber.curtain = audience, opened
        subscriber.catch_up = lambda: self._missed(table, subscriber)
        table.pages.add(subscriber)
        if self._must_switch(table.match, subscriber):
            subscriber.end_with(_switch_event(subscriber))
        else:
            subscriber.push(self._whole_page(table, subscriber))
        table.stream_changed(subscriber, is_new=True)

    def leave(self, table: LiveTable, subscriber: Subscriber) -> None:
        table.leave(subscriber)
        if not any(other.audience == subscriber.audience for other in table.pages):
            table.feeds.pop(subscriber.audience, None)

    def render(
        self, table: LiveTable, audience: Audience, drawings: LastDrawing, since: int | None = None
    ) -> Regions:
        """Render the regions of this audience: with the answers given since entry `since`, or with the last
        ones if it is None. `drawings` caches those of the previous rendering."""
        match = table.match
        with in_language(self._app, audience.language):
            localizer = table.renderer(audience.language).localizer(match.game, match.names)
            device = Device(audience.held, audience.is_host, is_live=True, since=since, drawings=drawings)
            if audience.page == "screen":
                about = screen_regions.context(
                    table, match, localizer, device, audience.desk, audience.shows_keys
                )
                pieces, state = screen_regions.regions(about), screen_regions.page_state(about)
            elif audience.page == "curtain":
                about = curtain.context(table, match, str(audience.seat), localizer, device)
                pieces, state = curtain.regions(about), curtain.page_state(about)
            else:
                about = seat_regions.context(table, match, str(audience.seat), localizer, device)
                pieces, state = seat_regions.regions(about), seat_regions.page_state(about)
        last = match.news[-1].n if match.news else 0
        return Regions(match.version, match.entries, last, match.head, pieces, state)

    def seat_part(
        self,
        table: LiveTable,
        seat: Seat,
        language: str,
        device: Device,
        problem: Any = None,
        shown: int | None = None,
    ) -> dict[str, Any]:
        """The regions that the script of a seat's page requests: another step of its decision, or one fold.
        With a `problem`: the regions after a refused form. `shown` is the version that the page shows: if it
        is the current one, the page gets only what a tap can change, marked as a `part`."""
        match, fold = table.match, device.args.get("fold")
        is_part = not fold and shown == match.version
        with in_language(self._app, language):
            localizer = table.renderer(language).localizer(match.game, match.names)
            about = seat_regions.context(table, match, seat, localizer, device, problem)
            if fold:
                pieces = seat_regions.folds(about, localizer, match, device, [fold])
            else:
                pieces = seat_regions.tapped_regions(about) if is_part else seat_regions.regions(about)
            part = {"part": 1} if is_part else {}
            return {"v": match.version, "page": seat_regions.page_state(about), **part, "regions": pieces}

    def _missed(self, table: LiveTable, subscriber: Subscriber) -> bytes:
        """The event that replaces all that a slow page has missed."""
        if self._must_switch(table.match, subscriber):
            subscriber.stop()
            return _switch_event(subscriber)
        return self._whole_page(table, subscriber)

    def _whole_page(self, table: LiveTable, subscriber: Subscriber) -> bytes:
        assert isinstance(subscriber.audience, Audience)
        feed: Feed = table.feeds.setdefault(subscriber.audience, Feed())
        # Heads cover neither names nor the host's notes.
        at = table.match.head, tuple(table.match.names.values()), table.notes, table.facts()
        cached = self._cache.get((table.code, subscriber.audience))
        if cached and cached[0] == at and feed.joins(cached[2]):
            return cached[1]  # many pages connect at a time, for example after a restart
        others = [
            page for page in table.pages if page.audience == subscriber.audience and page is not subscriber
        ]
        if others:  # bring them to the same state first
            self._send(table, subscriber.audience, others)
        whole = feed.whole(self.render(table, subscriber.audience, feed.drawings), is_only=not others)
        # Pages of the host and screens of a desk also show what is not in `at`: its health, its newest table.
        if not (subscriber.audience.is_host or subscriber.audience.desk):
            kept = dict(list(self._cache.items())[1 - CACHED_PAGES :])
            self._cache = {**kept, (table.code, subscriber.audience): (at, whole, feed.sent)}
        return whole

    def _changed(self, table: LiveTable) -> None:
        """Queue every audience for rendering. They are rendered one per turn of the loop, so that events of
        one are sent before the next is rendered. Each is rendered from the newest state."""
        is_idle = not table.due
        table.due |= dict.fromkeys(sorted({page.audience for page in table.pages}, key=_order(table.match)))
        if is_idle and table.due:
            self._render_next(table)

    def _render_next(self, table: LiveTable) -> None:
        audience = next(iter(table.due))
        del table.due[audience]
        subscribers = [subscriber for subscriber in table.pages if subscriber.audience == audience]
        try:
            self._send(table, audience, subscribers)
        except Exception:
            log.exception("a page of table %s could not be rendered", table.code)
            for subscriber in subscribers:
                subscriber.stop()  # the page reconnects
        if table.due:
            asyncio.get_running_loop().call_soon(self._render_next, table)
        else:
            table.clear_rendered()

    def _send(self, table: LiveTable, audience: Audience, subscribers: list[Subscriber]) -> None:
        """Send one audience what changed. A shared phone whose curtain closes or opens gets only that event,
        and its stream ends, so that it never gets the regions of a seat that it must hide."""
        here = [subscriber for subscriber in subscribers if not self._must_switch(table.match, subscriber)]
        for subscriber in subscribers:
            if subscriber not in here:
                subscriber.end_with(_switch_event(subscriber))
        if here:
            self._push_changes(table, audience, here)

    def _push_changes(self, table: LiveTable, audience: Audience, subscribers: list[Subscriber]) -> None:
        feed: Feed = table.feeds.setdefault(audience, Feed())
        spoken = self._spoken_news(table, audience, feed.sent.news) if audience.page == "screen" else []
        changes = feed.changes(self.render(table, audience, feed.drawings, feed.sent.entries), spoken)
        if changes:
            for subscriber in subscribers:
                subscriber.push(changes)

    @staticmethod
    def _spoken_news(table: LiveTable, audience: Audience, after: int) -> list[list[Any]]:
        """The news after this number, for a screen that speaks it."""
        renderer, match = table.renderer(audience.language), table.match
        news = [each for each in match.news if each.n > after]
        items = renderer.news(renderer.localizer(match.game, match.names), news)
        return [[item["n"], item["kind"], item["text"]] for item in items]

    @staticmethod
    def _must_switch(match: Match, subscriber: Subscriber) -> bool:
        """Whether a shared phone must switch between its curtain and the seat's page."""
        audience = subscriber.audience
        if not isinstance(audience, Audience) or audience.seat is None or len(audience.held) < 2:
            return False
        device = Device(audience.held, curtain=subscriber.curtain)
        return curtain.is_drawn(match, audience.seat, device) != (audience.page == "curtain")


def _order(match: Match) -> Callable[[Audience], tuple[bool, bool]]:
    """Sort key of audiences: those who wait for the move, then the one who made it, then screens."""
    mover = match.made[-1].entry.seat if match.made else None
    return lambda audience: (audience.page == "screen", audience.seat == mover)


def _switch_event(subscriber: Subscriber) -> bytes:
    return event("elsewhere", json.dumps({"curtain": subscriber.audience.page != "curtain"}))
