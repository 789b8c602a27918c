"""Telling: what a table tells in one language, as JSON; each piece is worded and written once."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from referee.game import Game
from referee.match import Seen, Told
from referee.moves import Seat
from referee.views import Voice, common_view, hand_view, news_item, people_view
from referee.words import words
from web.written import written

View = dict[str, Any]


class Here(NamedTuple):
    """What only the table knows: whose phones are there, which seats bots play, what follows."""

    connected: frozenset[Seat]
    bots: tuple[Seat, ...]
    next: str | None
    demo: bool
    asked_before: bool  # a question is open at the game that this one is the rematch of


class Worded(NamedTuple):
    """Pieces of news one after the other, and the JSON of each as a voice has said it."""

    voice: Voice | None = None
    news: Sequence[Told] = ()
    texts: Sequence[bytes] = ()

    def beginning(self, voice: Voice, news: Sequence[Told]) -> Sequence[bytes]:
        """What this voice has said of these, from the first on. A table tells its news in one row: where
        one is the same, so are all before it."""
        if voice is not self.voice or not news or not self.news:
            return ()
        at = news[0].n - self.news[0].n
        both = len(self.news) - at
        is_same = at >= 0 and 0 < both <= len(news) and news[both - 1] is self.news[-1]
        return self.texts[at:] if is_same else ()


def completed(shown: View, here: Here) -> View:
    """A view with what only the table knows."""
    for seat, who in shown["seats"].items():
        who["bot"] = seat in here.bots
    return {**shown, "next": here.next, "demo": here.demo, "asked_before": here.asked_before}


class Telling:
    """The views of one table in one language. Whatever is kept is kept with the voice that said it."""

    def __init__(self, language: str) -> None:
        self._words = words(language)
        self._voice: Voice | None = None
        self._people: tuple[Voice | None, Here | None, bytes] = (None, None, b"")
        self._news = Worded()
        self._answered = Worded()  # what was said last to whoever moved

    def common(self, seen: Seen, here: Here) -> bytes:
        """What all views share, an object that is left open for what one seat alone may see."""
        voice = self.voice(seen.game, seen.names)
        self._news = news = self._worded(voice, seen.news)
        people, rest = self._people_here(seen, voice, here), written(common_view(seen, voice))
        return b'%b,%b,"news":[%b],"me":' % (people[:-1], rest[1:-1], b",".join(news.texts))

    def own(self, seen: Seen, common: bytes, keys: dict[Seat, str]) -> bytes:
        """The whole view of a seat, or of nobody in particular."""
        if seen.seat is None:
            return b"%bnull}" % common
        mine = written({**hand_view(seen, self.voice(seen.game, seen.names)), "keys": keys})
        choices = b",".join([choice.written for choice in seen.choices])
        return b'%b%b,"choices":[%b]}}' % (common, mine[:-1], choices)

    def answer(self, voice: Voice, version: int, news: Sequence[Told], salt: str | None) -> bytes:
        """What whoever moved is answered: the version, this news, and the salt, if there is one to see."""
        self._answered = told = self._worded(voice, news)
        bound = {"salt": salt} if salt else {}
        return b'%b,"news":[%b]}' % (written({"version": version, **bound})[:-1], b",".join(told.texts))

    def pieces(self, seen: Seen, news: Sequence[Told]) -> Sequence[bytes]:
        """Each of these pieces of news by itself."""
        return self._worded(self.voice(seen.game, seen.names), news).texts

    def voice(self, game: Game[Any, Any], names: Mapping[Seat, str | None]) -> Voice:
        """Whoever speaks here, as long as nobody has another name."""
        voice = self._voice
        if voice is None or voice.names is not names:
            voice = self._voice = Voice(self._words, game, names)
        return voice

    def _people_here(self, seen: Seen, voice: Voice, here: Here) -> bytes:
        """What is played and who is there: the same for many moves."""
        before = self._people
        if before[0] is not voice or before[1] != here:
            shown = completed(people_view(seen, voice, here.connected), here)
            before = self._people = voice, here, written(shown)
        return before[2]

    def _worded(self, voice: Voice, news: Sequence[Told]) -> Worded:
        """These pieces of news; only those that this voice has not said yet are worded."""
        texts = [*self._news.beginning(voice, news)]
        texts += self._answered.beginning(voice, news[len(texts) :])
        texts += [written(news_item(told, voice)) for told in news[len(texts) :]]
        return Worded(voice, news, texts)
