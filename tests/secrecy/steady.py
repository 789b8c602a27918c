"""Steady chance: codes, keys, tokens, salts and seeds are the same at every start, for twins to share."""

import hashlib
import secrets
from collections.abc import Sequence
from itertools import count
from typing import TypeVar

T = TypeVar("T")


def settle() -> None:
    numbers = count()

    def token(length: int | None = None) -> bytes:
        return hashlib.shake_256(f"steady {next(numbers)}".encode()).digest(length or 32)

    def choice(options: Sequence[T]) -> T:
        return options[int.from_bytes(token(8), "big") % len(options)]

    secrets.token_bytes = token
    secrets.token_hex = lambda length=None: token(length).hex()
    secrets.token_urlsafe = lambda length=None: token(length or 24).hex()[: (length or 24) * 4 // 3]
    secrets.choice = choice  # type: ignore[assignment]
