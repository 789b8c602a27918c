"""Verdicts on a correction in twin worlds: the asker must get the same answer in all worlds that look alike.

Whether a correction may be asked, how it is refused, and what its question says are told to the asker alone
and cost nothing, so anything they depend on could be found out by trying. They may depend only on what the
asker can see.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from referee.core.corrections import choices_then, own_secrets
from referee.core.dice import Dice
from referee.core.errors import IllegalMove
from referee.core.game import Game
from referee.core.match import Match
from referee.core.moves import Move, Seat
from referee.core.questions import question
from referee.core.replay import StandingMove
from referee.kit.legal_moves import every_value
from referee.kit.twin_worlds import History, Leak, could_differ, differs, history, twins

TRIED = 5  # other values of one secret
WORLDS = 12  # twins of one game and one seat that are looked at
BUDGET = 60  # entries played in search of them
SALT = "c3" * 32


@dataclass
class Heard:
    """What was heard, so that nobody takes an empty search for a proof."""

    verdicts: Counter[str] = field(default_factory=Counter)  # by the type of the move, and what was said
    since: int = 0  # verdicts on a secret after which another seat has made moves

    def __len__(self) -> int:
        return self.verdicts.total()


def verdict(match: Match, by: Seat, n: int, secret: Mapping[str, Any]) -> str:
    """All that the asker is told before anybody has agreed."""
    try:
        entry = question(match, by, "correct", {"n": n, "fields": secret}, match.version)
    except IllegalMove as refused:
        return f"{refused.code} {refused.why and refused.why.key}"
    asked = match.after(replace(entry, salt=SALT)).question
    assert asked is not None
    return f"asked, reveals {asked.reveals}, reopens {asked.reopens}"


def others(match: Match, made: StandingMove, dice: Dice) -> Iterator[dict[str, Any]]:
    """Some secrets that could have been entered instead."""
    shape = match.game.moves[made.entry.move.type]
    known = {name: value for name, value in made.entry.move.fields.items() if name not in shape.secret}
    choices = [choice for choice in choices_then(match, made) if choice.type == made.entry.move.type]
    for _ in range(TRIED):
        choice = dice.pick(choices)
        secret = {f.name: dice.pick(list(every_value(f))) for f in choice.fields if f.name in shape.secret}
        if choice.permits(Move(choice.type, {**known, **secret})):
            yield secret


def compare(past: History, by: Seat, dice: Dice, heard: Heard) -> None:
    """Ask for corrections in a game and in its twins. Raises Leak."""
    hidden = [i for i in past.secret(by) if could_differ(past, i)]
    if not hidden:
        return
    for world in islice(_alike(past, by, dice.pick(hidden), dice), WORLDS):
        true = past.worlds[world.version]
        for made in dice.arrange(own := list(own_secrets(true, by)), min(2, len(own))):
            for secret in others(true, made, dice):
                _hear(true, world, by, made, secret, heard)


def _alike(past: History, by: Seat, first: int, dice: Dice) -> Iterator[Match]:
    """Worlds in which others hold something else and in which the game is not over."""
    for world in twins(past, by, first, dice, BUDGET):
        if not world.outcome and differs(world, past.worlds[world.version]):
            yield world


def _hear(
    true: Match, twin: Match, by: Seat, made: StandingMove, secret: Mapping[str, Any], heard: Heard
) -> None:
    said = verdict(true, by, made.n, secret)
    if said != (other := verdict(twin, by, made.n, secret)):
        raise Leak(f"{by} at version {true.version}, {made.n} to {secret}: {said} tells from {other}")
    heard.verdicts[f"{made.entry.move.type}: {said}"] += 1
    heard.since += any(later.entry.seat != by for later in true.made if later.n > made.n)


def look_for_verdicts(game: Game[Any, Any], seeds: Sequence[str], enough: int) -> Heard:
    """Play games and compare what every seat hears when it asks to correct, until enough was heard."""
    heard = Heard()
    for seed in seeds:
        past = history(game, seed)
        for by in past.worlds[0].seats:
            compare(past, by, Dice(f"{seed}/{by}"), heard)
        if len(heard) >= enough:
            break
    return heard
