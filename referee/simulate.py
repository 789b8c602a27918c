"""Random games, checked: what `referee simulate` plays, and the tests by the thousand.

All of them are played by the same rules of a match as at a real table, and the promises of the game are
looked at in the end: what is lost or doubled on the way is still so then. One in `THOROUGH` is played
thoroughly: each move goes through the checks that refuse, the promises are looked at after every entry,
people also ask questions, after the end too, somebody who only listens must believe just what a fresh game
with the moves that stand would have told, and the record is written, read back and replayed to that match.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

from referee.altered import altered
from referee.corrections import choices_then, own_secrets
from referee.dice import Dice
from referee.game import Game
from referee.listening import Listener, Misheard
from referee.match import Match, open_match
from referee.moves import Seat, offered, random_move
from referee.options import Data, OneOf, Option
from referee.questions import HOST, question
from referee.record import Answered, Entry, Joined, Moved, read, write
from referee.refused import Refused

CODE = "RANDM"
NAMES = ("Ana", "Bob", "Chloé", "Dan", "Ève", "Farid", "Gaëlle", "Hugo")
ODDS = (True, *(False,) * 19)  # that somebody asks something before a move
QUESTIONS = (*("undo", "correct", "reissue") * 3, "abandon")
LATE = 3  # secrets that are corrected after the end, at most
FEW = 6  # moves that are taken back at once, at most
THOROUGH = 10
NEAR = 30  # random numbers stay this near to the least one: a cap of 400 turns would never bite


class Broken(Exception):
    """A promise that a random game broke; the sentence says which, and how to play that game again."""


class Step(NamedTuple):
    """One entry of a random game and the match after it."""

    entry: Entry
    match: Match


@dataclass(frozen=True)
class Played:
    """How one random game went. The same seed plays it again."""

    seed: str
    options: Mapping[str, Any]
    moves: int
    winners: tuple[Seat, ...]
    reason: str
    thorough: bool


@dataclass(frozen=True)
class Results:
    """Many random games, and how long they took."""

    played: tuple[Played, ...]
    seats: tuple[Seat, ...]
    seconds: float

    def moves(self) -> list[int]:
        return sorted(one.moves for one in self.played)

    def wins(self) -> dict[Seat, int]:
        won = Counter(seat for one in self.played for seat in one.winners)
        return {seat: won[seat] for seat in self.seats}

    def draws(self) -> int:
        return sum(not one.winners and one.reason != "abandoned" for one in self.played)

    def reasons(self) -> dict[str, int]:
        return dict(Counter(one.reason for one in self.played).most_common())

    def thorough(self) -> int:
        return sum(one.thorough for one in self.played)

    def per_second(self) -> float:
        return len(self.played) / self.seconds


def summary(results: Results) -> str:
    """The results as a few lines of text."""
    moves, wins = results.moves(), results.wins()
    rows = {
        "matches": f"{len(moves)}, every promise held at the end",
        "thorough": f"{results.thorough()} of them checked after every entry, with questions, and replayed",
        "moves": f"{moves[0]} at least, {median(moves):g} in the middle, {moves[-1]} at most",
        "won": ", ".join(f"{seat} {n}" for seat, n in wins.items()),
        "drawn": str(results.draws()),
        "ended by": ", ".join(f"{reason} {n}" for reason, n in results.reasons().items()),
        "speed": f"{results.per_second():.0f} matches/s",
    }
    return "\n".join(f"{name:9} {text}" for name, text in rows.items())


def simulate(
    game: Game[Any, Any],
    matches: int,
    seed: object,
    progress: Callable[[int, int], None] | None = None,
    *,
    thorough: int = THOROUGH,
    clock: Callable[[], float] = perf_counter,
) -> Results:
    """Play so many random games with random options, the first and then one in `thorough` thoroughly.

    `progress` hears how many of them are done.
    """
    if matches < 1:
        raise ValueError("simulate at least one match")
    begun, played = clock(), []
    for i in range(matches):
        played.append(play_one(game, f"{seed}/{i}", thorough=i % thorough == 0))
        if progress:
            progress(i + 1, matches)
    seats = dict.fromkeys(seat for one in played for seat in game.seats(one.options))
    return Results(tuple(played), tuple(seats), clock() - begun)


def play_one(
    game: Game[Any, Any], seed: str, chosen: Mapping[str, Any] | None = None, thorough: bool = True
) -> Played:
    """Play one random game to its end, checking every step. Raises Broken."""
    start = before = opened(game, seed, chosen)
    entries, listener = [], Listener()
    for step in steps(start, seed, thorough):
        now = step.match
        _hold(seed, now, _astray(before, now))
        if thorough or now.outcome:
            _hold(seed, now, _promised(now))
        if thorough:
            _hold(seed, now, _heard(listener, step))
        entries.append(step.entry)
        before = now
    if thorough:
        _hold(seed, before, _replayed(start, entries, before))
    outcome = before.outcome
    assert outcome is not None
    moves = sum(isinstance(entry, Moved) for entry in entries)
    return Played(seed, before.options, moves, outcome.winners, outcome.reason, thorough)


def opened(game: Game[Any, Any], seed: str, chosen: Mapping[str, Any] | None = None) -> Match:
    """The match that this seed opens, with random options unless they are chosen."""
    options = random_options(game.options, Dice(f"{seed}/options")) if chosen is None else chosen
    return open_match(CODE, game, options, _hex(seed))


def random_options(options: Iterable[Option], dice: Dice) -> dict[str, Any]:
    return {option.name: _value(option, dice) for option in options}


def _value(option: Option, dice: Dice) -> Any:
    if isinstance(option, OneOf):
        return dice.pick(option.options)
    if isinstance(option, Data):
        return dice.pick((option.default, *option.ready.values(), *option.samples))
    near = range(option.min, min(option.max, option.min + NEAR) + 1)
    return dice.pick((option.default, dice.pick(near)))


def steps(match: Match, seed: str, thorough: bool = False) -> Iterator[Step]:
    """Everybody sits down, in any order, and plays at random until it is over.

    Thoroughly: people ask questions now and then, and each move is looked at before it is played.
    """
    dice = Dice(f"{seed}/players")
    people = tuple(zip(match.seats, NAMES, strict=False))
    for seat, name in dice.arrange(people, len(people)):
        entry: Entry = Joined(seat, name)
        match = match.after(entry)
        yield Step(entry, match)
    late = LATE if thorough else 0  # questions that may still be asked once it is over
    while not match.outcome or late:
        able = _able(match)
        if not able and not match.outcome:
            raise Broken(f"seed {seed}, version {match.version}: nobody can act and it is not over")
        late -= match.outcome is not None
        asked = thorough and (match.outcome or dice.pick(ODDS))
        for entry in _random_question(match, dice, seed) if asked else ():
            match = match.after(entry)
            able = _able(match)
            yield Step(entry, match)
        if able:
            entry = _random_entry(match, dice.pick(able), dice, seed)
            if thorough:
                match.check(entry.seat, entry.move, match.version)
            match = match.after(entry)
            yield Step(entry, match)


def _able(match: Match) -> list[Seat]:
    return [seat for seat, choices in match.choices.items() if choices]


def _random_question(match: Match, dice: Dice, seed: str) -> Iterator[Entry]:
    """Somebody asks something; those concerned say yes, or one in four no, unless it is withdrawn first."""
    by, kind = dice.pick((*match.seats, HOST)), "correct" if match.outcome else dice.pick(QUESTIONS)
    fields: dict[str, Any] = {"show": dice.pick((True, False))} if kind == "abandon" else {}
    if kind == "undo" and match.made and dice.pick((True, False)):
        fields = {"n": dice.pick(match.made[-FEW:]).n}
    if kind == "reissue":
        fields = {"seat": dice.pick(match.seats)}
    if kind == "correct":
        fields = _random_correction(match, by, dice)
    there = dice.pick(((), match.seats))
    try:
        asked = question(match, by, kind, fields, match.version, there, is_deserted=not there)
    except Refused:
        return
    asked = altered(asked, salt=_hex(f"{seed}/{match.version}")) if kind == "correct" else asked
    yield asked
    for seat in asked.of:
        accept = dice.pick((True, True, True, False))
        yield Answered(seat if accept else dice.pick((seat, by)), accept)
        if not accept:
            return


def _random_correction(match: Match, by: Seat, dice: Dice) -> dict[str, Any]:
    """Another secret for a random move of this seat, picked from what was offered at the time."""
    mine = own_secrets(match, by)
    if not mine:
        return {"n": 0, "fields": {}}
    made = dice.pick(mine)
    choice = offered(choices_then(match, made), made.entry.move)
    assert choice is not None
    picked = choice.pick(dice)
    return {"n": made.n, "fields": {name: picked[name] for name in choice.secrets()}}


def _random_entry(match: Match, seat: Seat, dice: Dice, seed: str) -> Moved:
    move = random_move(match.choices[seat], dice)
    secret = match.game.moves[move.type].secret
    return Moved(seat, move, _hex(f"{seed}/{match.version}") if secret else "")


def _hex(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _hold(seed: str, match: Match, broken: str | None) -> None:
    if broken is not None:
        raise Broken(f"seed {seed}, version {match.version}: {broken}")


def _astray(before: Match, now: Match) -> str | None:
    if now.version != before.version + 1:
        return f"the version went from {before.version} to {now.version}"
    if now.head == before.head:
        return "the head of the chain stayed the same"
    if len(now.made) > len(before.made) and not now.told():
        return "a move said nothing"
    if now.state is None and now.choices:
        return "somebody has choices before everybody sits"
    if now.outcome and any(now.choices.values()):
        return "it is over and somebody can still act"
    return None


def _heard(listener: Listener, step: Step) -> str | None:
    """After an undo or a correction, what was told must be what a fresh game tells."""
    try:
        listener.hears(step.entry, step.match)
    except Misheard as misheard:
        return str(misheard)
    if step.match.repair is None or isinstance(step.entry, Moved):
        return None
    state, news = listener.told_afresh(step.match)
    if listener.believes() != news:
        return "people believe something else than a fresh game with these moves would tell"
    if state != step.match.state:
        return "the game stands otherwise than a fresh one with these moves"
    return None


def _promised(now: Match) -> str | None:
    return next(iter(now.game.invariants(now.state)), None) if now.state else None


def _replayed(start: Match, entries: Iterable[Entry], end: Match) -> str | None:
    """The record, written and read back, must lead to the same match."""
    again = reduce(Match.after, map(read, map(write, entries)), start)
    if again.head != end.head:
        return "the record replays to another head"
    return "the record replays to another state" if again != end else None
