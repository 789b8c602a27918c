"""What was said last at a table, and which of it is an answer to be shown large."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.cues import RESULT_LAMPS, cue
from referee.match import Seen, Told
from referee.restating import CORRECTED, TAKEN_BACK, no_longer_true
from referee.views import Voice

SETTLED = ("taken_back", "corrected", "declined", "reissued")
AT_MOST = 2  # moves whose answers a phone catches up with; whoever missed more looks at the table


@dataclass(frozen=True)
class Said:
    """A piece of news in words. With a `word` it is an answer, to be shown large.

    `lamp` names the result lamp that stays lit with it, if one does; `means` says what the answer tells,
    where the game has words for it; `commitment` is of the secret that was entered, if one was; `fields` are
    what it speaks of, for a game that draws its answers. `gone`: it no longer holds, since its move was taken
    back or a correction put it right.
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


def said(seen: Seen, voice: Voice, view: Mapping[str, Any]) -> list[Said]:
    """All that is still at hand, oldest first, in the words of this view."""
    gone = no_longer_true(seen.news)
    gone |= _corrections_without(seen.news, gone)
    worded = zip(seen.news, view["news"], strict=True)
    return [_said(told, item["text"], seen, voice, told.n in gone) for told, item in worded]


def _corrections_without(news: Sequence[Told], gone: frozenset[int]) -> frozenset[int]:
    """The corrections of which nothing holds any more that they put right: they are no answer."""
    right = {told.entry for told in news if told.news.kind == "restated" and told.n not in gone}
    return frozenset(told.n for told in news if told.news.kind == "corrected" and told.entry not in right)


def _said(told: Told, text: str, seen: Seen, voice: Voice, gone: bool) -> Said:
    sign = cue(seen.game.key(told.news))
    lamp = sign.lamp if sign and sign.stays and sign.lamp in RESULT_LAMPS else ""
    is_large = bool(sign and sign.large) and told.news.fields.get("changes") != 0
    word = _word(told, seen, voice, lamp) if (lamp or is_large) and not gone else ""
    key = f"page.{seen.game.id}.means.{lamp}"
    means = voice.say(key, told.news.fields) if key in voice.words else ""
    kind, fields = told.news.kind, told.news.fields
    return Said(told.n, told.entry, kind, text, lamp, word, means, told.commitment, fields, gone)


def _word(told: Told, seen: Seen, voice: Voice, lamp: str) -> str:
    """The game's own word for an answer, the one that all games share, or that of the lamp."""
    key = seen.game.key(told.news)
    own = (f"page.{seen.game.id}.shout.{key}", f"page.shout.{key}")
    found = next((word for word in own if word in voice.words), f"page.answer.{lamp}")
    return voice.say(found, told.news.fields)


def last_words(news: list[Said]) -> list[Said]:
    """What the latest entry said; whose turn it is stands elsewhere, and a desk that left is no answer."""
    worth = [item for item in news if item.kind not in ("turn", "desk_taken")]
    return [item for item in worth if item.entry == worth[-1].entry] if worth else []


def is_settled(aloud: list[Said]) -> bool:
    """Whether a question was just settled: everyone is told how, beside what is to be done on the table."""
    return any(item.kind in SETTLED for item in aloud)


def latest_answers(news: list[Said]) -> list[Said]:
    """The answers of the latest moves, for a page that knows itself which of them it has shown."""
    answers = [item for item in news if item.word]
    moves = sorted({item.entry for item in answers})[-AT_MOST:]
    return [item for item in answers if item.entry in moves]


def new_answers(news: list[Said], since: int) -> list[Said]:
    """The answers that came after so many entries, for a page that has all before. After an undo or a
    correction all that still hold: those that do not are taken from it."""
    return [item for item in latest_answers(news) if is_repaired(news, since) or item.entry > since]


def is_repaired(news: list[Said], since: int) -> bool:
    """Whether something was taken back or corrected after so many entries."""
    return any(item.kind in (TAKEN_BACK, CORRECTED) for item in news if item.entry > since)


def next_answer(news: list[Said], seen: int | None) -> Said | None:
    """The oldest answer that this phone has not shown yet; those of one move come one after the other."""
    answers = [item for item in news if item.word and (seen is None or item.n > seen)]
    moves = sorted({item.entry for item in answers})[-1 if seen is None else -AT_MOST :]
    return next((item for item in answers if item.entry in moves), None)
