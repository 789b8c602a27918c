"""Telling: what a table tells in one language, as JSON; each piece is worded and written once."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from referee.match import Seen, Told
from referee.moves import Seat
from referee.views import Voice, common_view, hand_view, news_item, people_view
from referee.words import words
from web.written import written

View = dict[str, Any]
Written = tuple[Voice | None, dict[int, tuple[Told, bytes]]]  # who says it; news by number, with their JSON


class Here(NamedTuple):
    """What only the table knows: whose phones are there, which seats bots play, what follows."""

    connected: frozenset[Seat]
    bots: tuple[Seat, ...]
    next: str | None
    demo: bool


def completed(shown: View, here: Here) -> View:
    """A view with what only the table knows."""
    for seat, who in shown["seats"].items():
        who["bot"] = seat in here.bots
    return {**shown, "next": here.next, "demo": here.demo}


class Telling:
    """The views of one table in one language. Whatever is kept is kept with the voice that said it."""

    def __init__(self, language: str) -> None:
        self._words = words(language)
        self._voice: Voice | None = None
        self._people: tuple[Voice | None, Here | None, bytes] = (None, None, b"")
        self._news: Written = (None, {})
        self._answered: Written = (None, {})  # what was said last to whoever moved

    def common(self, seen: Seen, here: Here) -> bytes:
        """What all views share, an object that is left open for what one seat alone may see."""
        voice = self.voice(seen)
        self._news = news = voice, self._written(voice, seen.news)
        people, rest = self._people_here(seen, voice, here), written(common_view(seen, voice))
        return b'%b,%b,"news":[%b],"me":' % (people[:-1], rest[1:-1], _joined(news))

    def own(self, seen: Seen, common: bytes, keys: dict[Seat, str]) -> bytes:
        """The whole view of a seat, or of nobody in particular."""
        if seen.seat is None:
            return b"%bnull}" % common
        mine = written({**hand_view(seen, self.voice(seen)), "keys": keys})
        choices = b",".join([choice.written for choice in seen.choices])
        return b'%b%b,"choices":[%b]}}' % (common, mine[:-1], choices)

    def answer(self, seen: Seen, news: Iterable[Told], salt: str | None) -> bytes:
        """What whoever moved is answered: the version, this news, and the salt, if there is one to see."""
        voice = self.voice(seen)
        self._answered = told = voice, self._written(voice, news)
        bound = {"salt": salt} if salt else {}
        return b'%b,"news":[%b]}' % (written({"version": seen.version, **bound})[:-1], _joined(told))

    def pieces(self, seen: Seen, news: Iterable[Told]) -> list[bytes]:
        """Each of these pieces of news by itself."""
        return [text for _, text in self._written(self.voice(seen), news).values()]

    def voice(self, seen: Seen) -> Voice:
        """Whoever speaks here, as long as nobody has another name."""
        voice = self._voice
        if voice is None or voice.names is not seen.names:
            voice = self._voice = Voice(self._words, seen.game, seen.names)
        return voice

    def _people_here(self, seen: Seen, voice: Voice, here: Here) -> bytes:
        """What is played and who is there: the same for many moves."""
        before = self._people
        if before[0] is not voice or before[1] != here:
            shown = completed(people_view(seen, voice, here.connected), here)
            before = self._people = voice, here, written(shown)
        return before[2]

    def _written(self, voice: Voice, news: Iterable[Told]) -> dict[int, tuple[Told, bytes]]:
        """These pieces of news, by number; only those that this voice has not said yet are worded."""
        said: dict[int, tuple[Told, bytes]] = {}
        for whose, texts in (self._news, self._answered):
            said |= texts if whose is voice else {}
        now = {}
        for told in news:
            before = said.get(told.n)
            now[told.n] = before if before and before[0] is told else (told, written(news_item(told, voice)))
        return now


def _joined(told: Written) -> bytes:
    return b",".join([text for _, text in told[1].values()])
