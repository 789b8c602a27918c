"""The rules: the deal, what each seat may do, and what each move changes."""

from typing import Any

from referee.core.dice import Dice
from referee.core.frozen import replaced
from referee.core.game import News, Outcome, Say, Slice, State
from referee.core.moves import Choice, Choices, Move, One, Seat, Shape
from referee.core.options import LANGUAGE, PLAYERS, OneOf, Options
from referee.kit.template.new_game.table import ALL_SEATS, NUMBERS, NewHand, NewState, NewTable, hand, seats

MOVES = {
    "hide": Shape({"number": int}, secret=frozenset({"number"})),
    "guess": Shape({"seat": str, "number": int}),
}


def _is_there(seat: Any, options: Options) -> bool:
    return seat == "random" or seat in seats(options)


OPTIONS = (
    OneOf(PLAYERS, (2, 3, 4)),
    OneOf("first", ("random", *ALL_SEATS), goes_with=_is_there),
    LANGUAGE,
)


def deal(options: Options, dice: Dice) -> NewState:
    here = seats(options)
    first = dice.pick(here) if options["first"] == "random" else options["first"]
    table = NewTable(turn=None, step="hide", said=(News("began", {"first": first}),), seats=here, first=first)
    return State(table, {seat: NewHand() for seat in here})


def choices(seen: Slice[NewTable, NewHand]) -> Choices:
    """Every legal move of this seat, from what it may know alone."""
    table, seat = seen.table, seen.seat
    if table.outcome or seat is None:
        return ()
    if table.step == "hide":
        return () if seat in table.hidden else (Choice("hide", (One("number", NUMBERS, secret=True),)),)
    if table.turn != seat:
        return ()
    others = (other for other in table.alive() if other != seat)
    return tuple(
        Choice("guess", (One("seat", (other,)), One("number", table.left(other)))) for other in others
    )


def why_not(seen: Slice[NewTable, NewHand], move: Move) -> Say | None:
    """The rule that forbids a move which is not offered."""
    if move.type == "guess" and seen.table.turn == seen.seat and move["seat"] == seen.seat:
        return Say("own_number")
    return None


def play(state: NewState, seat: Seat, move: Move, _dice: Dice) -> NewState:
    state = state.on_table(said=())
    if move.type == "hide":
        return _hide(state, seat, move["number"])
    return _guess(state, seat, move["seat"], move["number"])


def _hide(state: NewState, seat: Seat, number: int) -> NewState:
    table = state.table
    hidden = table.hidden | {seat}
    is_ready = len(hidden) == len(table.seats)
    state = state.with_hand(seat, NewHand(number)).say("hidden", by=seat)
    return state.on_table(
        hidden=hidden,
        step="guess" if is_ready else "hide",
        turn=table.first if is_ready else None,
    )


def _guess(state: NewState, seat: Seat, other: Seat, number: int) -> NewState:
    table = state.table
    if state.hands[other].number == number:
        state = state.on_table(found={**table.found, other: number})
        state = state.say("found", by=seat, owner=other, number=number)
    else:
        guessed = {**table.guessed, other: (*table.guessed.get(other, ()), number)}
        state = state.on_table(guessed=guessed)
        left = len(state.table.left(other))
        state = state.say("missed", by=seat, owner=other, number=number, left=left)
    alive = state.table.alive()
    if len(alive) == 1:
        return state.on_table(turn=None, step="over", outcome=Outcome(alive, "last"))
    return state.on_table(turn=_next(state.table, seat))


def _next(table: NewTable, seat: Seat) -> Seat:
    """The next seat around the table whose number was not found."""
    at = table.seats.index(seat)
    after = (*table.seats[at + 1 :], *table.seats[: at + 1])
    return next(other for other in after if other not in table.found)


def debrief(state: NewState) -> dict[Seat, dict[str, Any]]:
    """All that was hidden, once the game is over."""
    state.check_over()
    return {seat: hand(replaced(mine)) for seat, mine in state.hands.items()}
