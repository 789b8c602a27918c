"""The rules of Agent Avenue: the deal, and how each move changes the table and the face-down card."""

from typing import Any

from referee.core.dice import Dice
from referee.core.frozen import replaced
from referee.core.game import News, State
from referee.core.moves import Move, Seat
from referee.core.options import GUIDE, LANGUAGE, OneOf, Options
from referee.games.agent_avenue.cards import CARDS, HAND, MARKET, SIDES, other
from referee.games.agent_avenue.market import effect_of, picked, refilled, set_up
from referee.games.agent_avenue.position import Position
from referee.games.agent_avenue.table import (
    DECK,
    DISCARDS,
    FACE_DOWN,
    FACE_UP,
    SEATS,
    AvenueHand,
    AvenueTable,
    Concealed,
    Holding,
    Market,
    Place,
    Team,
    hand,
    side_of,
    sides,
)
from referee.games.agent_avenue.turn import go_on, recruited

OPTIONS = (
    OneOf("mode", ("base", "advanced")),
    OneOf("players", tuple(SEATS)),
    OneOf("first", ("random", *SIDES)),
    LANGUAGE,
    GUIDE,
)
AvenueState = State[AvenueTable, AvenueHand]


def deal(options: Options, dice: Dice) -> Position:
    """Mise en place: four cards each, the rest is the deck. Players deal the real cards themselves."""
    first = dice.pick(SIDES) if options["first"] == "random" else options["first"]
    seats, advanced = SEATS[options["players"]], options["mode"] == "advanced"
    limits = {seat: DISCARDS[len(team)] for team in sides(seats).values() for seat in team}
    table = AvenueTable(
        turn=None if advanced else first,
        step="market_setup" if advanced else "show",
        said=(News("began", {"first": first}),),
        first=first,
        teams={side: Team() for side in SIDES},
        holdings={seat: Holding(HAND, limits[seat]) for seat in seats},
        deck=CARDS - HAND * len(seats),
        market=Market(deck=len(MARKET)) if advanced else None,
    )
    return Position(table, {seat: AvenueHand() for seat in seats}, box={})


def play(state: AvenueState, seat: Seat, move: Move, _dice: Dice) -> Position:
    """Play a move that `choices` offers."""
    before = Position(replaced(state.table, said=(), drawn={}), state.hands, state.box)
    match move.type:
        case "market_setup":
            return set_up(before, move["cards"])
        case "discard":
            return _discard(before, seat)
        case "show":
            return _show(before, seat, move["agent"])
        case "conceal":
            return _conceal(before, seat, Concealed(move["agent"], move.fields.get("whole_hand", False)))
        case "take":
            return _take(before, seat, move["card"])
        case "market_pick":
            return picked(before, seat, move["card"])
        case "market_refill":
            return refilled(before, move["card"])
    return effect_of(before, seat, move)


def _discard(before: Position, seat: Seat) -> Position:
    """A card goes face down in front of its owner and is replaced: the hand keeps its size."""
    held = before.table.holdings[seat].discards()
    must_show = seat if before.table.reserved else None
    after = before.with_holding(seat, held).on_table(deck=before.table.deck - 1, drawn={seat: 1})
    after = after.carried(None, Place("hand", seat), Place("discard", seat))
    after = after.carried(None, DECK, Place("hand", seat))
    return after.on_table(must_show=must_show).say("discarded", by=seat)


def _show(before: Position, seat: Seat, agent: str) -> Position:
    """The first card. A player of a pair draws now; a solo player draws after both cards."""
    held = before.table.holdings[seat].shows(agent)
    after = before.with_holding(seat, held).on_table(face_up=agent, shower=seat, step="conceal")
    after = after.carried(agent, Place("hand", seat), FACE_UP).say("shown", by=seat, agent=agent)
    return after.drawn(seat) if after.table.is_pair(side_of(seat)) else after


def _conceal(before: Position, seat: Seat, card: Concealed) -> Position:
    """The second card. Its player draws back to four, but not the card reserved for the face-up player."""
    held = before.table.holdings[seat]
    after = before.with_holding(seat, replaced(held, hand=held.hand - 1)).with_hidden(seat, card)
    after = after.carried(None, Place("hand", seat), FACE_DOWN)
    after = after.on_table(step="take", concealer=seat).say("concealed", by=seat)
    return after if before.table.reserved else after.drawn(seat)


def _take(before: Position, seat: Seat, card: str) -> Position:
    """The opponents take one card, the active side gets the other; both are shown and both pawns move."""
    table, active = before.table, str(before.table.turn)
    hidden, shown = before.hidden(), str(table.face_up)
    up, down = (shown, FACE_UP), (hidden, FACE_DOWN)
    mine, theirs = (down, up) if card == "face_up" else (up, down)
    after = before.revealed().say("taken", by=seat, card=card)
    after = recruited(after, active, *mine)
    return go_on(recruited(after, other(active), *theirs))


def debrief(state: AvenueState) -> dict[Seat, dict[str, Any]]:
    """Everything hidden, by seat: all cards laid face down, the first one, and one still face down."""
    state.check_over()
    return {seat: _hidden(state, seat) for seat in state.hands}


def _hidden(state: AvenueState, seat: Seat) -> dict[str, Any]:
    laid: tuple[Concealed, ...] = state.box.get(seat, ())
    first = AvenueHand(laid[0].agent) if laid else AvenueHand()
    return {
        "end": hand(state.hands[seat]),
        "first": hand(first),
        "concealed": [{"agent": card.agent, "whole_hand": card.whole_hand} for card in laid],
    }
