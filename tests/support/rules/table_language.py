"""What the test languages of all games share: a table that records its news, and a player at it."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from referee.core.entries import Answered, Joined, Moved
from referee.core.errors import IllegalMove
from referee.core.game import Game, News, Outcome
from referee.core.match import Match, open_match
from referee.core.moves import Choice, Move, Seat
from referee.core.questions import question
from referee.kit.legal_moves import worded
from referee.presentation.views import to_do
from referee.presentation.words import LANGUAGES, words

SEED = "5e" * 32
SALT = "a1" * 32
NEW_SALT = "b2" * 32  # of a correction


class AnyTable:
    """A game, whoever sits there, and what has been said so far."""

    def __init__(self, game: Game[Any, Any], **options: Any) -> None:
        self.game = game
        self.match: Match = open_match("KX7QF", game, options, SEED)

    def sits(self, seat: Seat, name: str) -> None:
        self.match = self.match.after(Joined(seat, name))

    def moves(self, seat: Seat, kind: str, /, **fields: Any) -> None:
        """A move, through the match's own checks."""
        move = Move(kind, fields)
        self.match.check(seat, move, self.match.version)
        salt = SALT if self.game.moves[kind].secret else ""
        self.match = self.match.after(Moved(seat, move, salt))

    def asks(
        self,
        by: str,
        kind: str,
        connected: Collection[Seat] = (),
        version: int | None = None,
        is_deserted: bool = False,
        **fields: Any,
    ) -> None:
        at = self.match.version if version is None else version
        entry = question(self.match, by, kind, fields, at, connected, is_deserted)
        self.match = self.match.after(replace(entry, salt=NEW_SALT) if kind == "correct" else entry)

    def answers(self, seat: Seat, accept: bool = True) -> None:
        self.match = self.match.after(Answered(seat, accept))

    def all_agree(self) -> None:
        asked = self.match.question
        assert asked is not None
        for seat in asked.of:
            self.answers(seat)

    @property
    def state(self) -> Any:
        assert self.match.state is not None
        return self.match.state

    @property
    def public(self) -> dict[str, Any]:
        return self.game.public(self.state.table)

    @property
    def heard(self) -> list[News]:
        """What the last move told everybody."""
        return [told.news for told in self.match.news if told.entry == self.match.entries]

    def kinds(self) -> list[str]:
        return [news.kind for news in self.heard]

    def all_news(self, kind: str) -> list[dict[str, Any]]:
        """The fields of each piece of news of this kind that the last move brought."""
        return [dict(news.fields) for news in self.heard if news.kind == kind]

    def news(self, kind: str) -> dict[str, Any]:
        """The same where there is just one."""
        (fields,) = self.all_news(kind)
        return fields

    @property
    def outcome(self) -> Outcome:
        assert self.match.outcome is not None, "the game is not over"
        return self.match.outcome

    @property
    def over(self) -> bool:
        return self.match.outcome is not None


T = TypeVar("T", bound=AnyTable)


@dataclass(frozen=True)
class AnyPlayer(Generic[T]):
    """Somebody at the table."""

    table: T
    seat: Seat

    def does(self, kind: str, /, **fields: Any) -> None:
        self.table.moves(self.seat, kind, **fields)

    def is_refused(self, kind: str, /, **fields: Any) -> str:
        """The rule that forbids this move, or the refusal's code; fails when it is allowed."""
        match = self.table.match
        try:
            match.check(self.seat, Move(kind, fields), match.version)
        except IllegalMove as refused:
            assert all(worded(refused, words(language)) for language in LANGUAGES)
            return refused.why.key.removeprefix(f"{match.game.id}.why.") if refused.why else refused.code
        raise AssertionError(f"{self.seat} may {kind} {fields}")

    @property
    def choices(self) -> list[Choice]:
        return list(self.table.match.choices[self.seat])

    @property
    def may(self) -> list[str]:
        """The types of move this player is offered, each once."""
        return list(dict.fromkeys(choice.type for choice in self.choices))

    def offered(self, kind: str, name: str) -> list[Any]:
        """The options of a field, in every choice of this type."""
        choices = [choice for choice in self.choices if choice.type == kind]
        return [f.options for choice in choices for f in choice.fields if f.name == name]

    def todo(self) -> list[str]:
        """What this player is asked to do with the real components."""
        return [say.key for say in to_do(self.table.match.seen_by(self.seat))]
