"""The archive of a finished game: every entry, every salt, enough to replay and verify all of it."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from referee.fairness import commitment, genesis, link
from referee.game import Say
from referee.games import GAMES
from referee.match import Match, open_match
from referee.moves import Move, canonical, freeze
from referee.questions import corrected
from referee.record import Answered, Asked, DeskTaken, Entry, Joined, Moved
from referee.refused import Refused
from referee.views import outcome_item

FORMAT = 1
UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, AssertionError, StopIteration)


def archive(opened: Match, entries: Iterable[Entry]) -> dict[str, Any]:
    """The record of a game, from its opening and all its entries."""
    match, items = opened, []
    for entry in entries:
        before, match = match, match.after(entry)
        items.append(_item(before, match, entry))
    record = {
        "format": FORMAT,
        "table": match.code,
        "game": match.game.id,
        "rules": match.rules,
        "options": dict(match.options),
        "seed": match.seed,
        "names": dict(match.names),
        "entries": items,
        "outcome": _outcome(match),
        "head": match.head,
    }
    return {**record, "checksum": _checksum(record)}


def _item(before: Match, after: Match, entry: Entry) -> dict[str, Any]:
    """An entry as the chain has it, the head after it, and what was sealed with its salt."""
    assert after.linked is not None
    seat, kind, fields = after.linked
    item = {"n": after.entries, "seat": seat, "type": kind, "fields": dict(fields)}
    item |= {"commitment": after.bound, "head": after.head}
    if isinstance(entry, Moved | Asked) and after.bound:
        move = entry.move if isinstance(entry, Moved) else corrected(before, entry)
        item |= {
            "sealed": {"n": before.next_news, "type": move.type, "fields": dict(move.fields)},
            "salt": entry.salt,
        }
    return item


def _outcome(match: Match) -> dict[str, Any] | None:
    seen = match.seen_by()
    return outcome_item(seen.outcome, seen.debrief) if seen.outcome else None


def _checksum(record: Mapping[str, Any]) -> str:
    """Over everything, names included; the chain leaves those out, so that a person can be deleted."""
    return hashlib.sha256(canonical(dict(record)).encode()).hexdigest()


# ---- verifying


def verify(record: Any) -> list[Say]:
    """Everything that is wrong with a record, named; nothing, if all of it holds."""
    checks = (_checksum_holds, _chain_holds, _replay_holds)
    found = [wrong for check in checks for wrong in _found(check, record)]
    return [wrong for n, wrong in enumerate(found) if wrong not in found[:n]]


def _found(check: Callable[[Any], Iterator[Say]], record: Any) -> list[Say]:
    try:
        return list(check(record))
    except UNREADABLE:
        return [Say("verify.unreadable")]


def _checksum_holds(record: Mapping[str, Any]) -> Iterator[Say]:
    if record["checksum"] != _checksum({name: record[name] for name in record if name != "checksum"}):
        yield Say("verify.checksum")


def _chain_holds(record: Mapping[str, Any]) -> Iterator[Say]:
    """Every commitment opens with its salt, and every head follows from the one before it."""
    head = genesis(*(record[name] for name in ("table", "game", "rules", "options", "seed")))
    for n, item in enumerate(record["entries"], 1):
        if "sealed" in item:
            sealed, move = item["sealed"], Move(item["sealed"]["type"], item["sealed"]["fields"])
            bound = commitment(item["salt"], record["table"], sealed["n"], item["seat"], move)
            if bound != item["commitment"]:
                yield Say("verify.commitment", {"n": n})
        head = link(head, n, item["seat"], item["type"], item["fields"], item["commitment"])
        if item["n"] != n or item["head"] != head:
            yield Say("verify.link", {"n": n})
            return
    if record["head"] != head:
        yield Say("verify.head")


def _replay_holds(record: Mapping[str, Any]) -> Iterator[Say]:
    """The rules, played again from the entries, give the same game and the same end."""
    game = GAMES[record["game"]]
    if game.rules != record["rules"]:
        yield Say("verify.rules")
        return
    match = open_match(record["table"], game, record["options"], record["seed"])
    for n, item in enumerate(record["entries"], 1):
        try:
            entry = _entry(match, item, record["names"])
            if isinstance(entry, Moved):
                match.check(entry.seat, entry.move, match.version)
            before, match = match, match.after(entry)
            same = canonical(_item(before, match, entry)) == canonical(item)
        except (Refused, *UNREADABLE):
            same = False
        if not same:
            yield Say("verify.entry", {"n": n})
            return
    if canonical(_outcome(match)) != canonical(record["outcome"]):
        yield Say("verify.outcome")


def _entry(match: Match, item: Mapping[str, Any], names: Mapping[str, str]) -> Entry:
    """The entry that an item of a record was written from."""
    seat, fields = item["seat"], freeze(item["fields"])
    sealed = freeze(item["sealed"]["fields"]) if "sealed" in item else {}
    match item["type"]:
        case "joins":
            return Joined(seat, names[seat])
        case "taken":
            return DeskTaken()
        case "answers":
            return Answered(seat, fields["accept"])
        case "asks":
            about = {name: fields[name] for name in fields if name not in ("question", "of")}
            if sealed:
                secret = match.game.moves[item["sealed"]["type"]].secret
                about["fields"] = {name: sealed[name] for name in sealed if name in secret}
            return Asked(seat, fields["question"], fields["of"], about, item.get("salt", ""))
    return Moved(seat, Move(item["type"], sealed or fields), item.get("salt", ""))
