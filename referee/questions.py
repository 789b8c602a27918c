"""Questions: one mechanism for mistakes. Somebody asks, those concerned agree, and then it is done.

`undo` takes back the last move, or an earlier one and all since; `correct` replaces the secret fields of
one's own earlier move, also once the game is over; `reissue` gives a seat a new key; `abandon` ends the game.
What was taken back or corrected stays in the journal. After an undo or a correction every difference between
what was said aloud and what would be said now is told.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from referee.altered import altered
from referee.corrections import (
    check_in_place,
    choices_then,
    corrected_anew,
    corrected_move,
    own_secret,
    with_secrets,
)
from referee.fairness import commitment
from referee.game import ABANDONED, News, Outcome, Restated, Say, State
from referee.growing import Growing
from referee.moves import Choices, Seat, offered
from referee.record import Answered, Asked
from referee.refused import Refused
from referee.replaying import (
    Anew,
    Made,
    Replayed,
    entered_in,
    place,
    played,
    played_anew,
    replayed,
    state_before,
)
from referee.restating import CORRECTED, TAKEN_BACK, Repair

if TYPE_CHECKING:
    from referee.match import Match

HOST = "host"


@dataclass(frozen=True)
class Question:
    """An open question, as everyone sees it."""

    kind: str
    by: Seat  # a seat, or the host
    of: tuple[Seat, ...]  # all who must agree
    about: Mapping[str, Any]
    reveals: bool
    reopens: bool  # a correction after which the game would not be over
    since: int  # the version that opened it
    accepted: tuple[Seat, ...] = ()
    commitment: str | None = None  # of the secret that a correction would enter
    quotes: News | None = None  # what was told of the secret that it would replace

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
    """The entry that asks this, or a refusal. `fields` have been read in their form already.

    Where nobody has been there for long, the host alone gives a seat a new key. Once the game is over only
    `correct` is left, unless `closed` says why it is too late for that.
    """
    if kind == "correct":
        _check_form(match, by, fields)
    if match.question:
        raise Refused("question-open")
    if kind in ("undo", "correct"):
        _check_started(match)
    own = _own_undo(match, by, fields) if kind == "undo" else None
    if not _since(match, by, kind, own) <= version <= match.version:
        raise Refused("stale")
    if match.outcome and (kind != "correct" or match.ended or closed):
        too_late = closed if kind == "correct" and not match.ended else None
        raise Refused("illegal-move", too_late or Say("refusal.over"))
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
    raise ValueError(f"there is no question {kind}")


def answer(match: "Match", by: Seat, accept: bool, version: int | None = None) -> Answered:
    """The entry that answers the open question, or a refusal. Whoever asked may take it back by saying no.

    Given the version at which it was seen, it never answers a later question.
    """
    check_may_answer(match, by)
    asked = match.question
    if asked is None or by in asked.accepted or (version is not None and version < asked.since):
        raise Refused("stale")
    if accept and by not in asked.of:
        raise Refused("not-allowed")
    return Answered(by, accept)


def check_may_answer(match: "Match", by: Seat) -> None:
    """Refuse whoever was not asked and did not ask."""
    if match.question and by not in (*match.question.of, match.question.by):
        raise Refused("not-allowed")


def _since(match: "Match", by: Seat, kind: str, own: Made | None) -> int:
    """Since when things stand as whoever asks must have seen them: the last move is the last of anyone."""
    if kind == "undo" and own is None:
        return max(match.changed.values(), default=0)
    return match.changed.get(by, 0)


def _first_of(match: "Match", fields: Mapping[str, Any]) -> Made:
    """The first of the moves that an undo takes back: the one that it names, or the last."""
    if not match.made:
        raise Refused("illegal-move", Say("refusal.nothing_to_undo"))
    if "n" not in fields:
        return match.made[-1]
    at = place(match, fields["n"])
    if at == len(match.made) or match.made[at].n != fields["n"]:
        raise Refused("illegal-move", Say("refusal.no_such_move"))
    return match.made[at]


def _own_undo(match: "Match", by: Seat, fields: Mapping[str, Any]) -> Made | None:
    """The entry of its own that a seat takes back unasked, where an undo is about that one."""
    own = _own_entry(match, by)
    return own if own and fields.get("n", own.n) == own.n else None


def _own_entry(match: "Match", by: Seat) -> Made | None:
    """What a seat entered last in a simultaneous step that still goes on: its own to take back, unasked."""
    if match.state is None or match.state.table.turn is not None:
        return None
    unseen = takewhile(lambda at: not match.made[at].reveals, reversed(range(len(match.made))))
    last = next((at for at in unseen if match.made[at].entry.seat == by), None)
    return match.made[last] if last is not None and _is_in_this_step(match, last) else None


def _is_in_this_step(match: "Match", at: int) -> bool:
    """Whether a move was made in the step that goes on: without it all the others stand."""
    assert match.state is not None
    try:
        without = _without(match, at)
    except Refused:
        return False
    return bool(without.state.table.step == match.state.table.step)


def _without(match: "Match", at: int, first: int = 0) -> Anew:
    """The game without the move at this place; all the others must be possible."""
    later = ((then.made, then) for then in list(replayed(match, at))[1:])

    def check(_then: Replayed, state: State[Any, Any], move: Made) -> None:
        if not offered(match.game.choices(state.slice(move.entry.seat)), move.entry.move):
            raise Refused("illegal-move")

    return played_anew(match, at, later, first, check)


def _check_form(match: "Match", by: Seat, fields: Mapping[str, Any]) -> None:
    """A correction has all the secret fields of its move and no others."""
    made = own_secret(match, by, fields["n"])
    if made is None:
        return
    shape, given = match.game.moves[made.entry.move.type], fields["fields"].keys()
    whole = with_secrets(match, made.entry.move, fields["fields"]).fields
    if not shape.secret - shape.optional <= given <= shape.secret or any(shape.misfits(whole)):
        raise Refused("malformed", Say("refusal.malformed.detail", {"what": "fields"}))


def _check_correction(match: "Match", by: Seat, fields: Mapping[str, Any]) -> None:
    """A seat corrects only what it entered itself, by something it could have entered then, and in place only
    where that leaves everybody's later moves as they were."""
    made = own_secret(match, by, fields["n"])
    if made is None:
        raise Refused("illegal-move", Say("refusal.not_yours_to_correct"))
    move = with_secrets(match, made.entry.move, fields["fields"])
    if not offered(choices_then(match, made), move):
        raise Refused("illegal-move", Say("refusal.correction_impossible"))
    if move == made.entry.move:
        raise Refused("illegal-move", Say("refusal.same_secret"))
    check_in_place(match, by, made.n, move)


def _asked_to_reissue(
    match: "Match", seat: Seat, others: tuple[Seat, ...], connected: Collection[Seat]
) -> tuple[Seat, ...]:
    """All other seats, and the seat itself while its phone is there."""
    if match.names[seat] is None:
        raise Refused("illegal-move", Say("refusal.seat_is_free"))
    return tuple(other for other in others if other != seat or seat in connected)


def _check_started(match: "Match") -> None:
    if match.state is None:
        raise Refused("not-started")


# ---- the journal's entries


def asked(match: "Match", entry: Asked) -> "Match":
    """The match with this question open, or already settled where nobody has to agree."""
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
    what = {"what": wired(opened.quotes)} if opened.quotes else {}
    said = (News("asked", {"by": entry.by, "question": entry.kind, **of, **moves, **what}),)
    link = {**public, "question": entry.kind, "of": list(entry.of)}
    match = altered(match, salts=match.salted(entry.by, entry.salt)) if bound else match
    if opened.settled:
        return _done(match, entry, opened, (entry.by, "asks", link), said, bound)
    return match.grown((entry.by, "asks", link), said, bound, question=opened, asking=entry)


def answered(match: "Match", entry: Answered) -> "Match":
    """One no closes a question; it is done when all who were asked agreed."""
    assert match.question is not None and match.asking is not None
    link = (entry.seat, "answers", {"accept": entry.accept})
    if not entry.accept:
        how = "withdrawn" if entry.seat == match.question.by else "refused"
        said = (News("declined", {"by": entry.seat, "question": match.question.kind, "how": how}),)
        return match.grown(link, said, question=None, asking=None)
    opened = altered(match.question, accepted=(*match.question.accepted, entry.seat))
    if opened.settled:
        return _done(match, match.asking, opened, link, ())
    return match.grown(link, (News("agreed", {"by": entry.seat}),), question=opened)


Link = tuple[Seat, str, Mapping[str, Any]]


def _done(
    match: "Match",
    entry: Asked,
    settled: Question,
    link: Link,
    said: tuple[News, ...],
    bound: str | None = None,
) -> "Match":
    """What was asked happens, and everyone is told, every difference to what was said before included."""
    first = match.next_news + len(said) + 1  # of the differences: what was asked is told before them
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
    return match.grown(link, said, bound, question=None, asking=None, **changes)


def _restated(difference: Restated) -> News:
    """A difference as it is told."""
    was, now = (wired(news) if news else None for news in (difference.was, difference.now))
    return News("restated", {"of": difference.of, "was": was, "now": now, "ago": difference.ago})


def wired(news: News) -> dict[str, Any]:
    """A piece of news as another one quotes it."""
    return {"kind": news.kind, "fields": dict(news.fields)}


def _reissue(match: "Match", settled: Question) -> tuple[dict[str, Any], News]:
    """A seat gets a new key; given unasked, that stays to be seen on the sheet."""
    seat, how = settled.about["seat"], _how_reissued(match, settled)
    unasked = {} if how == "agreed" else {"unasked": (*match.unasked, seat)}
    return unasked, News("reissued", {"seat": seat, "how": how})


def _how_reissued(match: "Match", settled: Question) -> str:
    """Whether whoever sits there agreed, or was not asked: their phone was away, or everybody's."""
    seat = settled.about["seat"]
    if seat in (settled.by, *settled.of):
        return "agreed"
    others = match.taken.keys() - {seat, settled.by}
    return "nobody_there" if others and not settled.of else "away"


def _taken_by(match: "Match", entry: Asked) -> tuple[int, ...]:
    """The numbers of the moves that an undo takes back: a move and all since, or, where nobody has to agree,
    one's own entry alone."""
    n = entry.fields["n"]
    if not entry.of:
        return (n,)
    return tuple(made.n for made in match.made[place(match, n) :])


def _undo(match: "Match", entry: Asked, first: int) -> tuple[dict[str, Any], News]:
    n, moves = entry.fields["n"], _taken_by(match, entry)
    at = place(match, n)
    if len(moves) == len(match.made) - at:
        anew = Anew(state_before(match, at), Growing(match.made[:at]), ())
    else:
        anew = _without(match, at, first)
    acted = match.made[at].entry.seat
    return _anew(match, anew, acted, TAKEN_BACK), News(TAKEN_BACK, {"of": n, "moves": list(moves)})


def _anew(match: "Match", anew: Anew, acted: Seat, kind: str) -> dict[str, Any]:
    """The changes after which these moves stand, and led to this state."""
    assert match.state is not None
    return {
        **match.standing(anew.state, acted),
        "made": anew.made,
        "entered": entered_in(match, anew.made),
        "repair": Repair(kind, match.state, anew.restated),
    }


def _correct(match: "Match", entry: Asked, first: int) -> tuple[dict[str, Any], News]:
    n = entry.fields["n"]
    anew = corrected_anew(match, n, corrected_move(match, entry), first)
    changes = _anew(match, anew, entry.by, CORRECTED)
    changes["amended"] = match.amended + (match.outcome is not None)
    return changes, News(CORRECTED, {"of": n, "changes": len(anew.restated)})


def _reopens(match: "Match", entry: Asked) -> bool:
    """Whether the game is over and would not be with what is asked."""
    if entry.kind != "correct" or match.outcome is None:
        return False
    anew = corrected_anew(match, entry.fields["n"], corrected_move(match, entry))
    return anew.state.table.outcome is None


def _told_then(match: "Match", n: int) -> News:
    """What everyone was told first when a move was made that still stands."""
    at = place(match, n)
    first: News = played(match, state_before(match, at), match.made[at]).table.said[0]
    return first


def _reveals(match: "Match", entry: Asked) -> bool:
    """Whether something hidden has been shown by what would be taken back or played again."""
    if entry.kind not in ("undo", "correct"):
        return False
    return any(made.reveals for made in match.made[place(match, entry.fields["n"]) :])
