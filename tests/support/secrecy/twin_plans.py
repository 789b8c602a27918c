"""Twin plans: two ways to play a table that differ only in the secrets of others, found by a search.

A twin fills in the secret fields differently and gives exactly the same news.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from referee.core.dice import Dice
from referee.core.entries import Answered, Asked, Entry, Joined, Moved
from referee.core.errors import IllegalMove
from referee.core.match import Match
from referee.core.moves import Seat, offered
from referee.core.questions import question
from referee.kit.twin_worlds import History, shown, twins
from referee.program.simulate import steps

LONGEST = 24  # entries of a game that are played
BUDGET = 300  # worlds tried in the search for a twin
SALT = "00" * 32


@dataclass(frozen=True)
class Plan:
    """What is played in one world, the match as it stands then, and a correction that somebody asks for."""

    entries: tuple[Entry, ...]
    end: Match
    correction: Asked | None = None


@dataclass(frozen=True)
class Twins:
    """Two plans that one seat cannot tell apart; the first entry in which they differ."""

    observer: Seat
    first: int
    plans: tuple[Plan, Plan]

    @property
    def length(self) -> int:
        """The entries from there on."""
        return len(self.plans[0].entries) - self.first


def find_twins(opened: Match, observer: Seat) -> Twins | None:
    """Of all twins found the two that go on for longest, those with a good correction first."""
    found = map(_with_correction, _twins_of(opened, observer))
    return max(found, key=lambda twins: (_worth(twins.plans[1]), twins.length), default=None)


def _worth(twin: Plan) -> int:
    """A correction is best where it changes what its seat may do: in the true world it changes nothing."""
    if twin.correction is None:
        return 0
    by = twin.correction.by
    return 1 if _settled(twin).choices[by] == twin.end.choices[by] else 2


def _twins_of(opened: Match, observer: Seat) -> Iterator[Twins]:
    made = [step for step in islice(steps(opened, opened.seed), LONGEST) if not step.match.outcome]
    past = History(tuple(step.entry for step in made), (opened, *(step.match for step in made)))
    secret = past.secret(observer)
    for replaced in secret:
        worlds = twins(past, observer, replaced, Dice(f"{opened.seed}/{replaced}"), BUDGET // len(secret))
        plans = (_plans(past, world) for world in worlds)
        different = [Twins(observer, first, pair) for pair in plans if (first := _first_difference(*pair))]
        if different:
            yield max(different, key=lambda twins: twins.length)


def _plans(past: History, twin: Match) -> tuple[Plan, Plan]:
    """The true world and its twin, as far as the twin goes."""
    true = past.entries[: twin.version]
    joins = [entry for entry in true if isinstance(entry, Joined)]
    return Plan(true, past.worlds[twin.version]), Plan((*joins, *(made.entry for made in twin.made)), twin)


def _first_difference(true: Plan, twin: Plan) -> int | None:
    """The first entry that differs, if any does. It is never number 0: there somebody joins."""
    pairs = enumerate(zip(true.entries, twin.entries, strict=True))
    return next((n for n, (one, other) in pairs if one != other), None)


def _with_correction(found: Twins) -> Twins:
    """In both worlds somebody enters what the true world has already: there it changes nothing."""
    true, twin = found.plans
    entry = true.entries[found.first]
    assert isinstance(entry, Moved)
    made = next(made for made in true.end.made if made.entry == entry)
    fields = true.end.game.moves[entry.move.type].secret & entry.move.fields.keys()
    secret = {name: entry.move[name] for name in fields}
    one, two = (_asking(plan, entry.seat, {"n": made.n, "fields": secret}) for plan in (true, twin))
    if one and two and shown(_settled(one), found.observer) == shown(_settled(two), found.observer):
        return replace(found, plans=(one, two))
    return found


def _asking(plan: Plan, by: Seat, fields: Mapping[str, Any]) -> Plan | None:
    try:
        asked = question(plan.end, by, "correct", fields, plan.end.version)
    except IllegalMove:
        return None
    return replace(plan, correction=replace(asked, salt=SALT))


Guessed = tuple[str, dict[str, Any]]  # where it is sent, and the body


def guesses(found: Twins, right: Plan) -> Iterator[Guessed]:
    """How the observer may guess at the secret in which the worlds differ, so that it is right in this one:
    as a correction of what the other entered, and as a move of its own."""
    entry, game = right.entries[found.first], right.end.game
    assert isinstance(entry, Moved)
    n, move = next(made.n for made in right.end.made if made.entry == entry), entry.move
    kind, fields = move.type, move.fields
    secret = {name: fields[name] for name in game.moves[kind].secret & fields.keys()}
    yield "ask", {"version": right.end.version, "kind": "correct", "n": n, "fields": secret}
    there = [entry for plan in found.plans if isinstance(entry := plan.entries[found.first], Moved)]
    mine = [plan.end.choices[found.observer] for plan in found.plans]
    if not any(offered(choices, entry.move) for choices in mine for entry in there):
        yield "moves", {"version": right.end.version, "type": kind, **fields}


def _settled(plan: Plan) -> Match:
    """The match once everybody agreed to the correction."""
    assert plan.correction is not None
    match = plan.end.after(plan.correction)
    for seat in plan.correction.of:
        match = match.after(Answered(seat, True))
    return match
