"""The speed of the rules, per game: random matches a second on one core, slowest functions, long tables."""

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from referee.core.dice import Dice
from referee.core.entries import Joined, Moved
from referee.core.game import Game
from referee.core.match import Match
from referee.core.moves import Seat, random_move
from referee.games import GAMES
from referee.presentation.views import view
from referee.presentation.words import words
from referee.program.simulate import NAMES, opened, simulate, steps

ROUNDS, ROUND = 5, 2.0  # seconds of each
GAMES_LOOKED_AT = 10
LONG, EDGE = 5000, 100  # moves of a long table; of its beginning and end that are compared
TRIES = 50  # random moves, to find one that does not end the game
LEAST_MATCHES = {"agent_hunter": 1000}  # a second of one core
MOST_CHOICES = 0.005
MOST_GROWTH = 1.5  # times the cost of a move at the beginning


def measure() -> list[dict[str, Any]]:
    """Each game: matches a second, seconds of its slowest verbs, and what move 5,000 costs, if it comes."""
    found = []
    for game in GAMES.values():
        choices, play, views = slowest(game)
        lasted, growth = long_table(game)
        row = {
            "game": game.id,
            "matches_per_second": per_second(game),
            "choices": choices,
            "play": play,
            "view": views,
            "growth": growth if lasted == LONG else None,
        }
        found.append(row)
        print(f"  {row}")
    return found


def is_good(rows: list[dict[str, Any]]) -> bool:
    return all(
        row["matches_per_second"] >= LEAST_MATCHES.get(row["game"], 0)
        and row["choices"] < MOST_CHOICES
        and (row["growth"] or 0.0) < MOST_GROWTH
        for row in rows
    )


def per_second(game: Game[Any, Any]) -> float:
    """Matches of `referee simulate` per second of processor time: the median of some rounds."""
    some = simulate(game, 20, "warm", clock=time.process_time)
    matches = max(20, round(ROUND * some.per_second()))
    rounds = [simulate(game, matches, f"bench/{n}", clock=time.process_time) for n in range(ROUNDS)]
    return statistics.median(done.per_second() for done in rounds)


def slowest(game: Game[Any, Any]) -> tuple[float, float, float]:
    """The longest that choices, a move and a view took in random games; choices with nothing remembered."""
    choices, play, views = [0.0], [0.0], [0.0]
    for n in range(GAMES_LOOKED_AT):
        before = opened(game, f"bench/{n}", {} if n % 2 else None)  # as most play it, and with any options
        for entry, match in ((step.entry, step.match) for step in steps(before, f"bench/{n}")):
            for seat in match.seats if match.state else ():
                choices.append(_seconds(partial(_choices, match, seat), forget=game))
                views.append(_seconds(partial(_view, match, seat)))
            play.append(_seconds(partial(before.after, entry)))
            before = match
    return max(choices), max(play), max(views)


def _choices(match: Match, seat: Seat) -> None:
    assert match.state is not None
    match.game.choices(match.state.slice(seat))


def _view(match: Match, seat: Seat) -> None:
    view(match.seen_by(seat), words("fr"))


def _seconds(do: Callable[[], object], forget: Game[Any, Any] | None = None) -> float:
    """Of processor time, the best of three: nothing else on this machine is measured."""
    times = []
    for _ in range(3):
        if forget:
            _forget(forget)
        began = time.process_time()
        do()
        times.append(time.process_time() - began)
    return min(times)


def _forget(game: Game[Any, Any]) -> None:
    for name, module in list(sys.modules.items()):
        for thing in vars(module).values() if name.startswith(f"referee.games.{game.id}.") else ():
            if hasattr(thing, "cache_clear"):
                thing.cache_clear()


def long_table(game: Game[Any, Any]) -> tuple[int, float]:
    """How long a table can be made to last, and the cost of its last moves beside that of its first."""
    match = opened(game, "long", {})
    for seat, name in zip(match.seats, NAMES, strict=False):
        match = match.after(Joined(seat, name))
    took = list(islice(_on_and_on(match), LONG))
    return len(took), statistics.median(took[-EDGE:]) / statistics.median(took[:EDGE])


def _on_and_on(match: Match) -> Iterator[float]:
    """What each move costs that does not end the match, as long as one is found. Each is made once, as at a
    table: made again from the same match, it would copy all that came before."""
    dice = Dice("on and on")
    while True:
        for _ in range(TRIES):
            seat = dice.pick([seat for seat in match.seats if match.choices[seat]])
            entry = Moved(seat, random_move(match.choices[seat], dice), "00" * 32)
            began = time.process_time()
            after = match.after(entry)
            took = time.process_time() - began
            if not after.outcome:
                break
        else:
            return
        yield took
        match = after
