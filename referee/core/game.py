"""The game protocol: the public table, one private hand per seat, and the functions a game provides."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, Self, TypeVar

from referee.core.dice import Dice
from referee.core.frozen import replaced
from referee.core.moves import Choices, Move, Seat, Shape, Side
from referee.core.options import PLAYERS, OneOf, Option, Options
from referee.presentation.cues import SPOKEN, Cue, cue
from referee.presentation.poster import Drawn
from referee.presentation.sheets import Block

PROTOCOL = 1  # the version of the game protocol: games from other packages name the one they are made for

_NO_FIELDS: Mapping[str, Any] = {}  # the shared default

# Fields that an item of news has on the wire, at all readers or at a desk. A game's own have other names.
RESERVED_FIELDS = frozenset(
    [
        *("n", "kind", "text", "commitment", "what"),
        *("table", "key", "cue", "spoken", "counted", "seat_lamps", "wait"),
    ]
)
# Kinds of news that all games share. Of these a game says only `began`.
SHARED_KINDS = frozenset(
    [
        *("joined", "began", "turn", "over", "closed", "desk_taken", "seat_returned", "reissued"),
        *("asked", "agreed", "declined", "taken_back", "corrected", "restated", "abandoned"),
    ]
)


class News(NamedTuple):
    """One public event, with its fields as sent on the wire."""

    kind: str
    fields: Mapping[str, Any] = _NO_FIELDS


class Restated(NamedTuple):
    """A difference between the news as announced and the news after an undo or a correction.

    `of` is the number of the news that no longer holds. If the news is new (`was` is None), `of` is the
    number of the news it follows. `now` is None if nothing replaces the old news. `ago` is the number of
    moves made after the one that announced it.
    """

    of: int
    was: News | None
    now: News | None
    ago: int = 0


class Say(NamedTuple):
    """A message to be localized: its catalogue key and its fields."""

    key: str
    fields: Mapping[str, Any] = _NO_FIELDS


class Part(NamedTuple):
    """One part of a score: what it is for, and its points."""

    say: Say
    points: int


@dataclass(frozen=True)
class Possible:
    """One deduction: what it is about, all values it could ever have, and the values still possible."""

    about: Say
    among: tuple[Any, ...]
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Passages:
    """The section id of the rules page for each step, each type of move and each refusal.

    `usual` lists the moves that a step normally offers; if one is missing, the page offers to explain why.
    `refusals` is keyed by the key of `why_not`; a refusal that is not listed uses the section of its move.
    """

    steps: Mapping[str, str]
    moves: Mapping[str, str]
    usual: Mapping[str, tuple[str, ...]]
    refusals: Mapping[str, str] = field(default_factory=dict)


ABANDONED = "abandoned"  # ended by agreement: no winner, and not a draw


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
    """The public state. Each game adds its own fields."""

    turn: Side | None
    step: str
    said: tuple[News, ...] = ()
    outcome: Outcome | None = None

    def ending(self) -> News | None:
        """The news of the outcome, or None before the end."""
        if self.outcome is None:
            return None
        over = {"winners": list(self.outcome.winners), "reason": self.outcome.reason}
        tie = {"tie_break": self.outcome.tie_break} if self.outcome.tie_break else {}
        return News("over", {**over, **tie})


class Hand:
    """The private state of one seat. Its repr hides the content, so logs never show it."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"


T = TypeVar("T", bound=Table)
H = TypeVar("H", bound=Hand)


class Slice(NamedTuple, Generic[T, H]):
    """The table and at most one hand: the only form in which state leaves the rules."""

    table: T
    seat: Seat | None = None
    hand: H | None = None

    def mine(self) -> H:
        """The hand of this slice. Raises LookupError for the public slice."""
        if self.hand is None:
            raise LookupError("the public slice has no hand")
        return self.hand


@dataclass(frozen=True)
class State(Generic[T, H]):
    """The complete state, visible only to the rules. `box` is what only the referee knows."""

    table: T
    hands: Mapping[Seat, H]
    box: Any = field(default=None, repr=False)

    def slice(self, seat: Seat | None = None) -> Slice[T, H]:
        return Slice(self.table, seat, self.hands[seat] if seat else None)

    def check_over(self) -> None:
        """Guard against revealing hidden state before the game is over."""
        if self.table.outcome is None:
            raise PermissionError("hidden state may be revealed only after the game is over")

    def on_table(self, **changes: Any) -> Self:
        return type(self)(replaced(self.table, **changes), self.hands, self.box)

    def with_hand(self, seat: Seat, mine: H) -> Self:
        return type(self)(self.table, {**self.hands, seat: mine}, self.box)

    def say(self, kind: str, /, **fields: Any) -> Self:
        """The state with one more piece of news."""
        return self.on_table(said=(*self.table.said, News(kind, fields)))


def no_poster(_game: "Finished") -> Iterable[Drawn]:
    """The default `poster`: the picture of a result shows no position."""
    return ()


def no_reason(_slice: Slice[Any, Any], _move: Move) -> Say | None:
    """The default `why_not`: the general refusal is enough."""
    return None


def no_invariants(_state: State[Any, Any]) -> Iterable[str]:
    """The default `invariants`: nothing to check."""
    return ()


def no_faces(_table: Table) -> Mapping[str, tuple[Any, ...]]:
    """The default `faces`: a form shows the options of the choice."""
    return {}


def nothing_private(_hand: Any) -> object:
    """The default `shown_in_private`: the rules never show a seat another seat's secrets."""
    return None


def no_sketch(_table: Any) -> Mapping[str, Any]:
    """The default `sketch`: the page draws from the view alone."""
    return {}


def no_score_parts(_public: Mapping[str, Any]) -> Mapping[Side, tuple[Part, ...]]:
    """The default `score_parts`: the score is shown without its parts."""
    return {}


def no_marks(_slice: Slice[Any, Any], _type: str) -> Mapping[str, Any] | None:
    """The default `marks`: no move has a preview on the drawing."""
    return None


def numbered_places(_options: Options) -> Mapping[str, tuple[str, ...]]:
    """The default `places`: the places of an arrangement are numbered."""
    return {}


def nothing_awaited(_slice: Slice[Any, Any]) -> tuple[Say, ...]:
    """The default `awaited`: the form itself shows what to do."""
    return ()


class Made(NamedTuple):
    """A move that stands, as everybody knows it: its number, its seat, its public fields."""

    n: int
    seat: Seat
    type: str
    fields: Mapping[str, Any]
    is_secret: bool  # whether it has secret fields


def none_turned_up(_made: Sequence[Made]) -> Sequence[int]:
    """The default `turned_up`: no real card is turned up."""
    return ()


def last_turned_up_by(*types: str) -> Callable[[Sequence[Made]], Sequence[int]]:
    """A `turned_up` for games with one secret card: a move of these types turns up the last one entered."""

    def turned_up(made: Sequence[Made]) -> Sequence[int]:
        for move in reversed(made):
            if move.is_secret:
                opened = any(later.n > move.n and later.type in types for later in made)
                return (move.n,) if opened else ()
        return ()

    return turned_up


def no_put_back(_before: Slice[Any, Any], _now: Slice[Any, Any]) -> tuple[Say, ...]:
    """The default `put_back`: no instructions; players know what they moved."""
    return ()


def no_put_right(
    _before: Slice[Any, Any], _now: Slice[Any, Any], _restated: tuple[Restated, ...]
) -> tuple[Say, ...]:
    """The default `put_right`: a correction changes nothing on the real table."""
    return ()


def no_score_meaning(_public: Mapping[str, Any]) -> Say | None:
    """The default `score_meaning`: points need no explanation."""
    return None


def each_alone(seats: tuple[Seat, ...]) -> Mapping[Side, tuple[Seat, ...]]:
    """The default `sides`: each seat is a side of its own."""
    return {seat: (seat,) for seat in seats}


@dataclass(frozen=True)
class Aid(Generic[T, H]):
    """Computes a seat's deductions from what it has seen.

    `begin` gives the knowledge after the deal. `see` updates it for one move, from the slices before and
    after. `tell` lists the values still possible. The type of the knowledge is up to the game; it is never
    changed in place.
    """

    begin: Callable[[Slice[T, H]], Any]
    see: Callable[[Any, Slice[T, H], Slice[T, H]], Any]
    tell: Callable[[Any, Slice[T, H]], tuple[Possible, ...]]


@dataclass(frozen=True)
class Guide(Generic[T, H]):
    """The lessons of a first game.

    `now` lists the keys of the lessons that matter at this moment to the seat of a slice, most important
    first; phones show each once. `sections` names the section of the rules page that tells more, by lesson.
    """

    sections: Mapping[str, str]
    now: Callable[[Slice[T, H]], tuple[str, ...]]


SHARED_VARIANTS: Mapping[str, tuple[str, ...]] = {
    "asked": ("question",),
    "declined": ("how",),
    "reissued": ("how",),
}


@dataclass(frozen=True)
class Facts:
    """What a box says of a game: how long it takes in minutes, from what age, how hard it is."""

    minutes: tuple[int, int]
    age: int
    difficulty: int  # 1 (easy) to 3


@dataclass(frozen=True, repr=False)
class Game(Generic[T, H]):
    """A game: data and pure functions.

    `deal` and `play` return states. `choices`, `todo`, `awaited` and `why_not` receive one slice. `public`
    and `hand` serialize the table and a hand to JSON. `debrief` returns everything that was hidden, once the
    game is over.
    `score_meaning` says what the scores mean, from the public table of a game that is over.
    `faces` are the values that a form shows for a field whose real options would reveal the hand. They are
    what any observer would expect there, so a glance at a phone reveals nothing.
    `sides` maps each team to its seats; a seat that plays alone is its own side.
    `shown_in_private` is what the rules showed to this seat alone of other seats' secrets.
    `places` names the places of an arrangement, by field, if the table's options define names.
    `sketch` is extra data for the page's drawing of the table. `marks` is the preview of a type of move on
    that drawing, by picked value. Only the pages use them.
    `todo` says what to do with the real components after the last move, `awaited` what this seat must do
    next. After an undo `put_back` replaces `todo`, after a correction `put_right` does. Both say what to
    change on the real table, from the slices before and after.
    `turned_up` are the numbers of the secret moves whose real cards lie face up now, from the latest moves:
    a page offers to correct them if a card is another one.
    `score_parts` are the parts that each score is the sum of, from the public table; the table screen counts
    them up at the end.
    `poster` draws the final position for the picture of a result, with the `colours` of the sides.
    `passages` links steps, moves and refusals to sections of the rules page. `aid` computes a seat's
    deductions; a game that has one offers the option `aids`. `guide` explains the first steps to beginners;
    a game that has one offers the option `guide`. `facts` are what the home page says of the game.
    `cues` are the lamps and tunes of its kinds of news, by key or a prefix of it. `spoken` are the kinds that
    the desk speaks, `silent` those that have no cue on purpose.
    `invariants` yields a sentence for each invariant that a state violates. The simulation expects none.
    """

    id: str
    protocol: int  # the version of the game protocol that it is made for: see PROTOCOL
    rules: int  # version of the rules; incremented when a ruling changes
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
    faces: Callable[[T], Mapping[str, tuple[Any, ...]]] = no_faces
    shown_in_private: Callable[[H], object] = nothing_private
    texts: frozenset[str] = frozenset()  # news fields that are free text
    places: Callable[[Options], Mapping[str, tuple[str, ...]]] = numbered_places
    sketch: Callable[[T], Mapping[str, Any]] = no_sketch
    score_parts: Callable[[Mapping[str, Any]], Mapping[Side, tuple[Part, ...]]] = no_score_parts
    score_meaning: Callable[[Mapping[str, Any]], Say | None] = no_score_meaning
    marks: Callable[[Slice[T, H], str], Mapping[str, Any] | None] = no_marks
    awaited: Callable[[Slice[T, H]], tuple[Say, ...]] = nothing_awaited
    put_back: Callable[[Slice[T, H], Slice[T, H]], tuple[Say, ...]] = no_put_back
    put_right: Callable[[Slice[T, H], Slice[T, H], tuple[Restated, ...]], tuple[Say, ...]] = no_put_right
    reveals: frozenset[str] = frozenset()  # kinds of news that reveal hidden state
    turned_up: Callable[[Sequence[Made]], Sequence[int]] = none_turned_up
    discloses: frozenset[str] = frozenset()  # kinds of news that may reveal the same move's own secret fields
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # news fields that extend its key
    why_not: Callable[[Slice[T, H], Move], Say | None] = no_reason
    invariants: Callable[[State[T, H]], Iterable[str]] = no_invariants
    passages: Passages | None = None  # None: the game has no rules page
    aid: "Aid[T, H] | None" = None
    poster: Callable[["Finished"], Iterable[Drawn]] = no_poster
    colours: tuple[str, str] = ("#a02236", "#0e5c63")  # of the first two sides, on the poster
    guide: "Guide[T, H] | None" = None
    facts: Facts | None = None
    plurals: Mapping[str, str] = field(default_factory=dict)  # by kind of news: the field that is counted
    cues: Mapping[str, Cue] = field(default_factory=dict)
    spoken: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Game({self.id!r})"

    def player_counts(self) -> tuple[int, ...]:
        """For how many players it may be opened."""
        counts = next((option for option in self.options if option.name == PLAYERS), None)
        if isinstance(counts, OneOf):
            return tuple(counts.options)
        return (len(self.seats({option.name: option.default for option in self.options})),)

    def key(self, news: News) -> str:
        """The kind of the news extended by its variant fields: `attack.plus.hand`."""
        apart = self.variants.get(news.kind) or SHARED_VARIANTS.get(news.kind, ())
        parts = (str(news.fields[name]) for name in apart)
        return ".".join((news.kind, *parts))

    def faults_of(self, news: News) -> Iterator[str]:
        """What is wrong with a piece of this game's own news: a name that is reserved."""
        if news.kind in SHARED_KINDS - {"began"}:
            yield f"the kind of news {news.kind!r} is reserved: all games share it"
        for name in sorted(RESERVED_FIELDS & news.fields.keys()):
            yield f"the field {name!r} of the news {news.kind!r} is reserved: each item of news has it"

    def cue(self, news: News) -> Cue | None:
        """What the desk does for a piece of news: the game's own cue, or one that all games share."""
        return cue(self.key(news), self.cues)

    def speaks(self) -> tuple[str, ...]:
        """The kinds of news that are spoken."""
        return (*SPOKEN, *self.spoken)

    def turn_of(self, side: Side, seats: tuple[Seat, ...]) -> News:
        """The news that this side's turn begins, with `seat` if the side is a seat, `side` in team games."""
        told = {"seat": side} if side in seats else {}
        return News("turn", told if self.sides is each_alone else {**told, "side": side})


@dataclass(frozen=True)
class Finished:
    """The input of a game's score sheet. All of it is public once the game is over."""

    public: Mapping[str, Any]
    outcome: Outcome
    debrief: Mapping[Seat, Mapping[str, Any]]
    names: Mapping[Seat, str]
    title: Callable[[Seat], str]  # the name of a seat
    say: Callable[..., str]  # say(key, **fields): a line of this game in the sheet's language
    corrected: Mapping[Seat, tuple[int, ...]]  # positions (from 1) of each seat's corrected secrets
