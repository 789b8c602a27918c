"""One table in memory: its match, the holders of its seats, and its subscribers."""

import asyncio
import json
import secrets
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from referee.core.match import Match, PlayerView
from referee.core.moves import Seat
from referee.core.questions import HOST
from web.security.tokens import hashed, matches_hash
from web.service.presence import RESTING, Presence
from web.service.view_renderer import TableFacts, ViewRenderer
from web.store.statements import SeatRow, TableNotes, TableRow
from web.streams.subscribers import Subscriber, event
from web.wire.json_bytes import json_bytes

Place = tuple[Seat | None, str]  # what a view is rendered for: a seat or the public, and a language


class LiveTable:
    """A table in play. Changed only in the event loop, with `lock` held; read by Flask's threads too."""

    def __init__(
        self,
        row: TableRow,
        seats: Iterable[SeatRow],
        match: Match,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.row = row
        self.match = match
        self.lock = asyncio.Lock()  # held during a change, until JSON streams and desks were notified
        self.seats = {seat.seat: seat for seat in seats}
        self.subscribers: set[Subscriber] = set()  # streams of views, as JSON
        self.pages: set[Subscriber] = set()  # streams of open pages, as regions
        self.due: dict[Any, None] = {}  # audiences whose pages are not yet rendered after the last change
        self.feeds: dict[Any, Any] = {}  # by audience: its feed, see `web.pages.live_pages`
        self.on_presence: Callable[[LiveTable], None] = lambda _table: None  # called when presence changes
        self.presence = Presence(clock)
        self._last_connected: set[Seat] = set()  # connected seats, as last sent to screens
        self._presence_timer: asyncio.TimerHandle | None = None  # until a recent call no longer counts
        self._renderers: dict[str, ViewRenderer] = {}
        self._public_events: dict[str, tuple[tuple[str, TableFacts], bytes]] = {}  # by language
        self._public: tuple[Match | None, PlayerView | None] = (None, None)
        self._sketch: tuple[Any, Mapping[str, Any]] = (None, {})
        self.notes = TableNotes()  # by the host
        self.waits_since = 0.0  # the time of the latest entry, for the turn clock: seconds since 1970
        self.before: str | None = None  # code of the table that this one is the rematch of
        self.asked_before = False  # a question is open at the game that this one is the rematch of
        self.rematch_asked_by: Seat | None = None  # who asked for the rematch

    @property
    def code(self) -> str:
        return self.row.code

    def seen(self, seat: Seat | None = None) -> PlayerView:
        match = self.match
        return match.seen_by(seat, self.public(match))

    def public(self, match: Match) -> PlayerView:
        """The public view of the table's current match, cached until the next change."""
        of, public = self._public
        if of is not match or public is None:
            public = match.seen_by()
            self._public = match, public
        return public

    def sketch(self, seen: PlayerView) -> Mapping[str, Any]:
        """The extra data for a drawing of the table, cached for all viewers."""
        table = seen.slice.table if seen.slice else None
        of, sketch = self._sketch
        if of is not table:
            sketch = seen.game.sketch(table) if table else {}
            self._sketch = table, sketch
        return sketch

    def seat_of(self, token: str | None) -> Seat | None:
        """The seat that this token holds. Every seat is compared, each in constant time."""
        if not token:
            return None
        hash_ = hashed(token)
        held = [s.seat for s in self.seats.values() if secrets.compare_digest(hash_, s.token or "")]
        return held[0] if held else None

    def is_host(self, token: str | None) -> bool:
        return token is not None and matches_hash(token, self.row.host)

    def connected(self) -> set[Seat]:
        """The connected seats: those with an open stream or a recent call, and bots."""
        return self._connected_people() | set(self.bots())

    def _connected_people(self) -> set[Seat]:
        recent = {seat for seat in self.presence.recent() if self.seats[seat].token}
        return recent.union(*(subscriber.seats for subscriber in self.streams()))

    def streams(self) -> list[Subscriber]:
        """All open streams of this table."""
        return [*self.subscribers.copy(), *self.pages.copy()]

    def bots(self) -> tuple[Seat, ...]:
        """The seats that bots play, in the order of the seats."""
        return tuple([seat for seat in self.match.names if self.seats[seat].is_bot])

    def note_call(self, seat: Seat) -> None:
        """Note that a call came with this seat's token. Thread-safe."""
        self.presence.note_call(seat)
        if seat not in self._last_connected:
            for loop in {subscriber.loop for subscriber in self.streams()}:
                loop.call_soon_threadsafe(self.notify_presence)

    def is_here(self, who: Seat) -> bool:
        """Whether a page of this seat, or of the host, is open or was a moment ago."""
        is_open = any(who in page.seats or (who == HOST and page.is_host) for page in self.streams())
        return is_open or self.presence.was_here(who)

    def token_hash(self, who: Seat) -> str | None:
        """The hash of the token that holds this seat, or of the host's."""
        return self.row.host if who == HOST else self.seats[who].token

    def is_deserted(self) -> bool:
        """Whether no person at this table has been connected for a long time."""
        return not self._connected_people() and self.presence.is_idle()

    def is_at_rest(self) -> bool:
        """Whether the game is over and everybody went away long ago."""
        is_over = self.match.outcome is not None
        return is_over and not self._connected_people() and self.presence.is_idle(RESTING)

    def free_keys(self, asker: str | None = None) -> dict[Seat, str]:
        """The keys of the free seats, in the order of the seats. A reissued key is only for the seat (or the
        host) that asked for it."""
        free = [self.seats[seat] for seat in self.match.seats]
        return {s.seat: s.key for s in free if s.key and s.asker in (None, asker)}

    def takes_table_key(self, seat: Seat) -> bool:
        """Whether the key of the table's own QR code takes this seat: it is free, nobody asked for a new key
        for it, and the game has not begun."""
        row, match = self.seats[seat], self.match
        is_waiting = self.row.key is not None and match.state is None and match.outcome is None
        return is_waiting and row.key is not None and row.asker is None

    def spend_key(self) -> None:
        """The game has begun: the key of the table's own QR code takes no seat any more."""
        self.row = replace(self.row, key=None)

    def handed_keys(self, asker: str) -> dict[Seat, str]:
        """The new keys that this seat (or the host) asked for, until they are used."""
        return {s.seat: s.key for s in self.seats.values() if s.key and s.asker == asker}

    def view(self, seat: Seat | None, language: str) -> dict[str, Any]:
        return self.shown(self.seen(seat), language)

    def shown(self, seen: PlayerView, language: str) -> dict[str, Any]:
        """Render a view, with what only the table knows, such as who is connected."""
        public = self.public(self.match)
        if public.head != seen.head:  # the match changed meanwhile: `seen` has the public part of its state
            public = seen
        return self._view(seen, public, self.facts(), language)

    def _view(self, seen: PlayerView, public: PlayerView, here: TableFacts, language: str) -> dict[str, Any]:
        keys = self.handed_keys(seen.seat) if seen.seat else {}
        return self.renderer(language).view(seen, public, here, keys)

    def facts(self) -> TableFacts:
        there = frozenset(self.connected())
        return TableFacts(there, self.bots(), self.row.next, self.row.is_demo, self.asked_before)

    def renderer(self, language: str) -> ViewRenderer:
        return self._renderers.get(language) or self._renderers.setdefault(language, ViewRenderer(language))

    def clear_rendered(self) -> None:
        """Clear the caches that serve one change, after all subscribers were sent it."""
        self._public = None, None
        self._sketch = None, {}
        self._public_events.clear()
        for renderer in self._renderers.values():
            renderer.clear()

    def view_event(self, seat: Seat | None, language: str) -> bytes:
        """The stream event of the current view. The public one is cached, for many clients that connect at a
        time."""
        here = self.facts()
        at, made = self._public_events.get(language, (None, b""))
        if seat is not None or at != (self.match.head, here):
            made = self._events({(seat, language)})[seat, language]
        if seat is None:
            self._public_events[language] = (self.match.head, here), made
        return made

    def _events(self, places: Collection[Place]) -> dict[Place, bytes]:
        """The stream events of these views; shared parts are rendered once."""
        match, here = self.match, self.facts()
        public = self.public(match)
        views = {
            (seat, lang): self._view(match.seen_by(seat, public), public, here, lang) for seat, lang in places
        }
        return {place: event("view", json_bytes(view), match.version) for place, view in views.items()}

    def watch(self, subscriber: Subscriber) -> None:
        """Subscribe a stream: it gets the current view, then one for each change. Called in the loop."""
        subscriber.push(self.view_event(subscriber.seat, subscriber.language))
        self.subscribers.add(subscriber)
        self.stream_changed(subscriber, is_new=True)

    def leave(self, subscriber: Subscriber) -> None:
        self.subscribers.discard(subscriber)
        self.pages.discard(subscriber)
        for who in (*subscriber.seats, *([HOST] if subscriber.is_host else [])):
            self.presence.note_page_closed(who)
        self.stream_changed(subscriber)

    def stream_changed(self, subscriber: Subscriber, is_new: bool = False) -> None:
        """Notify of a stream that came or went. One without a seat changes nothing for the others: thousands
        may come and go at once."""
        if subscriber.seats or subscriber.wants_seats:
            self.notify_presence((subscriber,) if is_new else ())
        else:
            self._schedule_presence()

    def end_streams_of(self, seat: Seat) -> None:
        """End the streams of a seat, or of the host, whose token is no longer valid."""
        self.presence.forget(seat)
        for subscriber in self.streams():
            subscriber.held -= {seat}
            if subscriber.seat == seat or (seat == HOST and subscriber.is_host):
                subscriber.stop()

    def notify(self) -> None:
        """Send each subscriber its new view; equal views are rendered once."""
        if not self.subscribers:
            return
        made = self._events({(w.seat, w.language) for w in self.subscribers})
        for subscriber in self.subscribers:
            subscriber.push(made[subscriber.seat, subscriber.language])

    def notify_presence(self, newcomers: Collection[Subscriber] = ()) -> None:
        """Send who is connected to the subscribers that want it: to all if it changed, else to the
        newcomers."""
        # Emptied first, so that a call in another thread from now on triggers another update.
        last_connected, self._last_connected = self._last_connected, set()
        there = self.connected()
        asking = [subscriber for subscriber in self.subscribers if subscriber.wants_seats]
        has_changed = there != last_connected
        if not has_changed:
            asking = [subscriber for subscriber in asking if subscriber in newcomers]
        self._last_connected = there
        if has_changed:
            self.on_presence(self)
        told = event("seats", json.dumps({seat: seat in there for seat in self.match.seats}))
        for subscriber in asking:
            subscriber.push(told)
        self._schedule_presence()

    def _schedule_presence(self) -> None:
        """Check presence again when the next recent call expires, while anybody watches the table. A timer
        that runs is never too late: calls expire in the order in which they came."""
        seconds = self.presence.next_expiry() if self.subscribers or self.pages else None
        if self._presence_timer is None and seconds is not None:
            loop = asyncio.get_running_loop()
            self._presence_timer = loop.call_later(seconds, self._presence_expired)
        elif self._presence_timer and seconds is None:
            self._presence_timer.cancel()
            self._presence_timer = None

    def _presence_expired(self) -> None:
        self._presence_timer = None
        self.notify_presence()
