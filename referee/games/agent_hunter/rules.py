"""The rules of Agent Hunter: the deal, and how each move changes the table and the hands."""

from typing import Any

from referee.core.dice import Dice
from referee.core.frozen import replaced
from referee.core.game import News
from referee.core.moves import Move, Seat
from referee.core.options import AIDS, GUIDE, LANGUAGE, Number, OneOf, Options
from referee.games.agent_hunter.clues import clues_after
from referee.games.agent_hunter.position import Position
from referee.games.agent_hunter.table import (
    HOUSES,
    SEATS,
    VALUES,
    HunterHand,
    HunterState,
    HunterTable,
    Owed,
    Side,
    hand,
    other,
)

OPTIONS = (
    OneOf("first", ("random", *SEATS)),
    LANGUAGE,
    OneOf("refill_after_final", (False, True)),
    Number("turn_cap", 1, 500),
    AIDS,
    GUIDE,
)
UNKNOWN: frozenset[int] = frozenset()  # after a card is laid face down: any card known in hand may be it


def deal(options: Options, dice: Dice) -> Position:
    """Mise en place: all ten cards in hand, the first player at random unless the options set it."""
    first = dice.pick(SEATS) if options["first"] == "random" else options["first"]
    table = HunterTable(
        turn=None,
        step="hide",
        said=(News("began", {"first": first}),),
        sides={seat: Side() for seat in SEATS},
        first=first,
        turn_cap=options["turn_cap"],
        refill_after_final=options["refill_after_final"],
    )
    nothing_laid: dict[int, int | None] = dict.fromkeys(HOUSES)
    return Position(table, {seat: HunterHand(nothing_laid, frozenset(VALUES)) for seat in SEATS}, box={})


def play(state: HunterState, seat: Seat, move: Move, _dice: Dice) -> Position:
    """Play a move that `choices` offers."""
    after = _played(state, seat, move)
    clues = clues_after(state.table.clues, after.table.said)
    return after if clues is state.table.clues else after.on_table(clues=clues)


def _played(state: HunterState, seat: Seat, move: Move) -> Position:
    before = Position(replaced(state.table, said=()), state.hands, state.box)
    match move.type:
        case "hide":
            return _hide(before, seat, move["houses"])
        case "attack_from_hand":
            return _attack_from_hand(before, seat, move["card"], move["house"])
        case "attack_from_house":
            return _attack_from_house(before, seat, move["from"], move["house"])
        case "swap":
            return _swap(before, seat, move["house"], move["card"], move["decoy"])
        case "refill":
            return _refill(before, seat, move["house"], move["card"])
    raise ValueError(f"Agent Hunter has no move {move.type}")


def _hide(before: Position, seat: Seat, cards: tuple[int, ...]) -> Position:
    """Mise en place 3: three cards face down. Play begins when both sides have hidden theirs."""
    mine = HunterHand(dict(zip(HOUSES, cards, strict=True)), frozenset(VALUES) - set(cards))
    after = before.with_cards(seat, mine, hidden=True).told("hidden", {"by": seat})
    after = replaced(after, box={**after.box, seat: mine})
    if not all(side.hidden for side in after.table.sides.values()):
        return after
    return after.on_table(step="act", turn=after.table.first)


def answer(attacking: int, hidden: int) -> str:
    """PLUS: the hidden card is higher. MOINS: it is lower. RÉUSSITE: they are equal."""
    if hidden == attacking:
        return "reussite"
    return "plus" if hidden > attacking else "moins"


def _attack_from_hand(before: Position, seat: Seat, card: int, house: int) -> Position:
    """Déroulement 1: a miss has no effect; a hit destroys the house and costs the card."""
    enemy = other(seat)
    told = answer(card, before.hidden_in(enemy, house))
    fields = {"by": seat, "origin": "hand", "card": card, "house": house, "answer": told}
    after = before.told("attack", fields)
    if told == "reussite":
        return after.destroyed(enemy, house, card).dropped(seat, card).turn_over()
    known = after.table.sides[seat].known_in_hand | {card}
    return after.with_cards(seat, after.hands[seat], known_in_hand=known).turn_over()


def _attack_from_house(before: Position, seat: Seat, origin: int, house: int) -> Position:
    """Déroulement 2: a miss destroys the attacking house, a hit empties it for a refill."""
    enemy, card = other(seat), before.hidden_in(seat, origin)
    told = answer(card, before.hidden_in(enemy, house))
    fields = {"by": seat, "origin": "house", "from": origin, "card": card, "house": house, "answer": told}
    after = before.told("attack", fields)
    if told != "reussite":
        return _match(after.destroyed(seat, origin, card), enemy, card)
    return _owe(after.destroyed(enemy, house, card).emptied(seat, origin), seat, origin)


def _match(before: Position, seat: Seat, value: int) -> Position:
    """The defender lays the card of the same value on the destroyed house, from hand or from a house."""
    house = before.hands[seat].house_of(value)
    if house is None:
        after = before.dropped(seat, value)
        return after.told("matched", {"by": seat, "value": value, "origin": "hand"}).turn_over()
    fields = {"by": seat, "value": value, "origin": "house", "house": house}
    return _owe(before.emptied(seat, house).told("matched", fields), seat, house)


def _swap(before: Position, seat: Seat, house: int, card: int, decoy: int) -> Position:
    """Déroulement 3: the card of the house is shown and taken up, any card laid, a decoy placed."""
    shown, side = before.hidden_in(seat, house), before.table.sides[seat]
    after = before.with_cards(
        seat,
        before.hands[seat].swap(house, card),
        decoys_left=side.decoys_left - 1,
        houses={**side.houses, decoy: side.houses[decoy].with_decoy()},
        known_in_hand=UNKNOWN,
    )
    return after.told("swapped", {"by": seat, "house": house, "shown": shown, "decoy": decoy}).turn_over()


def _owe(before: Position, seat: Seat, house: int) -> Position:
    """An emptied house is refilled before the turn passes, unless the last destruction ended the game."""
    if before.is_decided() and not before.table.refill_after_final:
        return before.turn_over()
    return before.on_table(step="refill", owed=Owed(seat, house))


def _refill(before: Position, seat: Seat, house: int, card: int) -> Position:
    """The card that is owed goes face down into the emptied house."""
    after = before.with_cards(seat, before.hands[seat].lay(house, card), known_in_hand=UNKNOWN)
    return after.told("refilled", {"by": seat, "house": house}).turn_over(step="act", owed=None)


def debrief(state: HunterState) -> dict[Seat, dict[str, Any]]:
    """Everything hidden, by seat: its hand at the end and its first layout."""
    state.check_over()
    first = {**state.hands, **state.box}  # a game abandoned early may have no layout
    return {seat: {"end": hand(state.hands[seat]), "first": hand(first[seat])} for seat in SEATS}
