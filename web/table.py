"""One table in play: its match, who holds its seats, who is watching."""

import asyncio
import json
import time
from collections.abc import Callable, Collection, Iterable
from typing import Any

from referee.match import Match, Seen
from referee.moves import Seat
from web.door import hashed, same
from web.presence import Presence
from web.store.changes import SeatRow, TableRow
from web.view_renderer import Here, ViewRenderer
from web.watchers import Watcher, event
from web.written import written

Place = tuple[Seat | None, str]  # what a view is made for: a seat or nobody, and a language


class LiveTable:
    """One table in memory: its match, who holds its seats, and who is watching."""

    def __init__(
        self,
        row: TableRow,
        seats: Iterable[SeatRow],
        match: Match,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.row = row
        self.match = match
        self.lock = asyncio.Lock()  # held by whoever changes the table, until everybody was told
        self.seats = {seat.seat: seat for seat in seats}
        self.watchers: set[Watcher] = set()  # streams of views, as JSON
        self.pages: set[Watcher] = set()  # streams of open pages, as regions
        self.due: dict[Any, None] = {}  # audiences that are still to be told of the last change
        self.feeds: dict[Any, Any] = {}  # by audience, what its pages were sent; see `web.live`
        self.at_presence: Callable[[LiveTable], None] = lambda _table: (
            None
        )  # called when it changes who is there
        self.presence = Presence(clock)
        self._told_there: set[Seat] = set()  # who is there, as the screens were told last
        self._renderers: dict[str, ViewRenderer] = {}
        self._public_events: dict[str, tuple[tuple[str, Here], bytes]] = {}  # by language
        self._public: tuple[Match | None, Seen | None] = (None, None)
        self.before: str | None = None  # the table that this one is the rematch of
        self.asked_before = False  # a question is open at the game that this one is the rematch of
        self.led_on_by: Seat | None = None  # who asked to play again, while those at the table are told

    @property
    def code(self) -> str:
        return self.row.code

    def seen(self, seat: Seat | None = None) -> Seen:
        match = self.match
        return match.seen_by(seat, self.public(match))

    def public(self, match: Match) -> Seen:
        """What all may know of this match, which is the table's own; worked out once."""
        of, public = self._public
        if of is not match or public is None:
            public = match.seen_by()
            self._public = match, public
        return public

    def seat_of(self, token: str | None) -> Seat | None:
        """The seat that this token holds."""
        hash_ = hashed(token) if token else None
        return next((s.seat for s in self.seats.values() if hash_ and s.token == hash_), None)

    def is_host(self, token: str | None) -> bool:
        return token is not None and same(token, self.row.host)

    def connected(self) -> set[Seat]:
        """The seats whose phones are there: they follow a stream, or called a moment ago."""
        return self._people_there() | set(self.bots())

    def _people_there(self) -> set[Seat]:
        recent = {seat for seat in self.presence.recent() if self.seats[seat].token}
        return recent.union(*(watcher.seats for watcher in self.everyone()))

    def everyone(self) -> list[Watcher]:
        """All open streams of this table."""
        return [*self.watchers.copy(), *self.pages.copy()]

    def bots(self) -> tuple[Seat, ...]:
        """The seats that the referee plays itself, in the order of the seats."""
        return tuple([seat for seat in self.match.names if self.seats[seat].is_bot])

    def called(self, seat: Seat) -> None:
        """A call came with this seat's token: its phone is there. Called from any thread."""
        self.presence.called(seat)
        if seat not in self._told_there:
            for loop in {watcher.loop for watcher in self.everyone()}:
                loop.call_soon_threadsafe(self.tell_seats)

    def is_deserted(self) -> bool:
        """Whether nobody who sits here has been there for a long time."""
        return not self._people_there() and self.presence.is_long_over()

    def free_keys(self) -> dict[Seat, str]:
        """The keys of the seats nobody has taken yet, in the order of the seats."""
        return {seat: key for seat in self.match.seats if (key := self.seats[seat].key)}

    def handed_keys(self, asker: str) -> dict[Seat, str]:
        """The new keys that this seat (or the host) asked for, until they are used."""
        return {s.seat: s.key for s in self.seats.values() if s.key and s.asker == asker}

    def view(self, seat: Seat | None, language: str) -> dict[str, Any]:
        return self.shown(self.seen(seat), language)

    def shown(self, seen: Seen, language: str) -> dict[str, Any]:
        """A view of the match as it was seen, with what only the table knows."""
        public = self.public(self.match)
        if public.head != seen.head:  # somebody moved since: what all saw then is in what was seen
            public = seen
        return self._view(seen, public, self.here(), language)

    def _view(self, seen: Seen, public: Seen, here: Here, language: str) -> dict[str, Any]:
        keys = self.handed_keys(seen.seat) if seen.seat else {}
        return self.renderer(language).view(seen, public, here, keys)

    def here(self) -> Here:
        there = frozenset(self.connected())
        return Here(there, self.bots(), self.row.next, self.row.is_demo, self.asked_before)

    def renderer(self, language: str) -> ViewRenderer:
        return self._renderers.get(language) or self._renderers.setdefault(language, ViewRenderer(language))

    def forget_rendered(self) -> None:
        """Everyone was told: what was made for all of them is not needed before the next change."""
        self._public = None, None
        self._public_events.clear()
        for renderer in self._renderers.values():
            renderer.forget()

    def view_event(self, seat: Seat | None, language: str) -> bytes:
        """The current view as it goes on a stream. The public one is made once for all who come at a time."""
        here = self.here()
        at, made = self._public_events.get(language, (None, b""))
        if seat is not None or at != (self.match.head, here):
            made = self._events({(seat, language)})[seat, language]
        if seat is None:
            self._public_events[language] = (self.match.head, here), made
        return made

    def _events(self, places: Collection[Place]) -> dict[Place, bytes]:
        """The views of these seats in these languages as they go on a stream; what all share is made once."""
        match, here = self.match, self.here()
        public = self.public(match)
        views = {
            (seat, lang): self._view(match.seen_by(seat, public), public, here, lang) for seat, lang in places
        }
        return {place: event("view", written(view), match.version) for place, view in views.items()}

    def watch(self, watcher: Watcher) -> None:
        """Let a stream in: the current view first, then one for each change. Called in the loop."""
        watcher.push(self.view_event(watcher.seat, watcher.language))
        self.watchers.add(watcher)
        self.tell_seats((watcher,))

    def leave(self, watcher: Watcher) -> None:
        self.watchers.discard(watcher)
        self.pages.discard(watcher)
        for seat in watcher.seats:
            self.presence.left(seat)
        self.tell_seats()

    def dismiss(self, seat: Seat) -> None:
        """End the streams of a seat whose token is no longer good."""
        self.presence.forget(seat)
        for watcher in self.everyone():
            watcher.held -= {seat}
            if watcher.seat == seat:
                watcher.stop()

    def tell(self) -> None:
        """Send everyone who watches their own new view, made once for all who see the same."""
        made = self._events({(w.seat, w.language) for w in self.watchers})
        for watcher in self.watchers:
            watcher.push(made[watcher.seat, watcher.language])

    def tell_seats(self, newcomers: Collection[Watcher] = ()) -> None:
        """Tell those that ask for it who is there: the newcomers, or everybody if that has changed."""
        told_there, self._told_there = self._told_there, set()  # a call in a thread from now on is told anew
        there = self.connected()
        asking = [watcher for watcher in self.watchers if watcher.wants_seats]
        has_changed = there != told_there
        if not has_changed:
            asking = [watcher for watcher in asking if watcher in newcomers]
        self._told_there = there
        if has_changed:
            self.at_presence(self)
        told = event("seats", json.dumps({seat: seat in there for seat in self.match.seats}))
        for watcher in asking:
            watcher.push(told)
