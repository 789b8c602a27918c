"""Deductions are exact: what they leave is what some hidden world allows, and nothing else; and they are
worked out from what a seat has seen alone."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from referee.core.aids import has_aid
from referee.core.dice import Dice
from referee.core.entries import Answered, Asked, Joined, Moved
from referee.core.game import Aid, Game, Possible, Slice, State
from referee.core.match import Match, reopen_match
from referee.core.moves import Move, Seat
from referee.core.options import AIDS
from referee.games import GAMES
from referee.games.agent_hunter import AGENT_HUNTER
from referee.program.simulate import SimulatedMove, opened, random_options, steps
from tests.support.rules.hidden_worlds import Worlds
from tests.support.rules.repairs import repaired
from tests.support.soak import games
from web.service.deductions import APART, SEATS, Deductions, aid

WITH_AID = {name: game for name, game in GAMES.items() if game.aid}
with_aid = pytest.mark.parametrize("game", WITH_AID.values(), ids=WITH_AID.keys())
FAR = 50  # entries of a game that are looked at
EACH = 5  # of the repairs of a game so many pass before one is looked at

Held = dict[str, set[Any]]  # by what is hidden, what it may be


def held_by(game: Game[Any, Any], hand: Any) -> dict[str, Any]:
    """What is hidden in a hand, called as the deductions call it."""
    shown = game.hand(hand)
    if "spy" in shown:
        return {"spy": shown["spy"]}
    return {f"house {n}": card for n, card in shown["houses"].items()}


def named(possible: Possible) -> str:
    return " ".join((possible.about.key, *(str(v) for k, v in possible.about.fields.items() if k == "house")))


def deduced(match: Match, seat: Seat) -> Held:
    return {named(possible): set(possible.values) for possible in aid(match, seat)}


def allowed(game: Game[Any, Any], worlds: Worlds) -> Held:
    """By what is hidden, all that it is in some world; what is hidden in none is left out."""
    every = [held_by(game, hand) for hand in worlds.hands]
    found = {what: {hand[what] for hand in every} for what in every[0]}
    return {what: values for what, values in found.items() if values != {None}}


def played(game: Game[Any, Any], seed: str) -> Iterator[SimulatedMove]:
    options = {**random_options(game.options, Dice(f"{seed}/options")), "aids": True}
    for n, step in enumerate(steps(opened(game, seed, options), seed)):
        if n == FAR or step.match.outcome:
            return
        yield step


def state_of(step: SimulatedMove) -> State[Any, Any]:
    assert step.match.state is not None
    return step.match.state


@with_aid
@pytest.mark.parametrize("place", [0, 1])
def test_what_is_deduced_is_what_some_hidden_world_allows(game: Game[Any, Any], place: int) -> None:
    """Against an oracle that plays every world by the rules: at each step of random games, for each seat."""
    for i in games(3):
        worlds: Worlds | None = None
        for step in played(game, f"deduce/{i}"):
            me = step.match.seats[place]
            if isinstance(step.entry, Moved):
                assert worlds is not None
                worlds.see(step.entry, state_of(step))
                assert deduced(step.match, me) == allowed(game, worlds)
            elif step.match.state:
                worlds = Worlds(game, me, step.match.state)


@with_aid
def test_the_truth_is_never_ruled_out_whatever_is_taken_back_or_corrected(game: Game[Any, Any]) -> None:
    repairs = Counter[str]()
    for i in games(9):
        for match in islice(repaired(game, f"mended/{i}", aids=True), 0, None, EACH):
            assert match.repair and match.state
            repairs[match.repair.kind] += 1
            for seat in match.seats if not match.outcome else ():
                hidden = held_by(game, match.state.hands[_opponent(match, seat)])
                for what, values in deduced(match, seat).items():
                    assert hidden[what] in values
    assert repairs["taken_back"] > 20 and repairs["corrected"] > 20


@with_aid
def test_after_a_repair_is_deduced_what_a_fresh_game_with_the_same_moves_would_tell(
    game: Game[Any, Any],
) -> None:
    for i in games(6):
        for match in islice(repaired(game, f"afresh/{i}", aids=True), 0, None, EACH):
            fresh = afresh(match)
            for seat in match.seats:
                assert aid(match, seat) == aid(fresh, seat)


def afresh(match: Match) -> Match:
    """The moves that stand, played by the same people from the beginning."""
    fresh = reopen_match(match.code, match.game, match.rules, match.options, match.seed)
    for seat in match.seats:
        fresh = fresh.after(Joined(seat, "Ana"))
    for made in match.made:
        fresh = fresh.after(made.entry)
    return fresh


def _opponent(match: Match, seat: Seat) -> Seat:
    return next(other for other in match.seats if other != seat)


@with_aid
def test_a_seat_works_with_what_it_has_seen(game: Game[Any, Any]) -> None:
    """Its own slices are all that a deduction is given, one after the other."""
    for step in played(game, "slices"):
        for seat in step.match.seats if step.match.state else ():
            moments: list[Slice[Any, Any]] = []
            spied = replace(step.match, game=replace(game, aid=noting(game, moments)))
            assert aid(spied, seat) == aid(step.match, seat)
            assert {moment.seat for moment in moments} == {seat}
            assert moments[-1] == state_of(step).slice(seat)


def noting(game: Game[Any, Any], moments: list[Slice[Any, Any]]) -> Aid[Any, Any]:
    """The deductions of a game, which note every moment they are given."""
    own = game.aid
    assert own

    def begin(first: Slice[Any, Any]) -> Any:
        moments.append(first)
        return own.begin(first)

    def see(known: Any, before: Slice[Any, Any], now: Slice[Any, Any]) -> Any:
        assert before == moments[-1], "nothing is left out between two moves"
        moments.append(now)
        return own.see(known, before, now)

    def tell(known: Any, now: Slice[Any, Any]) -> tuple[Possible, ...]:
        moments.append(now)
        return own.tell(known, now)

    return Aid(begin, see, tell)


# ---- what is kept between two looks


def looked_at(match: Match, seat: Seat, kept: Deductions) -> int:
    """How many moves a look at one's deductions takes in."""
    return sum(1 for _ in kept.aid_in_slices(match, seat))


@with_aid
def test_cached_deductions_equal_those_computed_from_the_deal(game: Game[Any, Any]) -> None:
    """A seat looks after every repair; every fifth, others in each game, is compared."""
    for i in games(4):
        kept = Deductions()
        for n, match in enumerate(repaired(game, f"kept/{i}", aids=True)):
            for seat in match.seats:
                found = kept.aid(match, seat)
                assert (n + i) % EACH or found == aid(match, seat)


def long_match(moves: int) -> Match:
    """A game of attacks that find nothing."""
    match = sitting()
    while len(match.made) < moves:
        match = attack(match, str(match.state and match.state.table.turn), 9, 1)
    return match


def test_a_look_costs_what_was_played_since_the_one_before() -> None:
    match, kept = long_match(400), Deductions()
    assert looked_at(match, "target", kept) == 400
    assert looked_at(match, "target", kept) == 0
    for _ in range(3):
        match = attack(match, str(match.state and match.state.table.turn), 9, 1)
        assert looked_at(match, "target", kept) == 1
    assert looked_at(match, "mask", kept) == 403, "what another seat saw is no use to it"


@pytest.mark.parametrize("back", [1, 20, 100, 300])
def test_what_is_taken_back_costs_no_more_than_it_was(back: int) -> None:
    match, kept = long_match(5000), Deductions()
    looked_at(match, "target", kept)
    asked = Asked("target", "undo", ("mask",), {"n": match.made[-back].n})
    match = match.after(asked).after(Answered("mask", True))
    assert looked_at(match, "target", kept) <= 4 * back + 2 * APART
    assert kept.aid(match, "target") == aid(match, "target")


def test_a_correction_is_worked_out_from_the_move_that_it_changes() -> None:
    match, kept = long_match(200), Deductions()
    kept.aid(match, "target")
    n = next(made.n for made in match.made if made.entry.seat == "mask")
    asked = Asked("mask", "correct", ("target",), {"n": n, "fields": {"houses": (7, 2, 5)}}, salt="22" * 32)
    match = match.after(asked).after(Answered("target", True))
    assert kept.aid(match, "target") == aid(match, "target")


def test_another_game_of_the_same_code_is_another_game() -> None:
    kept = Deductions()
    for seed in ("sitting", "another"):
        match = opened(AGENT_HUNTER, seed, {"aids": True, "first": "target"})
        for entry in (Joined("target", "Ana"), Joined("mask", "Ben")):
            match = match.after(entry)
        assert looked_at(match, "target", kept) == 0
    assert len(kept) == 2


def test_deductions_are_cached_for_a_bounded_number_of_seats() -> None:
    match, kept = long_match(3), Deductions()
    for n in range(SEATS + 10):
        kept.aid(replace(match, code=f"T{n}"), "target")
    assert len(kept) == SEATS
    assert looked_at(replace(match, code="T0"), "target", kept) == 3, "it was forgotten"
    assert looked_at(replace(match, code=f"T{SEATS + 9}"), "target", kept) == 0


def test_the_checkpoints_of_a_seat_grow_with_the_logarithm_of_the_game() -> None:
    match, kept = long_match(5000), Deductions()
    kept.aid(match, "target")
    places = kept.checkpoints(match, "target")
    assert len(places) <= 2 * (5000 // APART).bit_length() + 2


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
def test_a_game_with_deductions_offers_them_as_an_option_and_they_are_off(game: Game[Any, Any]) -> None:
    assert (AIDS in game.options) == (game.aid is not None)
    start = opened(game, "off", {})
    assert not start.options.get("aids")
    for seat in start.seats:
        start = start.after(Joined(seat, "Ana"))
    assert not has_aid(start)
    assert aid(start, start.seats[0]) == ()


# ---- Agent Hunter as the example


def sitting() -> Match:
    match = opened(AGENT_HUNTER, "sitting", {"aids": True, "first": "target"})
    for entry in (Joined("target", "Ana"), Joined("mask", "Ben")):
        match = match.after(entry)
    match = match.after(Moved("target", Move("hide", {"houses": (4, 7, 0)}), "00" * 32))
    return match.after(Moved("mask", Move("hide", {"houses": (8, 2, 5)}), "11" * 32))


def attack(match: Match, by: Seat, card: int, house: int) -> Match:
    return match.after(Moved(by, Move("attack_from_hand", {"card": card, "house": house})))


def test_answers_narrow_a_house_and_cards_shown_are_in_no_house() -> None:
    match = attack(sitting(), "target", 5, 1)
    assert deduced(match, "target")["house 1"] == {6, 7, 8, 9}
    match = attack(match, "mask", 9, 1)
    assert deduced(match, "target")["house 1"] == {6, 7, 8}
    assert deduced(match, "target")["house 2"] == {0, 1, 2, 3, 4, 5, 6, 7, 8}
    assert deduced(match, "mask")["house 1"] == {0, 1, 2, 3, 4, 6, 7, 8}, "5 was shown, and it is below 9"


def test_once_a_secret_was_corrected_the_answers_count_as_they_were_told_anew() -> None:
    match = attack(sitting(), "target", 5, 1)
    n = next(told.n for told in match.news if told.news.kind == "hidden" and told.news.fields["by"] == "mask")
    asked = Asked("mask", "correct", ("target",), {"n": n, "fields": {"houses": (3, 2, 8)}}, salt="22" * 32)
    match = match.after(asked).after(Answered("target", True))
    assert match.told()[-1].news.fields["now"]["fields"]["answer"] == "moins"
    assert deduced(match, "target")["house 1"] == {0, 1, 2, 3, 4}
    match = attack(match, "mask", 1, 1)
    assert deduced(match, "target")["house 1"] == {0, 2, 3, 4}


def test_an_answer_that_was_taken_back_counts_no_more() -> None:
    """Whoever heard it may remember it; the game as it stands does not."""
    match = attack(sitting(), "target", 5, 1)
    asked = Asked("target", "undo", ("mask",), {"n": match.made[-1].n})
    match = match.after(asked).after(Answered("mask", True))
    assert deduced(match, "target")["house 1"] == set(range(10))


def test_nothing_is_deduced_once_it_is_over() -> None:
    match = opened(AGENT_HUNTER, "over", {"aids": True})
    *_, last = steps(match, "over")
    assert last.match.outcome and aid(last.match, "mask") == ()
