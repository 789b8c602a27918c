"""Simulation: plays random games and checks them, for `referee simulate` and the tests.

Every game runs through `Match`, as at a real table. The game's invariants are checked at the end: a card that
was lost or duplicated on the way is still so then. One game in `THOROUGH` is checked thoroughly: each move
goes through `Match.check`, the invariants are checked after every entry, players also ask questions (even
after the end), a `Listener` must agree with a fresh replay of the standing moves, and the record is written,
parsed and replayed to the same match.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

from referee.core.corrections import choices_then, own_secrets
from referee.core.dice import Dice
from referee.core.entries import Answered, Entry, Joined, Moved, read, write
from referee.core.errors import IllegalMove
from referee.core.frozen import replaced
from referee.core.game import Game
from referee.core.listener import Listener, NewsMismatch
from referee.core.match import Match, open_match
from referee.core.moves import Seat, offered, random_move
from referee.core.options import Data, OneOf, Option
from referee.core.questions import HOST, question

CODE = "RANDM"
NAMES = ("Ana", "Bob", "Chloé", "Dan", "Ève", "Farid", "Gaëlle", "Hugo")
ODDS = (True, *(False,) * 19)  # the chance of a question before a move: 1 in 20
QUESTIONS = (*("undo", "correct", "reissue") * 3, "abandon")
MAX_LATE_QUESTIONS = 3  # corrections tried after the end
MAX_UNDONE = 6  # moves taken back by one undo
THOROUGH = 10  # one game in this many is checked thoroughly
NUMBER_SPREAD = 30  # random number options stay this close to the minimum: a cap of 400 turns has no effect


class CheckFailed(Exception):
    """A failed check in a random game. The message names it, and the seed that reproduces the game."""


class SimulatedMove(NamedTuple):
    """One entry of a random game and the match after it."""

    entry: Entry
    match: Match


@dataclass(frozen=True)
class Played:
    """The result of one random game. The same seed plays it again."""

    seed: str
    options: Mapping[str, Any]
    moves: int
    winners: tuple[Seat, ...]
    reason: str
    thorough: bool


@dataclass(frozen=True)
class Results:
    """The results of many random games, and how long they took."""

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
        "matches": f"{len(moves)}, all invariants held at the end",
        "thorough": f"{results.thorough()} of them checked after every entry, with questions, and replayed",
        "moves": f"minimum {moves[0]}, median {median(moves):g}, maximum {moves[-1]}",
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
    """Play random games with random options, the first and then one in `thorough` thoroughly.

    `progress` is called after each game with the number done and the total.
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
    """Play one random game to its end, checking every step. Raises CheckFailed if a check fails."""
    start = before = opened(game, seed, chosen)
    entries, listener = [], Listener()
    for step in steps(start, seed, thorough):
        now = step.match
        _require(seed, now, _step_fault(before, now))
        if thorough or now.outcome:
            _require(seed, now, _invariant_fault(now))
        if thorough:
            _require(seed, now, _listener_fault(listener, step))
        entries.append(step.entry)
        before = now
    if thorough:
        _require(seed, before, _replay_fault(start, entries, before))
    outcome = before.outcome
    assert outcome is not None
    moves = sum(isinstance(entry, Moved) for entry in entries)
    return Played(seed, before.options, moves, outcome.winners, outcome.reason, thorough)


def opened(game: Game[Any, Any], seed: str, chosen: Mapping[str, Any] | None = None) -> Match:
    """Open the match of this seed, with random options unless `chosen` is given."""
    options = random_options(game.options, Dice(f"{seed}/options")) if chosen is None else chosen
    return open_match(CODE, game, options, _hex(seed))


def random_options(options: Iterable[Option], dice: Dice) -> dict[str, Any]:
    """A random value for each option. One that goes only with certain values of others comes after them."""
    offered_here = tuple(options)
    values = {option.name: option.default for option in offered_here}
    for option in offered_here:
        values[option.name] = _value(option, dice, values)
    return values


def _value(option: Option, dice: Dice, others: Mapping[str, Any]) -> Any:
    if isinstance(option, OneOf):
        return dice.pick(option.values_at(others))
    if isinstance(option, Data):
        return dice.pick((option.default, *option.ready.values(), *option.samples))
    near = range(option.min, min(option.max, option.min + NUMBER_SPREAD) + 1)
    return dice.pick((option.default, dice.pick(near)))


def steps(match: Match, seed: str, thorough: bool = False) -> Iterator[SimulatedMove]:
    """Fill the seats in random order, then play at random until the game is over.

    If `thorough`, players sometimes ask questions, and each move is checked before it is played.
    """
    dice = Dice(f"{seed}/players")
    people = tuple(zip(match.seats, NAMES, strict=False))
    for seat, name in dice.arrange(people, len(people)):
        entry: Entry = Joined(seat, name)
        match = match.after(entry)
        yield SimulatedMove(entry, match)
    late = MAX_LATE_QUESTIONS if thorough else 0
    while not match.outcome or late:
        able = _able(match)
        if not able and not match.outcome:
            raise CheckFailed(f"seed {seed}, version {match.version}: no seat can act before the end")
        late -= match.outcome is not None
        asked = thorough and (match.outcome or dice.pick(ODDS))
        for entry in _random_question(match, dice, seed) if asked else ():
            match = match.after(entry)
            able = _able(match)
            yield SimulatedMove(entry, match)
        if able:
            entry = _random_entry(match, dice.pick(able), dice, seed)
            if thorough:
                match.check(entry.seat, entry.move, match.version)
            match = match.after(entry)
            yield SimulatedMove(entry, match)


def _able(match: Match) -> list[Seat]:
    return [seat for seat, choices in match.choices.items() if choices]


def _random_question(match: Match, dice: Dice, seed: str) -> Iterator[Entry]:
    """A random question and its answers. Each answer is a refusal or a withdrawal in 1 of 4 cases."""
    by, kind = dice.pick((*match.seats, HOST)), "correct" if match.outcome else dice.pick(QUESTIONS)
    fields: dict[str, Any] = {"show": dice.pick((True, False))} if kind == "abandon" else {}
    if kind == "undo" and match.made and dice.pick((True, False)):
        fields = {"n": dice.pick(match.made[-MAX_UNDONE:]).n}
    if kind == "reissue":
        fields = {"seat": dice.pick(match.seats)}
    if kind == "correct":
        fields = _random_correction(match, by, dice)
    there = dice.pick(((), match.seats))
    try:
        asked = question(match, by, kind, fields, match.version, there, is_deserted=not there)
    except IllegalMove:
        return
    asked = replaced(asked, salt=_hex(f"{seed}/{match.version}")) if kind == "correct" else asked
    yield asked
    for seat in asked.of:
        accept = dice.pick((True, True, True, False))
        yield Answered(seat if accept else dice.pick((seat, by)), accept)
        if not accept:
            return


def _random_correction(match: Match, by: Seat, dice: Dice) -> dict[str, Any]:
    """A random new secret for a random move of this seat, from the choices it had at the time."""
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


def _require(seed: str, match: Match, fault: str | None) -> None:
    if fault is not None:
        raise CheckFailed(f"seed {seed}, version {match.version}: {fault}")


def _step_fault(before: Match, now: Match) -> str | None:
    if now.version != before.version + 1:
        return f"the version went from {before.version} to {now.version}"
    if now.head == before.head:
        return "the head of the hash chain did not change"
    if len(now.made) > len(before.made) and not now.told():
        return "a move has no news"
    if now.state is None and now.choices:
        return "a seat has choices before the deal"
    if now.outcome and any(now.choices.values()):
        return "the game is over and a seat can still act"
    return None


def _listener_fault(listener: Listener, step: SimulatedMove) -> str | None:
    """After an undo or a correction, the listener's news must equal the news of a fresh game."""
    try:
        listener.receive(step.entry, step.match)
    except NewsMismatch as error:
        return str(error)
    if step.match.repair is None or isinstance(step.entry, Moved):
        return None
    state, news = listener.replay(step.match)
    if listener.current_news() != news:
        return "the restated news differ from the news of a fresh game with these moves"
    if state != step.match.state:
        return "the state differs from that of a fresh game with these moves"
    return None


def _invariant_fault(now: Match) -> str | None:
    return next(iter(now.game.invariants(now.state)), None) if now.state else None


def _replay_fault(start: Match, entries: Iterable[Entry], end: Match) -> str | None:
    """The record, written and parsed, must replay to the same match."""
    again = reduce(Match.after, map(read, map(write, entries)), start)
    if again.head != end.head:
        return "the record replays to another head"
    return "the record replays to another state" if again != end else None
