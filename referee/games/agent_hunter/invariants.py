"""Invariants of every state of Agent Hunter, checked by the simulation."""

from collections.abc import Iterator, Mapping

from referee.core.moves import Seat
from referee.games.agent_hunter.choices import choices
from referee.games.agent_hunter.table import DECOYS, HOUSES, SEATS, VALUES, HunterHand, HunterState, other

ALL_VALUES = list(VALUES)


def invariants(state: HunterState) -> Iterator[str]:
    """A sentence for each violated invariant."""
    out, left = _out(state), [_remaining(state.hands[seat]) for seat in SEATS]
    empty = {seat: _empty(state, seat) for seat in SEATS}
    for seat, cards in zip(SEATS, left, strict=True):
        if sorted(cards + out) != ALL_VALUES:
            yield f"{seat}: hand, houses and destroyed values are not the ten cards 0-9, each once"
        yield from _houses(state, seat, len(empty[seat]))
        yield from _seen(state, seat)
    if left[0] != left[1]:
        yield "the two sides do not have the same values left, so a matching card could be missing"
    yield from _clues(state)
    yield from _turn(state)
    yield from _refill(state, empty)
    yield from _never_stuck(state)
    yield from _end(state)


def _clues(state: HunterState) -> Iterator[str]:
    """Every clue is true of the card that lies there."""
    for seat, houses in state.table.clues.items():
        for house, (above, below) in houses.items():
            card = state.hands[seat].houses[house]
            if card is None:
                yield f"{seat}: house {house} has a clue and no card"
            elif not (-1 if above is None else above) < card < (len(VALUES) if below is None else below):
                yield f"{seat}: the clue {above} {below} of house {house} is wrong"


def _out(state: HunterState) -> list[int]:
    """The values out of the game: each destruction removes one from both sides."""
    return [
        house.value
        for side in state.table.sides.values()
        for house in side.houses.values()
        if house.value is not None
    ]


def _laid(mine: HunterHand) -> list[int]:
    return [card for card in mine.houses.values() if card is not None]


def _remaining(mine: HunterHand) -> list[int]:
    return sorted((*mine.cards, *_laid(mine)))


def _empty(state: HunterState, seat: Seat) -> list[int]:
    """The standing houses of a seat that hold no card."""
    side, held = state.table.sides[seat], state.hands[seat].houses
    return [n for n in side.live if held[n] is None] if side.hidden else []


def _houses(state: HunterState, seat: Seat, empty: int) -> Iterator[str]:
    side, mine = state.table.sides[seat], state.hands[seat]
    stand = [n for n in HOUSES if side.houses[n].value is None]
    if tuple(side.houses) != HOUSES or tuple(mine.houses) != HOUSES:
        yield f"{seat}: the houses are not 1, 2, 3"
    if list(side.live) != stand:
        yield f"{seat}: the houses {side.live} are not those that stand"
    if [n for n in HOUSES if mine.houses[n] is not None and n not in stand]:
        yield f"{seat}: a destroyed house still holds a card"
    size = len(VALUES) - len(HOUSES) - state.table.sides[other(seat)].lost() + empty
    if side.hidden and len(mine.cards) != size:
        yield f"{seat}: {len(mine.cards)} cards in hand, not 7 less the houses destroyed opposite ({size})"
    if not side.hidden and (len(mine.cards) != len(VALUES) or _laid(mine)):
        yield f"{seat}: cards are in houses before the step hide is done"
    if len(mine.cards) < 5 and state.table.step == "act" and not state.table.outcome:
        yield f"{seat}: fewer than five cards in hand while play goes on"


def _seen(state: HunterState, seat: Seat) -> Iterator[str]:
    """The public counts and known cards of a seat agree with its hand."""
    side, cards = state.table.sides[seat], state.hands[seat].cards
    if side.hand_size != len(cards):
        yield f"{seat}: the public hand size is {side.hand_size}, the hand has {len(cards)} cards"
    if not side.known_in_hand <= cards:
        yield f"{seat}: a card known to be in hand is not there"
    laid = [house.decoys for house in side.houses.values()]
    if sum(laid) + side.decoys_left != DECOYS or min(*laid, side.decoys_left) < 0:
        yield f"{seat}: {laid} decoys laid and {side.decoys_left} left do not add up to five"


def _turn(state: HunterState) -> Iterator[str]:
    table = state.table
    hidden = all(side.hidden for side in table.sides.values())
    if (table.step == "hide") == hidden:
        yield f"step {table.step}, while both sides have hidden is {hidden}"
    whose = table.first if table.turns % 2 == 0 else other(table.first)
    if table.turn != (None if table.step == "hide" or table.outcome else whose):
        yield f"turn of {table.turn} after {table.turns} turns, begun by {table.first}"


def _refill(state: HunterState, of: Mapping[Seat, list[int]]) -> Iterator[str]:
    """A standing house is empty only while a refill is owed, or after the last destruction."""
    table = state.table
    owed = [(table.owed.seat, table.owed.house)] if table.owed else []
    empty = [(seat, house) for seat in SEATS for house in of[seat]]
    if (table.step == "refill") != bool(owed):
        yield f"step {table.step} with {table.owed} owed"
    if table.outcome is None and empty != owed:
        yield f"houses {empty} are empty, {owed} is owed"
    if table.outcome and empty and (table.refill_after_final or len(empty) > 1):
        yield f"houses {empty} were left empty at the end"


def _never_stuck(state: HunterState) -> Iterator[str]:
    """An attack from hand is always legal: every card in hand, every enemy house that stands."""
    table = state.table
    if table.step != "act" or table.outcome or table.turn is None:
        return
    attack, enemy = choices(state.slice(table.turn))[0], table.sides[other(table.turn)]
    offered = {field.name: field.options for field in attack.fields}
    if attack.type != "attack_from_hand" or offered != {
        "card": tuple(sorted(state.hands[table.turn].cards)),
        "house": enemy.live,
    }:
        yield f"{table.turn} is not offered every attack from hand"
    if not all(offered.values()):
        yield f"{table.turn} is stuck"


def _end(state: HunterState) -> Iterator[str]:
    table = state.table
    decided = not all(side.live for side in table.sides.values())
    capped = table.turns == table.turn_cap
    if bool(table.outcome) != ((decided or capped) and not table.owed):
        yield f"over is {bool(table.outcome)}: three houses lost {decided}, turn cap reached {capped}"
    if table.outcome and table.outcome.reason != ("houses" if decided else "turn_cap"):
        yield f"the game ended because of {table.outcome.reason}"
