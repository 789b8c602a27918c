"""Idempotency keys: a repeated call with the same key is executed once and gets the stored answer."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from referee.core.moves import canonical
from web.store import Store, statements
from web.wire.errors import ApiError, malformed

LONGEST_KEY = 128  # characters of an Idempotency-Key
NONCE = 32  # characters of the nonce of a tap
BRIEF_FIELDS = ("version", "table", "job")  # fields stored for callers that do not read the answer


@dataclass(frozen=True)
class IdempotencyKey:
    """An Idempotency-Key, and the hash of the body it came with."""

    key: str
    body: str
    whole: bool = True  # whether the answer is stored whole; pages do not read it


def idempotency_key(key: str | None, path: str, body: bytes) -> IdempotencyKey | None:
    """The Idempotency-Key of a call, bound to its path and body."""
    return (
        None if key is None else IdempotencyKey(key, hashlib.sha256(path.encode() + b"\n" + body).hexdigest())
    )


def form_retry(code: str, version: int, body: Mapping[str, Any], nonce: str = "") -> IdempotencyKey:
    """The key of a form at a table. A script sends each tap with a nonce, and a retry with the same nonce.
    Without a script, all submissions of the same form for the same version count once. A form that makes
    several entries has one key for each kind."""
    kind = "answer" if "accept" in body else body.get("kind", "move")
    about = hashlib.sha256(canonical(body).encode()).hexdigest()
    return IdempotencyKey(f"form {code} {version} {kind} {nonce[:NONCE]}".strip(), about, whole=False)


class KeyReused(ApiError):
    """The Idempotency-Key was used with another body before."""

    def __init__(self) -> None:
        super().__init__("malformed", {"what": "Idempotency-Key"})


def stored_answer(store: Store, scope: str, retry: IdempotencyKey | None) -> dict[str, Any] | None:
    """The stored answer of the first call with this Idempotency-Key, if any."""
    if retry is None:
        return None
    if not (1 <= len(retry.key) <= LONGEST_KEY and retry.key.isascii() and retry.key.isprintable()):
        raise malformed("Idempotency-Key")
    known = store.answer(scope, retry.key)
    if known is None:
        return None
    body, answer = known
    if body != retry.body:
        raise KeyReused
    result: dict[str, Any] = json.loads(answer)
    return result


def answer_stored(
    scope: str, retry: IdempotencyKey | None, answer: dict[str, Any]
) -> list[statements.Change]:
    """The changes that store an answer, for the transaction of the change itself."""
    if retry is None:
        return []
    told = {name: value for name, value in answer.items() if retry.whole or name in BRIEF_FIELDS}
    return [
        statements.answer_given(scope, retry.key, retry.body, told),
        statements.early_answers_dropped(scope),
    ]


def job_answer_stored(scope: str, retry: IdempotencyKey | None) -> list[statements.Change]:
    """The same for a print job. Must directly follow the change that adds the job."""
    if retry is None:
        return []
    return [statements.job_answered(scope, retry.key, retry.body), statements.early_answers_dropped(scope)]
