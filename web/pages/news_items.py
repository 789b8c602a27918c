"""A table's news in words, and which items are answers to be shown large."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.core.match import NewsEntry, PlayerView
from referee.core.restatements import CORRECTED, TAKEN_BACK, no_longer_true
from referee.presentation.cues import RESULT_LAMPS, cue
from referee.presentation.views import Localizer

SETTLED = ("taken_back", "corrected", "declined", "reissued")
MOST_MOVES = 2  # latest moves whose answers a phone shows; older missed ones are skipped


@dataclass(frozen=True)
class NewsItem:
    """A piece of news in words. With a `word` it is an answer, to be shown large.

    `lamp` is the result lamp that stays lit with it, if any. `means` explains the answer, if the game has a
    text for that. `commitment` is that of the secret entered, if any. `fields` are the news's own, for games
    that draw their answers. `gone`: the news no longer holds, because its move was taken back or corrected.
    """

    n: int
    entry: int
    kind: str
    text: str
    lamp: str
    word: str
    means: str
    commitment: str | None
    fields: Mapping[str, Any]
    gone: bool


def news_items(
    seen: PlayerView, localizer: Localizer, view: Mapping[str, Any], before: Sequence[NewsItem] = ()
) -> list[NewsItem]:
    """The news of a view as items, oldest first. Unchanged items are reused from `before`, the last result
    in the same language."""
    gone = no_longer_true(seen.news)
    gone |= _void_corrections(seen.news, gone)
    known = {item.n: item for item in before}
    worded = zip(seen.news, view["news"], strict=True)
    return [
        item
        if (item := known.get(told.n)) and item.fields is told.news.fields and item.gone == (told.n in gone)
        else _news_item(told, text["text"], seen, localizer, told.n in gone)
        for told, text in worded
    ]


def _void_corrections(news: Sequence[NewsEntry], gone: frozenset[int]) -> frozenset[int]:
    """The numbers of corrections whose restated news are all void: they are not shown as answers."""
    right = {told.entry for told in news if told.news.kind == "restated" and told.n not in gone}
    return frozenset(told.n for told in news if told.news.kind == "corrected" and told.entry not in right)


def _news_item(told: NewsEntry, text: str, seen: PlayerView, localizer: Localizer, gone: bool) -> NewsItem:
    sign = cue(seen.game.key(told.news))
    lamp = sign.lamp if sign and sign.stays and sign.lamp in RESULT_LAMPS else ""
    is_large = bool(sign and sign.large) and told.news.fields.get("changes") != 0
    word = _large_text(told, seen, localizer, lamp) if (lamp or is_large) and not gone else ""
    key = f"page.{seen.game.id}.means.{lamp}"
    means = localizer.say(key, told.news.fields) if key in localizer.words else ""
    kind, fields = told.news.kind, told.news.fields
    return NewsItem(told.n, told.entry, kind, text, lamp, word, means, told.commitment, fields, gone)


def _large_text(told: NewsEntry, seen: PlayerView, localizer: Localizer, lamp: str) -> str:
    """The large text of an answer: the game's own, else the common one, else that of the lamp."""
    key = seen.game.key(told.news)
    own = (f"page.{seen.game.id}.shout.{key}", f"page.shout.{key}")
    found = next((word for word in own if word in localizer.words), f"page.answer.{lamp}")
    return localizer.say(found, told.news.fields)


def latest_news(news: list[NewsItem]) -> list[NewsItem]:
    """The news of the latest entry, without whose turn it is (shown elsewhere) and a desk that left."""
    worth = [item for item in news if item.kind not in ("turn", "desk_taken")]
    return [item for item in worth if item.entry == worth[-1].entry] if worth else []


def is_settled(latest: list[NewsItem]) -> bool:
    """Whether a question was just settled. Its result is then shown beside what to do on the table."""
    return any(item.kind in SETTLED for item in latest)


def latest_answers(news: list[NewsItem]) -> list[NewsItem]:
    """The answers of the latest moves, for a page whose script tracks which of them it has shown."""
    answers = [item for item in news if item.word]
    moves = sorted({item.entry for item in answers})[-MOST_MOVES:]
    return [item for item in answers if item.entry in moves]


def new_answers(news: list[NewsItem], since: int) -> list[NewsItem]:
    """The answers after the first `since` entries, for a page that has the earlier ones. After an undo or a
    correction all latest answers that still hold, so that the page drops the void ones."""
    return [item for item in latest_answers(news) if is_repaired(news, since) or item.entry > since]


def is_repaired(news: list[NewsItem], since: int) -> bool:
    """Whether a move was taken back or corrected after the first `since` entries."""
    return any(item.kind in (TAKEN_BACK, CORRECTED) for item in news if item.entry > since)


def next_answer(news: list[NewsItem], seen: int | None) -> NewsItem | None:
    """The oldest answer that this phone has not shown yet. Answers of one move are shown one by one."""
    answers = [item for item in news if item.word and (seen is None or item.n > seen)]
    moves = sorted({item.entry for item in answers})[-1 if seen is None else -MOST_MOVES :]
    return next((item for item in answers if item.entry in moves), None)
