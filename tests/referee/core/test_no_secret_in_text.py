"""No repr, no log line and no error holds a secret, in any registered game."""

import logging
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest

from referee.core.dice import Dice
from referee.core.entries import Entry, Joined, Moved
from referee.core.errors import IllegalMove
from referee.core.game import Game, Hand
from referee.core.match import Match
from referee.core.moves import Choice, Move, One
from referee.games import GAMES
from referee.games.agent_hunter import AGENT_HUNTER
from referee.games.agent_hunter.table import HunterHand, HunterTable
from referee.kit.twin_worlds import HEX, differs, history, twins
from referee.program.simulate import opened, steps
from tests.support.soak import games

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
CANARY = "canary-5c1f"


def texts(thing: object) -> str:
    """A thing as it is written into a log or an error."""
    return f"{thing!r}\n{thing}"


def everything(match: Match) -> Iterator[object]:
    """What a log line could be given of a match."""
    yield match
    yield from (match.seen_by(seat) for seat in (None, *match.seats))
    if match.state:
        yield match.state
        yield from (match.state.slice(seat) for seat in (None, *match.seats))
        yield from match.state.hands.values()


def written(match: Match) -> list[str]:
    """All of it as text, without the hashes that differ from world to world."""
    return [HEX.sub("#", texts(thing)) for thing in everything(match)]


def look_at_reprs(game: Game[Any, Any], n: int, name: str = "repr") -> int:
    """Twins with other secrets in every hand must read the same. Returns how many differed."""
    differing = 0
    for i in games(n):
        past, dice = history(game, f"{name}/{i}"), Dice(f"{name}/{i}/dice")
        first = dice.pick(past.secret(None))
        true = cache(lambda version, past=past: written(past.worlds[version]))
        for world in twins(past, None, first, dice, budget=30):
            if not world.outcome:
                assert written(world) == true(world.version), "a text tells a secret"
                differing += differs(world, past.worlds[world.version])
    return differing


@every_game
def test_worlds_with_other_secrets_read_the_same(game: Game[Any, Any]) -> None:
    assert look_at_reprs(game, 16) > 100


@every_game
def test_no_salt_and_no_seed_in_any_text(game: Game[Any, Any]) -> None:
    for i in games(5):
        seed = f"salt/{i}"
        match = opened(game, seed)
        salts = [match.seed]
        for step in steps(match, seed):
            if isinstance(step.entry, Moved) and step.entry.salt:
                salts.append(step.entry.salt)
            text = "\n".join(map(texts, (step.entry, *everything(step.match))))
            assert not any(salt in text for salt in salts)


@every_game
def test_an_entry_reads_without_its_fields(game: Game[Any, Any]) -> None:
    for kind in game.moves:
        entry = Moved("somebody", Move(kind, {"card": CANARY, CANARY: 1}), salt=CANARY)
        assert CANARY not in texts(entry) + texts(entry.move)


@every_game
def test_hands_read_as_an_ellipsis(game: Game[Any, Any]) -> None:
    for step in steps(opened(game, "hand"), "hand"):
        if step.match.state:
            for hand in step.match.state.hands.values():
                assert repr(hand) == str(hand) == f"{type(hand).__name__}(…)"


def test_choices_box_and_salts_of_a_match_do_not_show() -> None:
    match = opened(AGENT_HUNTER, "x").after(Joined("target", "Ana")).after(Joined("mask", "Bob"))
    state = match.state
    assert state is not None
    choices = (Choice("attack", (One("card", (CANARY,)),)),)
    match = replace(
        match,
        seed=CANARY,
        choices=dict.fromkeys(match.seats, choices),
        salts=dict.fromkeys(match.seats, ((1, CANARY),)),
        state=replace(state, box=CANARY),
    )
    assert CANARY not in texts(match)
    assert CANARY not in texts(match.state)
    seen = match.seen_by("target")
    assert seen.choices == choices
    assert CANARY not in texts(seen)


def test_log_lines_hold_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    log = logging.getLogger("table")
    entries: list[Entry] = [Joined("target", "Ana"), Joined("mask", "Bob")]
    entries.append(Moved("target", Move("hide", {"houses": (7, 8, 9)}), salt="ab" * 32))
    match = opened(AGENT_HUNTER, "log", {})
    for entry in entries:
        match = match.after(entry)
        log.info("%s %r %s %r", entry, entry, match, match.seen_by("target"))
    assert "hide" in caplog.text
    assert "7, 8, 9" not in caplog.text
    assert "0, 1, 2, 3" not in caplog.text
    assert "ab" * 32 not in caplog.text


def test_a_refusal_and_its_traceback_do_not_tell_the_move() -> None:
    match = opened(AGENT_HUNTER, "log", {}).after(Joined("target", "Ana")).after(Joined("mask", "Bob"))
    move = Move("hide", {"houses": (7, 7, 9)})
    with pytest.raises(IllegalMove) as refused:
        match.check("target", move, match.version)
    text = "".join(traceback.format_exception(refused.value)) + repr(refused.value)
    assert "7, 7, 9" not in text


@dataclass(frozen=True)
class PlainHand(HunterHand):
    """A hand whose author forgot repr=False."""


def test_a_planted_repr_is_found() -> None:
    """A hand with the repr that every dataclass has, and a state that shows its box."""

    def show(hand: HunterHand) -> PlainHand:
        return PlainHand(hand.houses, hand.cards)

    def play(state: Any, seat: str, move: Move, dice: Dice) -> Any:
        after = AGENT_HUNTER.play(state, seat, move, dice)
        return replace(after, hands={seat: show(hand) for seat, hand in after.hands.items()})

    leaky: Game[HunterTable, HunterHand] = replace(AGENT_HUNTER, play=play)
    with pytest.raises(AssertionError, match="tells a secret"):
        look_at_reprs(leaky, 5)
    assert issubclass(PlainHand, Hand)
