"""Commitments to secret moves, and the hash chain over the entries of a game.

The JSON that is hashed is built key by key, in sorted order: the same text as `canonical`, in half the time.
The chain covers public fields and commitments. It never covers bare secrets, which have so few possible
values that their hash could be guessed, nor people's names, so that a name can be deleted.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from referee.core.moves import Move, Seat, canonical

GROUP = 4  # characters per group of a displayed digest, for reading aloud and comparing
SHORT = 4  # groups of a shortened digest: 64 bits, too many to find another game with the same ones


def grouped(digest: str) -> str:
    """A digest in groups, as shown on the sheet, the screen, the phones and the record page."""
    return " ".join(digest[i : i + GROUP] for i in range(0, len(digest), GROUP))


def short(digest: str) -> str:
    """The first groups of a digest, for places without room for all of it."""
    return grouped(digest[: GROUP * SHORT])


def digits_of(typed: str) -> str | None:
    """A typed digest or prefix of one, without spaces and in lower case. None if it is not hexadecimal or too
    short to tell games apart."""
    digits = "".join(typed.split()).lower()
    return digits if re.fullmatch(rf"[0-9a-f]{{{GROUP * SHORT},64}}", digits) else None


def commitment(salt: str, table: str, n: int, seat: Seat, move: Move) -> str:
    """Hex SHA-256 over the 32 bytes of salt and the move as JSON: sorted keys, no spaces.

    `n` is the number of the news that carries the commitment.
    """
    text = (
        f'{{"fields":{canonical(dict(move.fields))},"n":{canonical(n)},"seat":{canonical(seat)},'
        f'"table":{canonical(table)},"type":{canonical(move.type)}}}'
    )
    return hashlib.sha256(_bytes(salt) + text.encode()).hexdigest()


def seed_hash(seed: str) -> str:
    """The commitment to a seed, shown before anybody sits down."""
    return hashlib.sha256(_bytes(seed)).hexdigest()


def chained_seed(root: str, rematches: int) -> str:
    """The seed of a table after which so many rematches can follow: each seed is the hash of the next one, so
    the first commitment binds all of them, and no seed tells the next."""
    seed = root
    for _ in range(rematches):
        seed = seed_hash(seed)
    return seed


def mixed_seed(seed: str, before: Mapping[str, str] | None, nonces: Sequence[tuple[Seat, str]]) -> str:
    """What the dice fall from: the server's seed, what the phones sent when they joined, and for a rematch
    what is known of the table before it. Without either, it is the seed itself. The order in which the phones
    came does not matter: the server could choose it."""
    if not nonces and before is None:
        return seed
    others = {"before": before and dict(before), "nonces": sorted(list(each) for each in nonces)}
    return hashlib.sha256(_bytes(seed) + canonical(others).encode()).hexdigest()


def genesis(
    table: str,
    game: str,
    rules: int,
    options: Mapping[str, Any],
    seed: str,
    before: Mapping[str, str] | None = None,
) -> str:
    """The head of the chain before the first entry. It includes the hash of the seed, not the seed. For a
    rematch it includes `before`: the `table` before it, its `head` then, and the `nonce` of who asked."""
    opened = {"table": table, "game": game, "rules": rules, "options": dict(options), "seed": seed_hash(seed)}
    return _link("", canonical(opened if before is None else {**opened, "before": dict(before)}))


def link(head: str, n: int, seat: Seat, kind: str, public: Mapping[str, Any], bound: str | None) -> str:
    """The head after entry `n`, from its public fields and the commitment to its secret ones."""
    entry = (
        f'{{"commitment":{canonical(bound)},"fields":{canonical(dict(public))},'
        f'"n":{canonical(n)},"seat":{canonical(seat)},"type":{canonical(kind)}}}'
    )
    return _link(head, entry)


def _link(head: str, entry: str) -> str:
    return hashlib.sha256(f"{head}\n{entry}".encode()).hexdigest()


def _bytes(digits: str) -> bytes:
    """Decode exactly 64 lower-case hexadecimal digits."""
    if not _DIGITS.fullmatch(digits):
        raise ValueError("a salt or a seed has 64 hexadecimal digits")
    return bytes.fromhex(digits)


_DIGITS = re.compile(r"[0-9a-f]{64}")
