"""Refusals: every way the referee says no, with its status; worded for people when it is sent."""

from collections.abc import Mapping
from typing import Any

from referee.game import Say
from referee.words import Words

STATUS = {
    "malformed": 400,
    "no-token": 401,
    "bad-token": 401,
    "not-allowed": 403,
    "not-over": 403,
    "bad-key": 403,
    "bad-pin": 403,
    "unknown-page": 404,
    "unknown-table": 404,
    "unknown-seat": 404,
    "unknown-game": 404,
    "unknown-desk": 404,
    "unknown-job": 404,
    "unknown-person": 404,
    "wrong-method": 405,
    "too-slow": 408,
    "not-started": 409,
    "question-open": 409,
    "seat-taken": 409,
    "stale": 409,
    "shelf-full": 409,
    "table-full": 409,
    "too-large": 413,
    "illegal-move": 422,
    "bad-options": 422,
    "slow-down": 429,
    "broken": 500,
    "busy": 503,
    "not-saved": 503,
}


class Refusal(Exception):
    """A call that is refused and changed nothing.

    `about` fills the sentence; `why` is a sentence that replaces it, and `title` one that stands above it;
    `extra` goes along on the wire.
    """

    def __init__(
        self,
        code: str,
        about: Mapping[str, Any] | None = None,
        why: Say | None = None,
        extra: Mapping[str, Any] | None = None,
        title: str = "",
    ) -> None:
        super().__init__(code)
        self.code = code
        self.status = STATUS[code]
        self.sentence = why or Say(f"refusal.{code}.detail", about or {})
        self.title = title or f"refusal.{code}"
        self.extra = dict(extra or {})

    def problem(self, words: Words) -> dict[str, Any]:
        """The refusal as application/problem+json."""
        return {
            "code": self.code,
            "title": words.say(self.title),
            "detail": words.say(self.sentence.key, self.sentence.fields),
            **self.extra,
        }


def malformed(what: str) -> Refusal:
    return Refusal("malformed", {"what": what})


def seat_moved(name: str) -> Refusal:
    """What a phone is told that held this seat before another one got it."""
    return Refusal(
        "bad-token", why=Say("refusal.seat_moved.detail", {"name": name}), title="refusal.seat_moved"
    )
