"""Records of random games and of their rematches, true and forged."""

from collections.abc import Iterator
from functools import reduce
from typing import Any

from referee.core.entries import Entry, Joined
from referee.core.match import Match, open_match
from referee.fairness.commitments import seed_hash
from referee.fairness.record import record_of
from referee.games import GAMES
from referee.games.agent_hunter import AGENT_HUNTER
from referee.program.simulate import opened, steps

SEED = "5e" * 32


def game_entries(
    code: str, seed: str, before: dict[str, str] | None = None, is_rematch: bool = False
) -> tuple[Match, list[Entry]]:
    """A whole random game whose phones sent numbers, except in a rematch: how it was opened, its entries."""
    simulated = opened(AGENT_HUNTER, "dice")
    start = open_match(code, AGENT_HUNTER, simulated.options, seed, before)
    numbers = {seat: "" if is_rematch else seat.encode().hex() for seat in start.seats}
    joins: list[Entry] = [Joined(seat, seat.title(), number) for seat, number in numbers.items()]
    dealt = reduce(Match.after, joins, start)
    return start, [*joins, *(s.entry for s in steps(dealt, "dice") if not isinstance(s.entry, Joined))]


def game_record(
    code: str, seed: str, before: dict[str, str] | None = None, is_rematch: bool = False
) -> dict[str, Any]:
    return record_of(*game_entries(code, seed, before, is_rematch))


def rematch_record(seed: str, before: dict[str, str]) -> dict[str, Any]:
    return game_record("BBBBB", seed, before, is_rematch=True)


def forgeries(game: dict[str, Any]) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """A true rematch of a game whose seed is the hash of `SEED`, forged ones, and the faults to be found."""
    before = {"table": game["table"], "head": game["head"], "nonce": "0a"}
    yield rematch_record(SEED, before), []
    yield rematch_record("00" * 32, before), ["verify.before.seed"]
    for entry in game["entries"][:-1]:
        yield rematch_record(SEED, {**before, "head": entry["head"]}), ["verify.before.head"]
    yield game_record("BBBBB", SEED, before), ["verify.before.nonce"]
    yield rematch_record(SEED, {**before, "table": "OTHER"}), ["verify.before.other"]
    yield game, ["verify.before.other"]


def random_game(game: str, seed: str) -> tuple[Match, list[Entry]]:
    """A random game with questions, also after its end: how it was opened, its entries."""
    simulated = opened(GAMES[game], seed)
    start = open_match("AAAAA", GAMES[game], simulated.options, seed_hash(SEED))
    return start, [step.entry for step in steps(start, seed, thorough=True)]
