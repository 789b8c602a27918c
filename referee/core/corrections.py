"""Corrections of secret moves: which ones a seat may correct, with what, and the resulting game."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from referee.core.append_only import AppendOnlyList
from referee.core.entries import Asked
from referee.core.errors import IllegalMove
from referee.core.frozen import replaced
from referee.core.game import Say, State
from referee.core.moves import Choices, Move, Seat, offered
from referee.core.replay import (
    Check,
    Replayed,
    ReplayResult,
    StandingMove,
    no_check,
    place,
    replay_with,
    replayed,
    state_before,
)

if TYPE_CHECKING:
    from referee.core.match import Match


def own_secrets(match: "Match", by: Seat) -> AppendOnlyList[StandingMove]:
    """The moves of this seat that have secret fields. Only the seat itself may correct them."""
    return match.secret_moves.get(by, AppendOnlyList())


def own_secret(match: "Match", by: Seat, n: int) -> StandingMove | None:
    """The move with this number, if this seat made it and it has secret fields."""
    own = own_secrets(match, by)
    at = bisect_left(own, n, key=lambda made: made.n)
    return own[at] if at < len(own) and own[at].n == n else None


def corrected_secrets(match: "Match") -> dict[Seat, tuple[int, ...]]:
    """For each seat with corrections, the positions (from 1) of its corrected secret moves."""
    return {
        seat: tuple(at for at, made in enumerate(own, 1) if made.corrected)
        for seat, own in match.secret_moves.items()
        if any(made.corrected for made in own)
    }


def choices_then(match: "Match", made: StandingMove) -> Choices:
    """The choices that the seat had when it made this move."""
    return match.game.choices(state_before(match, place(match, made.n)).slice(made.entry.seat))


def corrected_move(match: "Match", entry: Asked) -> Move:
    """The complete move that a `correct` question would substitute for a standing move."""
    made = match.made[place(match, entry.fields["n"])]
    return with_secrets(match, made.entry.move, entry.fields["fields"])


def with_secrets(match: "Match", move: Move, secrets: Mapping[str, Any]) -> Move:
    """The move with all its secret fields replaced by these. An optional secret field may disappear."""
    secret = match.game.moves[move.type].secret
    open_fields = {name: value for name, value in move.fields.items() if name not in secret}
    return Move(move.type, {**open_fields, **secrets})


def check_in_place(match: "Match", by: Seat, n: int, move: Move) -> None:
    """Refuse a correction unless every later move of another seat was chosen from the same choices.

    Otherwise the refusal itself would depend on secrets that the asker must not learn. The asker's own later
    moves only have to stay legal.
    """

    def check(then: Replayed, state: State[Any, Any], made: StandingMove) -> None:
        was, now = (match.game.choices(each.slice(made.entry.seat)) for each in (then.before, state))
        if not _stays(made, by, was, now):
            key = "refusal.depends_over" if match.outcome else "refusal.take_back_first"
            raise IllegalMove("illegal-move", Say(key, {"n": n}))

    replay_corrected(match, n, move, check=check)


def replay_corrected(
    match: "Match", n: int, move: Move, first: int = 0, check: Check = no_check
) -> ReplayResult:
    """The game replayed with another secret in this move. Restatements are numbered from `first` on."""
    at = place(match, n)
    told: Sequence[Replayed] = list(replayed(match, at))
    wrong = told[0].made
    right = replaced(wrong, entry=replaced(wrong.entry, move=move), corrected=True)
    moves = zip((right, *(then.made for then in told[1:])), told, strict=True)
    return replay_with(match, at, moves, first, check)


def _stays(made: StandingMove, by: Seat, was: Choices, now: Choices) -> bool:
    """Whether a later move survives, given its seat's choices before (`was`) and after (`now`)."""
    return offered(now, made.entry.move) is not None if made.entry.seat == by else was == now
