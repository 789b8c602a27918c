"""Verifying a record: its hashes computed again, its game played again, everything that differs named."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from referee.altered import altered
from referee.archive import FORMAT, checksum, item_of, marks, outcome_of
from referee.fairness import commitment, digits_of, genesis, link
from referee.game import Say
from referee.games import GAMES
from referee.match import Match, open_match
from referee.moves import Move, Seat, canonical, freeze
from referee.pieces import Pieces, at_once
from referee.questions import HOST, answer, question
from referee.record import Answered, Asked, Closed, DeskTaken, Entry, Joined, Moved, write
from referee.refused import Refused

UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, AssertionError, StopIteration)
IMPOSSIBLE = {Joined: "verify.join", Asked: "verify.question", Answered: "verify.answer"}
ASKED_WITH = {"undo": {"n"}, "correct": {"n", "fields"}, "reissue": {"seat"}, "abandon": {"show"}}


FORMATS = (1, FORMAT)  # a record that somebody kept holds for good
PARTS = {  # of a record, besides the number of its format
    *("table", "game", "rules", "options", "seed", "names", "entries", "outcome", "head", "checksum"),
}


class Twice(ValueError):
    """A key that stands twice in one object: readers would differ in which of them counts."""


def read_record(text: str) -> tuple[Any, list[Say]]:
    """What the text of a record holds, or what keeps it from being read."""
    try:
        return json.loads(text, object_pairs_hook=_each_once, parse_int=_whole), []
    except Twice as twice:
        return None, [Say("verify.twice", {"name": _shown(str(twice))})]
    except (ValueError, RecursionError):
        return None, [Say("verify.unreadable")]


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    for name, value in pairs:
        if name in whole:
            raise Twice(name)
        whole[name] = value
    return whole


def _whole(digits: str) -> int:
    """A number as it is written in a record. Readers differ in whether -0 is 0, and no record has it."""
    if digits == "-0":
        raise ValueError(digits)
    return int(digits)


def _shown(name: str) -> str:
    return name[:40]


def verify(record: Any) -> list[Say]:
    """Everything that is wrong with a record, named; nothing, if all of it holds."""
    return at_once(verifying(record))


def verifying(record: Any) -> Pieces[list[Say]]:
    """The same, entry by entry."""
    return _found(record, _form_holds, _checksum_holds, _chain_holds, _replay_holds)


def verify_hashes(record: Any) -> list[Say]:
    """What is wrong with the form and the hashes of a record. The record page finds the same by itself."""
    return at_once(_found(record, _form_holds, _checksum_holds, _chain_holds))


Fault = Say | None  # none: nothing was found up to here
Check = Callable[[Any], Iterator[Fault]]


def _found(record: Any, *checks: Check) -> Pieces[list[Say]]:
    """What these checks find, each fault once."""
    found: list[Say] = []
    for check in checks:
        for wrong in (yield from _wrong(record, check)):
            if wrong not in found:
                found.append(wrong)
    return found


def _wrong(record: Any, check: Check) -> Pieces[list[Say]]:
    found: list[Say] = []
    try:
        for fault in check(record):
            found += [fault] if fault else []
            yield
    except UNREADABLE:
        return [Say("verify.unreadable")]
    return found


def _form_holds(record: Mapping[str, Any]) -> Iterator[Say]:
    """It is a record of this format, of a finished game, with nothing in it that nobody checks."""
    if record.keys() >= PARTS and (type(number := record.get("format")) is not int or number not in FORMATS):
        yield Say("verify.format")
    for name in sorted(record.keys() - PARTS - {"format"}):
        yield Say("verify.unknown", {"name": _shown(name)})
    if not all(_is_name(record, seat, name) for seat, name in record["names"].items()):
        yield Say("verify.names")
    if record["outcome"] is None:
        yield Say("verify.unfinished")


def _is_name(record: Mapping[str, Any], seat: Seat, name: Any) -> bool:
    """A name is text; a seat that nobody ever took has none."""
    if name is not None:
        return isinstance(name, str)
    return not any(item["type"] == "joins" and item["seat"] == seat for item in record["entries"])


def _checksum_holds(record: Mapping[str, Any]) -> Iterator[Say]:
    if record["checksum"] != checksum({name: record[name] for name in record if name != "checksum"}):
        yield Say("verify.checksum")


def noted_head(record: Mapping[str, Any], typed: str) -> tuple[str, list[Mapping[str, Any]]]:
    """Whether what somebody noted is the head of a record that holds (`same`), its head before some entries,
    which are named (`earlier`), none of it (`other`), or too short to tell (`short`)."""
    digits = digits_of(typed)
    if digits is None:
        return "short", []
    entries = record["entries"]
    at = next((n for n in range(len(entries), 0, -1) if entries[n - 1]["head"].startswith(digits)), None)
    if at is None:
        return "other", []
    return ("same" if at == len(entries) else "earlier"), entries[at:]


# ---- the chain


def _chain_holds(record: Mapping[str, Any]) -> Iterator[Fault]:
    """Every commitment opens with its salt, and every head follows from the one before it."""
    head = genesis(*(record[name] for name in ("table", "game", "rules", "options", "seed")))
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
        wrong.append("verify.link" if n > 1 else "verify.opening")  # what opened the table has no head
    return wrong, head


def _sealed_as(table: str, item: Mapping[str, Any]) -> str | None:
    """The commitment of what this entry sealed, if it did."""
    if "sealed" not in item and "salt" not in item:
        return None
    sealed = item["sealed"]
    move = Move(sealed["type"], sealed["fields"])
    return commitment(item["salt"], table, sealed["n"], item["seat"], move)


# ---- the game played again


def _replay_holds(record: Mapping[str, Any]) -> Iterator[Fault]:
    """The rules, played again from the entries, give the same game and the same end."""
    game = GAMES[record["game"]]
    if game.rules != record["rules"]:
        yield Say("verify.rules")
        return
    match = open_match(record["table"], game, record["options"], record["seed"])
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
    yield from _marks_hold(record["entries"], {} if record["format"] == 1 else marked)
    if canonical(outcome_of(match)) != canonical(record["outcome"]):
        yield Say("verify.outcome")


def _marks_hold(entries: Sequence[Mapping[str, Any]], marked: Mapping[int, str]) -> Iterator[Say]:
    """What was taken back or corrected is marked as such, and nothing else is."""
    for n, item in enumerate(entries, 1):
        if ("mark" in item) != (n in marked) or item.get("mark") != marked.get(n):
            yield Say("verify.entry", {"n": n})


def _played(
    match: Match, item: Mapping[str, Any], names: Mapping[str, str], free: set[Seat]
) -> tuple[str, Match]:
    """What is wrong with the next entry (nothing: ""), and the match after it. Keeps the free seats."""
    try:
        entry = _entry(match, item, names)
    except UNREADABLE:
        return "verify.entry", match
    try:
        _check_possible(match, entry, free)
    except (Refused, *UNREADABLE):
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
    """Refuse what could not be done when it was."""
    match entry:
        case Joined(seat) if seat not in free:
            raise Refused("seat-taken")
        case Moved(seat, move):
            match.check(seat, move, match.version)
        case Asked():
            _check_asked(match, entry)
        case Answered(seat, accept):
            answer(match, seat, accept)


def _check_asked(match: Match, entry: Asked) -> None:
    """The question is one that could be asked, and it went to all who had to agree.

    No record tells whose phones were there then: a seat that gets a new key may have been asked or not, and
    the host may have found nobody there.
    """
    sits = list(match.taken)
    if entry.by not in (*sits, HOST) or entry.fields.keys() != ASKED_WITH[entry.kind]:
        raise Refused("not-allowed")
    may_be = (
        question(match, entry.by, entry.kind, entry.fields, match.version, connected, is_deserted)
        for connected, is_deserted in (((), False), (match.seats, False), ((), True))
    )
    if not any(write(altered(asked, salt=entry.salt)) == write(entry) for asked in may_be):
        raise Refused("not-allowed")


def _entry(match: Match, item: Mapping[str, Any], names: Mapping[str, str]) -> Entry:
    """The entry that an item of a record was written from."""
    seat, fields = item["seat"], freeze(item["fields"])
    sealed = freeze(item["sealed"]["fields"]) if "sealed" in item else {}
    match item["type"]:
        case "joins":
            return Joined(seat, names[seat])
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
        raise TypeError("neither yes nor no")
    return value
