"""Questions: one mechanism for mistakes. Somebody asks, those concerned agree, and then it is done.

`undo` takes back the last move, `correct` replaces the secret fields of one's own earlier move, `reissue`
gives a seat a new key, `abandon` ends the game. What was taken back or corrected stays in the journal.
"""

from bisect import bisect_left
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from referee.altered import altered
from referee.fairness import commitment
from referee.game import ABANDONED, News, Outcome, Say, State
from referee.growing import Growing
from referee.moves import Choices, Move, Seat, offered
from referee.record import Answered, Asked
from referee.refused import Refused
from referee.replaying import Made, entered_in, place, played, played_anew, state_before

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
) -> Asked:
    """The entry that asks this, or a refusal. `fields` have been read in their form already.

    Where nobody has been there for long, the host alone gives a seat a new key.
    """
    if kind == "correct":
        _check_form(match, by, fields)
    if match.question:
        raise Refused("question-open")
    if kind in ("undo", "correct"):
        _check_started(match)
    own = _own_entry(match, by) if kind == "undo" else None
    if not _since(match, by, kind, own) <= version <= match.version:
        raise Refused("stale")
    if match.outcome:
        raise Refused("illegal-move", Say("refusal.over"))
    others = tuple(seat for seat in match.taken if seat != by)
    match kind:
        case "undo":
            return Asked(by, kind, () if own else others, {"n": (own or _last(match)).n})
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


def _last(match: "Match") -> Made:
    if not match.made:
        raise Refused("illegal-move", Say("refusal.nothing_to_undo"))
    return match.made[-1]


def _own_entry(match: "Match", by: Seat) -> Made | None:
    """What a seat entered last in a simultaneous step that still goes on: its own to take back, unasked."""
    if match.state is None or match.state.table.turn is not None:
        return None
    unseen = takewhile(lambda at: not match.made[at].reveals, reversed(range(len(match.made))))
    own = (at for at in unseen if match.made[at].entry.seat == by and _is_in_this_step(match, at))
    return next((match.made[at] for at in own), None)


def _is_in_this_step(match: "Match", at: int) -> bool:
    """Whether a move was made in the step that goes on: without it all the others stand."""
    assert match.state is not None
    try:
        without, _ = played_anew(match, at, match.made[at + 1 :])
    except Refused:
        return False
    return bool(without.table.step == match.state.table.step)


def own_secrets(match: "Match", by: Seat) -> Growing[Made]:
    """The moves of this seat that have a secret: its own to correct."""
    return match.entered.get(by, Growing())


def corrections(match: "Match") -> dict[Seat, tuple[int, ...]]:
    """Whose secrets were corrected: the first, the second or the later of those that this seat entered."""
    return {
        seat: tuple(at for at, made in enumerate(own, 1) if made.corrected)
        for seat, own in match.entered.items()
        if any(made.corrected for made in own)
    }


def own_secret(match: "Match", by: Seat, n: int) -> Made | None:
    """The move of this number, if it is this seat's and has a secret."""
    own = own_secrets(match, by)
    at = bisect_left(own, n, key=lambda made: made.n)
    return own[at] if at < len(own) and own[at].n == n else None


def _check_form(match: "Match", by: Seat, fields: Mapping[str, Any]) -> None:
    """A correction has all the secret fields of its move and no others."""
    made = own_secret(match, by, fields["n"])
    if made is None:
        return
    shape, given = match.game.moves[made.entry.move.type], fields["fields"].keys()
    whole = _with_secrets(match, made.entry.move, fields["fields"]).fields
    if not shape.secret - shape.optional <= given <= shape.secret or any(shape.misfits(whole)):
        raise Refused("malformed", Say("refusal.malformed.detail", {"what": "fields"}))


def _check_correction(match: "Match", by: Seat, fields: Mapping[str, Any]) -> None:
    """A seat corrects only what it entered itself, by something it could have entered then."""
    made = own_secret(match, by, fields["n"])
    if made is None:
        raise Refused("illegal-move", Say("refusal.not_yours_to_correct"))
    move = _with_secrets(match, made.entry.move, fields["fields"])
    if not offered(choices_then(match, made), move):
        raise Refused("illegal-move", Say("refusal.correction_impossible"))


def choices_then(match: "Match", made: Made) -> Choices:
    """What a seat was offered when it made this move."""
    return match.game.choices(state_before(match, place(match, made.n)).slice(made.entry.seat))


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
        bound = commitment(entry.salt, match.code, match.next_news, entry.by, corrected(match, entry))
    public = {name: value for name, value in entry.fields.items() if name != "fields"}
    since = match.version + 1
    quotes = _told_then(match, entry.fields["n"]) if entry.kind == "correct" else None
    shown = _reveals(match, entry)
    opened = Question(entry.kind, entry.by, entry.of, public, shown, since, (), bound, quotes)
    of = {"of": entry.fields["n"]} if "n" in entry.fields else public
    what = {"what": {"kind": quotes.kind, "fields": dict(quotes.fields)}} if quotes else {}
    said = (News("asked", {"by": entry.by, "question": entry.kind, **of, **what}),)
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
    """What was asked happens, and everyone is told."""
    match entry.kind:
        case "undo":
            changes, told = _undo(match, entry.fields["n"])
        case "correct":
            changes, told = _correct(match, entry)
        case "reissue":
            changes, told = _reissue(match, settled)
        case _:
            nothing: dict[Seat, Choices] = dict.fromkeys(match.choices, ())
            ended = Outcome((), ABANDONED)
            changes = {"ended": ended, "shown": entry.fields["show"], "choices": nothing}
            told = News("abandoned")
    retold = _retold(match, changes)
    said = (*said, told, *retold, *_ending(changes))
    closed = {"question": None, "asking": None, "retold": retold or match.retold}
    return match.grown(link, said, bound, **closed, **changes)


def _retold(match: "Match", changes: Mapping[str, Any]) -> tuple[News, ...]:
    """What the game says again once it was played with another secret, or with a move less."""
    if match.state is None or "state" not in changes:
        return ()
    return match.game.retells(match.state.table, changes["state"].table)


def _ending(changes: Mapping[str, Any]) -> tuple[News, ...]:
    """A secret that is set right may end the game: that is told like any other end."""
    over = changes["state"].table.ending() if "state" in changes else None
    return (over,) if over else ()


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


def _undo(match: "Match", n: int) -> tuple[dict[str, Any], News]:
    at = place(match, n)
    state, made = played_anew(match, at, match.made[at + 1 :])
    return _anew(match, state, made, match.made[at].entry.seat), News("taken_back", {"of": n})


def _anew(match: "Match", state: State[Any, Any], made: Growing[Made], acted: Seat) -> dict[str, Any]:
    """The changes after which these moves stand, and led to this state."""
    return {**match.standing(state, acted), "made": made, "entered": entered_in(match, made)}


def _correct(match: "Match", entry: Asked) -> tuple[dict[str, Any], News]:
    """Replay with the new secret; where a later move would not have been possible, all stays as it was."""
    move, n = corrected(match, entry), entry.fields["n"]
    wrong, *later = match.made[place(match, n) :]
    right = altered(wrong, entry=altered(wrong.entry, move=move), corrected=True)
    try:
        state, made = played_anew(match, place(match, n), (right, *later))
    except Refused:
        return {}, News("not_corrected", {"of": n})
    changes = _anew(match, state, made, entry.by)
    return {**changes, "mended": match.next_news}, News("corrected", {"of": n})


def corrected(match: "Match", entry: Asked) -> Move:
    """The whole move that a question would put in the place of one that stands."""
    made = match.made[place(match, entry.fields["n"])]
    return _with_secrets(match, made.entry.move, entry.fields["fields"])


def _with_secrets(match: "Match", move: Move, secrets: Mapping[str, Any]) -> Move:
    """A move with these secrets in the place of all it had: one that may be left out may go."""
    secret = match.game.moves[move.type].secret
    open_fields = {name: value for name, value in move.fields.items() if name not in secret}
    return Move(move.type, {**open_fields, **secrets})


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
