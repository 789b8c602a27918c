"""What was said last at a table, and which of it is an answer to be shown large."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.cues import RESULT_LAMPS, cue
from referee.match import Seen, Told
from referee.views import Voice

SETTLED = ("taken_back", "corrected", "not_corrected", "declined", "reissued")
AT_MOST = 2  # moves whose answers a phone catches up with; whoever missed more looks at the table


@dataclass(frozen=True)
class Said:
    """A piece of news in words. With a `word` it is an answer, to be shown large.

    `lamp` names the result lamp that stays lit with it, if one does; `means` says what the answer tells,
    where the game has words for it; `commitment` is of the secret that was entered, if one was; `fields` are
    what it speaks of, for a game that draws its answers.
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


def said(seen: Seen, voice: Voice, view: Mapping[str, Any]) -> list[Said]:
    """All that is still at hand, oldest first, in the words of this view."""
    past = set(_past(seen.news))
    worded = zip(seen.news, view["news"], strict=True)
    return [_said(told, item["text"], seen, voice, told.n in past) for told, item in worded]


def _past(news: Sequence[Told]) -> Iterator[int]:
    """What was told since a move that was then taken back or corrected: it answers nothing any more."""
    for mended in news:
        if mended.news.kind in ("taken_back", "corrected"):
            yield from (told.n for told in news if mended.news.fields["of"] <= told.n < mended.n)


def _said(told: Told, text: str, seen: Seen, voice: Voice, is_past: bool) -> Said:
    sign = cue(seen.game.key(told.news))
    lamp = sign.lamp if sign and sign.stays and sign.lamp in RESULT_LAMPS else ""
    shown = (lamp or bool(sign and sign.large)) and not is_past
    word = _word(told, seen, voice, lamp) if shown else ""
    key = f"page.{seen.game.id}.means.{lamp}"
    means = voice.say(key, told.news.fields) if key in voice.words else ""
    kind, fields = told.news.kind, told.news.fields
    return Said(told.n, told.entry, kind, text, lamp, word, means, told.commitment, fields)


def _word(told: Told, seen: Seen, voice: Voice, lamp: str) -> str:
    """The game's own word for an answer, or that of the lamp."""
    own = f"page.{seen.game.id}.shout.{seen.game.key(told.news)}"
    return voice.say(own, told.news.fields) if own in voice.words else voice.say(f"page.answer.{lamp}")


def last_words(news: list[Said]) -> list[Said]:
    """What the latest entry said; whose turn it is stands elsewhere, and a desk that left is no answer."""
    worth = [item for item in news if item.kind not in ("turn", "desk_taken")]
    return [item for item in worth if item.entry == worth[-1].entry] if worth else []


def is_settled(aloud: list[Said]) -> bool:
    """Whether a question was just settled: everyone is told how, beside what is to be done on the table."""
    return any(item.kind in SETTLED for item in aloud)


def next_answer(news: list[Said], seen: int | None) -> Said | None:
    """The oldest answer that this phone has not shown yet; those of one move come one after the other."""
    answers = [item for item in news if item.word and (seen is None or item.n > seen)]
    moves = sorted({item.entry for item in answers})[-1 if seen is None else -AT_MOST :]
    return next((item for item in answers if item.entry in moves), None)
