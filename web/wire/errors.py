"""API errors: every error code with its HTTP status. The text is translated when the response is sent."""

from collections.abc import Mapping
from typing import Any

from referee.core.game import Say
from referee.presentation.words import Words

RETRY_AFTER = 2  # seconds
HEADERS = {"retry_after": "Retry-After", "allow": "Allow"}  # extra fields that are sent as headers
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


class ApiError(Exception):
    """A refused request, which changed nothing.

    `about` fills the sentence of the code; `why` replaces that sentence; `title` is the key of its heading;
    `extra` adds fields to the response, some of them as headers.
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
        """The error as application/problem+json."""
        return {
            "code": self.code,
            "title": words.say(self.title),
            "detail": words.say(self.sentence.key, self.sentence.fields),
            **{name: value for name, value in self.extra.items() if name not in HEADERS},
        }

    def headers(self) -> dict[str, str]:
        """The headers of the response to this error."""
        return {HEADERS[name]: str(value) for name, value in self.extra.items() if name in HEADERS}


def malformed(what: str) -> ApiError:
    return ApiError("malformed", {"what": what})


def seat_moved(name: str) -> ApiError:
    """The error for a phone whose seat was given to another one."""
    return ApiError(
        "bad-token", why=Say("refusal.seat_moved.detail", {"name": name}), title="refusal.seat_moved"
    )


def busy(why: str = "refusal.busy.detail") -> ApiError:
    """The error for a caller that should come again in a moment, because too much is waiting."""
    said = Say(why, {"n": RETRY_AFTER})
    return ApiError("busy", why=said, extra={"retry_after": RETRY_AFTER})
