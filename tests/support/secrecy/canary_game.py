"""A game whose secrets are canaries: long words that occur nowhere else, so that a search finds every leak.

Each seat is dealt some, the chest has one that nobody knows, and every secret field is one of them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from referee.core.dice import Dice
from referee.core.game import Finished, Game, Hand, News, Outcome, Say, Slice, State, Table
from referee.core.moves import Choice, Choices, Move, One, Seat, Shape
from referee.core.options import OneOf, Options
from referee.games import GAMES
from referee.presentation.sheets import Block, Row
from referee.presentation.words import LANGUAGES, words

SEATS = ("north", "south")
LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
HELD = 4  # words in a hand
SECRET = frozenset({"word"})
MOVES = {
    "bury": Shape({"word": str}, SECRET),
    "exchange": Shape({"word": str}, SECRET),
    "stumble": Shape({"word": str}, SECRET),
    "dig": Shape(),
    "finish": Shape(),
}


@dataclass(frozen=True, kw_only=True)
class CanaryTable(Table):
    buried: frozenset[Seat] = frozenset()


@dataclass(frozen=True, repr=False)
class CanaryHand(Hand):
    words: tuple[str, ...]
    buried: str | None = None

    def bury(self, word: str) -> "CanaryHand":
        """Bury this word; the one that lay there comes back."""
        back = (self.buried,) if self.buried else ()
        return CanaryHand((*(held for held in self.words if held != word), *back), word)


CanaryState = State[CanaryTable, CanaryHand]
CanarySlice = Slice[CanaryTable, CanaryHand]


def canary(dice: Dice) -> str:
    """Letters that every way of writing leaves as they are, between signs that each writes in its own way."""
    return f'é<"{"".join(dice.pick(LETTERS) for _ in range(20))}&+'


def deal(options: Options, dice: Dice) -> CanaryState:
    table = CanaryTable(turn=None, step="bury", said=(News("began", {"first": options["first"]}),))
    hands = {seat: CanaryHand(tuple(canary(dice) for _ in range(HELD))) for seat in SEATS}
    return State(table, hands, box=canary(dice))


def choices(seen: CanarySlice) -> Choices:
    table, seat = seen.table, seen.seat
    if table.outcome or seat is None:
        return ()
    held = One("word", seen.mine().words, secret=True)
    if table.step == "bury":
        return () if seat in table.buried else (Choice("bury", (held,)),)
    if table.turn != seat:
        return ()
    return (Choice("exchange", (held,)), Choice("stumble", (held,)), Choice("dig"), Choice("finish"))


def play(state: CanaryState, seat: Seat, move: Move, dice: Dice) -> CanaryState:
    table, mine, other = state.table, state.hands[seat], SEATS[1 - SEATS.index(seat)]
    said, turn, box = (News(move.type, {"by": seat}),), other, state.box
    match move.type:
        case "bury":
            table = replace(table, buried=table.buried | {seat})
            mine = mine.bury(move["word"])
            turn = SEATS[0] if len(table.buried) == len(SEATS) else ""
        case "exchange":
            mine = mine.bury(move["word"])
        case "stumble":
            raise ValueError(f"nobody can bury {move['word']} beside {state.hands} and {state.box}")
        case "dig":
            mine, box = replace(mine, words=(*mine.words, state.box)), canary(dice)
        case "finish":
            table = replace(table, outcome=Outcome((seat,), "finished"))
    step = "play" if turn else "bury"
    table = replace(table, turn=None if table.outcome else turn or None, step=step, said=said)
    return State(table, {**state.hands, seat: mine}, box)


def todo(seen: CanarySlice) -> tuple[Say, ...]:
    if seen.hand and seen.hand.buried:
        return (Say("buried", {"word": seen.hand.buried}),)
    return (Say("bury"),)


def public(table: CanaryTable) -> dict[str, Any]:
    return {"turn": table.turn, "step": table.step, "buried": sorted(table.buried)}


def hand(mine: CanaryHand) -> dict[str, Any]:
    return {"words": list(mine.words), "buried": mine.buried}


def debrief(state: CanaryState) -> dict[Seat, dict[str, Any]]:
    return {seat: {"end": hand(mine), "first": hand(mine)} for seat, mine in state.hands.items()}


def sheet(over: Finished) -> Iterator[Block]:
    for seat, held in over.debrief.items():
        yield Row(over.title(seat), str(held["end"]["buried"]))


def why_not(_seen: CanarySlice, move: Move) -> Say | None:
    return Say("not_yours", {"word": move["word"]}) if "word" in move.fields else None


CANARY: Game[CanaryTable, CanaryHand] = Game(
    id="canary",
    protocol=1,
    rules=2,
    seats=lambda _options: SEATS,
    options=(OneOf("first", ("north",)), OneOf("language", LANGUAGES)),
    moves=MOVES,
    deal=deal,
    choices=choices,
    play=play,
    todo=todo,
    public=public,
    hand=hand,
    debrief=debrief,
    sheet=sheet,
    why_not=why_not,
)
WORDS: Mapping[str, str] = {
    "name": "Canary",
    "tagline": "A test.",
    "seat.north": "North",
    "seat.south": "South",
    **{f"news.{kind}": f"{kind}: {{by}}" for kind in MOVES},
    "reason.finished": "finished",
    "todo.bury": "Bury a word.",
    "todo.buried": "Your {word} is buried.",
    "why.not_yours": "You do not hold {word}.",
}


def register() -> None:
    """Let this process play it."""
    GAMES[CANARY.id] = CANARY
    for language in LANGUAGES:
        catalogue = cast(dict[str, tuple[str, ...]], words(language).messages)
        catalogue.update({f"{CANARY.id}.{key}": (text,) for key, text in WORDS.items()})
