"""The rules of Agent Hunter: how a move changes the table and the hands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from referee.altered import altered
from referee.dice import Dice
from referee.game import News, Outcome, State
from referee.games.agent_hunter.table import (
    HOUSES,
    SEATS,
    VALUES,
    HunterHand,
    HunterTable,
    Owed,
    Side,
    hand,
    other,
)
from referee.moves import Move, Seat
from referee.options import AIDS, LANGUAGE, Number, OneOf, Options

OPTIONS = (
    OneOf("first", ("random", *SEATS)),
    LANGUAGE,
    OneOf("refill_after_final", (False, True)),
    Number("turn_cap", 1, 500),
    AIDS,
)


@dataclass(frozen=True)
class Position(State[HunterTable, HunterHand]):
    """The state, with the steps that a move of this game is made of."""

    def told(self, *news: News, **changes: Any) -> Self:
        """What a move tells first, and changes on the table: what the last one told is over."""
        return self.on_table(said=news, **changes)

    def also(self, kind: str, **fields: Any) -> Self:
        return self.on_table(said=(*self.table.said, News(kind, fields)))

    def on_table(self, **changes: Any) -> Self:
        return altered(self, table=altered(self.table, **changes))

    def with_hand(self, seat: Seat, cards: HunterHand, **changes: Any) -> Self:
        """New cards for a seat; everyone can count how many are in its hand, and sees these changes."""
        sides = self.table.sides_with(seat, hand_size=len(cards.cards), **changes)
        return self.with_hands({**self.hands, seat: cards}, sides=sides)

    def with_hands(self, hands: Mapping[Seat, HunterHand], **changes: Any) -> Self:
        return altered(self, table=altered(self.table, **changes), hands=hands)

    def dropped(self, seat: Seat, card: int) -> Self:
        """A hand card is laid on a destroyed house: out of the game."""
        known = self.table.sides[seat].known_in_hand - {card}
        return self.with_hand(seat, self.hands[seat].drop(card), known_in_hand=known)

    def destroyed(self, seat: Seat, house: int, value: int) -> Self:
        houses = self.table.sides[seat].houses_with(house, value=value)
        after = self.with_hand(seat, self.hands[seat].empty(house), houses=houses)
        return after.also("destroyed", side=seat, house=house, value=value)


UNKNOWN: frozenset[int] = frozenset()  # a card goes face down: any that was known in hand may be the one


def deal(options: Options, dice: Dice) -> Position:
    """Mise en place: all ten cards in hand, the first player at random unless settled."""
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


def play(state: State[HunterTable, HunterHand], seat: Seat, move: Move, _dice: Dice) -> Position:
    """Play a move that `choices` offers."""
    before = Position(state.table, state.hands, state.box)
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
    """Mise en place 3: three cards face down. Play begins when both sides have hidden."""
    mine = HunterHand(dict(zip(HOUSES, cards, strict=True)), frozenset(VALUES) - set(cards))
    after = altered(before, box={**before.box, seat: mine}).with_hand(seat, mine, hidden=True)
    news = News("hidden", {"by": seat})
    if all(side.hidden for side in after.table.sides.values()):
        return after.told(news, step="act", turn=after.table.first)
    return after.told(news)


def answer(attacking: int, hidden: int) -> str:
    """PLUS: the hidden card is higher. MOINS: it is lower. RÉUSSITE: they are equal."""
    if hidden == attacking:
        return "reussite"
    return "plus" if hidden > attacking else "moins"


def _held(state: Position, seat: Seat, house: int) -> int:
    card = state.hands[seat].houses[house]
    if card is None:
        raise ValueError(f"house {house} of {seat} holds no card")
    return card


def _attack_from_hand(before: Position, seat: Seat, card: int, house: int) -> Position:
    """Déroulement 1: a miss has no effect; a hit destroys the house and costs the card."""
    enemy = other(seat)
    told = answer(card, _held(before, enemy, house))
    fields = {"by": seat, "origin": "hand", "card": card, "house": house, "answer": told}
    if told != "reussite":
        known = before.table.sides[seat].known_in_hand | {card}
        sides = before.table.sides_with(seat, known_in_hand=known)
        return _end_turn(before, said=(News("attack", fields),), sides=sides)
    after = before.told(News("attack", fields)).destroyed(enemy, house, card)
    return _end_turn(after.dropped(seat, card))


def _attack_from_house(before: Position, seat: Seat, origin: int, house: int) -> Position:
    """Déroulement 2: a miss destroys the attacking house, a hit empties it for a refill."""
    enemy, card = other(seat), _held(before, seat, origin)
    told = answer(card, _held(before, enemy, house))
    fields = {"by": seat, "origin": "house", "from": origin, "card": card, "house": house, "answer": told}
    after = before.told(News("attack", fields))
    if told != "reussite":
        return _matched(after.destroyed(seat, origin, card), enemy, card)
    after = after.destroyed(enemy, house, card)
    return _owe(after.with_hand(seat, after.hands[seat].empty(origin)), seat, origin)


def _matched(before: Position, seat: Seat, value: int) -> Position:
    """The defender lays the card of the same value on the destroyed house, from hand or from a house."""
    house = before.hands[seat].house_of(value)
    if house is None:
        after = before.dropped(seat, value)
        return _end_turn(after.also("matched", by=seat, value=value, origin="hand"))
    after = before.with_hand(seat, before.hands[seat].empty(house))
    after = after.also("matched", by=seat, value=value, origin="house", house=house)
    return _owe(after, seat, house)


def _swap(before: Position, seat: Seat, house: int, card: int, decoy: int) -> Position:
    """Déroulement 3: the card of the house is shown and taken up, any card laid, a decoy placed."""
    shown, side = _held(before, seat, house), before.table.sides[seat]
    seen = {
        "decoys_left": side.decoys_left - 1,
        "houses": side.houses_with(decoy, decoys=side.houses[decoy].decoys + 1),
        "known_in_hand": UNKNOWN,
    }
    after = before.with_hand(seat, before.hands[seat].swap(house, card), **seen)
    fields = {"by": seat, "house": house, "shown": shown, "decoy": decoy}
    return _end_turn(after, said=(News("swapped", fields),))


def _owe(before: Position, seat: Seat, house: int) -> Position:
    """An emptied house is refilled before the turn passes, unless the last destruction ended the game."""
    if _decided(before) and not before.table.refill_after_final:
        return _end_turn(before)
    return before.on_table(step="refill", owed=Owed(seat, house))


def _refill(before: Position, seat: Seat, house: int, card: int) -> Position:
    after = before.with_hand(seat, before.hands[seat].lay(house, card), known_in_hand=UNKNOWN)
    news = News("refilled", {"by": seat, "house": house})
    return _end_turn(after, said=(news,), step="act", owed=None)


def _end_turn(before: Position, **changes: Any) -> Position:
    """With these last changes on the table, the turn passes or the game is over."""
    table = before.table
    after = before.on_table(turns=table.turns + 1, turn=other(str(table.turn)), **changes)
    if _decided(before):
        return _score(after, "houses")
    if after.table.turns == table.turn_cap:
        return _score(after, "turn_cap")
    return after


def _decided(state: Position) -> bool:
    """Fin de partie: as soon as one side has lost its three houses."""
    return not all(side.live() for side in state.table.sides.values())


def points(sides: Any, seat: Seat) -> int:
    """One for each house destroyed on the other side, and one for each decoy beside it."""
    houses = sides[other(seat)].houses.values()
    return sum(1 + house.decoys for house in houses if house.destroyed)


def _score(before: Position, reason: str) -> Position:
    scores = {seat: points(before.table.sides, seat) for seat in SEATS}
    winners, tie_break = _best(scores), None
    if not winners:
        sums = {seat: sum(before.hands[seat].cards) for seat in SEATS}
        winners, tie_break = _best(sums), {"hand_sum": sums}
    return before.on_table(turn=None, outcome=Outcome(winners, reason, scores, tie_break))


def _best(figures: dict[Seat, int]) -> tuple[Seat, ...]:
    """Who has more, or nobody when both have as much."""
    top = tuple(seat for seat in SEATS if figures[seat] == max(figures.values()))
    return top if len(top) == 1 else ()


def debrief(state: State[HunterTable, HunterHand]) -> dict[Seat, dict[str, Any]]:
    """All that was hidden: what each seat held at the end and what it first laid out."""
    if state.table.outcome is None:
        raise PermissionError("what is hidden is told when the game is over, not before")
    first = {**state.hands, **state.box}  # a game abandoned early may have nothing laid out
    return {seat: {"end": hand(state.hands[seat]), "first": hand(first[seat])} for seat in SEATS}
