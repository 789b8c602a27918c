"""Questions, by which mistakes are repaired: which may be asked, whom, and who may answer.

A seat asks, the others agree, and the change is made (`referee.core.question_effects`).
`undo` takes back the last move, or an earlier one and all since; `correct` replaces the secret fields of
one's own earlier move, also once the game is over; `reissue` gives a seat a new key; `abandon` ends the game.
What was taken back or corrected stays in the journal. After an undo or a correction, every difference between
the news as announced and the news that holds now is announced as `restated`.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from referee.core.corrections import (
    check_in_place,
    choices_then,
    own_secret,
    with_secrets,
)
from referee.core.entries import Answered, Asked
from referee.core.errors import IllegalMove
from referee.core.game import News, Say
from referee.core.moves import Seat, offered
from referee.core.replay import (
    StandingMove,
    place,
    replay_without,
)

if TYPE_CHECKING:
    from referee.core.match import Match

HOST = "host"


@dataclass(frozen=True)
class Question:
    """An open question, as everyone sees it."""

    kind: str
    by: Seat  # a seat, or the host
    of: tuple[Seat, ...]  # the seats that must agree
    about: Mapping[str, Any]
    reveals: bool  # hidden state was revealed by the moves that would be taken back or replayed
    reopens: bool  # the game is over and would not be after this correction
    since: int  # the version that opened it
    accepted: tuple[Seat, ...] = ()
    commitment: str | None = None  # to the secret that a correction would enter
    quotes: News | None = None  # the public news of the move that a correction would change

    @property
    def settled(self) -> bool:
        return set(self.of) <= set(self.accepted)


# ---- asking


def question(
    match: "Match",
    by: Seat,
    kind: str,
    fields: Mapping[str, Any],
    version: int,
    connected: Collection[Seat] = (),
    is_deserted: bool = False,
    closed: Say | None = None,
) -> Asked:
    """The journal entry that asks this question. Raises IllegalMove. `fields` were parsed by the caller.

    If the table is deserted (no phone connected for long), the host reissues a key without asking anyone.
    Once the game is over only `correct` is allowed, unless `closed` says why it is too late for that.
    """
    if kind == "correct":
        _check_form(match, by, fields)
    if match.question:
        raise IllegalMove("question-open")
    if kind in ("undo", "correct"):
        _check_started(match)
    own = _own_undo(match, by, fields) if kind == "undo" else None
    if not _since(match, by, kind, own) <= version <= match.version:
        raise IllegalMove("stale")
    if match.outcome and (kind != "correct" or match.ended or closed):
        too_late = closed if kind == "correct" and not match.ended else None
        raise IllegalMove("illegal-move", too_late or Say("refusal.over"))
    others = tuple(seat for seat in match.taken if seat != by)
    match kind:
        case "undo":
            return Asked(by, kind, () if own else others, {"n": (own or _first_of(match, fields)).n})
        case "correct":
            _check_correction(match, by, fields)
            return Asked(by, kind, others, fields)
        case "reissue":
            of = _asked_to_reissue(match, fields["seat"], others, connected)
            return Asked(by, kind, () if is_deserted and by == HOST else of, fields)
        case "abandon":
            return Asked(by, kind, others, fields)
    raise ValueError(f"unknown kind of question: {kind}")


def answer(match: "Match", by: Seat, accept: bool, version: int | None = None) -> Answered:
    """The entry that answers the open question. Raises IllegalMove. The asker withdraws by answering no.

    `version` is the version at which the question was seen, so an answer never applies to a later question.
    """
    check_may_answer(match, by)
    asked = match.question
    if asked is None or by in asked.accepted or (version is not None and version < asked.since):
        raise IllegalMove("stale")
    if accept and by not in asked.of:
        raise IllegalMove("not-allowed")
    return Answered(by, accept)


def check_may_answer(match: "Match", by: Seat) -> None:
    """Refuse a seat that neither asked nor was asked."""
    if match.question and by not in (*match.question.of, match.question.by):
        raise IllegalMove("not-allowed")


def _since(match: "Match", by: Seat, kind: str, own: StandingMove | None) -> int:
    """The lowest version that the asker must have seen. An undo of any seat's move depends on all seats."""
    if kind == "undo" and own is None:
        return max(match.changed.values(), default=0)
    return match.changed.get(by, 0)


def _first_of(match: "Match", fields: Mapping[str, Any]) -> StandingMove:
    """The earliest move that an undo takes back: the one named by `n`, or the last."""
    if not match.made:
        raise IllegalMove("illegal-move", Say("refusal.nothing_to_undo"))
    if "n" not in fields:
        return match.made[-1]
    at = place(match, fields["n"])
    if at == len(match.made) or match.made[at].n != fields["n"]:
        raise IllegalMove("illegal-move", Say("refusal.no_such_move"))
    return match.made[at]


def _own_undo(match: "Match", by: Seat, fields: Mapping[str, Any]) -> StandingMove | None:
    """The seat's own move that this undo takes back without asking, or None if others must agree."""
    own = _own_entry(match, by)
    return own if own and fields.get("n", own.n) == own.n else None


def _own_entry(match: "Match", by: Seat) -> StandingMove | None:
    """The seat's last move in a simultaneous step that is still open. It may be taken back without asking."""
    if match.state is None or match.state.table.turn is not None:
        return None
    unseen = takewhile(lambda at: not match.made[at].reveals, reversed(range(len(match.made))))
    last = next((at for at in unseen if match.made[at].entry.seat == by), None)
    return match.made[last] if last is not None and _is_in_this_step(match, last) else None


def _is_in_this_step(match: "Match", at: int) -> bool:
    """Whether a move belongs to the current step: without it all other moves are legal and the step is the
    same."""
    assert match.state is not None
    try:
        without = replay_without(match, at)
    except IllegalMove:
        return False
    return bool(without.state.table.step == match.state.table.step)


def _check_form(match: "Match", by: Seat, fields: Mapping[str, Any]) -> None:
    """Refuse a correction whose fields are not exactly the secret fields of its move."""
    made = own_secret(match, by, fields["n"])
    if made is None:
        return
    shape, given = match.game.moves[made.entry.move.type], fields["fields"].keys()
    whole = with_secrets(match, made.entry.move, fields["fields"]).fields
    if not shape.secret - shape.optional <= given <= shape.secret or any(shape.misfits(whole)):
        raise IllegalMove("malformed", Say("refusal.malformed.detail", {"what": "fields"}))


def _check_correction(match: "Match", by: Seat, fields: Mapping[str, Any]) -> None:
    """Refuse a correction unless the seat made the move, the new secret was legal then and differs from the
    old one, and the later moves of all seats are unaffected."""
    made = own_secret(match, by, fields["n"])
    if made is None:
        raise IllegalMove("illegal-move", Say("refusal.not_yours_to_correct"))
    move = with_secrets(match, made.entry.move, fields["fields"])
    if not offered(choices_then(match, made), move):
        raise IllegalMove("illegal-move", Say("refusal.correction_impossible"))
    if move == made.entry.move:
        raise IllegalMove("illegal-move", Say("refusal.same_secret"))
    check_in_place(match, by, made.n, move)


def _asked_to_reissue(
    match: "Match", seat: Seat, others: tuple[Seat, ...], connected: Collection[Seat]
) -> tuple[Seat, ...]:
    """The seats that must agree: all others, and the seat itself while its phone is connected."""
    if match.names[seat] is None:
        raise IllegalMove("illegal-move", Say("refusal.seat_is_free"))
    return tuple(other for other in others if other != seat or seat in connected)


def _check_started(match: "Match") -> None:
    if match.state is None:
        raise IllegalMove("not-started")
