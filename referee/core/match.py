"""A match: one table's game from the first join to the outcome, as an immutable fold of its journal entries.

The version counts the entries, except those of the desk. Code outside reads a match through a `PlayerView`,
never through its state.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from referee.core.append_only import AppendOnlyList
from referee.core.corrections import corrected_secrets
from referee.core.dice import Dice
from referee.core.entries import Answered, Asked, Closed, DeskTaken, Entry, Joined, Moved, Returned
from referee.core.errors import IllegalMove
from referee.core.frozen import replaced
from referee.core.game import ABANDONED, RESERVED_FIELDS, Game, News, Outcome, Say, Slice, State
from referee.core.moves import Choices, Move, Seat, Side, offered
from referee.core.options import with_defaults
from referee.core.question_effects import Link, answered, asked
from referee.core.questions import Question
from referee.core.replay import StandingMove, checkpoint
from referee.core.restatements import Repair, RepairView
from referee.fairness.commitments import commitment, genesis, link, mixed_seed, seed_hash

RECENT = 40  # latest news and salts that a match holds; the journal has them all


class NewsEntry(NamedTuple):
    """A piece of news with its running number and the number of its journal entry."""

    n: int
    entry: int
    news: News
    commitment: str | None = None


@dataclass(frozen=True)
class PlayerView:
    """Everything that one seat may know of a match, or that everyone may know (`seat` is None)."""

    seat: Seat | None
    code: str
    game: Game[Any, Any]
    options: Mapping[str, Any]
    version: int
    names: Mapping[Seat, str | None]
    avatars: Mapping[Seat, str]  # of those who chose one
    news: tuple[NewsEntry, ...]
    head: str
    waiting_for: tuple[Seat, ...]
    slice: Slice[Any, Any] | None  # None before the deal
    choices: Choices = field(repr=False)  # would reveal the hand
    salts: tuple[tuple[int, str], ...] = field(repr=False)  # (n, salt) of this seat's latest secret entries
    outcome: Outcome | None
    debrief: Mapping[Seat, Mapping[str, Any]] | None
    question: Question | None = None
    corrected: Mapping[Seat, tuple[int, ...]] = field(default_factory=dict)  # empty until the game is over
    unasked: tuple[Seat, ...] = ()  # seats that got a new key without being asked: their phone was offline
    repair: RepairView | None = None  # the last undo or correction, until the next move
    amended: int = 0  # secrets corrected after the game was over
    seed_hash: str = ""  # the commitment to the seed
    nonces: tuple[tuple[Seat, str], ...] = ()  # the numbers that phones sent for the dice, in order
    before: Mapping[str, str] | None = None  # of a rematch: the table before it, its head then, a nonce

    @property
    def status(self) -> str:
        if self.outcome:
            return "over"
        return "playing" if self.slice else "joining"


@dataclass(frozen=True)
class Match:
    """Created by `open_match`, then extended entry by entry with `after`."""

    code: str
    game: Game[Any, Any]
    rules: int  # the version of the rules it was opened under
    options: Mapping[str, Any]
    seed: str = field(repr=False)
    dice: str = field(repr=False)  # what the dice fall from: the seed, from the deal on mixed with the nonces
    head: str
    names: Mapping[Seat, str | None]
    seed_hash: str = ""
    before: Mapping[str, str] | None = None  # of a rematch: the table before it, its head then, a nonce
    avatars: Mapping[Seat, str] = field(default_factory=dict)  # of those who chose one
    nonces: tuple[tuple[Seat, str], ...] = ()  # the numbers that phones sent when they joined, in order
    last_link: Link | None = None  # the last entry as hashed into the chain: seat, type, public fields
    last_commitment: str | None = None  # the commitment to the secret fields of the last entry
    entries: int = 0
    version: int = 0  # the number of entries, those of the desk excluded
    state: State[Any, Any] | None = None
    news: tuple[NewsEntry, ...] = ()
    choices: Mapping[Seat, Choices] = field(default_factory=dict, repr=False)  # would reveal the hands
    changed: Mapping[Seat, int] = field(default_factory=dict)  # version of each seat's last change of choices
    salts: Mapping[Seat, tuple[tuple[int, str], ...]] = field(default_factory=dict, repr=False)
    moves: int = 0  # made so far, those that were taken back included
    final_head: str = ""  # the head after the entry that ended the game; empty while it goes on
    # the moves that stand
    made: AppendOnlyList[StandingMove] = field(default_factory=AppendOnlyList, repr=False)
    # of these, each seat's moves with secret fields
    secret_moves: Mapping[Seat, AppendOnlyList[StandingMove]] = field(
        default_factory=dict, repr=False, compare=False
    )
    question: Question | None = None
    asking: Asked | None = field(default=None, repr=False)  # the entry of the open question
    repair: Repair | None = field(default=None, repr=False)  # the last undo or correction, until a move
    amended: int = 0  # secrets corrected after the game was over
    unasked: tuple[Seat, ...] = ()  # seats that got a new key without being asked: their phone was offline
    ended: Outcome | None = None  # set if the players or the host ended the game, not the rules
    shown: bool = False  # all agreed to reveal the hidden state of an abandoned game

    @property
    def seats(self) -> tuple[Seat, ...]:
        return tuple(self.names)

    @property
    def taken(self) -> dict[Seat, str]:
        """The occupied seats with the names of their players."""
        return {seat: name for seat, name in self.names.items() if name is not None}

    @property
    def outcome(self) -> Outcome | None:
        return self.ended or (self.state.table.outcome if self.state else None)

    @property
    def is_open(self) -> bool:
        """Whether hidden state may be revealed: the game ended by the rules, or all agreed to reveal it."""
        by_people = self.ended is not None
        return self.state is not None and self.outcome is not None and (self.shown or not by_people)

    @property
    def first(self) -> Side | None:
        """The seat or side that began; None before the deal. Dealt again to find out, since a match holds
        only the latest news."""
        if self.state is None:
            return None
        said = self.said(None, self.game.deal(self.options, Dice(self.dice, len(self.names))))
        return next((str(news.fields["first"]) for news in said if news.kind == "began"), None)

    @property
    def next_news(self) -> int:
        """The number of the next piece of news. A move is identified by the number of its first news."""
        return self.news[-1].n + 1 if self.news else 1

    @property
    def throw(self) -> int:
        """The number of the dice of the latest move, or of the deal. Only moves count, so that no other entry
        changes what is thrown."""
        return len(self.names) + self.moves

    def seen_by(self, seat: Seat | None = None, public: PlayerView | None = None) -> PlayerView:
        """The view of one seat, or the public view. A caller that has cached the public view of this match
        passes it as `public`, and the seat's view is built on it."""
        public = public or self._public()
        assert public.seat is None and public.head == self.head, "not the public view of this match"
        if seat is None:
            return public
        return replaced(
            public,
            seat=seat,
            slice=self.state.slice(seat) if self.state else None,
            choices=self.choices.get(seat, ()),
            salts=self.salts.get(seat, ()),
            repair=self.repair.seen_by(seat) if self.repair else None,
        )

    def _public(self) -> PlayerView:
        outcome = self.outcome
        return PlayerView(
            seat=None,
            code=self.code,
            game=self.game,
            options=self.options,
            version=self.version,
            names=self.names,
            avatars=self.avatars,
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
            seed_hash=self.seed_hash,
            nonces=self.nonces,
            before=self.before,
        )

    def _debrief(self) -> dict[Seat, dict[str, Any]] | None:
        """Everything that was hidden, or None while it may not be revealed."""
        if self.state is None or not self.is_open:
            return None
        over = replaced(self.state.table, outcome=self.outcome)
        return self.game.debrief(replaced(self.state, table=over))

    def check(self, seat: Seat, move: Move, version: int) -> None:
        """Refuse a move that is malformed, too early, based on a stale version, or not offered."""
        shape = self.game.moves.get(move.type)
        if wrong := next(shape.misfits(move.fields), None) if shape else None:
            raise IllegalMove("malformed", Say("refusal.malformed.detail", {"what": wrong}))
        if self.state is None and not self.outcome:
            raise IllegalMove("not-started")
        if self.question:
            raise IllegalMove("question-open")
        if not self.changed.get(seat, 0) <= version <= self.version:
            raise IllegalMove("stale")
        if not offered(self.choices.get(seat, ()), move):
            raise IllegalMove("illegal-move", self._why_not(seat, move))

    def _why_not(self, seat: Seat, move: Move) -> Say:
        """The rule that forbids this move, derived only from what this seat may know."""
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
        """The match after one more entry. The entry must be legal: it is not checked here."""
        match entry:
            case Joined():
                return self._joined(entry)
            case Moved():
                return self._moved(entry)
            case Asked():
                return asked(self, entry)
            case Answered():
                return answered(self, entry)
            case Returned(seat):
                return self.with_entry((seat, "returns", {}), (News("seat_returned", {"seat": seat}),))
            case DeskTaken():
                told = self.with_entry(("desk", "taken", {}), (News("desk_taken"),))
                return replaced(told, version=self.version)
            case Closed():
                return self._closed()

    def _closed(self) -> "Match":
        """An unplayed rematch is closed, and the game before it goes on."""
        changes: dict[str, Any] = {"ended": Outcome((), ABANDONED), "question": None, "asking": None}
        changes["choices"] = dict.fromkeys(self.choices, ())
        return self.with_entry(("table", "closed", {}), (News("closed"),), **changes)

    def _joined(self, joined: Joined) -> "Match":
        """A player takes a seat, or returns with a new key. Filling the last free seat deals the game, with
        dice that depend on all nonces until then; later ones change nothing."""
        seat, nonce = joined.seat, joined.nonce
        names = {**self.names, seat: joined.name}
        chosen = {**self.avatars, seat: joined.avatar}
        avatars = {each: avatar for each, avatar in chosen.items() if avatar}
        entry: Link = (seat, "joins", {"nonce": nonce} if nonce else {})
        nonces = (*self.nonces, (seat, nonce)) if nonce else self.nonces
        said = (News("joined", {"seat": seat}),)
        if None in names.values() or self.state or self.ended:
            return self.with_entry(entry, said, names=names, avatars=avatars, nonces=nonces)
        dice = mixed_seed(self.seed, self.before, nonces)
        state = self.game.deal(self.options, Dice(dice, self.throw))
        told = (*said, *self.said(None, state))
        people: dict[str, Any] = {"names": names, "avatars": avatars, "nonces": nonces}
        return self.with_entry(entry, told, **people, dice=dice, **self.state_changes(state))

    def _moved(self, entry: Moved) -> "Match":
        assert self.state is not None
        seat, move, salt = entry.seat, entry.move, entry.salt
        throw, n, secret = self.throw + 1, self.next_news, self.game.moves[move.type].secret
        state = self.game.play(self.state, seat, move, Dice(self.dice, throw))
        said = self.said(self.state, state)
        changes = {**self.state_changes(state, seat), "moves": self.moves + 1}
        made = StandingMove(n, throw, entry, self.shows(said), checkpoint(self.made, self.state))
        changes["made"], changes["repair"] = self.made.appended(made), None
        if not secret:
            return self.with_entry((seat, move.type, move.fields), said, **changes)
        bound = commitment(salt, self.code, n, seat, move)
        changes["salts"] = self.with_salt(seat, salt)
        changes["secret_moves"] = {**self.secret_moves, seat: self.secret_moves[seat].appended(made)}
        public = {name: value for name, value in move.fields.items() if name not in secret}
        return self.with_entry((seat, move.type, public), said, bound, **changes)

    def shows(self, said: tuple[News, ...]) -> bool:
        """Whether any of this news reveals hidden state."""
        return not self.game.reveals.isdisjoint([news.kind for news in said])

    def said(self, before: State[Any, Any] | None, now: State[Any, Any]) -> tuple[News, ...]:
        """The game's own news, then the news common to all games: whose turn it is, how it ended."""
        table = now.table
        said: tuple[News, ...] = table.said
        for news in said:
            if not RESERVED_FIELDS.isdisjoint(news.fields):
                raise ValueError(f"{self.game.id}: {next(self.game.faults_of(news))}")
        if table.turn and table.turn != (before.table.turn if before else None):
            said = (*said, self.game.turn_of(table.turn, self.seats))
        over = table.ending()
        return (*said, over) if over else said

    def with_salt(self, seat: Seat, salt: str) -> Mapping[Seat, tuple[tuple[int, str], ...]]:
        """The salts, extended by that of this seat's next entry."""
        return {**self.salts, seat: (*self.salts.get(seat, ()), (self.next_news, salt))[-RECENT:]}

    def state_changes(self, state: State[Any, Any], acted: Seat | None = None) -> dict[str, Any]:
        """The fields of `Match` that a new state changes, with the seats whose choices changed.

        The choices of the seat that acted count as changed even if they are equal. Otherwise a double tap
        would play twice, and whether a request is stale would reveal whether the choices changed.
        """
        now, choices, changed = self.version + 1, {}, dict(self.changed)
        for seat in self.names:
            choices[seat] = self.game.choices(state.slice(seat))
            if seat == acted or choices[seat] != self.choices.get(seat):
                changed[seat] = now
        return {"state": state, "choices": choices, "changed": changed}

    def with_entry(
        self,
        entry: Link,
        said: tuple[News, ...],
        bound: str | None = None,
        **changes: Any,
    ) -> "Match":
        """The match with one more entry (seat, type, public fields), its news and these changed fields."""
        at = self.entries + 1
        changes["entries"], changes["version"] = at, self.version + 1
        changes["last_link"], changes["last_commitment"] = entry, bound
        changes["head"], changes["news"] = link(self.head, at, *entry, bound), self._numbered(said, bound)
        after = replaced(self, **changes)
        is_over = after.outcome is not None
        if is_over is bool(self.final_head):
            return after
        return replaced(after, final_head=after.head if is_over else "")

    def told(self) -> tuple[NewsEntry, ...]:
        """The news of the last entry."""
        first = len(self.news)
        while first and self.news[first - 1].entry == self.entries:
            first -= 1
        return self.news[first:]

    def _numbered(self, said: tuple[News, ...], bound: str | None = None) -> tuple[NewsEntry, ...]:
        """The latest news after the next entry, numbered. All news of that entry is included. The first news
        of a secret move carries its commitment."""
        at, first = self.entries + 1, self.next_news
        told = [NewsEntry(n, at, news, bound if n == first else None) for n, news in enumerate(said, first)]
        return (*self.news, *told)[-max(RECENT, len(told)) :]


def open_match(
    code: str,
    game: Game[Any, Any],
    chosen: Mapping[str, Any],
    seed: str,
    before: Mapping[str, str] | None = None,
) -> Match:
    """A new match with free seats. Raises BadOption for an unknown option or an invalid value."""
    return reopen_match(code, game, game.rules, with_defaults(game.options, chosen), seed, before)


def reopen_match(
    code: str,
    game: Game[Any, Any],
    rules: int,
    options: Mapping[str, Any],
    seed: str,
    before: Mapping[str, str] | None = None,
) -> Match:
    """A match as it was originally opened, with the rules version and options stored for it. `before` is
    described at `genesis`."""
    head, seats = genesis(code, game.id, rules, options, seed, before), game.seats(options)
    return Match(
        code,
        game,
        rules,
        options,
        seed,
        seed,
        head,
        dict.fromkeys(seats),
        seed_hash=seed_hash(seed),
        before=before,
        secret_moves={seat: AppendOnlyList() for seat in seats},
    )
