"""The rules of Agent Hunter: how a move changes the table and the hands."""

from collections.abc import Mapping
from typing import Any

from referee.altered import altered
from referee.dice import Dice
from referee.game import News, Outcome, State
from referee.games.agent_hunter.table import (
    HOUSES,
    SEATS,
    VALUES,
    House,
    HunterHand,
    HunterState,
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


class Turn:
    """A move while it is played: what it changes is gathered here, and the state after it made at one go."""

    def __init__(self, before: HunterState) -> None:
        self.before = before
        self.table = before.table
        self.sides = dict(before.table.sides)
        self.hands = dict(before.hands)
        self.said: list[News] = []

    def tell(self, kind: str, fields: Mapping[str, Any]) -> None:
        self.said.append(News(kind, fields))

    def hold(self, seat: Seat, cards: HunterHand, **changes: Any) -> None:
        """New cards for a seat; everyone can count how many are in its hand, and sees these changes."""
        self.hands[seat] = cards
        self.sides[seat] = altered(self.sides[seat], hand_size=len(cards.cards), **changes)

    def held(self, seat: Seat, house: int) -> int:
        card = self.hands[seat].houses[house]
        if card is None:
            raise ValueError(f"house {house} of {seat} holds no card")
        return card

    def drop(self, seat: Seat, card: int) -> None:
        """A hand card is laid on a destroyed house: out of the game."""
        known = self.sides[seat].known_in_hand - {card}
        self.hold(seat, self.hands[seat].drop(card), known_in_hand=known)

    def destroy(self, seat: Seat, house: int, value: int) -> None:
        side = self.sides[seat]
        houses = {**side.houses, house: House(side.houses[house].decoys, value)}
        live = tuple(each for each in side.live if each != house)
        self.hold(seat, self.hands[seat].empty(house), houses=houses, live=live)
        self.tell("destroyed", {"side": seat, "house": house, "value": value})

    def decided(self) -> bool:
        """Fin de partie: as soon as one side has lost its three houses."""
        return () in [side.live for side in self.sides.values()]

    def after(self, **changes: Any) -> HunterState:
        """The state, with these last changes on the table."""
        table = altered(self.table, said=tuple(self.said), sides=self.sides, **changes)
        return State(table, self.hands, self.before.box)

    def end(self, **changes: Any) -> HunterState:
        """With these last changes on the table, the turn passes or the game is over."""
        turns = self.table.turns + 1
        if self.decided():
            return self.after(turns=turns, turn=None, outcome=self.outcome("houses"), **changes)
        if turns == self.table.turn_cap:
            return self.after(turns=turns, turn=None, outcome=self.outcome("turn_cap"), **changes)
        return self.after(turns=turns, turn=other(str(self.table.turn)), **changes)

    def outcome(self, reason: str) -> Outcome:
        scores = {seat: points(self.sides, seat) for seat in SEATS}
        winners, tie_break = _best(scores), None
        if not winners:
            sums = {seat: sum(self.hands[seat].cards) for seat in SEATS}
            winners, tie_break = _best(sums), {"hand_sum": sums}
        return Outcome(winners, reason, scores, tie_break)


UNKNOWN: frozenset[int] = frozenset()  # a card goes face down: any that was known in hand may be the one


def deal(options: Options, dice: Dice) -> HunterState:
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
    return State(table, {seat: HunterHand(nothing_laid, frozenset(VALUES)) for seat in SEATS}, box={})


def play(state: HunterState, seat: Seat, move: Move, _dice: Dice) -> HunterState:
    """Play a move that `choices` offers."""
    turn = Turn(state)
    match move.type:
        case "hide":
            return _hide(turn, seat, move["houses"])
        case "attack_from_hand":
            return _attack_from_hand(turn, seat, move["card"], move["house"])
        case "attack_from_house":
            return _attack_from_house(turn, seat, move["from"], move["house"])
        case "swap":
            return _swap(turn, seat, move["house"], move["card"], move["decoy"])
        case "refill":
            return _refill(turn, seat, move["house"], move["card"])
    raise ValueError(f"Agent Hunter has no move {move.type}")


def _hide(turn: Turn, seat: Seat, cards: tuple[int, ...]) -> HunterState:
    """Mise en place 3: three cards face down. Play begins when both sides have hidden."""
    mine = HunterHand(dict(zip(HOUSES, cards, strict=True)), frozenset(VALUES) - set(cards))
    turn.hold(seat, mine, hidden=True)
    turn.tell("hidden", {"by": seat})
    begun = all(side.hidden for side in turn.sides.values())
    after = turn.after(step="act", turn=turn.table.first) if begun else turn.after()
    return altered(after, box={**after.box, seat: mine})


def answer(attacking: int, hidden: int) -> str:
    """PLUS: the hidden card is higher. MOINS: it is lower. RÉUSSITE: they are equal."""
    if hidden == attacking:
        return "reussite"
    return "plus" if hidden > attacking else "moins"


def _attack_from_hand(turn: Turn, seat: Seat, card: int, house: int) -> HunterState:
    """Déroulement 1: a miss has no effect; a hit destroys the house and costs the card."""
    enemy = other(seat)
    told = answer(card, turn.held(enemy, house))
    turn.tell("attack", {"by": seat, "origin": "hand", "card": card, "house": house, "answer": told})
    if told == "reussite":
        turn.destroy(enemy, house, card)
        turn.drop(seat, card)
    else:
        turn.hold(seat, turn.hands[seat], known_in_hand=turn.sides[seat].known_in_hand | {card})
    return turn.end()


def _attack_from_house(turn: Turn, seat: Seat, origin: int, house: int) -> HunterState:
    """Déroulement 2: a miss destroys the attacking house, a hit empties it for a refill."""
    enemy, card = other(seat), turn.held(seat, origin)
    told = answer(card, turn.held(enemy, house))
    fields = {"by": seat, "origin": "house", "from": origin, "card": card, "house": house, "answer": told}
    turn.tell("attack", fields)
    if told != "reussite":
        turn.destroy(seat, origin, card)
        return _match(turn, enemy, card)
    turn.destroy(enemy, house, card)
    turn.hold(seat, turn.hands[seat].empty(origin))
    return _owe(turn, seat, origin)


def _match(turn: Turn, seat: Seat, value: int) -> HunterState:
    """The defender lays the card of the same value on the destroyed house, from hand or from a house."""
    house = turn.hands[seat].house_of(value)
    if house is None:
        turn.drop(seat, value)
        turn.tell("matched", {"by": seat, "value": value, "origin": "hand"})
        return turn.end()
    turn.hold(seat, turn.hands[seat].empty(house))
    turn.tell("matched", {"by": seat, "value": value, "origin": "house", "house": house})
    return _owe(turn, seat, house)


def _swap(turn: Turn, seat: Seat, house: int, card: int, decoy: int) -> HunterState:
    """Déroulement 3: the card of the house is shown and taken up, any card laid, a decoy placed."""
    shown, side = turn.held(seat, house), turn.sides[seat]
    turn.hold(
        seat,
        turn.hands[seat].swap(house, card),
        decoys_left=side.decoys_left - 1,
        houses={**side.houses, decoy: side.houses[decoy].with_decoy()},
        known_in_hand=UNKNOWN,
    )
    turn.tell("swapped", {"by": seat, "house": house, "shown": shown, "decoy": decoy})
    return turn.end()


def _owe(turn: Turn, seat: Seat, house: int) -> HunterState:
    """An emptied house is refilled before the turn passes, unless the last destruction ended the game."""
    if turn.decided() and not turn.table.refill_after_final:
        return turn.end()
    return turn.after(step="refill", owed=Owed(seat, house))


def _refill(turn: Turn, seat: Seat, house: int, card: int) -> HunterState:
    turn.hold(seat, turn.hands[seat].lay(house, card), known_in_hand=UNKNOWN)
    turn.tell("refilled", {"by": seat, "house": house})
    return turn.end(step="act", owed=None)


def points(sides: Mapping[Seat, Side], seat: Seat) -> int:
    """One for each house destroyed on the other side, and one for each decoy beside it."""
    houses = sides[other(seat)].houses.values()
    return sum(1 + house.decoys for house in houses if house.destroyed)


def _best(figures: dict[Seat, int]) -> tuple[Seat, ...]:
    """Who has more, or nobody when both have as much."""
    top = tuple(seat for seat in SEATS if figures[seat] == max(figures.values()))
    return top if len(top) == 1 else ()


def debrief(state: HunterState) -> dict[Seat, dict[str, Any]]:
    """All that was hidden: what each seat held at the end and what it first laid out."""
    state.check_over()
    first = {**state.hands, **state.box}  # a game abandoned early may have nothing laid out
    return {seat: {"end": hand(state.hands[seat]), "first": hand(first[seat])} for seat in SEATS}
