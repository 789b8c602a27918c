"""Questions: one mechanism for mistakes. Somebody asks, those concerned agree, and then it is done.

`undo` takes back the last move, `correct` replaces the secret fields of one's own earlier move, `reissue`
gives a seat a new key, `abandon` ends the game. What was taken back or corrected stays in the journal.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from referee.dice import Dice
from referee.fairness import commitment
from referee.game import News, Outcome, Say, State
from referee.moves import Choices, Move, Seat, offered
from referee.record import Answered, Asked, Moved
from referee.refused import Refused

if TYPE_CHECKING:
    from referee.match import Match

HOST = "host"
KINDS = ("undo", "correct", "reissue", "abandon")


@dataclass(frozen=True)
class Made:
    """A move that stands: the number of its first news, by which people call it, the number of its entry,
    and whether it showed something hidden."""

    n: int
    at: int
    entry: Moved
    reveals: bool


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
    if not _since(match, by, kind) <= version <= match.version:
        raise Refused("stale")
    if match.outcome:
        raise Refused("illegal-move", Say("refusal.over"))
    others = tuple(seat for seat, name in match.names.items() if name is not None and seat != by)
    match kind:
        case "undo":
            made = _last(match, by)
            return Asked(by, kind, () if made in _own_entries(match, by) else others, {"n": made.n})
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


def _since(match: "Match", by: Seat, kind: str) -> int:
    """Since when things stand as whoever asks must have seen them: the last move is the last of anyone."""
    if kind == "undo" and not _own_entries(match, by):
        return max(match.changed.values(), default=0)
    return match.changed.get(by, 0)


def _last(match: "Match", by: Seat) -> Made:
    """The move that would be taken back: the last one, or during a simultaneous step one's own."""
    made = next(iter(_own_entries(match, by)), None) or (match.made[-1] if match.made else None)
    if made is None:
        raise Refused("illegal-move", Say("refusal.nothing_to_undo"))
    return made


def _own_entries(match: "Match", by: Seat) -> list[Made]:
    """What a seat entered in a simultaneous step that still goes on: its own to take back, unasked."""
    if match.state is None or match.state.table.turn is not None:
        return []
    step = match.state.table.step
    return [made for made in reversed(match.made) if made.entry.seat == by and _is_at(match, made, step)]


def _is_at(match: "Match", made: Made, step: str) -> bool:
    """Whether a move was made in this very step: without it all the others stand, and nothing was shown."""
    if any(m.reveals for m in match.made if m.n >= made.n):
        return False
    try:
        without = replayed(match, [m for m in match.made if m is not made], strictly=True)
    except Refused:
        return False
    return bool(without.table.step == step)


def own_secrets(match: "Match", by: Seat) -> list[Made]:
    """The moves of this seat that have a secret: its own to correct."""
    moves = match.game.moves
    return [m for m in match.made if m.entry.seat == by and moves[m.entry.move.type].secret]


def _own_secret(match: "Match", by: Seat, n: int) -> Made | None:
    return next((m for m in own_secrets(match, by) if m.n == n), None)


def _check_form(match: "Match", by: Seat, fields: Mapping[str, Any]) -> None:
    """A correction has all the secret fields of its move and no others."""
    made = _own_secret(match, by, fields["n"])
    if made is None:
        return
    shape = match.game.moves[made.entry.move.type]
    whole = {**made.entry.move.fields, **fields["fields"]}
    if fields["fields"].keys() != shape.secret or any(shape.misfits(whole)):
        raise Refused("malformed", Say("refusal.malformed.detail", {"what": "fields"}))


def _check_correction(match: "Match", by: Seat, fields: Mapping[str, Any]) -> None:
    """A seat corrects only what it entered itself, by something it could have entered then."""
    made = _own_secret(match, by, fields["n"])
    if made is None:
        raise Refused("illegal-move", Say("refusal.not_yours_to_correct"))
    move = Move(made.entry.move.type, {**made.entry.move.fields, **fields["fields"]})
    if not offered(choices_then(match, made), move):
        raise Refused("illegal-move", Say("refusal.correction_impossible"))


def choices_then(match: "Match", made: Made) -> Choices:
    """What a seat was offered when it made this move."""
    then = replayed(match, [m for m in match.made if m.n < made.n])
    return match.game.choices(then.slice(made.entry.seat))


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
    match = match.with_salt(entry.by, entry.salt) if bound else match
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
    opened = replace(match.question, accepted=(*match.question.accepted, entry.seat))
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
            changes, told = {}, News("reissued", {**settled.about, "how": _how_reissued(match, settled)})
        case _:
            nothing: dict[Seat, Choices] = dict.fromkeys(match.choices, ())
            ended = Outcome((), "abandoned")
            changes = {"ended": ended, "shown": entry.fields["show"], "choices": nothing}
            told = News("abandoned")
    return match.grown(link, (*said, told), bound, question=None, asking=None, **changes)


def _how_reissued(match: "Match", settled: Question) -> str:
    """Whether whoever sits there agreed, or was not asked: their phone was away, or everybody's."""
    seat = settled.about["seat"]
    if seat in (settled.by, *settled.of):
        return "agreed"
    others = [s for s, name in match.names.items() if name is not None and s not in (seat, settled.by)]
    return "nobody_there" if others and not settled.of else "away"


def _undo(match: "Match", n: int) -> tuple[dict[str, Any], News]:
    gone = next(made for made in match.made if made.n == n)
    left = tuple(made for made in match.made if made is not gone)
    changes = match.standing(replayed(match, left), made=left)
    return _anew(match, gone.entry.seat, changes), News("taken_back", {"of": n})


def _correct(match: "Match", entry: Asked) -> tuple[dict[str, Any], News]:
    """Replay with the new secret; where a later move would not have been possible, all stays as it was."""
    move, n = corrected(match, entry), entry.fields["n"]
    made = tuple(replace(m, entry=replace(m.entry, move=move)) if m.n == n else m for m in match.made)
    try:
        state = replayed(match, made, strictly=True)
    except Refused:
        return {}, News("not_corrected", {"of": n})
    return _anew(match, entry.by, match.standing(state, made=made)), News("corrected", {"of": n})


def _anew(match: "Match", seat: Seat, changes: dict[str, Any]) -> dict[str, Any]:
    """What this seat may do counts as changed, even if it reads the same: what is stale must not tell."""
    return {**changes, "changed": {**changes["changed"], seat: match.version + 1}}


def corrected(match: "Match", entry: Asked) -> Move:
    """The whole move that a question would put in the place of one that stands."""
    made = next(m for m in match.made if m.n == entry.fields["n"])
    return Move(made.entry.move.type, {**made.entry.move.fields, **entry.fields["fields"]})


def _told_then(match: "Match", n: int) -> News:
    """What everyone was told first when a move was made that still stands."""
    first: News = replayed(match, [made for made in match.made if made.n <= n]).table.said[0]
    return first


def _reveals(match: "Match", entry: Asked) -> bool:
    """Whether something hidden has been shown by what would be taken back or played again."""
    since = entry.fields.get("n", match.next_news)
    return entry.kind in ("undo", "correct") and any(m.reveals for m in match.made if m.n >= since)


def replayed(match: "Match", made: Collection[Made], strictly: bool = False) -> State[Any, Any]:
    """The state after these moves from the deal on; strictly, each must be offered."""
    state = match.game.deal(match.options, Dice(match.seed, match.dealt))
    for m in made:
        if strictly and not offered(match.game.choices(state.slice(m.entry.seat)), m.entry.move):
            raise Refused("illegal-move")
        state = match.game.play(state, m.entry.seat, m.entry.move, Dice(match.seed, m.at))
    return state
