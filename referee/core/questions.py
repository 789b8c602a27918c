"""Questions: the one mechanism for repairing mistakes. A seat asks, the others agree, the change is applied.

`undo` takes back the last move, or an earlier one and all since; `correct` replaces the secret fields of
one's own earlier move, also once the game is over; `reissue` gives a seat a new key; `abandon` ends the game.
What was taken back or corrected stays in the journal. After an undo or a correction, every difference between
the news as announced and the news that holds now is announced as `restated`.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from referee.core.append_only import AppendOnlyList
from referee.core.corrections import (
    check_in_place,
    choices_then,
    corrected_move,
    own_secret,
    replay_corrected,
    with_secrets,
)
from referee.core.entries import Answered, Asked
from referee.core.errors import IllegalMove
from referee.core.frozen import replaced
from referee.core.game import ABANDONED, News, Outcome, Restated, Say, State
from referee.core.moves import Choices, Seat, offered
from referee.core.replay import (
    Replayed,
    ReplayResult,
    StandingMove,
    place,
    played,
    replay_with,
    replayed,
    secret_moves_by_seat,
    state_before,
)
from referee.core.restatements import CORRECTED, TAKEN_BACK, Repair
from referee.fairness.commitments import commitment

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
        without = _without(match, at)
    except IllegalMove:
        return False
    return bool(without.state.table.step == match.state.table.step)


def _without(match: "Match", at: int, first: int = 0) -> ReplayResult:
    """The game replayed without the move at this index. Raises IllegalMove if a later move is not legal."""
    later = ((then.made, then) for then in list(replayed(match, at))[1:])

    def check(_then: Replayed, state: State[Any, Any], move: StandingMove) -> None:
        if not offered(match.game.choices(state.slice(move.entry.seat)), move.entry.move):
            raise IllegalMove("illegal-move")

    return replay_with(match, at, later, first, check)


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


# ---- applying journal entries


def asked(match: "Match", entry: Asked) -> "Match":
    """The match with this question open, or already applied if nobody has to agree."""
    bound = None
    if entry.kind == "correct":
        bound = commitment(entry.salt, match.code, match.next_news, entry.by, corrected_move(match, entry))
    public = {name: value for name, value in entry.fields.items() if name != "fields"}
    moves = {"moves": list(_taken_by(match, entry))} if entry.kind == "undo" else {}
    opened = Question(
        kind=entry.kind,
        by=entry.by,
        of=entry.of,
        about={**public, **moves},
        reveals=_reveals(match, entry),
        reopens=_reopens(match, entry),
        since=match.version + 1,
        commitment=bound,
        quotes=_told_then(match, entry.fields["n"]) if entry.kind == "correct" else None,
    )
    of = {"of": entry.fields["n"]} if "n" in entry.fields else public
    what = {"what": news_to_json(opened.quotes)} if opened.quotes else {}
    said = (News("asked", {"by": entry.by, "question": entry.kind, **of, **moves, **what}),)
    link = {**public, "question": entry.kind, "of": list(entry.of)}
    match = replaced(match, salts=match.with_salt(entry.by, entry.salt)) if bound else match
    if opened.settled:
        return _applied(match, entry, opened, (entry.by, "asks", link), said, bound)
    return match.with_entry((entry.by, "asks", link), said, bound, question=opened, asking=entry)


def answered(match: "Match", entry: Answered) -> "Match":
    """The match after an answer. One no closes the question; it is applied when all have agreed."""
    assert match.question is not None and match.asking is not None
    link = (entry.seat, "answers", {"accept": entry.accept})
    if not entry.accept:
        how = "withdrawn" if entry.seat == match.question.by else "refused"
        said = (News("declined", {"by": entry.seat, "question": match.question.kind, "how": how}),)
        return match.with_entry(link, said, question=None, asking=None)
    opened = replaced(match.question, accepted=(*match.question.accepted, entry.seat))
    if opened.settled:
        return _applied(match, match.asking, opened, link, ())
    return match.with_entry(link, (News("agreed", {"by": entry.seat}),), question=opened)


Link = tuple[Seat, str, Mapping[str, Any]]


def _applied(
    match: "Match",
    entry: Asked,
    settled: Question,
    link: Link,
    said: tuple[News, ...],
    bound: str | None = None,
) -> "Match":
    """Apply a question that all agreed to, and announce it with all restatements."""
    first = match.next_news + len(said) + 1  # the number of the first restatement, after the change itself
    match entry.kind:
        case "undo":
            changes, told = _undo(match, entry, first)
        case "correct":
            changes, told = _correct(match, entry, first)
        case "reissue":
            changes, told = _reissue(match, settled)
        case _:
            nothing: dict[Seat, Choices] = dict.fromkeys(match.choices, ())
            ended = Outcome((), ABANDONED)
            changes = {"ended": ended, "shown": entry.fields["show"], "choices": nothing}
            told = News("abandoned")
    restated = changes["repair"].restated if "repair" in changes else ()
    said = (*said, told, *map(_restated, restated))
    return match.with_entry(link, said, bound, question=None, asking=None, **changes)


def _restated(difference: Restated) -> News:
    """A restatement as news."""
    was, now = (news_to_json(news) if news else None for news in (difference.was, difference.now))
    return News("restated", {"of": difference.of, "was": was, "now": now, "ago": difference.ago})


def news_to_json(news: News) -> dict[str, Any]:
    """A piece of news as JSON inside another one."""
    return {"kind": news.kind, "fields": dict(news.fields)}


def _reissue(match: "Match", settled: Question) -> tuple[dict[str, Any], News]:
    """A seat gets a new key. If the seat was not asked, the score sheet will say so."""
    seat, how = settled.about["seat"], _how_reissued(match, settled)
    unasked = {} if how == "agreed" else {"unasked": (*match.unasked, seat)}
    return unasked, News("reissued", {"seat": seat, "how": how})


def _how_reissued(match: "Match", settled: Question) -> str:
    """Whether the player of the seat agreed, or was not asked: their phone, or every phone, was offline."""
    seat = settled.about["seat"]
    if seat in (settled.by, *settled.of):
        return "agreed"
    others = match.taken.keys() - {seat, settled.by}
    return "nobody_there" if others and not settled.of else "away"


def _taken_by(match: "Match", entry: Asked) -> tuple[int, ...]:
    """The numbers of the moves that an undo takes back: a move and all since, or one's own move alone if
    nobody has to agree."""
    n = entry.fields["n"]
    if not entry.of:
        return (n,)
    return tuple(made.n for made in match.made[place(match, n) :])


def _undo(match: "Match", entry: Asked, first: int) -> tuple[dict[str, Any], News]:
    n, moves = entry.fields["n"], _taken_by(match, entry)
    at = place(match, n)
    if len(moves) == len(match.made) - at:
        replay = ReplayResult(state_before(match, at), AppendOnlyList(match.made[:at]), ())
    else:
        replay = _without(match, at, first)
    acted = match.made[at].entry.seat
    return _replay_changes(match, replay, acted, TAKEN_BACK), News(
        TAKEN_BACK, {"of": n, "moves": list(moves)}
    )


def _replay_changes(match: "Match", replay: ReplayResult, acted: Seat, kind: str) -> dict[str, Any]:
    """The fields of `Match` that change when the game is replaced by this replay."""
    assert match.state is not None
    return {
        **match.state_changes(replay.state, acted),
        "made": replay.made,
        "secret_moves": secret_moves_by_seat(match, replay.made),
        "repair": Repair(kind, match.state, replay.restated),
    }


def _correct(match: "Match", entry: Asked, first: int) -> tuple[dict[str, Any], News]:
    n = entry.fields["n"]
    replay = replay_corrected(match, n, corrected_move(match, entry), first)
    changes = _replay_changes(match, replay, entry.by, CORRECTED)
    changes["amended"] = match.amended + (match.outcome is not None)
    return changes, News(CORRECTED, {"of": n, "changes": len(replay.restated)})


def _reopens(match: "Match", entry: Asked) -> bool:
    """Whether the game is over and would not be after this correction."""
    if entry.kind != "correct" or match.outcome is None:
        return False
    replay = replay_corrected(match, entry.fields["n"], corrected_move(match, entry))
    return replay.state.table.outcome is None


def _told_then(match: "Match", n: int) -> News:
    """The first news of a standing move, as announced to everyone."""
    at = place(match, n)
    first: News = played(match, state_before(match, at), match.made[at]).table.said[0]
    return first


def _reveals(match: "Match", entry: Asked) -> bool:
    """Whether the moves that would be taken back or replayed have revealed hidden state."""
    if entry.kind not in ("undo", "correct"):
        return False
    return any(made.reveals for made in match.made[place(match, entry.fields["n"]) :])
