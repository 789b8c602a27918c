"""A match: one table's game from the first person who sits down to the outcome, as a fold of its entries.

The version is the number of entries. What anyone is shown of a match leaves it as a `Seen`, never as the
state.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from referee.altered import altered, built
from referee.corrections import corrected_secrets
from referee.dice import Dice
from referee.fairness import commitment, genesis, link
from referee.game import ABANDONED, Game, News, Outcome, Say, Slice, State
from referee.growing import Growing
from referee.moves import Choices, Move, Seat, offered
from referee.options import settle
from referee.questions import Link, Question, answered, asked
from referee.record import Answered, Asked, Closed, DeskTaken, Entry, Joined, Moved
from referee.refused import Refused
from referee.replaying import Made, kept
from referee.restating import Repair, SeenRepair

KEPT = 40  # news and salts that stay at hand; the journal has them all


class Told(NamedTuple):
    """A piece of news as the table was told it: its running number and the entry that brought it."""

    n: int
    entry: int
    news: News
    commitment: str | None = None


@dataclass(frozen=True)
class Seen:
    """All that one seat (or nobody in particular: `seat` None) may know of a match."""

    seat: Seat | None
    code: str
    game: Game[Any, Any]
    options: Mapping[str, Any]
    version: int
    names: Mapping[Seat, str | None]
    news: tuple[Told, ...]
    head: str
    waiting_for: tuple[Seat, ...]
    slice: Slice[Any, Any] | None  # none while people are still joining
    choices: Choices = field(repr=False)  # they tell what is in hand
    salts: tuple[tuple[int, str], ...] = field(repr=False)  # of this seat's latest secret entries: n, salt
    outcome: Outcome | None
    debrief: Mapping[Seat, Mapping[str, Any]] | None
    question: Question | None = None
    corrected: Mapping[Seat, tuple[int, ...]] = field(default_factory=dict)  # once it is over
    unasked: tuple[Seat, ...] = ()  # the seats that got a new key while their phones were away
    repair: SeenRepair | None = None  # the last undo or correction, until the next move
    amended: int = 0  # how many secrets were corrected after an end

    @property
    def status(self) -> str:
        if self.outcome:
            return "over"
        return "playing" if self.slice else "joining"


@dataclass(frozen=True)
class Match:
    """Opened with `open_match`, then grown entry by entry with `after`."""

    code: str
    game: Game[Any, Any]
    rules: int  # the version of the rules it was opened under
    options: Mapping[str, Any]
    seed: str = field(repr=False)
    head: str
    names: Mapping[Seat, str | None]
    linked: Link | None = None  # the last entry as the chain has it: who, what, its public fields
    bound: str | None = None  # and the commitment of its secret ones
    entries: int = 0
    version: int = 0  # how many of them were joins, moves, questions and answers
    state: State[Any, Any] | None = None
    news: tuple[Told, ...] = ()
    choices: Mapping[Seat, Choices] = field(default_factory=dict, repr=False)  # they tell what is in hand
    changed: Mapping[Seat, int] = field(default_factory=dict)  # since when a seat's choices are these
    salts: Mapping[Seat, tuple[tuple[int, str], ...]] = field(default_factory=dict, repr=False)
    dealt: int = 0  # the entry that dealt
    made: Growing[Made] = field(default_factory=Growing, repr=False)  # the moves that stand
    # those of each seat that have a secret
    entered: Mapping[Seat, Growing[Made]] = field(default_factory=dict, repr=False, compare=False)
    question: Question | None = None
    asking: Asked | None = field(default=None, repr=False)  # the open question as it was asked
    repair: Repair | None = field(default=None, repr=False)  # the last undo or correction, until a move
    amended: int = 0  # how many secrets were corrected after an end
    unasked: tuple[Seat, ...] = ()  # the seats that got a new key while their phones were away
    ended: Outcome | None = None  # by the people, not by the rules
    shown: bool = False  # all agreed to show what was hidden in a game they abandoned

    @property
    def seats(self) -> tuple[Seat, ...]:
        return tuple(self.names)

    @property
    def taken(self) -> dict[Seat, str]:
        """The seats that somebody has sat down in, with their names."""
        return {seat: name for seat, name in self.names.items() if name is not None}

    @property
    def outcome(self) -> Outcome | None:
        return self.ended or (self.state.table.outcome if self.state else None)

    @property
    def is_open(self) -> bool:
        """Whether nothing is hidden any more: it is over by the rules, or all agreed to show."""
        by_people = self.ended is not None
        return self.state is not None and self.outcome is not None and (self.shown or not by_people)

    @property
    def next_news(self) -> int:
        """The number of the next piece of news, by which the move that brings it is called."""
        return self.news[-1].n + 1 if self.news else 1

    def seen_by(self, seat: Seat | None = None, public: Seen | None = None) -> Seen:
        """All that this seat, or nobody in particular, may know. What all may know is in it: whoever has that
        at hand gives it along."""
        public = public or self._public()
        assert public.seat is None and public.head == self.head, "what all see of another match"
        if seat is None:
            return public
        return altered(
            public,
            seat=seat,
            slice=self.state.slice(seat) if self.state else None,
            choices=self.choices.get(seat, ()),
            salts=self.salts.get(seat, ()),
            repair=self.repair.seen_by(seat) if self.repair else None,
        )

    def _public(self) -> Seen:
        outcome = self.outcome
        return built(
            Seen,
            seat=None,
            code=self.code,
            game=self.game,
            options=self.options,
            version=self.version,
            names=self.names,
            news=self.news,
            head=self.head,
            waiting_for=tuple([seat for seat in self.names if self.choices.get(seat)]),
            slice=self.state.slice() if self.state else None,
            choices=(),
            salts=(),
            outcome=outcome,
            debrief=self._debrief() if outcome else None,
            question=self.question,
            corrected=corrected_secrets(self) if outcome else {},
            unasked=self.unasked,
            repair=self.repair.seen_by(None) if self.repair else None,
            amended=self.amended,
        )

    def _debrief(self) -> dict[Seat, dict[str, Any]] | None:
        """All that was hidden, once it is over by the rules, or where all agreed to show it."""
        if self.state is None or not self.is_open:
            return None
        over = altered(self.state.table, outcome=self.outcome)
        return self.game.debrief(altered(self.state, table=over))

    def check(self, seat: Seat, move: Move, version: int) -> None:
        """Refuse a move that has not its form, comes too early or too late, or is not offered."""
        shape = self.game.moves.get(move.type)
        if wrong := next(shape.misfits(move.fields), None) if shape else None:
            raise Refused("malformed", Say("refusal.malformed.detail", {"what": wrong}))
        if self.state is None and not self.outcome:
            raise Refused("not-started")
        if self.question:
            raise Refused("question-open")
        if not self.changed.get(seat, 0) <= version <= self.version:
            raise Refused("stale")
        if not offered(self.choices.get(seat, ()), move):
            raise Refused("illegal-move", self._why_not(seat, move))

    def _why_not(self, seat: Seat, move: Move) -> Say:
        """The rule that forbids this move, from what this seat may know alone."""
        if self.outcome:
            return Say("refusal.over")
        if move.type not in self.game.moves:
            return Say("refusal.unknown_move", {"type": move.type})
        assert self.state is not None
        why = self.game.why_not(self.state.slice(seat), move)
        if why:
            return Say(f"{self.game.id}.why.{why.key}", why.fields)
        if not self.choices[seat]:
            return Say("refusal.not_your_turn")
        return Say("refusal.not_this_step")

    def after(self, entry: Entry) -> "Match":
        """The match after one more entry, which must be possible."""
        match entry:
            case Joined(seat, name):
                return self._joined(seat, name)
            case Moved():
                return self._moved(entry)
            case Asked():
                return asked(self, entry)
            case Answered():
                return answered(self, entry)
            case DeskTaken():
                told = self.grown(("desk", "taken", {}), (News("desk_taken"),))
                return altered(told, version=self.version)
            case Closed():
                return self._closed()

    def _closed(self) -> "Match":
        """Nobody plays here: the game before goes on."""
        changes: dict[str, Any] = {"ended": Outcome((), ABANDONED), "question": None, "asking": None}
        changes["choices"] = dict.fromkeys(self.choices, ())
        return self.grown(("table", "closed", {}), (News("closed"),), **changes)

    def _joined(self, seat: Seat, name: str) -> "Match":
        """Somebody sits down; the last one to do so has the game dealt. Or comes back with a new key."""
        at, names = self.entries + 1, {**self.names, seat: name}
        entry: Link = (seat, "joins", {})
        said = (News("joined", {"seat": seat}),)
        if None in names.values() or self.state or self.ended:
            return self.grown(entry, said, names=names)
        state = self.game.deal(self.options, Dice(self.seed, at))
        told = (*said, *self.said(None, state))
        return self.grown(entry, told, names=names, dealt=at, **self.standing(state))

    def _moved(self, entry: Moved) -> "Match":
        assert self.state is not None
        seat, move, salt = entry.seat, entry.move, entry.salt
        at, n, secret = self.entries + 1, self.next_news, self.game.moves[move.type].secret
        state = self.game.play(self.state, seat, move, Dice(self.seed, at))
        said = self.said(self.state, state)
        changes = self.standing(state, seat)
        made = Made(n, at, entry, self.shows(said), kept(self.made, self.state))
        changes["made"], changes["repair"] = self.made.and_(made), None
        if not secret:
            return self.grown((seat, move.type, move.fields), said, **changes)
        bound = commitment(salt, self.code, n, seat, move)
        changes["salts"] = self.salted(seat, salt)
        changes["entered"] = {**self.entered, seat: self.entered[seat].and_(made)}
        public = {name: value for name, value in move.fields.items() if name not in secret}
        return self.grown((seat, move.type, public), said, bound, **changes)

    def shows(self, said: tuple[News, ...]) -> bool:
        """Whether any of this shows something hidden."""
        return not self.game.reveals.isdisjoint([news.kind for news in said])

    def said(self, before: State[Any, Any] | None, now: State[Any, Any]) -> tuple[News, ...]:
        """What the game itself said, then what all games say: whose turn it became, how it ended."""
        table = now.table
        said: tuple[News, ...] = table.said
        if table.turn and table.turn != (before.table.turn if before else None):
            said = (*said, self.game.turn_of(table.turn, self.seats))
        over = table.ending()
        return (*said, over) if over else said

    def salted(self, seat: Seat, salt: str) -> Mapping[Seat, tuple[tuple[int, str], ...]]:
        """The salts, once this seat may see that of what it enters next."""
        return {**self.salts, seat: (*self.salts.get(seat, ()), (self.next_news, salt))[-KEPT:]}

    def standing(self, state: State[Any, Any], acted: Seat | None = None) -> dict[str, Any]:
        """The changes after which the game stands like this; notes whose choices changed.

        For whoever acted they did, even if they read the same: a second tap must not play twice, and what is
        stale must not tell.
        """
        now, choices, changed = self.version + 1, {}, dict(self.changed)
        for seat in self.names:
            choices[seat] = self.game.choices(state.slice(seat))
            if seat == acted or choices[seat] != self.choices.get(seat):
                changed[seat] = now
        return {"state": state, "choices": choices, "changed": changed}

    def grown(
        self,
        entry: Link,
        said: tuple[News, ...],
        bound: str | None = None,
        **changes: Any,
    ) -> "Match":
        """The match with one more entry (who, what, its public fields), its news told, and these changes."""
        at = self.entries + 1
        changes["entries"], changes["version"] = at, self.version + 1
        changes["linked"], changes["bound"] = entry, bound
        changes["head"], changes["news"] = link(self.head, at, *entry, bound), self._told(said, bound)
        return altered(self, **changes)

    def told(self) -> tuple[Told, ...]:
        """What the last entry told."""
        first = len(self.news)
        while first and self.news[first - 1].entry == self.entries:
            first -= 1
        return self.news[first:]

    def _told(self, said: tuple[News, ...], bound: str | None = None) -> tuple[Told, ...]:
        """The news that are kept, all those of the next entry among them, numbered; the first piece of a
        secret move carries its commitment."""
        at, first = self.entries + 1, self.next_news
        told = [Told(n, at, news, bound if n == first else None) for n, news in enumerate(said, first)]
        return (*self.news, *told)[-max(KEPT, len(told)) :]


def open_match(code: str, game: Game[Any, Any], chosen: Mapping[str, Any], seed: str) -> Match:
    """A new match that waits for its people. Raises BadOption for an option that cannot be."""
    return reopen_match(code, game, game.rules, settle(game.options, chosen), seed)


def reopen_match(code: str, game: Game[Any, Any], rules: int, options: Mapping[str, Any], seed: str) -> Match:
    """A match as it was opened, under the rules and with the options of that day."""
    head, seats = genesis(code, game.id, rules, options, seed), game.seats(options)
    entered: dict[Seat, Growing[Made]] = {seat: Growing() for seat in seats}
    return Match(code, game, rules, options, seed, head, dict.fromkeys(seats), entered=entered)
