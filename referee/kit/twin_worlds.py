"""Twin worlds: other secrets, the same public news. Whoever does not hold the secrets must see no difference.

A game is replayed with the secret fields of the other seats replaced by any that the rules allow and that
give the same public news, and show the observer the same in private. Whatever the observer is shown of the
true game and of its twin must then be equal at every step: a difference is something the observer could not
know, and yet was told.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from referee.core.dice import Dice
from referee.core.entries import Entry, Moved
from referee.core.game import Game
from referee.core.match import Match
from referee.core.moves import Move, Seat, offered
from referee.kit.legal_moves import every_value
from referee.presentation.views import view
from referee.presentation.words import words
from referee.program.simulate import opened, steps

MOST = 60  # values tried for one secret entry
LENGTH = 30  # entries of a game on average, from which on fewer games will do
ENOUGH = 10  # searches from which on too few twins are suspect
HEX = re.compile(r"""["'][0-9a-f]{64}["']""")  # as they stand in JSON or in a repr


class Leak(Exception):
    """Somebody was shown what only another may know."""


@dataclass(frozen=True)
class History:
    """A game as it truly went: the match before its first entry and after each one."""

    entries: tuple[Entry, ...]
    worlds: tuple[Match, ...]

    def secret(self, observer: Seat | None) -> list[int]:
        """The entries whose secret fields the observer does not know."""
        return [i for i, entry in enumerate(self.entries) if hidden_from(observer, entry, self.worlds[i])]


@dataclass
class Found:
    """How many twins were met, so that nobody takes an empty search for a proof."""

    searches: Counter[str] = field(default_factory=Counter)  # by the type of the first move replaced
    fruitful: Counter[str] = field(default_factory=Counter)  # of these, those with a twin that differs
    worlds: int = 0  # twins compared whose secrets differ from the true ones
    entries: int = 0  # of the games that were looked at
    farthest: int = 0  # entries that a twin went on after the first one replaced


def history(game: Game[Any, Any], seed: str) -> History:
    start = opened(game, seed)
    made = list(steps(start, seed))
    return History(tuple(step.entry for step in made), (start, *(step.match for step in made)))


def hidden_from(observer: Seat | None, entry: Entry, world: Match) -> bool:
    return (
        isinstance(entry, Moved) and entry.seat != observer and bool(world.game.moves[entry.move.type].secret)
    )


def alternatives(world: Match, entry: Moved, dice: Dice) -> list[Entry]:
    """This entry with any other secrets that the world offers, in any order."""
    secret = world.game.moves[entry.move.type].secret
    moves = []
    for choice in world.choices[entry.seat]:
        if choice.type != entry.move.type:
            continue
        unknown = [f for f in choice.fields if f.name in secret]
        public = {name: value for name, value in entry.move.fields.items() if name not in secret}
        for values in _some([list(every_value(f)) for f in unknown], dice):
            move = Move(choice.type, {**public, **dict(zip((f.name for f in unknown), values, strict=True))})
            if choice.permits(move):
                moves.append(replace(entry, move=move))
    return list(dice.arrange(moves, len(moves)))


def _some(values: Sequence[Sequence[Any]], dice: Dice) -> Iterator[tuple[Any, ...]]:
    """Some combinations of one value of each, all of them where there is but one short list."""
    if len(values) == 1:
        yield from ((value,) for value in dice.arrange(values[0], min(MOST, len(values[0]))))
    else:
        yield from {tuple(dice.pick(each) for each in values): None for _ in range(MOST)}


def news_of(world: Match) -> list[Any]:
    """What the last entry told everybody; its commitment is another in each world."""
    return [(t.n, t.news.kind, dict(t.news.fields)) for t in world.news if t.entry == world.entries]


def private(world: Match, observer: Seat | None) -> object:
    """What the rules showed to the observer alone."""
    if world.state is None or observer is None:
        return None
    return world.game.shown_in_private(world.state.hands[observer])


def shown(world: Match, observer: Seat | None) -> dict[str, Any]:
    """All that an observer gets of a world, but for the hashes that bind the secrets."""
    seen = world.seen_by(observer)
    written = view(seen, words("fr"))
    return {
        "slice": seen.slice,
        "choices": seen.choices,
        "since": world.changed.get(observer) if observer else None,
        "todo": world.game.todo(seen.slice) if seen.slice else (),
        "waiting": seen.waiting_for,
        "view": HEX.sub("#", json.dumps(written)),
        "repr": HEX.sub("#", repr(seen)),
    }


def twins(past: History, observer: Seat | None, first: int, dice: Dice, budget: int) -> Iterator[Match]:
    """The worlds that give the same public news from entry `first` on, found by a search with a budget.

    Every world met is a twin of the true one after as many entries: not only those that last to the end.
    """
    ways: list[Iterator[Entry]] = [iter(_ways(past.worlds[first], past.entries[first], observer, dice))]
    path = [past.worlds[first]]
    while ways and budget:
        entry = next(ways[-1], None)
        if entry is None:
            ways.pop()
            path.pop()
            continue
        budget -= 1
        world = path[-1].after(entry)
        true = past.worlds[world.version]
        if news_of(world) != news_of(true) or private(world, observer) != private(true, observer):
            continue
        yield world
        if world.version < len(past.entries):
            path.append(world)
            ways.append(iter(_ways(world, past.entries[world.version], observer, dice)))


def _ways(world: Match, entry: Entry, observer: Seat | None, dice: Dice) -> list[Entry]:
    """What may have been entered here, as far as the observer can tell."""
    if isinstance(entry, Moved) and hidden_from(observer, entry, world):
        return alternatives(world, entry, dice)
    if isinstance(entry, Moved) and not offered(world.choices[entry.seat], entry.move):
        return []
    return [entry]


def differs(world: Match, true: Match) -> bool:
    return bool(world.state and true.state and world.state.hands != true.state.hands)


def could_differ(past: History, i: int) -> bool:
    """Whether an entry could have been another, as far as its news goes: there was a choice."""
    entry, before, after = past.entries[i], past.worlds[i], past.worlds[i + 1]
    if not isinstance(entry, Moved) or disclosed(after):
        return False
    choice = offered(before.choices[entry.seat], entry.move)
    return choice is not None and any(len(f.options) > 1 for f in choice.fields if f.secret)


def disclosed(world: Match) -> bool:
    """Whether by the rules the last entry was laid open as soon as it was made."""
    return any(kind in world.game.discloses for _, kind, _ in news_of(world))


def compare(past: History, observer: Seat | None, dice: Dice, found: Found, budget: int) -> None:
    """Search twins of one game from one of its secret entries on. Raises Leak."""
    secret = [i for i in past.secret(observer) if could_differ(past, i)]
    if not secret:
        return
    kinds = {i: entry.move.type for i in secret if isinstance(entry := past.entries[i], Moved)}
    kind = dice.pick(sorted(set(kinds.values())))  # each as likely, however rare it is in a long game
    first = dice.pick([i for i in secret if kinds[i] == kind])
    true = cache(lambda version: shown(past.worlds[version], observer))
    found.searches[kind] += 1
    met = False
    for world in twins(past, observer, first, dice, budget):
        if world.outcome:
            continue  # all that was hidden is told
        _equal(shown(world, observer), true(world.version), world, observer)
        if differs(world, past.worlds[world.version]):
            met = True
            found.worlds += 1
            found.farthest = max(found.farthest, world.version - first)
    found.fruitful[kind] += met


def _equal(one: dict[str, Any], two: dict[str, Any], world: Match, observer: Seat | None) -> None:
    for name, value in one.items():
        if value != two[name]:
            raise Leak(f"{name} of {observer or 'nobody'} at version {world.version} tells another's secret")


def tells_at_once(past: History, dice: Dice, few: int) -> Iterator[str]:
    """The types of the secret entries whose public news alone depends on what was entered."""
    for i in past.secret(None):
        entry, before, after = past.entries[i], past.worlds[i], past.worlds[i + 1]
        assert isinstance(entry, Moved)
        if disclosed(after):
            continue
        for other in alternatives(before, entry, dice)[:few]:
            world = before.after(other)
            if not world.outcome and not after.outcome and _entered(world) != _entered(after):
                yield entry.move.type


def _entered(world: Match) -> list[Any]:
    """What was told of a secret entry itself, and besides: but for answers that the rules owe the table."""
    first, *others = [(kind, fields) for _, kind, fields in news_of(world)]
    return [first, *(item for item in others if item[0] not in world.game.reveals)]


def look_for_leaks(
    game: Game[Any, Any],
    seeds: Sequence[str],
    budget: int = 120,
    observers: Callable[[Match], Iterable[Seat | None]] = lambda match: (None, *match.seats),
    may_tell: frozenset[str] = frozenset(),
) -> Found:
    """Play games and compare them with their twins, for every observer. Raises Leak.

    Fewer games than there are seeds will do where they are long and every kind of secret was met often.
    `may_tell`: moves whose secret is public at once by the rules. All others that no twin was found for are
    suspect: either the search is too short or their news tells the secret.
    """
    found, secret = Found(), [kind for kind, shape in game.moves.items() if shape.secret]
    for seed in seeds:
        if found.entries > LENGTH * len(seeds) and min(found.searches[kind] for kind in secret) >= ENOUGH:
            break
        dice, past = Dice(f"{seed}/twins"), history(game, seed)
        found.entries += len(past.entries)
        for kind in set(tells_at_once(past, dice, few=8)) - may_tell:
            raise Leak(f"the news of {kind} tells what was entered")
        for observer in observers(past.worlds[0]):
            compare(past, observer, dice, found, budget)
    for kind, shape in game.moves.items():
        if (
            shape.secret
            and found.searches[kind] >= ENOUGH
            and found.fruitful[kind] * 2 < found.searches[kind]
        ):
            raise Leak(f"twins that differ by {kind} are too rare: {found}")
    return found
