"""A table's news in words, and which items are answers to be shown large."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from referee.core.frozen import replaced
from referee.core.game import News
from referee.core.match import NewsEntry, PlayerView
from referee.core.restatements import CORRECTED, TAKEN_BACK, no_longer_true
from referee.presentation.cues import RESULT_LAMPS
from referee.presentation.views import Localizer

QUIET = ("turn", "desk_taken")  # shown elsewhere, or of no interest to players
SETTLED = ("taken_back", "corrected", "declined", "reissued")
NOT_FOLLOWING = ("turn", "over", "restated")  # shown elsewhere on a page
MOST_MOVES = 2  # latest moves whose answers a phone shows; older missed ones are skipped


@dataclass(frozen=True)
class NewsItem:
    """A piece of news in words. With a `word` it is an answer, to be shown large.

    `lamp` is the result lamp that stays lit with it, if any. `sign` is the game's drawing with which the
    table screen shows it as a scene, if it does. `means` explains the answer, if the game has a text for
    that. `commitment` is that of the secret entered, if any. `fields` are the news's own, for games that draw
    their answers. `gone`: the news no longer holds, because its move was taken back or corrected.
    """

    n: int
    entry: int
    kind: str
    text: str
    lamp: str
    sign: str
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
    given = seen.game.cue(told.news)
    lamp = given.lamp if given and given.stays and given.lamp in RESULT_LAMPS else ""
    is_large = bool(given and given.large) and told.news.fields.get("changes") != 0
    word = _large_text(told, seen, localizer, lamp) if (lamp or is_large) and not gone else ""
    kind, fields = told.news.kind, told.news.fields
    means = _means(seen, lamp, fields, localizer)
    drawing = given.sign if given and not gone else ""
    return NewsItem(told.n, told.entry, kind, text, lamp, drawing, word, means, told.commitment, fields, gone)


def spoken_to(items: Collection[NewsItem], seen: PlayerView, localizer: Localizer) -> list[NewsItem]:
    """These items in the words of a localizer that speaks to one reader."""
    return [
        replaced(
            item,
            text=localizer.news(News(item.kind, item.fields)),
            means=_means(seen, item.lamp, item.fields, localizer),
        )
        for item in items
    ]


def _means(seen: PlayerView, lamp: str, fields: Mapping[str, Any], localizer: Localizer) -> str:
    key = f"page.{seen.game.id}.means.{lamp}"
    return localizer.say(key, fields) if key in localizer.words else ""


def _large_text(told: NewsEntry, seen: PlayerView, localizer: Localizer, lamp: str) -> str:
    """The large text of an answer: the game's own, else the common one, else that of the lamp."""
    key = seen.game.key(told.news)
    own = (f"page.{seen.game.id}.shout.{key}", f"page.shout.{key}")
    found = next((word for word in own if word in localizer.words), f"page.answer.{lamp}")
    return localizer.say(found, told.news.fields)


def follows(news: list[NewsItem], answer: NewsItem) -> list[NewsItem]:
    """What an answer leads to: the news after it in the same entry, up to the next answer."""
    after = [item for item in news if item.entry == answer.entry and item.n > answer.n]
    said = takewhile(lambda item: not item.word, after)
    return [item for item in said if item.kind not in NOT_FOLLOWING and not item.gone]


def latest_news(news: list[NewsItem]) -> list[NewsItem]:
    """The news of the latest entry, without whose turn it is (shown elsewhere) and a desk that left."""
    last = next((item.entry for item in reversed(news) if item.kind not in QUIET), 0)
    latest = takewhile(lambda item: item.entry >= last, reversed(news))
    return [item for item in latest if item.kind not in QUIET][::-1]


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
    answers = latest_answers(news)
    return answers if is_repaired(news, since) else [item for item in answers if item.entry > since]


def is_repaired(news: list[NewsItem], since: int) -> bool:
    """Whether a move was taken back or corrected after the first `since` entries."""
    later = takewhile(lambda item: item.entry > since, reversed(news))
    return any(item.kind in (TAKEN_BACK, CORRECTED) for item in later)


def next_answer(news: list[NewsItem], seen: int | None) -> NewsItem | None:
    """The oldest answer that this phone has not shown yet. Answers of one move are shown one by one."""
    answers = [item for item in news if item.word and (seen is None or item.n > seen)]
    moves = sorted({item.entry for item in answers})[-1 if seen is None else -MOST_MOVES :]
    return next((item for item in answers if item.entry in moves), None)


def ending_entry(news: list[NewsItem]) -> int:
    """The number of the entry whose move ended the game; 0 if none did."""
    return next((item.entry for item in reversed(news) if item.kind == "over" and not item.gone), 0)


def decisive_move(news: list[NewsItem]) -> list[NewsItem]:
    """What was told of the move that ended the game; empty if people ended it."""
    entry = ending_entry(news)
    return [item for item in news if item.entry == entry and item.kind not in ("over", "turn")]
