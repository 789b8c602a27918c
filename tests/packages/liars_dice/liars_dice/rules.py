"""The rules of Liar's Dice: the deal, and what each move changes."""

from typing import Any

from liars_dice.choices import DICE
from liars_dice.table import CUPS, MOST, Bid, DiceHand, DiceState, DiceTable, count, seats
from referee.core.dice import Dice
from referee.core.game import News, Outcome, State
from referee.core.moves import Move, Seat
from referee.core.options import LANGUAGE, PLAYERS, OneOf, Options


def _is_there(seat: Any, options: Options) -> bool:
    return seat == "random" or seat in seats(options)


OPTIONS = (
    OneOf(PLAYERS, tuple(range(2, len(CUPS) + 1))),
    OneOf("first", ("random", *CUPS), goes_with=_is_there),
    OneOf("dice", tuple(range(MOST, 0, -1))),
    OneOf("wild", (True, False)),
    OneOf("palifico", (True, False)),
    LANGUAGE,
)


def deal(options: Options, dice: Dice) -> DiceState:
    here = seats(options)
    first = dice.pick(here) if options["first"] == "random" else options["first"]
    each: int = options["dice"]
    table = DiceTable(
        turn=None,
        step="roll",
        said=(News("began", {"first": first}),),
        dice=dict.fromkeys(here, each),
        wild=options["wild"],
        has_palifico=options["palifico"],
        starter=first,
    )
    return State(table, {seat: DiceHand() for seat in here})


def play(state: DiceState, seat: Seat, move: Move, _dice: Dice) -> DiceState:
    state = state.on_table(said=())
    match move.type:
        case "roll":
            return _roll(state, seat, tuple(move[name] for name in DICE if name in move.fields))
        case "bid":
            bid = Bid(move["count"], move["face"])
            state = state.on_table(bid=bid, bidder=seat, turn=state.table.after(seat))
            return state.say("bid", by=seat, count=bid.count, face=bid.face)
        case _:
            return _doubt(state, seat)


def _roll(state: DiceState, seat: Seat, roll: tuple[int, ...]) -> DiceState:
    table, mine = state.table, state.hands[seat]
    rolled = table.rolled | {seat}
    is_ready = rolled == set(table.alive())
    state = state.with_hand(seat, DiceHand(tuple(sorted(roll)), mine.earlier)).say("rolled", by=seat)
    return state.on_table(
        rolled=rolled, step="bid" if is_ready else "roll", turn=table.starter if is_ready else None
    )


def _doubt(state: DiceState, seat: Seat) -> DiceState:
    """All cups are lifted. Whoever was wrong loses a die and starts the next round."""
    table = state.table
    bid, bidder = table.bid, table.bidder
    assert bid is not None
    assert bidder is not None
    found = count(state, bid.face)
    right = found < bid.count
    loser = bidder if right else seat
    shown = {each: list(state.hands[each].dice) for each in table.alive()}
    state = state.say(
        "doubted", by=seat, owner=bidder, count=bid.count, face=bid.face, found=found, right=right, cups=shown
    )
    return _lose(state, loser)


def _lose(state: DiceState, loser: Seat) -> DiceState:
    table = state.table
    left = table.dice[loser] - 1
    dice = {**table.dice, loser: left}
    state = state.on_table(dice=dice).say("lost", by=loser, left=left)
    hands = {seat: DiceHand((), (*mine.earlier, mine.dice)) for seat, mine in state.hands.items()}
    state = State(state.table, hands, state.box)
    if not left:
        state = state.on_table(out=(*table.out, loser)).say("out", by=loser)
    alive = state.table.alive()
    if len(alive) == 1:
        scores = dict(dice)
        over = Outcome(alive, "last", scores)
        return state.on_table(turn=None, step="over", outcome=over, bid=None, bidder=None, rolled=frozenset())
    return _next_round(state, loser)


def _next_round(state: DiceState, loser: Seat) -> DiceState:
    table = state.table
    is_palifico = table.has_palifico and table.dice[loser] == 1 and loser not in table.been_palifico
    is_palifico = is_palifico and len(table.alive()) > 2
    state = state.on_table(
        turn=None,
        step="roll",
        rolled=frozenset(),
        bid=None,
        bidder=None,
        starter=loser if table.dice[loser] else table.after(loser),
        palifico=is_palifico,
        been_palifico=table.been_palifico | ({loser} if is_palifico else set()),
    )
    return state.say("palifico", by=loser) if is_palifico else state


def debrief(state: DiceState) -> dict[Seat, dict[str, Any]]:
    """Every roll, once the game is over."""
    state.check_over()
    return {
        seat: {"rolls": [list(roll) for roll in (*mine.earlier, *([mine.dice] if mine.dice else []))]}
        for seat, mine in state.hands.items()
    }
