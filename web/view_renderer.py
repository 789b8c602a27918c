"""Renders the views of one table in one language: what all seats share once per change, each news once."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from referee.game import Game
from referee.match import Seen, Told
from referee.moves import Seat
from referee.views import Voice, common_view, news_item, own_view, people_view
from referee.words import words

View = dict[str, Any]
T = TypeVar("T")

KEPT = 64  # news items that stay rendered: a view shows the latest, and all of its last entry


class Here(NamedTuple):
    """What only the table knows: whose phones are there, which seats bots play, what follows."""

    connected: frozenset[Seat]
    bots: tuple[Seat, ...]
    next: str | None
    demo: bool
    asked_before: bool  # a question is open at the game that this one is the rematch of


class ViewRenderer:
    """The views of one table in one language. Used by the loop and by Flask's threads: what is cached is
    replaced whole, never changed in place."""

    def __init__(self, language: str) -> None:
        self._words = words(language)
        self._voice: Voice | None = None
        self._news: tuple[Voice | None, dict[int, tuple[Told, View]]] = (None, {})
        self._made: tuple[list[View] | None, Any] = (None, None)
        self._common: tuple[Seen | None, Here | None, View] = (None, None, {})

    def voice(self, game: Game[Any, Any], names: Mapping[Seat, str | None]) -> Voice:
        """The words of this table, as long as nobody has another name."""
        voice = self._voice
        if voice is None or voice.names is not names:
            voice = self._voice = Voice(self._words, game, names)
        return voice

    def view(self, seen: Seen, public: Seen, here: Here, keys: Mapping[Seat, str]) -> View:
        """The view of a seat, or of nobody in particular. `public` is what all see of the same match."""
        own = own_view(seen, self.voice(seen.game, seen.names))
        me = {**own, "keys": dict(keys)} if own is not None else None
        return {**self._shared(public, here), "me": me}

    def news(self, voice: Voice, told: Sequence[Told]) -> list[View]:
        """Each of these pieces of news, rendered once for all who hear of it."""
        by, known = self._news
        known = known if by is voice else {}
        items = [known.get(each.n, (None, None)) for each in told]
        made = [
            item if was is each and item is not None else news_item(each, voice)
            for each, (was, item) in zip(told, items, strict=True)
        ]
        latest = {**known, **{each.n: (each, item) for each, item in zip(told, made, strict=True)}}
        self._news = voice, dict(list(latest.items())[-max(KEPT, len(told)) :])
        return made

    def once(self, news: list[View], make: Callable[[], T]) -> T:
        """Something that is made of the news of a view alone, made once for all who see the same."""
        of, made = self._made
        if of is not news:
            made = make()
            self._made = news, made
        result: T = made
        return result

    def forget(self) -> None:
        """Let go of what was made for one moment; the news stay rendered."""
        self._common, self._made = (None, None, {}), (None, None)

    def _shared(self, public: Seen, here: Here) -> View:
        """What every view of this moment shares."""
        of, at, shared = self._common
        if of is not public or at != here:
            voice = self.voice(public.game, public.names)
            shared = {
                **people_view(public, voice, here.connected, here.bots),
                "next": here.next,
                "demo": here.demo,
                "asked_before": here.asked_before,
                **common_view(public, voice),
                "news": self.news(voice, public.news),
            }
            self._common = public, here, shared
        return shared
