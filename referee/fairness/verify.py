"""Verification of a record: recomputes its hashes, replays its game, and lists every difference."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from referee.core.entries import (
    NONCE,
    Answered,
    Asked,
    Closed,
    DeskTaken,
    Entry,
    Joined,
    Moved,
    Returned,
    checked_nonce,
    write,
)
from referee.core.errors import IllegalMove
from referee.core.frozen import replaced
from referee.core.game import Say
from referee.core.match import Match, open_match
from referee.core.moves import Move, Seat, canonical, freeze
from referee.core.questions import HOST, answer, question
from referee.core.sliced_work import SlicedWork, run_to_end
from referee.fairness.commitments import commitment, digits_of, genesis, link, seed_hash
from referee.fairness.record import FORMAT, checksum, item_of, marks, outcome_of
from referee.games import GAMES

UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, AssertionError, StopIteration)
IMPOSSIBLE = {
    Joined: "verify.join",
    Returned: "verify.join",
    Asked: "verify.question",
    Answered: "verify.answer",
}
ASKED_WITH = {"undo": {"n"}, "correct": {"n", "fields"}, "reissue": {"seat"}, "abandon": {"show"}}


PARTS = {  # the keys of a record, besides `format`
    *(
        "table",
        "game",
        "rules",
        "options",
        "seed",
        "before",
        "names",
        "entries",
        "outcome",
        "head",
        "checksum",
    ),
}


class DuplicateKey(ValueError):
    """A key that occurs twice in one JSON object. Parsers differ in which one they use."""


def read_record(text: str) -> tuple[Any, list[Say]]:
    """Parse the text of a record. Returns the record, or None and the reasons why it cannot be read."""
    try:
        return json.loads(text, object_pairs_hook=_unique_keys, parse_int=_integer), []
    except DuplicateKey as key:
        return None, [Say("verify.twice", {"name": _shortened(str(key))})]
    except (ValueError, RecursionError):
        return None, [Say("verify.unreadable")]


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    for name, value in pairs:
        if name in whole:
            raise DuplicateKey(name)
        whole[name] = value
    return whole


def _integer(digits: str) -> int:
    """An integer of a record. -0 is refused: parsers differ in whether it is 0, and no record has it."""
    if digits == "-0":
        raise ValueError(digits)
    return int(digits)


def _shortened(name: str) -> str:
    return name[:40]


def verify(record: Any) -> list[Say]:
    """Everything that is wrong with a record. An empty list means that it is valid."""
    return run_to_end(verify_in_slices(record))


def verify_in_slices(record: Any) -> SlicedWork[list[Say]]:
    """Like `verify`, but yields after each entry."""
    return _found(record, _form_holds, _checksum_holds, _chain_holds, _replay_holds)


def verify_hashes(record: Any) -> list[Say]:
    """What is wrong with the form and the hashes of a record. The record page runs the same checks in
    JavaScript."""
    return run_to_end(_found(record, _form_holds, _checksum_holds, _chain_holds))


Fault = Say | None  # None: a pause without a fault
Check = Callable[[Any], Iterator[Fault]]


def _found(record: Any, *checks: Check) -> SlicedWork[list[Say]]:
    """The faults that these checks find, without duplicates."""
    found: list[Say] = []
    for check in checks:
        for wrong in (yield from _wrong(record, check)):
            if wrong not in found:
                found.append(wrong)
    return found


def _wrong(record: Any, check: Check) -> SlicedWork[list[Say]]:
    found: list[Say] = []
    try:
        for fault in check(record):
            found += [fault] if fault else []
            yield
    except UNREADABLE:
        return [Say("verify.unreadable")]
    return found


def _form_holds(record: Mapping[str, Any]) -> Iterator[Say]:
    """It has the current format, belongs to a finished game, and has no keys that no check covers."""
    if record.keys() >= PARTS and (type(number := record.get("format")) is not int or number != FORMAT):
        yield Say("verify.format")
    for name in sorted(record.keys() - PARTS - {"format"}):
        yield Say("verify.unknown", {"name": _shortened(name)})
    if not all(_is_name(record, seat, name) for seat, name in record["names"].items()):
        yield Say("verify.names")
    if not _is_before(record["before"]):
        yield Say("verify.before")
    if record["outcome"] is None:
        yield Say("verify.unfinished")


def _is_before(before: Any) -> bool:
    """Whether this says of which game it is the rematch, or is None."""
    if before is None:
        return True
    is_text = isinstance(before, Mapping) and all(isinstance(value, str) for value in before.values())
    return is_text and before.keys() == {"table", "head", "nonce"} and bool(NONCE.fullmatch(before["nonce"]))


def _is_name(record: Mapping[str, Any], seat: Seat, name: Any) -> bool:
    """Whether this is a valid name: a string, or None for a seat that was never taken."""
    if name is not None:
        return isinstance(name, str)
    return not any(item["type"] == "joins" and item["seat"] == seat for item in record["entries"])


def _checksum_holds(record: Mapping[str, Any]) -> Iterator[Say]:
    if record["checksum"] != checksum({name: record[name] for name in record if name != "checksum"}):
        yield Say("verify.checksum")


def noted_head(record: Mapping[str, Any], typed: str) -> tuple[str, list[Mapping[str, Any]]]:
    """Compare a typed fingerprint with a valid record: it is the final head (`same`), the head before the
    returned entries (`earlier`), not in the record (`other`), or too short to tell (`short`)."""
    digits = digits_of(typed)
    if digits is None:
        return "short", []
    entries = record["entries"]
    at = next((n for n in range(len(entries), 0, -1) if entries[n - 1]["head"].startswith(digits)), None)
    if at is None:
        return "other", []
    return ("same" if at == len(entries) else "earlier"), entries[at:]


def nonces_of(record: Mapping[str, Any]) -> list[str]:
    """The numbers that phones added to the dice of a valid record: those of the joins until the deal."""
    free, found = set(record["names"]), list[str]()
    for item in record["entries"]:
        if free and item["type"] == "joins":
            free.discard(item["seat"])
            found += [item["fields"]["nonce"]] if "nonce" in item["fields"] else []
    return found


def follows(record: Mapping[str, Any], earlier: Mapping[str, Any]) -> list[Say]:
    """What is wrong with a valid record as the rematch of another valid one: its seed must be the one that
    the earlier table was bound to, and it must have begun from a head of that table."""
    before = record["before"]
    if before is None or before["table"] != earlier["table"]:
        return [Say("verify.before.other")]
    wrong = []
    if seed_hash(record["seed"]) != earlier["seed"]:
        wrong.append(Say("verify.before.seed"))
    if before["head"] not in (item["head"] for item in earlier["entries"]):
        wrong.append(Say("verify.before.head"))
    return wrong


# ---- the chain


def _chain_holds(record: Mapping[str, Any]) -> Iterator[Fault]:
    """Every commitment opens with its salt, and every head follows from the one before it."""
    if not isinstance(record["before"], Mapping | None):
        raise TypeError("not a rematch of anything")
    head = genesis(*(record[name] for name in ("table", "game", "rules", "options", "seed", "before")))
    for n, item in enumerate(record["entries"], 1):
        try:
            wrong, head = _entry_holds(record["table"], head, n, item)
        except UNREADABLE:
            yield Say("verify.unreadable_entry", {"n": n})
            return
        yield from (Say(key, {"n": n}) for key in wrong)
        yield None
        if "verify.link" in wrong or "verify.opening" in wrong:
            return
    if record["head"] != head:
        yield Say("verify.head")


def _entry_holds(table: str, before: str, n: int, item: Mapping[str, Any]) -> tuple[list[str], str]:
    """What is wrong with an entry, and the head after it."""
    wrong = []
    if item["commitment"] != _sealed_as(table, item):
        wrong.append("verify.commitment")
    head = link(before, n, item["seat"], item["type"], item["fields"], item["commitment"])
    if item["n"] != n or item["head"] != head:
        wrong.append("verify.link" if n > 1 else "verify.opening")  # the genesis link is not in the record
    return wrong, head


def _sealed_as(table: str, item: Mapping[str, Any]) -> str | None:
    """The commitment recomputed from the secret of this entry, or None if it has no secret."""
    if "sealed" not in item and "salt" not in item:
        return None
    sealed = item["sealed"]
    move = Move(sealed["type"], sealed["fields"])
    return commitment(item["salt"], table, sealed["n"], item["seat"], move)


# ---- the replay


def _replay_holds(record: Mapping[str, Any]) -> Iterator[Fault]:
    """Replaying the entries by the rules gives the same entries and the same outcome."""
    game = GAMES[record["game"]]
    if game.rules != record["rules"]:
        yield Say("verify.rules")
        return
    match = open_match(record["table"], game, record["options"], record["seed"], record["before"])
    if record["names"].keys() != set(match.seats):
        yield Say("verify.names")
        return
    free = set(match.seats)
    moves, marked = dict[int, int](), dict[int, str]()
    for n, item in enumerate(record["entries"], 1):
        if item["type"] in game.moves:
            moves[match.next_news] = n
        key, match = _played(match, item, record["names"], free)
        if key:
            yield Say(key, {"n": n})
            return
        marked.update((moves[of], mark) for of, mark in marks(match))
        yield None
    yield from _marks_hold(record["entries"], marked)
    if canonical(outcome_of(match)) != canonical(record["outcome"]):
        yield Say("verify.outcome")


def _marks_hold(entries: Sequence[Mapping[str, Any]], marked: Mapping[int, str]) -> Iterator[Say]:
    """Exactly the entries that were taken back or corrected are marked so."""
    for n, item in enumerate(entries, 1):
        if ("mark" in item) != (n in marked) or item.get("mark") != marked.get(n):
            yield Say("verify.entry", {"n": n})


def _played(
    match: Match, item: Mapping[str, Any], names: Mapping[str, str], free: set[Seat]
) -> tuple[str, Match]:
    """What is wrong with the next entry ("" if nothing), and the match after it. Updates the free seats."""
    try:
        entry = _entry(match, item, names)
    except UNREADABLE:
        return "verify.entry", match
    try:
        _check_possible(match, entry, free)
    except (IllegalMove, *UNREADABLE):
        return IMPOSSIBLE.get(type(entry), "verify.entry"), match
    try:
        after = match.after(entry)
        unmarked = {name: item[name] for name in item if name != "mark"}
        same = canonical(item_of(match, after, entry)) == canonical(unmarked)
    except UNREADABLE:
        return "verify.entry", match
    free -= {entry.seat} if isinstance(entry, Joined) else set()
    free |= {told.news.fields["seat"] for told in after.told() if told.news.kind == "reissued"}
    return ("" if same else "verify.entry"), after


def _check_possible(match: Match, entry: Entry, free: set[Seat]) -> None:
    """Raise IllegalMove if the entry was not legal at that point."""
    match entry:
        case Joined(seat) if seat not in free:
            raise IllegalMove("seat-taken")
        case Returned(seat) if seat in free or seat not in (*match.seats, HOST):
            raise IllegalMove("not-allowed")
        case Moved(seat, move):
            match.check(seat, move, match.version)
        case Asked():
            _check_asked(match, entry)
        case Answered(seat, accept):
            answer(match, seat, accept)


def _check_asked(match: Match, entry: Asked) -> None:
    """Raise IllegalMove unless the question was allowed and went to all seats that had to agree.

    A record does not say which phones were connected. So a seat that got a new key may have been asked or
    not, and the table may have been deserted: any of these variants is accepted.
    """
    sits = list(match.taken)
    if entry.by not in (*sits, HOST) or entry.fields.keys() != ASKED_WITH[entry.kind]:
        raise IllegalMove("not-allowed")
    may_be = (
        question(match, entry.by, entry.kind, entry.fields, match.version, connected, is_deserted)
        for connected, is_deserted in (((), False), (match.seats, False), ((), True))
    )
    if not any(write(replaced(asked, salt=entry.salt)) == write(entry) for asked in may_be):
        raise IllegalMove("not-allowed")


def _entry(match: Match, item: Mapping[str, Any], names: Mapping[str, str]) -> Entry:
    """Parse an item of a record back into its journal entry."""
    seat, fields = item["seat"], freeze(item["fields"])
    sealed = freeze(item["sealed"]["fields"]) if "sealed" in item else {}
    match item["type"]:
        case "joins":
            return Joined(seat, names[seat], checked_nonce(fields.get("nonce", "")))
        case "returns":
            return Returned(seat)
        case "taken":
            return DeskTaken()
        case "closed":
            return Closed()
        case "answers":
            return Answered(seat, _yes_or_no(fields["accept"]))
        case "asks":
            about = {name: fields[name] for name in fields if name not in ("question", "of")}
            if sealed:
                secret = match.game.moves[item["sealed"]["type"]].secret
                about["fields"] = {name: sealed[name] for name in sealed if name in secret}
            if fields["question"] == "abandon":
                _yes_or_no(about["show"])
            return Asked(seat, fields["question"], fields["of"], about, item.get("salt", ""))
    return Moved(seat, Move(item["type"], sealed or fields), item.get("salt", ""))


def _yes_or_no(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("not a boolean")
    return value
