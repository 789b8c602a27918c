"""The protocol of a game: a table everyone sees, hands that only their seats see, a handful of verbs."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, Self, TypeVar

from referee.altered import altered
from referee.dice import Dice
from referee.moves import Choices, Move, Seat, Shape, Side
from referee.options import Option, Options
from referee.sheets import Block

_NOTHING: Mapping[str, Any] = {}  # shared by all that say no more


class News(NamedTuple):
    """One public happening, with the fields it has on the wire."""

    kind: str
    fields: Mapping[str, Any] = _NOTHING


class Restated(NamedTuple):
    """A difference between what was said aloud and what would be said now that a secret was corrected.

    `of` is the number of the news that no longer holds; where nothing was said before (`was` is None), the
    number of the news after which this is said. `now` is None where nothing takes its place. `ago` is how
    many moves were made after the one that said it.
    """

    of: int
    was: News | None
    now: News | None
    ago: int = 0


class Say(NamedTuple):
    """A sentence to be worded: its key in the catalogue and what it speaks of."""

    key: str
    fields: Mapping[str, Any] = _NOTHING


@dataclass(frozen=True)
class Possible:
    """One hidden thing in a seat's deductions: what it is, what it might be at all, what it can still be."""

    about: Say
    among: tuple[Any, ...]
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Passages:
    """Where the rules page speaks of each step, each type of move and each refusal: by the section's id.

    `usual` are the moves that a step offers as a rule: where one is missing, people may ask why. A refusal
    that is not named, by its key of `why_not`, is ruled where its move is.
    """

    steps: Mapping[str, str]
    moves: Mapping[str, str]
    usual: Mapping[str, tuple[str, ...]]
    refusals: Mapping[str, str] = field(default_factory=dict)


ABANDONED = "abandoned"  # the reason of an end that all agreed to: nobody won, and nothing was drawn


@dataclass(frozen=True)
class Outcome:
    """How a game ended."""

    winners: tuple[Seat, ...]
    reason: str
    scores: Mapping[str, int] = field(default_factory=dict)
    tie_break: Mapping[str, Any] | None = None

    @property
    def is_abandoned(self) -> bool:
        return self.reason == ABANDONED

    @property
    def draw(self) -> bool:
        return not self.winners and not self.is_abandoned


@dataclass(frozen=True, kw_only=True)
class Table:
    """What anyone may know. Each game adds its own fields."""

    turn: Side | None
    step: str
    said: tuple[News, ...] = ()
    outcome: Outcome | None = None

    def ending(self) -> News | None:
        """How it ended, as it is told, once it has."""
        if self.outcome is None:
            return None
        over = {"winners": list(self.outcome.winners), "reason": self.outcome.reason}
        tie = {"tie_break": self.outcome.tie_break} if self.outcome.tie_break else {}
        return News("over", {**over, **tie})


class Hand:
    """What only one seat may know. Never shown by repr, so never in a log."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"


T = TypeVar("T", bound=Table)
H = TypeVar("H", bound=Hand)


class Slice(NamedTuple, Generic[T, H]):
    """The table and one hand or none: all that ever leaves the core."""

    table: T
    seat: Seat | None = None
    hand: H | None = None

    def mine(self) -> H:
        """The hand of this slice, where there must be one."""
        if self.hand is None:
            raise LookupError("this slice is the public one: it has no hand")
        return self.hand


@dataclass(frozen=True)
class State(Generic[T, H]):
    """Everything: only the rules hold it. `box` is what only the referee knows."""

    table: T
    hands: Mapping[Seat, H]
    box: Any = field(default=None, repr=False)

    def slice(self, seat: Seat | None = None) -> Slice[T, H]:
        return Slice(self.table, seat, self.hands[seat] if seat else None)

    def check_over(self) -> None:
        """What is hidden stays so as long as anybody plays."""
        if self.table.outcome is None:
            raise PermissionError("what is hidden is told when the game is over, not before")

    def on_table(self, **changes: Any) -> Self:
        return type(self)(altered(self.table, **changes), self.hands, self.box)

    def with_hand(self, seat: Seat, mine: H) -> Self:
        return type(self)(self.table, {**self.hands, seat: mine}, self.box)

    def say(self, kind: str, **fields: Any) -> Self:
        """This is told too, after what was."""
        return self.on_table(said=(*self.table.said, News(kind, fields)))


def nothing_to_add(_slice: Slice[Any, Any], _move: Move) -> Say | None:
    """The default `why_not`: the general refusal says it all."""
    return None


def nothing_promised(_state: State[Any, Any]) -> Iterable[str]:
    """The default `invariants`: this game promises nothing beyond its moves."""
    return ()


def nothing_to_show(_table: Table) -> Mapping[str, tuple[Any, ...]]:
    """The default `faces`: a form shows the options themselves."""
    return {}


def nothing_in_private(_hand: Any) -> object:
    """The default `shown_in_private`: no seat is ever shown what another holds."""
    return None


def nothing_to_draw(_slice: Slice[Any, Any]) -> Mapping[str, Any]:
    """The default `sketch`: a drawing needs no more than the view."""
    return {}


def places_are_counted(_options: Options) -> Mapping[str, tuple[str, ...]]:
    """The default `places`: the places of an arrangement have numbers."""
    return {}


def nobody_awaited(_slice: Slice[Any, Any]) -> tuple[Say, ...]:
    """The default `awaited`: the form says it all."""
    return ()


def nothing_to_put_back(_before: Slice[Any, Any], _now: Slice[Any, Any]) -> tuple[Say, ...]:
    """The default `put_back`: people know what they moved."""
    return ()


def nothing_to_put_right(
    _before: Slice[Any, Any], _now: Slice[Any, Any], _restated: tuple[Restated, ...]
) -> tuple[Say, ...]:
    """The default `put_right`: no correction changes anything on the real table."""
    return ()


def each_alone(seats: tuple[Seat, ...]) -> Mapping[Side, tuple[Seat, ...]]:
    """The default `sides`: everybody plays alone."""
    return {seat: (seat,) for seat in seats}


@dataclass(frozen=True)
class Aid(Generic[T, H]):
    """What a seat could work out by itself from all it has seen: what it knows after the deal, what it knows
    after one more move from what it saw before and sees now, and what that leaves possible. What is known is
    the game's own; it is never changed in place."""

    begin: Callable[[Slice[T, H]], Any]
    see: Callable[[Any, Slice[T, H], Slice[T, H]], Any]
    tell: Callable[[Any, Slice[T, H]], tuple[Possible, ...]]


SHARED_VARIANTS: Mapping[str, tuple[str, ...]] = {
    "asked": ("question",),
    "declined": ("how",),
    "reissued": ("how",),
}


@dataclass(frozen=True, repr=False)
class Game(Generic[T, H]):
    """A game: data and pure functions.

    `deal` and `play` make states; `choices`, `todo`, `awaited` and `why_not` see one slice; `public` and
    `hand` write table and hand as they go on the wire; `debrief` tells all that was hidden, once it is over.
    `faces` are the values that a form shows for a field whose options would tell what is in hand: all that
    anyone would expect there, so that a glance at a phone tells nothing. `sides` are the teams, each with
    its seats; a seat that plays alone is a side of its own. `shown_in_private` is what the rules showed to
    this seat alone of what others hold. `places` are the names of an arrangement's places, by field, where
    the options of the table give them names. `sketch` is what a drawing of the table shows beyond the view,
    for the pages alone.
    `todo` says what the last move asks people to do with the real components, `awaited` what this seat is
    waited for. After an undo `put_back` takes the place of `todo`, after a correction `put_right`: both say
    what to change on the real table, from what this seat saw before and sees now.
    `passages` leads from what goes on to the rules page. `aid` works out what a seat could work out by
    itself; a game that has one offers it as the option `aids`.
    `invariants` names every promise of the rules that a state breaks: none, ever, says the simulation.
    """

    id: str
    rules: int  # grows when a ruling changes, so that old records keep their result
    seats: Callable[[Options], tuple[Seat, ...]]
    options: tuple[Option, ...]
    moves: Mapping[str, Shape]
    deal: Callable[[Options, Dice], State[T, H]]
    choices: Callable[[Slice[T, H]], Choices]
    play: Callable[[State[T, H], Seat, Move, Dice], State[T, H]]
    todo: Callable[[Slice[T, H]], tuple[Say, ...]]
    public: Callable[[T], dict[str, Any]]
    hand: Callable[[H], dict[str, Any]]
    debrief: Callable[[State[T, H]], dict[Seat, dict[str, Any]]]
    sheet: Callable[["Finished"], Iterable[Block]]
    sides: Callable[[tuple[Seat, ...]], Mapping[Side, tuple[Seat, ...]]] = each_alone
    faces: Callable[[T], Mapping[str, tuple[Any, ...]]] = nothing_to_show
    shown_in_private: Callable[[H], object] = nothing_in_private
    texts: frozenset[str] = frozenset()  # the fields of news that are free text
    places: Callable[[Options], Mapping[str, tuple[str, ...]]] = places_are_counted
    sketch: Callable[[Slice[T, H]], Mapping[str, Any]] = nothing_to_draw
    awaited: Callable[[Slice[T, H]], tuple[Say, ...]] = nobody_awaited
    put_back: Callable[[Slice[T, H], Slice[T, H]], tuple[Say, ...]] = nothing_to_put_back
    put_right: Callable[[Slice[T, H], Slice[T, H], tuple[Restated, ...]], tuple[Say, ...]] = (
        nothing_to_put_right
    )
    reveals: frozenset[str] = frozenset()  # the kinds of news that show something hidden
    turns_over: frozenset[str] = frozenset()  # the types of move upon which a real, secret card is turned up
    discloses: frozenset[str] = frozenset()  # those that may lay open what the same move entered in secret
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    why_not: Callable[[Slice[T, H], Move], Say | None] = nothing_to_add
    invariants: Callable[[State[T, H]], Iterable[str]] = nothing_promised
    passages: Passages | None = None  # none: this game has no rules page yet
    aid: "Aid[T, H] | None" = None

    def __repr__(self) -> str:
        return f"Game({self.id!r})"

    def key(self, news: News) -> str:
        """The name of what happened, with what sets it apart: `attack.plus.hand`."""
        apart = self.variants.get(news.kind) or SHARED_VARIANTS.get(news.kind, ())
        parts = (str(news.fields[name]) for name in apart)
        return ".".join((news.kind, *parts))

    def turn_of(self, side: Side, seats: tuple[Seat, ...]) -> News:
        """It is this side's turn now: told as a seat where it is one, as a side where there are teams."""
        told = {"seat": side} if side in seats else {}
        return News("turn", told if self.sides is each_alone else {**told, "side": side})


@dataclass(frozen=True)
class Finished:
    """What a game's sheet is written from: all of it is public once the game is over."""

    public: Mapping[str, Any]
    outcome: Outcome
    debrief: Mapping[Seat, Mapping[str, Any]]
    names: Mapping[Seat, str]
    title: Callable[[Seat], str]  # the name of a seat
    say: Callable[..., str]  # say(key, **fields): a line of this game in the sheet's language
    corrected: Mapping[Seat, tuple[int, ...]]  # which of a seat's secrets, counted from 1, were corrected
