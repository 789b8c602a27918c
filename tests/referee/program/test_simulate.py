"""The simulation plays what it says, counts correctly, and notices every broken invariant."""

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from itertools import count
from typing import Any

import pytest

from referee.core.dice import Dice
from referee.core.entries import Entry, Moved, read, write
from referee.core.game import Game
from referee.core.match import Match
from referee.core.moves import Move, Seat
from referee.core.options import Number, OneOf
from referee.games import GAMES
from referee.games.agent_hunter import AGENT_HUNTER
from referee.games.agent_hunter.table import HunterHand, HunterState, HunterTable, Owed, other
from referee.program import simulate as simulation
from referee.program.cli import main
from referee.program.simulate import CheckFailed, opened, play_one, random_options, simulate, steps, summary
from tests.support.rules.agent_hunter_language import play
from tests.support.soak import games

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())


@every_game
def test_many_random_games_hold_every_invariant(game: Game[Any, Any]) -> None:
    n = len(games(300))
    results = simulate(game, n, "promise", thorough=5)
    assert len(results.played) == n
    assert results.thorough() == n / 5
    abandoned = results.reasons().get("abandoned", 0)
    assert sum(results.wins().values()) + results.draws() + abandoned >= n
    assert all(results.wins().values()), "a seat never wins"


def test_all_endings_of_agent_hunter_are_met() -> None:
    results = simulate(AGENT_HUNTER, 300, "endings", thorough=3)
    assert results.reasons().keys() == {"houses", "turn_cap", "abandoned"}
    assert results.draws()
    assert {one.options["refill_after_final"] for one in results.played} == {True, False}


@every_game
def test_the_same_seed_plays_the_same_games(game: Game[Any, Any]) -> None:
    assert simulate(game, 5, "a").played == simulate(game, 5, "a").played
    assert simulate(game, 5, "a").played != simulate(game, 5, "b").played


def test_progress_is_told_after_each_match() -> None:
    heard: list[tuple[int, int]] = []
    simulate(AGENT_HUNTER, 3, 0, lambda done, total: heard.append((done, total)))
    assert heard == [(1, 3), (2, 3), (3, 3)]


def test_a_summary_tells_lengths_winners_and_speed() -> None:
    clock = count(100, 5)
    results = simulate(AGENT_HUNTER, 10, "summary", clock=lambda: float(next(clock)))
    moves = sorted(one.moves for one in results.played)
    text = summary(results)
    assert results.per_second() == 2
    assert f"minimum {moves[0]}," in text
    assert f"median {(moves[4] + moves[5]) / 2:g}," in text
    assert f"maximum {moves[-1]}" in text
    assert f"target {results.wins()['target']}, mask {results.wins()['mask']}" in text
    assert "2 matches/s" in text
    assert "1 of them checked after every entry, with questions" in text


def test_no_match_is_no_simulation() -> None:
    with pytest.raises(ValueError, match="at least one"):
        simulate(AGENT_HUNTER, 0, 0)
    assert len(simulate(AGENT_HUNTER, 1, 0).played) == 1


def test_random_options_stay_within_bounds() -> None:
    offered = (OneOf("a", (1, 2)), Number("b", 2, 500), Number("c", 3, 4, default=3))
    drawn = [random_options(offered, Dice("x", i)) for i in range(200)]
    assert {options["a"] for options in drawn} == {1, 2}
    assert None in {options["b"] for options in drawn}
    assert all(options["b"] is None or 2 <= options["b"] <= 32 for options in drawn)
    assert {options["c"] for options in drawn} == {3, 4}


def test_the_players_are_random_and_not_all_alike() -> None:
    games_played = {
        "\n".join(write(step.entry) for step in steps(opened(AGENT_HUNTER, "x", {}), str(i)))
        for i in range(9)
    }
    assert len(games_played) == 9


# ---- what is broken is noticed


def broken(change: Callable[[HunterState], Any]) -> Game[HunterTable, HunterHand]:
    """Agent Hunter, with something done to every state that it makes."""

    def played(state: Any, seat: Seat, move: Move, dice: Dice) -> Any:
        return change(AGENT_HUNTER.play(state, seat, move, dice))

    return replace(AGENT_HUNTER, play=played)


def test_a_violated_invariant_is_reported_with_its_seed() -> None:
    def steal(state: HunterState) -> HunterState:
        return _cards(state, "mask", state.hands["mask"].drop(0))

    with pytest.raises(CheckFailed, match=r"^seed x/0, version \d+: .*ten cards"):
        simulate(broken(steal), 20, "x")


def test_nobody_able_to_act_is_noticed() -> None:
    stuck = replace(
        AGENT_HUNTER, choices=lambda seen: () if seen.table.step == "act" else AGENT_HUNTER.choices(seen)
    )
    with pytest.raises(CheckFailed, match=r"no seat can act|not offered every attack"):
        play_one(replace(stuck, invariants=lambda _state: ()), "x")


def test_acting_after_the_end_is_noticed() -> None:
    def choices(seen: Any) -> Any:
        return AGENT_HUNTER.choices(seen._replace(table=replace(seen.table, outcome=None, turn=seen.seat)))

    with pytest.raises(CheckFailed, match="still act"):
        play_one(replace(AGENT_HUNTER, choices=choices, invariants=lambda _state: ()), "x")


def test_a_game_that_hangs_on_something_else_does_not_replay() -> None:
    calls = count()

    def deal(options: Any, dice: Dice) -> Any:
        state = AGENT_HUNTER.deal(options, dice)
        return replace(state, table=replace(state.table, turn_cap=90 + next(calls)))

    with pytest.raises(CheckFailed, match=r"replays to another state|otherwise than a fresh one"):
        simulate(replace(AGENT_HUNTER, deal=deal), 20, "x")


def test_the_first_match_and_then_one_in_so_many_is_played_thoroughly() -> None:
    played = simulate(AGENT_HUNTER, 7, "x", thorough=3).played
    assert [one.thorough for one in played] == [True, False, False, True, False, False, True]


def test_the_command_plays_every_match_thoroughly_if_asked_to(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "agent_hunter", "--matches", "3", "--thorough"]) == 0
    assert "3 of them checked after every entry, with questions" in capsys.readouterr().out


def test_a_record_that_reads_otherwise_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def misread(line: str) -> Entry:
        entry = read(line)
        return replace(entry, salt="00" * 32) if isinstance(entry, Moved) and entry.salt else entry

    monkeypatch.setattr(simulation, "read", misread)
    with pytest.raises(CheckFailed, match="another head"):
        simulate(AGENT_HUNTER, 1, "x")


def test_a_choice_that_is_not_permitted_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_match: Match, _seat: Seat, _move: Move, _version: int) -> None:
        raise AssertionError("checked")

    monkeypatch.setattr(Match, "check", refuse)
    with pytest.raises(AssertionError, match="checked"):
        play_one(AGENT_HUNTER, "x")


# ---- each invariant of Agent Hunter can fail


def _in_play() -> HunterState:
    """Ana has lost house 1 (a 3), Bob has swapped once and shown a 0."""
    table, ana, bob = play(ana=(3, 2, 9), bob=(4, 5, 6))
    ana.attacks(house=2, from_house=1)
    bob.swaps(house=1, card=4, decoy=2)
    ana.misses()
    bob.attacks(house=2, card=0)
    state: HunterState = table.state
    assert not list(AGENT_HUNTER.invariants(state))
    return state


def _table(state: HunterState, **changes: Any) -> HunterState:
    return replace(state, table=replace(state.table, **changes))


def _side(state: HunterState, seat: Seat, **changes: Any) -> HunterState:
    sides = {**state.table.sides, seat: replace(state.table.sides[seat], **changes)}
    return _table(state, sides=sides)


def _hand(state: HunterState, seat: Seat, **changes: Any) -> HunterState:
    return replace(state, hands={**state.hands, seat: replace(state.hands[seat], **changes)})


def _cards(state: HunterState, seat: Seat, cards: HunterHand) -> HunterState:
    """Another hand, whose cards everyone has counted."""
    counted = _side(state, seat, hand_size=len(cards.cards))
    return replace(counted, hands={**state.hands, seat: cards})


def _picked_up(hand: HunterHand) -> HunterHand:
    """With the card of house 1 back in hand and none in its place."""
    return replace(hand, houses={**hand.houses, 1: None}, cards=hand.with_house_card(1))


BREAKS: dict[str, tuple[str, Callable[[HunterState], HunterState]]] = {
    "a card is gone": ("ten cards", lambda s: _cards(s, "mask", s.hands["mask"].drop(0))),
    "a card is twice": ("ten cards", lambda s: _cards(s, "mask", s.hands["mask"].lay(1, 5))),
    "a card came back": ("ten cards", lambda s: _hand(s, "mask", cards=s.hands["mask"].cards | {3})),
    "other values opposite": ("same values", lambda s: _hand(s, "mask", houses={1: 3, 2: 5, 3: 6})),
    "a dead house holds a card": ("still holds", lambda s: _hand(s, "target", houses={1: 3, 2: 2, 3: 9})),
    "houses in another order": ("not 1, 2, 3", lambda s: _hand(s, "target", houses={2: 2, 1: None, 3: 9})),
    "a hand too large": ("7 less", lambda s: _cards(s, "mask", _picked_up(s.hands["mask"]).drop(0))),
    "a dead house that stands": ("those that stand", lambda s: _side(s, "target", live=(1, 2, 3))),
    "laid out but not hidden": ("before the step hide is done", lambda s: _side(s, "mask", hidden=False)),
    "four cards": ("fewer than five", lambda s: _hand(s, "target", cards=frozenset({0, 1, 4, 5}))),
    "a wrong count": ("public hand size", lambda s: _side(s, "mask", hand_size=5)),
    "known, but not there": ("known to be in hand", lambda s: _side(s, "mask", known_in_hand=frozenset({4}))),
    "six decoys": ("do not add up to five", lambda s: _side(s, "mask", decoys_left=5)),
    "a decoy less than none": ("do not add up to five", lambda s: _side(s, "target", decoys_left=-1)),
    "hiding again": ("both sides have hidden", lambda s: _table(s, step="hide")),
    "twice in a row": ("turn of", lambda s: _table(s, turn=other(str(s.table.turn)))),
    "nobody's turn": ("turn of", lambda s: _table(s, turn=None)),
    "a refill of nothing": ("owed", lambda s: _table(s, step="refill")),
    "owed, but full": ("is owed", lambda s: _table(s, step="refill", owed=Owed("mask", 1))),
    "empty, not owed": ("are empty", lambda s: _cards(s, "mask", _picked_up(s.hands["mask"]))),
    "going on too long": ("over is False", lambda s: _table(s, turn_cap=s.table.turns)),
}


@pytest.mark.parametrize(("says", "change"), BREAKS.values(), ids=BREAKS.keys())
def test_each_invariant_can_fail(says: str, change: Callable[[HunterState], HunterState]) -> None:
    assert any(says in sentence for sentence in AGENT_HUNTER.invariants(change(_in_play())))


def test_the_invariants_of_the_end_can_fail() -> None:
    table, ana, bob = play(ana=(1, 2, 6), bob=(4, 5, 6), turn_cap=500)
    for house, card in ((1, 4), (2, 5)):
        ana.attacks(house=house, card=card)
        bob.misses()
    ana.attacks(house=3, from_house=3)
    state = table.state
    assert not list(AGENT_HUNTER.invariants(state))

    def sentences(**changes: Any) -> str:
        return " ".join(AGENT_HUNTER.invariants(_table(state, **changes)))

    assert "over is False" in sentences(outcome=None)
    assert "because of turn_cap" in sentences(outcome=replace(table.outcome, reason="turn_cap"))
    assert "left empty" in sentences(refill_after_final=True)


def test_being_stuck_is_an_invariant_too(monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("referee.games.agent_hunter.invariants")
    state = _in_play()
    found = AGENT_HUNTER.choices(state.slice(state.table.turn))
    for fewer in (found[1:], (replace(found[0], fields=found[0].fields[:1]), *found[1:])):
        monkeypatch.setattr(module, "choices", lambda _seen, fewer=fewer: fewer)
        assert any("every attack" in sentence for sentence in AGENT_HUNTER.invariants(state))
