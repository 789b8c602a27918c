"""A sequential model: what concurrent calls must result in, as if they had come one by one.

The model is the match itself, with the tokens, keys and stored answers beside it. A burst of calls was right
if there is an order of the accepted calls in which the model accepts each and answers the same, and if each
refused call would have been refused somewhere along that order.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from referee.core.entries import Answered, Asked, Entry, Joined, Moved
from referee.core.errors import IllegalMove
from referee.core.match import Match
from referee.core.moves import Move, Seat, freeze
from referee.core.questions import HOST, answer, question
from referee.presentation.views import view
from referee.presentation.words import words

LANGUAGE = "en"


@dataclass(frozen=True)
class Call:
    """What a phone sends: to join a seat, to move, ask or answer, or to look (`me`)."""

    what: str
    token: str = field(default="", repr=False)
    body: Mapping[str, Any] = field(default_factory=dict)
    seat: Seat = ""  # the seat to join
    once: str | None = None  # its Idempotency-Key

    @property
    def scope(self) -> tuple[str, str]:
        return (self.body["key"] if self.what == "join" else self.token), str(self.once)


@dataclass(frozen=True)
class Heard:
    """What was answered."""

    status: int
    json: Any

    @property
    def code(self) -> str:
        return str(self.json["code"])


@dataclass(frozen=True)
class Again:
    """The call was answered before."""

    answer: Any


@dataclass(frozen=True)
class Point:
    """How everything stands between two entries."""

    match: Match
    host: str = field(repr=False)
    tokens: Mapping[Seat, str] = field(repr=False)
    keys: Mapping[Seat, str] = field(repr=False)  # those that anyone knows
    answers: Mapping[tuple[str, str], tuple[Call, Any]] = field(default_factory=dict, repr=False)

    def judges(self, call: Call, connected: Iterable[Seat]) -> Entry | Again | str:
        """What this call would come to now: an entry, the answer given before, or the code of a refusal."""
        by = call.seat if call.what == "join" else self.holder(call.token)
        if by is None:
            return "bad-token"
        if call.what in ("moves", "me") and by == HOST:
            return "not-allowed"
        if call.what == "join" and call.body["key"] != self.keys.get(by):
            return "bad-key"
        if call.once and (before := self.answers.get(call.scope)):
            if before[0] != call:
                return "malformed"
            if call.what != "join" or before[1]["token"] == self.tokens.get(by):
                return Again(before[1])
        try:
            return self._entry(call, by, connected)
        except IllegalMove as refused:
            return refused.code

    def holder(self, token: str) -> Seat | None:
        return next((s for s, held in {HOST: self.host, **self.tokens}.items() if held == token), None)

    def _entry(self, call: Call, by: Seat, connected: Iterable[Seat]) -> Entry | str:
        body = {name: freeze(value) for name, value in call.body.items()}
        match call.what:
            case "join":
                return "seat-taken" if by in self.tokens else Joined(by, body["name"])
            case "moves":
                version, move = body.pop("version"), Move(body.pop("type"), body)
                self.match.check(by, move, version)
                return Moved(by, move)
            case "ask":
                version, kind = body.pop("version"), body.pop("kind")
                return question(self.match, by, kind, body, version, tuple(connected))
        return answer(self.match, by, body["accept"], body.get("version"))

    def after(self, call: Call, entry: Entry, heard: Heard) -> "Point":
        """How everything stands once this call has been answered."""
        if isinstance(entry, Moved | Asked):
            entry = replace(entry, salt=heard.json.get("salt", ""))
        match = self.match.after(entry)
        tokens, keys = dict(self.tokens), dict(self.keys)
        if isinstance(entry, Joined):
            tokens[entry.seat] = heard.json["token"]
        for told in match.told():
            if told.news.kind == "reissued":
                tokens.pop(told.news.fields["seat"], None)
                keys.pop(told.news.fields["seat"], None)  # nobody knows the new one yet
        kept = {call.scope: (call, heard.json)} if call.once else {}
        return replace(self, match=match, tokens=tokens, keys=keys, answers={**self.answers, **kept})

    def view(self, seat: Seat | None) -> dict[str, Any]:
        return comparable(view(self.match.seen_by(seat), words(LANGUAGE)))

    def news_since(self, before: "Point", seat: Seat | None) -> list[Any]:
        return [item for item in self.view(seat)["news"] if item["n"] >= before.match.next_news]


def comparable(shown: Mapping[str, Any]) -> dict[str, Any]:
    """A view without what is no part of the match: who is connected, new keys, other tables."""
    found: dict[str, Any] = json.loads(json.dumps(shown))
    for seat in found["seats"].values():
        del seat["connected"]
    (found["me"] or {}).pop("keys", None)
    del found["next"], found["asked_before"]
    return found


def in_order(
    start: Point, burst: list[tuple[Call, Heard]], joins: Mapping[int, Seat], connected: set[Seat]
) -> list[Point]:
    """The points that a burst went through. `joins` tells at which versions somebody sat down."""
    entered: dict[int, tuple[Call, Heard]] = {}
    repeated = []
    for call, heard in burst:
        if heard.status != 200 or call.what == "me":
            continue
        if isinstance(start.judges(call, connected), Again) or any(
            _same(call, c) for c, _ in entered.values()
        ):
            repeated.append((call, heard))
            continue
        version = _join_at(call, joins) if call.what == "join" else heard.json["version"]
        assert version not in entered, f"version {version} was given twice: {call}"
        entered[version] = call, heard
    assert sorted(entered) == [start.match.version + n for n in range(1, len(entered) + 1)]
    points = [start]
    for _, (call, heard) in sorted(entered.items()):
        points.append(_next(points[-1], call, heard, connected))
    for call, heard in repeated:
        before = Again(_plain(heard))
        assert any(point.judges(call, connected) == before for point in points), f"not as before: {call}"
    return points


def _join_at(call: Call, joins: Mapping[int, Seat]) -> int:
    return next(version for version, seat in joins.items() if seat == call.seat)


def _same(call: Call, other: Call) -> bool:
    return call.once is not None and call == other


def _plain(heard: Heard) -> Any:
    """An answer without the keys that are handed on as long as nobody has used them."""
    return {name: value for name, value in heard.json.items() if name != "seats"}


def _next(before: Point, call: Call, heard: Heard, connected: set[Seat]) -> Point:
    """The point after an accepted call, which the model accepts too and answers the same."""
    entry = before.judges(call, connected)
    assert isinstance(entry, Joined | Moved | Asked | Answered), (
        f"accepted, but the model says {entry}: {call}"
    )
    after = before.after(call, entry, Heard(heard.status, _plain(heard)))
    if call.what != "join":
        by = before.holder(call.token)
        assert heard.json["version"] == after.match.version
        assert heard.json["news"] == after.news_since(before, by if by != HOST else None)
    return after


def refused_somewhere(points: list[Point], call: Call, heard: Heard, connected: set[Seat]) -> bool:
    """Whether the model refuses this call with the same code somewhere along the way."""
    told = heard.json.get("version")
    there = [point for point in points if told is None or point.match.version == told]
    return any(point.judges(call, connected) == heard.code for point in there)


def is_steady(versions: list[int]) -> bool:
    """Whether a stream told every version from its first to its last, once each, in order."""
    return all(later == earlier + 1 for earlier, later in pairwise(versions))
