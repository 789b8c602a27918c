"""The archive of a finished game: every entry, every salt, enough to replay and verify all of it."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from referee.corrections import corrected_move
from referee.match import Match
from referee.moves import canonical
from referee.pieces import Pieces, at_once
from referee.record import Asked, Entry, Moved
from referee.restating import CORRECTED, TAKEN_BACK, moves_of
from referee.views import outcome_item

FORMAT = 2  # the first had no marks
MARKS = (TAKEN_BACK, CORRECTED)


def archive(opened: Match, entries: Iterable[Entry]) -> dict[str, Any]:
    """The record of a game, from its opening and all its entries."""
    return at_once(archiving(opened, entries))


def archiving(opened: Match, entries: Iterable[Entry]) -> Pieces[dict[str, Any]]:
    """The same, entry by entry."""
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
        "names": dict(match.names),
        "entries": items,
        "outcome": outcome_of(match),
        "head": match.head,
    }
    return {**record, "checksum": checksum(record)}


def item_of(before: Match, after: Match, entry: Entry) -> dict[str, Any]:
    """An entry as the chain has it, the head after it, and what was sealed with its salt."""
    assert after.linked is not None
    seat, kind, fields = after.linked
    item = {"n": after.entries, "seat": seat, "type": kind, "fields": dict(fields)}
    item |= {"commitment": after.bound, "head": after.head}
    if isinstance(entry, Moved | Asked) and after.bound:
        move = entry.move if isinstance(entry, Moved) else corrected_move(before, entry)
        item |= {
            "sealed": {"n": before.next_news, "type": move.type, "fields": dict(move.fields)},
            "salt": entry.salt,
        }
    return item


def marks(after: Match) -> Iterator[tuple[int, str]]:
    """The moves, by the numbers that people call them by, that the last entry took back or corrected."""
    for told in after.told():
        if told.news.kind in MARKS:
            yield from ((n, told.news.kind) for n in moves_of(told.news))


def outcome_of(match: Match) -> dict[str, Any] | None:
    seen = match.seen_by()
    return outcome_item(seen.outcome, seen.debrief) if seen.outcome else None


def checksum(record: Mapping[str, Any]) -> str:
    """Over everything, names included; the chain leaves those out, so that a person can be deleted."""
    digest = hashlib.sha256()
    for piece in canonical_texts(record):
        digest.update(piece.encode())
    return digest.hexdigest()


def canonical_texts(record: Mapping[str, Any]) -> Iterator[str]:
    """The text that `canonical` gives of a record, entry by entry: nothing else goes on while one text is
    written, and a record may be long."""
    for n, name in enumerate(sorted(record)):
        yield f"{',' if n else '{'}{canonical(name)}:"
        value = record[name]
        yield from _list(value) if isinstance(value, list) and value else (canonical(value),)
    yield "}" if record else "{}"


def _list(items: Sequence[Any]) -> Iterator[str]:
    for n, item in enumerate(items):
        yield f"{',' if n else '['}{canonical(item)}"
    yield "]"
