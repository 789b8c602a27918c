"""The record of a finished game as JSON: every entry and salt, enough to replay and verify all of it."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from referee.core.corrections import corrected_move
from referee.core.entries import Asked, Entry, Moved
from referee.core.match import Match
from referee.core.moves import canonical
from referee.core.restatements import CORRECTED, TAKEN_BACK, moves_of
from referee.core.sliced_work import SlicedWork, run_to_end
from referee.presentation.views import outcome_item

FORMAT = 3  # version of the record format
MARKS = (TAKEN_BACK, CORRECTED)


def record_of(opened: Match, entries: Iterable[Entry]) -> dict[str, Any]:
    """Build the record of a game from its opening match and all its entries."""
    return run_to_end(record_in_slices(opened, entries))


def record_in_slices(opened: Match, entries: Iterable[Entry]) -> SlicedWork[dict[str, Any]]:
    """Like `record_of`, but yields after each entry."""
    match, items, moves = opened, list[dict[str, Any]](), dict[int, dict[str, Any]]()
    for entry in entries:
        before, match = match, match.after(entry)
        items.append(item_of(before, match, entry))
        if isinstance(entry, Moved):
            moves[before.next_news] = items[-1]
        for n, mark in marks(match):
            moves[n]["mark"] = mark
        yield
    record = {
        "format": FORMAT,
        "table": match.code,
        "game": match.game.id,
        "rules": match.rules,
        "options": dict(match.options),
        "seed": match.seed,
        "before": match.before and dict(match.before),
        "names": dict(match.names),
        "entries": items,
        "outcome": outcome_of(match),
        "head": match.head,
    }
    return {**record, "checksum": checksum(record)}


def item_of(before: Match, after: Match, entry: Entry) -> dict[str, Any]:
    """An entry as hashed into the chain, the head after it, and the secret move with its salt, if any."""
    assert after.last_link is not None
    seat, kind, fields = after.last_link
    item = {"n": after.entries, "seat": seat, "type": kind, "fields": dict(fields)}
    item |= {"commitment": after.last_commitment, "head": after.head}
    if isinstance(entry, Moved | Asked) and after.last_commitment:
        move = entry.move if isinstance(entry, Moved) else corrected_move(before, entry)
        item |= {
            "sealed": {"n": before.next_news, "type": move.type, "fields": dict(move.fields)},
            "salt": entry.salt,
        }
    return item


def marks(after: Match) -> Iterator[tuple[int, str]]:
    """The numbers of the moves that the last entry took back or corrected, each with that mark."""
    for told in after.told():
        if told.news.kind in MARKS:
            yield from ((n, told.news.kind) for n in moves_of(told.news))


def outcome_of(match: Match) -> dict[str, Any] | None:
    seen = match.seen_by()
    return outcome_item(seen.outcome, seen.debrief) if seen.outcome else None


def checksum(record: Mapping[str, Any]) -> str:
    """SHA-256 over the whole record, names included. (The chain omits names, so that they can be deleted.)"""
    digest = hashlib.sha256()
    for piece in canonical_texts(record):
        digest.update(piece.encode())
    return digest.hexdigest()


def canonical_texts(record: Mapping[str, Any]) -> Iterator[str]:
    """The text of `canonical(record)` in pieces, one for each entry. Encoding a long record in one call would
    block all other threads meanwhile."""
    for n, name in enumerate(sorted(record)):
        yield f"{',' if n else '{'}{canonical(name)}:"
        value = record[name]
        yield from _list(value) if isinstance(value, list) and value else (canonical(value),)
    yield "}" if record else "{}"


def _list(items: Sequence[Any]) -> Iterator[str]:
    for n, item in enumerate(items):
        yield f"{',' if n else '['}{canonical(item)}"
    yield "]"
