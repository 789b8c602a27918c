"""Telling: what a table tells in one language, as JSON; each piece is worded and written once."""

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from referee.match import Seen, Told
from referee.moves import Seat
from referee.views import Voice, common_view, news_item, own_view
from referee.words import words

View = dict[str, Any]
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class _Written:
    """A piece of news as JSON, and what it was worded from."""

    told: Told
    voice: Voice
    text: bytes


class Telling:
    """The views of one table in one language."""

    def __init__(self, language: str) -> None:
        self._words = words(language)
        self._voice: Voice | None = None
        self._news: dict[int, _Written] = {}

    def common(self, seen: Seen, connected: Collection[Seat], completed: Callable[[View], View]) -> bytes:
        """What all views share, an object that is left open for what one seat alone may see."""
        rest = completed(common_view(seen, self._voice_of(seen), connected))
        return b'%b,"news":[%b],"me":' % (_json(rest)[:-1], b",".join(self._worded(seen)))

    def own(self, seen: Seen, common: bytes, keys: dict[Seat, str]) -> bytes:
        """The whole view of a seat, or of nobody in particular."""
        mine = own_view(seen, self._voice_of(seen))
        return b"%b%b}" % (common, _json({**mine, "keys": keys} if mine else None))

    def news(self, seen: Seen, news: Collection[Told]) -> list[dict[str, Any]]:
        """These pieces of news, worded."""
        voice = self._voice_of(seen)
        return [news_item(told, voice) for told in news]

    def _voice_of(self, seen: Seen) -> Voice:
        """Whoever speaks here, as long as nobody has another name."""
        voice = self._voice
        if voice is None or voice.names is not seen.names:
            voice = self._voice = Voice(self._words, seen.game, seen.names)
        return voice

    def _worded(self, seen: Seen) -> list[bytes]:
        voice, before = self._voice_of(seen), self._news
        now = {told.n: self._written(told, voice, before.get(told.n)) for told in seen.news}
        self._news = now
        return [written.text for written in now.values()]

    def _written(self, told: Told, voice: Voice, before: _Written | None) -> _Written:
        if before and before.told is told and before.voice is voice:
            return before
        return _Written(told, voice, _json(news_item(told, voice)))


def _json(value: Any) -> bytes:
    return _JSON.encode(value).encode()
