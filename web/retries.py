"""Retries: a call that comes twice with one Idempotency-Key is made once, and answered the same again."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from referee.moves import canonical
from web.refusals import Refusal, malformed
from web.store import Store
from web.store import changes as kept

LONGEST_KEY = 128  # characters of an Idempotency-Key
NONCE = 32  # characters of what a script marks a tap with
BRIEF = ("version", "table", "job")  # what is kept for whoever does not read the answer


@dataclass(frozen=True)
class Retry:
    """An Idempotency-Key, and the hash of the body it came with."""

    key: str
    body: str
    whole: bool = True  # whether the answer is read: a page shows how things stand by then


def retry_of(key: str | None, path: str, body: bytes) -> Retry | None:
    """The Idempotency-Key of a call, bound to its address and body."""
    return None if key is None else Retry(key, hashlib.sha256(path.encode() + b"\n" + body).hexdigest())


def form_retry(code: str, version: int, body: Mapping[str, Any], nonce: str = "") -> Retry:
    """The key of a form at a table. A script marks each tap with a nonce, and sends the same tap again with
    the same one. Without a script a form made from the same version is the same form, and counts once. One
    key of each kind, where a form does two things."""
    kind = "answer" if "accept" in body else body.get("kind", "move")
    about = hashlib.sha256(canonical(body).encode()).hexdigest()
    return Retry(f"form {code} {version} {kind} {nonce[:NONCE]}".strip(), about, whole=False)


class UsedAgain(Refusal):
    """An Idempotency-Key that came with another body before."""

    def __init__(self) -> None:
        super().__init__("malformed", {"what": "Idempotency-Key"})


def first_answer(store: Store, scope: str, retry: Retry | None) -> dict[str, Any] | None:
    """What was answered when this Idempotency-Key came first."""
    if retry is None:
        return None
    if not (1 <= len(retry.key) <= LONGEST_KEY and retry.key.isascii() and retry.key.isprintable()):
        raise malformed("Idempotency-Key")
    known = store.answer(scope, retry.key)
    if known is None:
        return None
    body, answer = known
    if body != retry.body:
        raise UsedAgain
    result: dict[str, Any] = json.loads(answer)
    return result


def answer_kept(scope: str, retry: Retry | None, answer: dict[str, Any]) -> list[kept.Change]:
    """What is written along with a change, so that it is made once and answered the same again."""
    if retry is None:
        return []
    told = {name: value for name, value in answer.items() if retry.whole or name in BRIEF}
    return [kept.answer_given(scope, retry.key, retry.body, told), kept.early_answers_dropped(scope)]


def job_kept(scope: str, retry: Retry | None) -> list[kept.Change]:
    """The same, right after the change that adds a print job."""
    if retry is None:
        return []
    return [kept.job_answered(scope, retry.key, retry.body), kept.early_answers_dropped(scope)]
