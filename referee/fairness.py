"""Fairness: commitments that bind a secret when it is entered, and the hash chain of a record.

Both are written out key by key, in order: the same text as `canonical` gives of the whole, in half the time.
The chain runs over public moves and commitments, never over bare secrets (there are so few of them that
a hash would be guessed), and not over people's names, so that a person can be deleted.
"""

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from referee.moves import Move, Seat, canonical

GROUP = 4  # characters of a digest that stand together, to be read aloud and compared
SHORT = 3  # groups that tell one game from another


def spelled(digest: str) -> str:
    """A digest as people compare it: on the sheet, the screen, the phones and the record page."""
    return " ".join(digest[i : i + GROUP] for i in range(0, len(digest), GROUP))


def short(digest: str) -> str:
    """The beginning of a digest, where there is no room for all of it."""
    return spelled(digest[: GROUP * SHORT])


def digits_of(typed: str) -> str | None:
    """What somebody typed of a digest, without spaces and in small letters; none if it is none, or too short
    to tell one game from another."""
    digits = "".join(typed.split()).lower()
    return digits if re.fullmatch(rf"[0-9a-f]{{{GROUP * SHORT},64}}", digits) else None


def commitment(salt: str, table: str, n: int, seat: Seat, move: Move) -> str:
    """Hex SHA-256 over the 32 bytes of salt and the move as JSON: sorted keys, no spaces.

    `n` is the number of the news that carries the commitment.
    """
    told = (
        f'{{"fields":{canonical(dict(move.fields))},"n":{canonical(n)},"seat":{canonical(seat)},'
        f'"table":{canonical(table)},"type":{canonical(move.type)}}}'
    )
    return hashlib.sha256(_bytes(salt) + told.encode()).hexdigest()


def genesis(table: str, game: str, rules: int, options: Mapping[str, Any], seed: str) -> str:
    """The head of the chain before anything happened. The seed is bound by its own hash."""
    bound = hashlib.sha256(_bytes(seed)).hexdigest()
    opened = {"table": table, "game": game, "rules": rules, "options": dict(options), "seed": bound}
    return _link("", canonical(opened))


def link(head: str, n: int, seat: Seat, kind: str, public: Mapping[str, Any], bound: str | None) -> str:
    """The head after entry `n`: its public fields, and the commitment of its secret ones."""
    entry = (
        f'{{"commitment":{canonical(bound)},"fields":{canonical(dict(public))},'
        f'"n":{canonical(n)},"seat":{canonical(seat)},"type":{canonical(kind)}}}'
    )
    return _link(head, entry)


def _link(head: str, entry: str) -> str:
    return hashlib.sha256(f"{head}\n{entry}".encode()).hexdigest()


def _bytes(digits: str) -> bytes:
    """32 bytes, written in the one way that counts."""
    if not _DIGITS.fullmatch(digits):
        raise ValueError("a salt or a seed is 64 hexadecimal digits")
    return bytes.fromhex(digits)


_DIGITS = re.compile(r"[0-9a-f]{64}")
