"""Corrections: which secrets a seat may correct, by what, and the game as it would stand then."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from referee.altered import altered
from referee.game import Say, State
from referee.growing import Growing
from referee.moves import Choices, Move, Seat, offered
from referee.record import Asked
from referee.refused import Refused
from referee.replaying import (
    Anew,
    Check,
    Made,
    Replayed,
    nothing_to_check,
    place,
    played_anew,
    replayed,
    state_before,
)

if TYPE_CHECKING:
    from referee.match import Match


def own_secrets(match: "Match", by: Seat) -> Growing[Made]:
    """The moves of this seat that have a secret: its own to correct."""
    return match.entered.get(by, Growing())


def own_secret(match: "Match", by: Seat, n: int) -> Made | None:
    """The move of this number, if it is this seat's and has a secret."""
    own = own_secrets(match, by)
    at = bisect_left(own, n, key=lambda made: made.n)
    return own[at] if at < len(own) and own[at].n == n else None


def corrected_secrets(match: "Match") -> dict[Seat, tuple[int, ...]]:
    """Whose secrets were corrected: the first, the second or the later of those that this seat entered."""
    return {
        seat: tuple(at for at, made in enumerate(own, 1) if made.corrected)
        for seat, own in match.entered.items()
        if any(made.corrected for made in own)
    }


def choices_then(match: "Match", made: Made) -> Choices:
    """What a seat was offered when it made this move."""
    return match.game.choices(state_before(match, place(match, made.n)).slice(made.entry.seat))


def corrected_move(match: "Match", entry: Asked) -> Move:
    """The whole move that a question would put in the place of one that stands."""
    made = match.made[place(match, entry.fields["n"])]
    return with_secrets(match, made.entry.move, entry.fields["fields"])


def with_secrets(match: "Match", move: Move, secrets: Mapping[str, Any]) -> Move:
    """A move with these secrets in the place of all it had: one that may be left out may go."""
    secret = match.game.moves[move.type].secret
    open_fields = {name: value for name, value in move.fields.items() if name not in secret}
    return Move(move.type, {**open_fields, **secrets})


def check_in_place(match: "Match", by: Seat, n: int, move: Move) -> None:
    """Refuse a correction unless each later move of another seat was chosen from the same choices: whatever
    the asker cannot know would else decide whether it can be done. The asker's own later moves must just be
    possible."""

    def check(then: Replayed, state: State[Any, Any], made: Made) -> None:
        was, now = (match.game.choices(each.slice(made.entry.seat)) for each in (then.before, state))
        if not _stays(made, by, was, now):
            key = "refusal.depends_over" if match.outcome else "refusal.take_back_first"
            raise Refused("illegal-move", Say(key, {"n": n}))

    corrected_anew(match, n, move, check=check)


def corrected_anew(
    match: "Match", n: int, move: Move, first: int = 0, check: Check = nothing_to_check
) -> Anew:
    """The game with another secret in this move, replayed; what is restated is told from `first` on."""
    at = place(match, n)
    told: Sequence[Replayed] = list(replayed(match, at))
    wrong = told[0].made
    right = altered(wrong, entry=altered(wrong.entry, move=move), corrected=True)
    moves = zip((right, *(then.made for then in told[1:])), told, strict=True)
    return played_anew(match, at, moves, first, check)


def _stays(made: Made, by: Seat, was: Choices, now: Choices) -> bool:
    """Whether a later move stays as it is, though its seat had these choices and now has those."""
    return offered(now, made.entry.move) is not None if made.entry.seat == by else was == now
