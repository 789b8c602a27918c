"""Renders the views of one table in one language; caches what all seats share, and each piece of news."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from referee.core.game import Game
from referee.core.match import NewsEntry, PlayerView
from referee.core.moves import Seat
from referee.presentation.views import Localizer, common_view, news_item, own_view, people_view
from referee.presentation.words import words

View = dict[str, Any]
T = TypeVar("T")

KEPT = 64  # rendered news items in the cache: a view shows the latest, and all of its last entry


class TableFacts(NamedTuple):
    """Facts that only the table knows, not the match: connected seats, bots, the rematch."""

    connected: frozenset[Seat]
    bots: tuple[Seat, ...]
    next: str | None
    demo: bool
    asked_before: bool  # a question is open at the game that this one is the rematch of


class ViewRenderer:
    """Renders the views of one table in one language. Used by the loop and by Flask's threads without a lock:
    cached values are replaced as a whole, never changed in place."""

    def __init__(self, language: str) -> None:
        self._words = words(language)
        self._localizer: Localizer | None = None
        self._news: tuple[Localizer | None, dict[int, tuple[NewsEntry, View]]] = (None, {})
        self._made: tuple[list[View] | None, Localizer | None, Any] = (None, None, ())
        self._common: tuple[PlayerView | None, TableFacts | None, View] = (None, None, {})
        self._people: tuple[Localizer | None, TableFacts | None, View] = (None, None, {})

    def localizer(self, game: Game[Any, Any], names: Mapping[Seat, str | None]) -> Localizer:
        """The localizer of this table, cached until a name changes."""
        localizer = self._localizer
        if localizer is None or localizer.names is not names:
            localizer = self._localizer = Localizer(self._words, game, names)
        return localizer

    def view(self, seen: PlayerView, public: PlayerView, here: TableFacts, keys: Mapping[Seat, str]) -> View:
        """The view of a seat, or the public one. `public` is the public part of the same match."""
        own = own_view(seen, self.localizer(seen.game, seen.names))
        me = {**own, "keys": dict(keys)} if own is not None else None
        return {**self._shared(public, here), "me": me}

    def news(self, localizer: Localizer, told: Sequence[NewsEntry]) -> list[View]:
        """Render these pieces of news; each is cached."""
        by, known = self._news
        known = known if by is localizer else {}
        made = []
        is_new = False
        for each in told:
            was, item = known.get(each.n, (None, {}))
            is_known = was is each
            is_new |= not is_known
            made.append(item if is_known else news_item(each, localizer))
        if is_new:
            latest = {**known, **{each.n: (each, item) for each, item in zip(told, made, strict=True)}}
            self._news = localizer, dict(list(latest.items())[-max(KEPT, len(told)) :])
        return made

    def once(self, news: list[View], localizer: Localizer, make: Callable[[Sequence[T]], list[T]]) -> list[T]:
        """A list derived only from the news of a view, cached for all who get the same news. `make` gets the
        previous list, if it had the same localizer."""
        of, by, made = self._made
        if of is not news or by is not localizer:
            made = make(made if by is localizer else ())
            self._made = news, localizer, made
        result: list[T] = made
        return result

    def clear(self) -> None:
        """Clear the caches that serve one change; rendered news stay."""
        self._common, self._made = (None, None, {}), (None, *self._made[1:])

    def _shared(self, public: PlayerView, here: TableFacts) -> View:
        """The part that all views of the current state share."""
        of, at, shared = self._common
        if of is not public or at != here:
            localizer = self.localizer(public.game, public.names)
            shared = {
                **self._people_view(public, localizer, here),
                **common_view(public, localizer),
                "news": self.news(localizer, public.news),
            }
            self._common = public, here, shared
        return shared

    def _people_view(self, public: PlayerView, localizer: Localizer, here: TableFacts) -> View:
        """The part that moves do not change, cached until somebody comes, goes or is renamed."""
        of, at, people = self._people
        if of is not localizer or at != here:
            people = {
                **people_view(public, localizer, here.connected, here.bots),
                "next": here.next,
                "demo": here.demo,
                "asked_before": here.asked_before,
            }
            self._people = localizer, here, people
        return people
