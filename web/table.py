"""One table in play: its match, who holds its seats, who is watching."""

import json
import threading
import time
from collections.abc import Callable, Collection, Iterable
from typing import Any

from referee.match import Match, Seen
from referee.moves import Seat
from referee.views import view
from referee.words import Words, words
from web.door import hashed, same
from web.presence import Presence
from web.store.changes import SeatRow, TableRow
from web.telling import Here, Telling, completed
from web.watchers import Watcher, deliver, deliver_in_turn, event

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
        self.lock = threading.Lock()
        self.seats = {seat.seat: seat for seat in seats}
        self.watchers: set[Watcher] = set()
        self.presence = Presence(clock)
        self._told_there: set[Seat] = set()  # who is there, as the screens were told last
        self._telling_seats = threading.Lock()  # so that what is told last is the latest
        self._tellings: dict[str, Telling] = {}
        self.asked_before = False  # a question is open at the game that this one is the rematch of
        self.led_on_by: Seat | None = None  # who asked to play again, while those at the table are told

    @property
    def code(self) -> str:
        return self.row.code

    def seen(self, seat: Seat | None = None) -> Seen:
        return self.match.seen_by(seat)

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
        return recent.union(*(watcher.seats for watcher in self.watchers.copy()))

    def bots(self) -> tuple[Seat, ...]:
        """The seats that the referee plays itself, in the order of the seats."""
        return tuple([seat for seat in self.match.names if self.seats[seat].is_bot])

    def called(self, seat: Seat) -> None:
        """A call came with this seat's token: its phone is there."""
        self.presence.called(seat)
        self._tell_seats(())

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
        shown = self.shown(self.seen(seat), words(language))
        if seat:
            shown["me"]["keys"] = self.handed_keys(seat)
        return shown

    def shown(self, seen: Seen, words_: Words) -> dict[str, Any]:
        """A view of the match, with what only the table knows."""
        here = self._here()
        return completed(view(seen, words_, here.connected), here)

    def _here(self) -> Here:
        there = frozenset(self.connected())
        return Here(there, self.bots(), self.row.next, self.row.is_demo, self.asked_before)

    def telling(self, language: str) -> Telling:
        """What is told here in this language."""
        return self._tellings.get(language) or self._tellings.setdefault(language, Telling(language))

    def view_event(self, seat: Seat | None, language: str) -> bytes:
        return self._events({(seat, language)})[seat, language]

    def _events(self, places: Collection[Place]) -> dict[Place, bytes]:
        """The views of these seats in these languages as they go on a stream; what all share is told once."""
        match, here = self.match, self._here()
        public, spoken = match.seen_by(), {language for _, language in places}
        common = {language: self.telling(language).common(public, here) for language in spoken}
        own = {
            (seat, lang): self._own(match.seen_by(seat, public), lang, common[lang]) for seat, lang in places
        }
        return {place: event("view", view, match.version) for place, view in own.items()}

    def _own(self, seen: Seen, language: str, common: bytes) -> bytes:
        keys = self.handed_keys(seen.seat) if seen.seat else {}
        return self.telling(language).own(seen, common, keys)

    def watch(
        self, watcher: Watcher, sits: Callable[[], Seat | None] = lambda: None, tokens: Iterable[str] = ()
    ) -> None:
        """Let a stream in as whoever sits there now: the current view first, then one for each change.

        `tokens` are those of all seats that its phone holds: of them it tells that somebody is there.
        """
        with self.lock:
            watcher.seat = sits()
            watcher.held = frozenset(seat for token in tokens if (seat := self.seat_of(token)))
            self.watchers.add(watcher)
            try:
                deliver([(watcher, self.view_event(watcher.seat, watcher.language))])
            except BaseException:
                self.watchers.discard(watcher)
                raise
            self._tell_seats((watcher,))

    def leave(self, watcher: Watcher) -> None:
        with self.lock:
            self.watchers.discard(watcher)
            for seat in watcher.seats:
                self.presence.left(seat)
            self._tell_seats(())

    def dismiss(self, seat: Seat) -> None:
        """End the streams of a seat whose token is no longer good."""
        self.presence.forget(seat)
        for watcher in self.watchers.copy():
            watcher.held -= {seat}
        gone = [watcher for watcher in self.watchers.copy() if watcher.seat == seat]
        for watcher in gone:
            watcher.loop.call_soon_threadsafe(watcher.stop)

    def tell(self) -> None:
        """Send everyone who watches their own new view, made once for all who see the same."""
        watchers = self.watchers.copy()
        made = self._events({(w.seat, w.language) for w in watchers})
        deliver([(w, made[w.seat, w.language]) for w in watchers])

    def _tell_seats(self, newcomers: Collection[Watcher]) -> None:
        """Tell those that ask for it who is there: the newcomers, or everybody if that has changed."""
        with self._telling_seats:
            asking = [watcher for watcher in self.watchers.copy() if watcher.wants_seats]
            if not asking:
                return
            there = self.connected()
            if there == self._told_there:
                asking = [watcher for watcher in asking if watcher in newcomers]
            self._told_there = there
            if asking:
                told = event("seats", json.dumps({seat: seat in there for seat in self.match.seats}))
                deliver_in_turn([(watcher, told) for watcher in asking])
