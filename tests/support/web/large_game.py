"""A game for two to eight players, more than shipped ones have: nobody hides anything, a nod ends it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

from referee.core.dice import Dice
from referee.core.game import Finished, Game, Hand, News, Outcome, Say, Slice, State, Table
from referee.core.moves import Choice, Choices, Move, Seat, Shape
from referee.core.options import PLAYERS, OneOf, Options
from referee.games import GAMES
from referee.presentation.sheets import Block, Row
from referee.presentation.words import LANGUAGES, words

SEATS = ("amber", "birch", "cedar", "daisy", "elder", "fern", "gorse", "hazel")
COUNTS = tuple(range(2, len(SEATS) + 1))

LargeState = State[Table, Hand]


def seats(options: Options) -> tuple[Seat, ...]:
    return SEATS[: options[PLAYERS]]


def deal(options: Options, _dice: Dice) -> LargeState:
    first = SEATS[0]
    table = Table(turn=first, step="nod", said=(News("began", {"first": first}),))
    return State(table, {seat: Hand() for seat in seats(options)})


def choices(seen: Slice[Table, Hand]) -> Choices:
    is_due = seen.seat is not None and seen.table.turn == seen.seat and not seen.table.outcome
    return (Choice("nod"),) if is_due else ()


def play(state: LargeState, seat: Seat, _move: Move, _dice: Dice) -> LargeState:
    table = replace(state.table, turn=None, outcome=Outcome((seat,), "nodded"), said=())
    return State(table, state.hands)


def debrief(state: LargeState) -> dict[Seat, dict[str, Any]]:
    return {seat: {"end": {}, "first": {}} for seat in state.hands}


def sheet(over: Finished) -> Iterator[Block]:
    for seat in over.debrief:
        yield Row(over.title(seat), "")


LARGE: Game[Table, Hand] = Game(
    id="large",
    protocol=1,
    rules=1,
    seats=seats,
    options=(OneOf(PLAYERS, COUNTS), OneOf("language", LANGUAGES)),
    moves={"nod": Shape()},
    deal=deal,
    choices=choices,
    play=play,
    todo=lambda _seen: (Say("nod"),),
    public=lambda table: {"turn": table.turn, "step": table.step},
    hand=lambda _hand: {},
    debrief=debrief,
    sheet=sheet,
)
WORDS = {
    "name": "The Great Gathering",
    "tagline": "A test.",
    "option.players": "How many?",
    "reason.nodded": "nodded",
    "todo.nod": "Nod.",
    **{f"seat.{seat}": f"House of {seat.title()}" for seat in SEATS},
}


def register() -> None:
    """Let this process play it."""
    GAMES[LARGE.id] = LARGE
    for language in LANGUAGES:
        catalogue = cast(dict[str, tuple[str, ...]], words(language).messages)
        catalogue.update({f"{LARGE.id}.{key}": (text,) for key, text in WORDS.items()})
