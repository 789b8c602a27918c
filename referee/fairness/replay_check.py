"""Replays the entries of a record by the rules: each must be legal, and give the same entry and outcome."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from referee.core.entries import (
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
from referee.fairness.record import item_of, marks, outcome_of
from referee.games import GAMES

# What a damaged or invented record may raise while it is read.
UNREADABLE = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    AssertionError,
    StopIteration,
    RecursionError,  # values within values, hundreds deep
)
Fault = Say | None  # None: a pause without a fault
IMPOSSIBLE = {
    Joined: "verify.join",
    Returned: "verify.join",
    Asked: "verify.question",
    Answered: "verify.answer",
}


ASKED_WITH = {"undo": {"n"}, "correct": {"n", "fields"}, "reissue": {"seat"}, "abandon": {"show"}}


def replay_holds(record: Mapping[str, Any]) -> Iterator[Fault]:
    """Replaying the entries by the rules gives the same entries and the same outcome."""
    if isinstance(record["game"], str) and record["game"] not in GAMES:
        yield Say("verify.game", {"game": record["game"][:40]})
        return
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


def end_of(record: Mapping[str, Any]) -> str:
    """The head after the entry that ended the game of a valid record."""
    game = GAMES[record["game"]]
    match = open_match(record["table"], game, record["options"], record["seed"], record["before"])
    free = set(match.seats)
    for item in record["entries"]:
        _, match = _played(match, item, record["names"], free)
    return match.final_head


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
