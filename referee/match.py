"""A match: one table's game from the first person who sits down to the outcome, as a fold of its entries.

The version is the number of entries. What anyone is shown of a match leaves it as a `Seen`, never as the
state.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from referee.dice import Dice
from referee.fairness import commitment, genesis, link
from referee.game import Game, News, Outcome, Say, Slice, State
from referee.moves import Choices, Move, Seat, offered
from referee.options import settle
from referee.record import DeskTaken, Entry, Joined, Moved

KEPT = 40  # news and salts that stay at hand; the journal has them all


class Refused(Exception):
    """A move or a join that cannot be; `code` is the refusal's name, `why` the rule if a game names it."""

    def __init__(self, code: str, why: Say | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.why = why


@dataclass(frozen=True)
class Told:
    """A piece of news as the table was told it: its running number and the entry that brought it."""

    n: int
    move: int
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

    @property
    def status(self) -> str:
        if self.slice is None:
            return "joining"
        return "over" if self.outcome else "playing"


@dataclass(frozen=True)
class Match:
    """Opened with `open_match`, then grown entry by entry with `after`."""

    code: str
    game: Game[Any, Any]
    options: Mapping[str, Any]
    seed: str = field(repr=False)
    head: str
    names: Mapping[Seat, str | None]
    version: int = 0
    state: State[Any, Any] | None = None
    news: tuple[Told, ...] = ()
    choices: Mapping[Seat, Choices] = field(default_factory=dict, repr=False)  # they tell what is in hand
    changed: Mapping[Seat, int] = field(default_factory=dict)  # since when a seat's choices are these
    salts: Mapping[Seat, tuple[tuple[int, str], ...]] = field(default_factory=dict, repr=False)

    @property
    def seats(self) -> tuple[Seat, ...]:
        return tuple(self.names)

    @property
    def outcome(self) -> Outcome | None:
        return self.state.table.outcome if self.state else None

    def seen_by(self, seat: Seat | None = None) -> Seen:
        return Seen(
            seat=seat,
            code=self.code,
            game=self.game,
            options=self.options,
            version=self.version,
            names=self.names,
            news=self.news,
            head=self.head,
            waiting_for=tuple(seat for seat in self.seats if self.choices.get(seat)),
            slice=self.state.slice(seat) if self.state else None,
            choices=self.choices.get(seat, ()) if seat else (),
            salts=self.salts.get(seat, ()) if seat else (),
            outcome=self.outcome,
            debrief=self.game.debrief(self.state) if self.state and self.outcome else None,
        )

    def check(self, seat: Seat, move: Move, version: int) -> None:
        """Refuse a move that has not its form, comes too early or too late, or is not offered."""
        shape = self.game.moves.get(move.type)
        if wrong := next(shape.misfits(move.fields), None) if shape else None:
            raise Refused("malformed", Say("refusal.malformed.detail", {"what": wrong}))
        if self.state is None:
            raise Refused("not-started")
        if not self.changed.get(seat, 0) <= version <= self.version:
            raise Refused("stale")
        if not offered(self.choices[seat], move):
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

    def after(self, entry: Entry) -> Self:
        """The match after one more entry, which must be possible."""
        match entry:
            case Joined(seat, name):
                return self._joined(seat, name)
            case Moved(seat, move, salt):
                return self._moved(seat, move, salt)
            case DeskTaken():
                n = self.version + 1
                head = link(self.head, n, "desk", "taken", {}, None)
                return replace(self, version=n, head=head, news=self._told((News("desk_taken"),)))

    def _joined(self, seat: Seat, name: str) -> Self:
        n, names = self.version + 1, {**self.names, seat: name}
        head, said = link(self.head, n, seat, "joins", {}, None), (News("joined", {"seat": seat}),)
        if None in names.values():
            return replace(self, version=n, names=names, head=head, news=self._told(said))
        state = self.game.deal(self.options, Dice(self.seed, n))
        return self._now(seat, state, (*said, *_said(None, state)), names=names, head=head)

    def _moved(self, seat: Seat, move: Move, salt: str) -> Self:
        assert self.state is not None
        n, secret = self.version + 1, self.game.moves[move.type].secret
        bound = commitment(salt, self.code, n, seat, move) if secret else None
        public = {name: value for name, value in move.fields.items() if name not in secret}
        state = self.game.play(self.state, seat, move, Dice(self.seed, n))
        salts = (*self.salts.get(seat, ()), (n, salt))[-KEPT:]
        return self._now(
            seat,
            state,
            _said(self.state, state),
            bound,
            head=link(self.head, n, seat, move.type, public, bound),
            salts={**self.salts, seat: salts} if secret else self.salts,
        )

    def _now(
        self,
        by: Seat,
        state: State[Any, Any],
        said: tuple[News, ...],
        bound: str | None = None,
        **changes: Any,
    ) -> Self:
        """The game stands like this after an entry: tell the news, note whose choices changed.

        They changed for whoever made it, even if they read the same: a second tap must not play twice.
        """
        n = self.version + 1
        choices = {seat: self.game.choices(state.slice(seat)) for seat in self.seats}
        fresh = {seat: n for seat in self.seats if seat == by or choices[seat] != self.choices.get(seat)}
        return replace(
            self,
            version=n,
            state=state,
            choices=choices,
            changed={**self.changed, **fresh},
            news=self._told(said, bound),
            **changes,
        )

    def _told(self, said: tuple[News, ...], bound: str | None = None) -> tuple[Told, ...]:
        """The news of the next entry, numbered; the first piece of a secret move carries its commitment."""
        last = self.news[-1].n if self.news else 0
        told = tuple(
            Told(last + i, self.version + 1, news, bound if i == 1 else None)
            for i, news in enumerate(said, 1)
        )
        return (self.news + told)[-KEPT:]


def _said(before: State[Any, Any] | None, now: State[Any, Any]) -> tuple[News, ...]:
    """What the game itself said, then what all games say: whose turn it became, how it ended."""
    table = now.table
    said: tuple[News, ...] = table.said
    if table.turn and table.turn != (before.table.turn if before else None):
        said = (*said, News("turn", {"seat": table.turn}))
    if table.outcome:
        outcome = {"winners": list(table.outcome.winners), "reason": table.outcome.reason}
        said = (*said, News("over", outcome))
    return said


def open_match(code: str, game: Game[Any, Any], chosen: Mapping[str, Any], seed: str) -> Match:
    """A new match that waits for its people. Raises BadOption for an option that cannot be."""
    options = settle(game.options, chosen)
    head = genesis(code, game.id, game.rules, options, seed)
    return Match(code, game, options, seed, head, dict.fromkeys(game.seats(options)))
